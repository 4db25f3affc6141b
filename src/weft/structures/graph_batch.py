"""Any structure that compiles to derivation graphs, bound to data: all the queries that learners ask."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from weft.core import DerivationGraph
from weft.core.array_checks import checked_numbers
from weft.core.joined import Block, JoinedGraphs
from weft.errors import InputError
from weft.structures.derivation_moments import GrammarMoments, SampledGrammarMoments
from weft.structures.online import PerceptronState, frank_wolfe_passes, perceptron_passes

__all__ = ["GraphBatch"]

Floats = NDArray[np.float64]
Parts = NDArray[np.int32]


class GraphBatch:
    """Outputs of many inputs, one derivation graph each, and one weight vector for all.

    Slower than a batch made for one structure, and complete: whatever compiles to graphs can be learned by every
    learner that asks for `observed`, `log_partition_and_mean`, `covariance_product`, `argmax`, `moments`,
    `perceptron` or `frank_wolfe`. An output is the array of its parts, in any order; a loss counts the parts that only
    one of two outputs has. The graphs are joined into one (`weft.core.joined`).

    Parameters
    ----------
    graphs : list of DerivationGraph
    features : list of sparse matrices of shape (n_parts, n_features)
        Features of the parts of each graph.
    references : list of arrays of parts, optional
        The right output of each input; needed to learn.
    importance : ndarray of shape (n_sequences,), optional
        Weight of each input in every sum.
    n_jobs : int, optional
        Number of threads; None is 1, -1 all cores. Answers are the same for any number, bit for bit.

    Examples
    --------
    One input with two outputs, of which the second is right:

    >>> import scipy.sparse
    >>> graph = DerivationGraph.build([0, 0], [[-1, -1], [-1, -1]], [0, 1], n_nodes=1, n_parts=2)
    >>> batch = GraphBatch([graph], [scipy.sparse.eye_array(2)], [[1]])
    >>> batch.observed() - batch.log_partition_and_mean(np.zeros(2))[1]
    array([-0.5,  0.5])
    """

    def __init__(
        self,
        graphs: Sequence[DerivationGraph],
        features: Sequence[Any],
        references: Sequence[npt.ArrayLike] | None = None,
        importance: Floats | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.joined = JoinedGraphs(graphs, features, n_jobs)
        self.references = None if references is None else self._checked(references)
        self.importance = np.ones(self.n_sequences) if importance is None else importance

    def _checked(self, references: Sequence[npt.ArrayLike]) -> list[Parts]:
        """References as arrays, each of which makes an output of its input."""
        if len(references) != self.n_sequences:
            raise InputError(f"{self.n_sequences} graphs but {len(references)} references came; want one per x.")
        outputs = [np.asarray(parts, dtype=np.int32) for parts in references]
        marked = self._marked(outputs) > 0.0
        whole = self.joined.each_block(lambda block: self.joined.has_derivations(marked[self._span(block)], block))
        if not all(own.all() for own in whole):
            raise _no_output(int(np.argmin(np.concatenate(whole))))
        return outputs

    @property
    def n_features(self) -> int:
        """Length of a weight vector."""
        return self.joined.n_features

    @property
    def n_sequences(self) -> int:
        """Number of inputs."""
        return self.joined.n_inputs

    def part_scores(self, i: int, weights: Floats) -> Floats:
        """Score of each part of one input."""
        return self.joined.part_scores(weights, (i, i + 1))

    def _span(self, block: Block) -> slice:
        """Where the parts of a block are among those of all inputs."""
        return slice(int(self.joined.part_starts[block[0]]), int(self.joined.part_starts[block[1]]))

    # ------------------------------------------------------------ given outputs

    def reference(self) -> list[Parts]:
        """Parts of the right output of each input."""
        if self.references is None:
            raise InputError("this batch has no references; pass them to learn from it.")
        return self.references

    def _numbered(self, outputs: Sequence[Parts]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Parts of an output of each input, numbered over all inputs, and the input of each."""
        if len(outputs) != self.n_sequences or any(np.ndim(parts) != 1 for parts in outputs):
            shapes = f"{len(outputs)} outputs for {self.n_sequences} inputs"
            raise InputError(f"{shapes} came; want one array of parts per x: give what argmax returns.")
        inputs = np.repeat(np.arange(self.n_sequences), [len(parts) for parts in outputs])
        parts = np.concatenate([np.asarray(parts, dtype=np.int64) for parts in outputs])
        numbers = parts + self.joined.part_starts[inputs]
        outside = (parts < 0) | (numbers >= self.joined.part_starts[inputs + 1])
        if outside.any():
            raise _no_output(int(inputs[np.argmax(outside)]))
        return numbers, inputs

    def _marked(self, outputs: Sequence[Parts]) -> Floats:
        """How often an output of each input has each part, one input after the other."""
        n_parts = int(self.joined.part_starts[-1])
        return np.bincount(self._numbered(outputs)[0], minlength=n_parts).astype(np.float64)

    def marked(self, i: int, parts: Parts) -> Floats:
        """How often an output has each part."""
        n_parts = self.joined.n_parts((i, i + 1))
        parts = checked_numbers("parts", parts, n_parts, "give parts of the graph of this input")
        return np.bincount(parts, minlength=n_parts).astype(np.float64)

    def features_of(self, i: int, parts: Parts) -> Floats:
        """Features of one output of one input."""
        return np.asarray(self.joined.features(self.marked(i, parts), (i, i + 1))[0])

    def loss_bonus(self, i: int) -> Floats:
        """What each part adds to the distance from the reference: 1, or -1 if the reference has it too."""
        return np.where(self.marked(i, self.reference()[i]) > 0, -1.0, 1.0)

    def counts(self, outputs: Sequence[Parts] | None = None) -> Floats:
        """Features of the references (or other outputs), shape (n_sequences, n_features)."""
        marked = self._marked(self.reference() if outputs is None else outputs)
        return self._concatenated(lambda block: self.joined.features(marked[self._span(block)], block))

    def gathered(self, counts: Floats) -> Floats:
        """Features from counts; here they are the same."""
        return counts

    def observed(self, importance: Floats | None = None, outputs: Sequence[Parts] | None = None) -> Floats:
        """Features of the references (or others), summed over the inputs with their weights."""
        factors = self.importance if importance is None else importance
        marked = self._marked(self.reference() if outputs is None else outputs)
        return self.joined.sum_blocks(lambda block: self.joined.features(marked[self._span(block)], block, factors))

    def scores(self, weights: Floats, outputs: Sequence[Parts], restrict: bool = True) -> Floats:
        """Score of the given output of each input."""
        numbers, inputs = self._numbered(outputs)
        of_parts = self._concatenated(lambda block: self.joined.part_scores(weights, block))
        return np.asarray(np.bincount(inputs, of_parts[numbers], self.n_sequences), dtype=np.float64)

    def _concatenated(self, work: Callable[[Block], Floats]) -> Floats:
        return np.concatenate(self.joined.each_block(work))

    # ------------------------------------------------------------- best outputs

    def best_of(self, i: int, weights: Floats, bonus: Floats | None = None) -> tuple[Parts, float]:
        """Best output of one input and its score, with a bonus for each part."""
        [parts], scores = self.joined.argmax(weights, (i, i + 1), bonus)
        return parts, float(scores[0])

    def argmax(self, weights: Floats) -> tuple[list[Parts], Floats]:
        """Best output of each input, and their scores."""
        found = self.joined.each_block(lambda block: self.joined.argmax(weights, block))
        return [parts for own, _ in found for parts in own], np.concatenate([scores for _, scores in found])

    def kbest(self, weights: Floats, k: int) -> list[list[tuple[Parts, float]]]:
        """The k best outputs of each input with their scores, best first; fewer if fewer exist."""
        found = self.joined.each_block(lambda block: self.joined.kbest(weights, k, block))
        return [ranked for own in found for ranked in own]

    # ------------------------------------------------------------- all outputs

    def log_partitions(self, weights: Floats) -> Floats:
        """Logarithm of the sum of the exponentials of all scores of each input."""
        return self._concatenated(lambda block: self.joined.log_partitions(weights, block))

    def marginals(self, weights: Floats) -> tuple[list[Floats], Floats]:
        """Probability of each part of each input, and log partitions."""

        def work(block: Block) -> tuple[list[Floats], Floats]:
            totals, expected = self.joined.expected_parts(weights, block)
            return self.joined.cut_parts(expected, block), totals

        found = self.joined.each_block(work)
        return [own for block, _ in found for own in block], np.concatenate([totals for _, totals in found])

    def expectations(self, weights: Floats) -> tuple[Floats, Floats]:
        """Log partition and expected features of each input."""

        def work(block: Block) -> tuple[Floats, Floats]:
            totals, expected = self.joined.expected_parts(weights, block)
            return totals, self.joined.features(expected, block)

        totals, means = zip(*self.joined.each_block(work), strict=True)
        return np.concatenate(totals), np.concatenate(means)

    def log_partition_and_mean(self, weights: Floats, importance: Floats | None = None) -> tuple[float, Floats]:
        """Sum of log partitions and of expected features under the model."""
        factors = self.importance if importance is None else importance
        totals = np.empty(self.n_sequences)

        def work(block: Block) -> Floats:
            totals[slice(*block)], expected = self.joined.expected_parts(weights, block)
            return self.joined.features(expected, block, factors)

        mean = self.joined.sum_blocks(work)
        return float(factors @ totals), mean

    def _covariances(self, weights: Floats, direction: Floats, loss: bool, block: Block) -> Floats:
        """Covariance of the number of each part of a block with the score of a direction, or with the loss."""
        if loss:  # up to a constant the sum of what each part adds
            projections = np.concatenate([self.loss_bonus(i) for i in range(*block)])
        else:
            projections = self.joined.part_scores(direction, block)
        return self.joined.covariances(weights, projections, block)

    def covariance_product(self, weights: Floats, direction: Floats) -> Floats:
        """Covariance of the features under the model, summed over the inputs, times a vector."""

        def work(block: Block) -> Floats:
            return self.joined.features(self._covariances(weights, direction, False, block), block, self.importance)

        return self.joined.sum_blocks(work)

    def covariance_with(self, weights: Floats, direction: Floats, loss: bool = False) -> tuple[Floats, Floats]:
        """Expected features of each input, and their covariance with the score of a direction.

        With `loss` the distance to the reference takes the place of the score.
        """

        def work(block: Block) -> Floats:
            return self.joined.features(self._covariances(weights, direction, loss, block), block)

        return self.expectations(weights)[1], self._concatenated(work)

    def score_moments(self, weights: Floats) -> tuple[Floats, Floats]:
        """Mean and standard deviation of the score over all outputs of each input, each counting the same."""
        means, covariances = self.covariance_with(np.zeros_like(weights), weights)
        return means @ weights, np.sqrt(np.maximum(covariances @ weights, 0.0))

    def moments(self, base: Floats | None = None) -> GrammarMoments:
        """Moments of all outputs under a base distribution; uniform without one."""
        return GrammarMoments(self, base)

    def sampled_moments(self, n_samples: int, random: np.random.Generator) -> SampledGrammarMoments:
        """Moments estimated from uniformly drawn outputs."""
        return SampledGrammarMoments(self, self.draw(np.zeros(self.n_features), n_samples, random))

    def draw(self, weights: Floats, n_samples: int, random: np.random.Generator) -> list[list[Parts]]:
        """Random outputs of each input in proportion to the exponential of their scores, drawn in one thread."""
        found = (self.joined.sample(weights, n_samples, random, block) for block in self.joined.blocks)
        return [drawn for own in found for drawn in own]

    # ------------------------------------------------------------ step by step

    def perceptron(self, state: PerceptronState, random: np.random.Generator) -> Iterator[tuple[PerceptronState, int]]:
        """State and number of wrong parts after each pass of the averaged perceptron."""
        return perceptron_passes(self, state, random)

    def frank_wolfe(self, strength: float, random: np.random.Generator) -> Iterator[tuple[Floats, float, float]]:
        """Weights, dual value and duality gap after each pass of the structural SVM."""
        return frank_wolfe_passes(self, strength, random)


def _no_output(i: int) -> InputError:
    return InputError(f"the parts of y[{i}] make no output of x[{i}]; leave it out, or mend the structure.")
