"""Any structure that compiles to derivation graphs, bound to data: all the queries that learners ask."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray
from scipy.sparse import csr_array

from weft.arrays import Floats, Integers, Mask
from weft.core import DerivationGraph
from weft.core.joined import Block, JoinedGraphs
from weft.errors import InputError
from weft.structures.batch import MomentBatch

Parts = NDArray[np.int32]
Result = TypeVar("Result")

EDGES_PER_COST = 64
"""Edges of a graph that take as long as a token of a chain."""


class GraphBatch(MomentBatch):
    """Outputs of many inputs, one derivation graph each, and one weight vector for all.

    Slower than a batch made for one structure, and complete: whatever compiles to graphs can be learned by every
    learner that needs no weights from counts. An output is the array of its parts, in any order; a loss counts the
    parts that one of two outputs has and the other has not, or not as often. Where a loss is a part of a score or of a
    moment, a part that an output has more often than its reference counts as often for it: sums over parts know no
    other way, and few structures have such outputs. The graphs are joined into one (`weft.core.joined`).

    Parameters
    ----------
    graphs : list of DerivationGraph
    features : list of sparse matrices of shape (n_parts, n_features)
        Features of the parts of each graph.
    references : list of arrays of parts, optional
        The right output of each input; needed to learn.
    sample_weight : ndarray of shape (n_sequences,), optional
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

    dense_features: ClassVar[int] = 64

    def __init__(
        self,
        graphs: Sequence[DerivationGraph],
        features: Sequence[Any],
        references: Sequence[npt.ArrayLike] | None = None,
        sample_weight: Floats | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.joined = JoinedGraphs(graphs, features)
        self._bind(None, sample_weight, n_jobs)
        if references is not None:
            self.references = self._checked(references)

    def _bind(self, references: list[Parts] | None, sample_weight: Floats | None, n_jobs: int | None) -> None:
        costs = self.joined.n_edges(slice(None)) / EDGES_PER_COST
        super().__init__(costs, self.joined.n_features, references, sample_weight, n_jobs)

    def _checked(self, references: Sequence[npt.ArrayLike]) -> list[Parts]:
        """References as arrays, each of which makes an output of its input."""
        if len(references) != self.n_sequences:
            raise InputError(f"{self.n_sequences} graphs but {len(references)} references given; need one per x.")
        outputs = self.join(references)
        starts = self.joined.part_starts
        inputs, parts = self._numbered(outputs)
        marked = np.zeros(starts[-1], dtype=np.bool_)
        marked[starts[inputs] + parts] = True

        def work(block: Block) -> Mask:
            return self.joined.has_derivations(marked[starts[block[0]] : starts[block[1]]], block)

        whole = np.concatenate(self._each_block(work))
        if not whole.all():
            raise _no_output(int(np.argmin(whole)))
        return outputs

    @property
    def n_features(self) -> int:
        """Length of a weight vector."""
        return self.joined.n_features

    def select(self, sequences: Sequence[int] | Integers) -> Self:
        """The batch of these inputs, with their references and weights."""
        numbers = self._numbers(sequences)
        if not len(numbers):
            raise InputError("no input was selected; need at least one: give some")
        other = copy.copy(self)
        other.joined = self.joined.select(numbers)
        references = None if self.references is None else [self.references[i] for i in numbers]
        other._bind(references, self.sample_weight[numbers], self.n_jobs if len(numbers) > 1 else None)
        return other

    # --------------------------------------------------------------- the blocks

    def _blocks(self, chunks: Sequence[slice]) -> Iterator[Block]:
        """Blocks of all inputs of some chunks, which bound what is in memory at once."""
        for chunk in chunks:
            yield from self.joined.blocks(chunk)

    def _each_block(self, work: Callable[[Block], Result]) -> list[Result]:
        """Results of `work` for each block, in threads."""
        found = self._concatenated(lambda chunk: [work(block) for block in self.joined.blocks(chunk)])
        return [result for own in found for result in own]

    # ------------------------------------------------------------ given outputs

    def join(self, outputs: Sequence[npt.ArrayLike]) -> list[Parts]:
        """One output of each input, a list of arrays of parts."""
        found = []
        for i, parts in enumerate(outputs):
            own = np.asarray(parts)
            if own.ndim != 1 or not (own.size == 0 or np.issubdtype(own.dtype, np.integer)):
                raise InputError(f"{parts!r} given as output {i}; need the numbers of its parts, as argmax gives.")
            found.append(own.astype(np.int32))
        return found

    def split(self, outputs: Sequence[Parts]) -> list[Parts]:
        """The parts of the output of each input."""
        return list(outputs)

    def _numbered(self, outputs: Sequence[Parts]) -> tuple[Integers, Integers]:
        """Parts of an output of each input, one after the other, and before them the input of each."""
        if len(outputs) != self.n_sequences or any(np.ndim(parts) != 1 for parts in outputs):
            shapes = f"{len(outputs)} outputs for {self.n_sequences} inputs"
            raise InputError(f"{shapes} given; need one array of parts per x: give what argmax returns.")
        inputs = np.repeat(np.arange(self.n_sequences), [len(parts) for parts in outputs])
        parts = np.concatenate([np.asarray(parts, dtype=np.int64) for parts in outputs])
        starts = self.joined.part_starts
        outside = (parts < 0) | (parts >= starts[inputs + 1] - starts[inputs])
        if outside.any():
            raise _no_output(int(inputs[np.argmax(outside)]))
        return inputs, parts

    def features_of(self, outputs: Sequence[Parts]) -> csr_array:
        """Features of the output of each input, shape (n_sequences, n_features)."""
        return self.joined.features_of(*self._numbered(outputs))

    def losses(self, outputs: Sequence[Parts]) -> Floats:
        """How many parts only one of output and reference has, or how many more it has of one than the other."""
        starts = self.joined.part_starts
        found, wanted = (starts[inputs] + parts for inputs, parts in map(self._numbered, (outputs, self.reference())))
        numbers, places = np.unique(np.concatenate([found, wanted]), return_inverse=True)
        signs = np.concatenate([np.ones(len(found)), np.full(len(wanted), -1.0)])
        inputs = np.searchsorted(starts, numbers, side="right") - 1
        differences = np.abs(np.bincount(places, signs, len(numbers)))
        return np.asarray(np.bincount(inputs, differences, self.n_sequences), dtype=np.float64)

    def _bonus(self, block: Block, loss: float) -> Floats:
        """What each part of a block adds to the distance from the reference: 1, or -1 if the reference has it too."""
        starts = self.joined.part_starts[slice(*block)] - self.joined.part_starts[block[0]]
        references = self.reference()[slice(*block)]
        bonus = np.full(self.joined.n_parts(block), loss)
        bonus[np.concatenate([start + parts for start, parts in zip(starts, references, strict=True)])] = -loss
        return bonus

    def _constant(self, loss: float) -> Floats | float:
        """What the distance of each input begins with: all that the reference has."""
        return loss * np.array([len(parts) for parts in self.reference()], dtype=np.float64) if loss else 0.0

    # ------------------------------------------------------------- best outputs

    def argmax(self, weights: Floats, loss: float = 0.0) -> tuple[list[Parts], Floats]:
        """Best output of each input, and their scores, both with `loss` times the distance from the reference."""

        def work(block: Block) -> tuple[list[Parts], Floats]:
            return self.joined.argmax(weights, block, self._bonus(block, loss) if loss else None)

        found = self._concatenated(lambda chunk: work((chunk.start, chunk.stop)))
        scores = np.concatenate([scores for _, scores in found])
        return [parts for own, _ in found for parts in own], scores + self._constant(loss)

    def kbest(self, weights: Floats, k: int) -> list[list[tuple[Parts, float]]]:
        """The k best outputs of each input with their scores, best first; fewer if fewer exist."""
        found = self._each_block(lambda block: self.joined.kbest(weights, k, block))
        return [ranked for own in found for ranked in own]

    # ------------------------------------------------------------- all outputs

    def log_partitions(self, weights: Floats) -> Floats:
        """Logarithm of the sum of the exponentials of all scores of each input."""
        return np.concatenate(self._each_block(lambda block: self.joined.log_partitions(weights, block)))

    def marginals(self, weights: Floats) -> list[Floats]:
        """Probability of each part of each input (how often it is expected, if it can occur more than once)."""

        def work(block: Block) -> list[Floats]:
            return self.joined.cut_parts(self.joined.expected_parts(weights, block)[1], block)

        return [own for found in self._each_block(work) for own in found]

    def expectations(self, weights: Floats) -> Floats:
        """Expected features of each input, shape (n_sequences, n_features)."""

        def work(block: Block) -> Floats:
            return self.joined.feature_rows(self.joined.expected_parts(weights, block)[1], block)

        return np.concatenate(self._each_block(work))

    def log_partition_and_mean(self, weights: Floats) -> tuple[float, Floats]:
        """Sum of log partitions and of expected features under the model."""
        totals = np.empty(self.n_sequences)

        def task(chunks: list[slice]) -> tuple[Floats]:
            mean = np.zeros(self.n_features)
            for chunk in chunks:
                block = (chunk.start, chunk.stop)
                totals[chunk] = self.joined.add_expected_features(mean, weights, block, self.sample_weight)
            return (mean,)

        (mean,) = self._summed(task)
        return self._total(totals), mean

    def covariance_with(self, weights: Floats, direction: Floats, loss: float = 0.0) -> tuple[Floats, Floats]:
        """Covariance of the features with ``direction . features + loss * distance``, and the mean of that."""
        means = np.empty(self.n_sequences)

        def task(chunks: list[slice]) -> tuple[Floats]:
            total = np.zeros(self.n_features)
            for block in self._blocks(chunks):
                projections = self.joined.part_scores(direction, block)
                if loss:
                    projections += self._bonus(block, loss)
                means[slice(*block)], covariances = self.joined.covariances(weights, projections, block)
                self.joined.add_features(total, covariances, block, self.sample_weight)
            return (total,)

        (total,) = self._summed(task)
        return total, means + self._constant(loss)

    def score_moments(self, weights: Floats) -> tuple[Floats, Floats]:
        """Mean and variance of the score over all outputs of each input, each counting the same."""
        zeros = np.zeros(self.n_features)

        def work(block: Block) -> tuple[Floats, list[float]]:
            scores = self.joined.part_scores(weights, block)
            means, covariances = self.joined.covariances(zeros, scores, block)
            return means, [float(own.sum()) for own in self.joined.cut_parts(covariances * scores, block)]

        means, variances = zip(*self._each_block(work), strict=True)
        return np.concatenate(means), np.maximum(np.concatenate(variances), 0.0)

    def sample(self, weights: Floats, n_samples: int, random: np.random.Generator) -> list[list[Parts]]:
        """Random outputs in proportion to the exponential of their scores, drawn in one thread."""
        found = (self.joined.sample(weights, n_samples, random, block) for block in self._blocks(self.chunks))
        return [list(drawn) for drawn in zip(*(own for block in found for own in block), strict=True)]


def _no_output(i: int) -> InputError:
    return InputError(f"the parts of y[{i}] make no output of x[{i}]; leave it out, or fix the structure.")
