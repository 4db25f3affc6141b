"""Any structure that compiles to derivation graphs, bound to data: all the queries that learners ask."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import scipy.sparse
from numpy.typing import NDArray

from weft.core import DerivationGraph, argmax, covariance_product, kbest, log_count, log_partition, marginals, sample
from weft.core.array_checks import checked_floats
from weft.core.checks import checked_features
from weft.errors import InputError
from weft.structures.derivation_moments import GrammarMoments, SampledGrammarMoments
from weft.structures.online import PerceptronState, frank_wolfe_passes, perceptron_passes

__all__ = ["GraphBatch"]

Floats = NDArray[np.float64]
Parts = NDArray[np.int32]
Result = TypeVar("Result")


class GraphBatch:
    """Outputs of many inputs, one derivation graph each, and one weight vector for all.

    Slower than a batch made for one structure, and complete: whatever compiles to graphs can be learned by every
    learner that asks for `observed`, `log_partition_and_mean`, `covariance_product`, `argmax`, `moments`,
    `perceptron` or `frank_wolfe`. An output is the array of its parts, in any order; a loss counts the parts that only
    one of two outputs has.

    Parameters
    ----------
    graphs : list of DerivationGraph
    features : list of sparse matrices of shape (n_parts, n_features)
        Features of the parts of each graph.
    references : list of arrays of parts, optional
        The right output of each input; needed to learn.
    importance : ndarray of shape (n_sequences,), optional
        Weight of each input in every sum.

    Examples
    --------
    One input with two outputs, of which the second is right:

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
    ) -> None:
        if not graphs or len(graphs) != len(features):
            raise InputError(f"{len(graphs)} graphs and {len(features)} feature matrices came; want one of each per x.")
        self.graphs = list(graphs)
        self.features = [checked_features(graph, rows) for graph, rows in zip(graphs, features, strict=True)]
        widths = sorted({rows.shape[1] for rows in self.features})
        if len(widths) > 1:
            raise InputError(f"feature matrices of {widths} columns came; want one number: all share the weights.")
        self.references = None if references is None else [self._checked(i, y) for i, y in enumerate(references)]
        if self.references is not None and len(self.references) != len(self.graphs):
            raise InputError(f"{len(self.graphs)} graphs but {len(self.references)} references came; want one per x.")
        self.importance = np.ones(len(self.graphs)) if importance is None else importance

    def _checked(self, i: int, parts: npt.ArrayLike) -> Parts:
        output, graph = np.asarray(parts, dtype=np.int32), self.graphs[min(i, len(self.graphs) - 1)]
        allowed = np.full(graph.n_parts, -np.inf)
        in_range = output.ndim == 1 and bool(((output >= 0) & (output < graph.n_parts)).all())
        if in_range:
            allowed[output] = 0.0
        if not in_range or log_count(graph, allowed) == -np.inf:
            raise InputError(f"the parts of y[{i}] make no output of x[{i}]; leave it out, or mend the structure.")
        return output

    @property
    def n_features(self) -> int:
        """Length of a weight vector."""
        return int(self.features[0].shape[1])

    @property
    def n_sequences(self) -> int:
        """Number of inputs."""
        return len(self.graphs)

    def each(self, work: Callable[[int], Result]) -> list[Result]:
        """Results of `work(i)` for each input."""
        return [work(i) for i in range(self.n_sequences)]

    def part_scores(self, i: int, weights: Floats) -> Floats:
        """Score of each part of one input."""
        weights = checked_floats("weights", weights, (self.n_features,), "give one weight per feature")
        return np.asarray(self.features[i] @ weights)

    # ------------------------------------------------------------ given outputs

    def reference(self) -> list[Parts]:
        """Parts of the right output of each input."""
        if self.references is None:
            raise InputError("this batch has no references; pass them to learn from it.")
        return self.references

    def marked(self, i: int, parts: Parts) -> Floats:
        """How often an output has each part."""
        return np.bincount(parts, minlength=self.graphs[i].n_parts).astype(np.float64)

    def features_of(self, i: int, parts: Parts) -> Floats:
        """Features of one output of one input."""
        return np.asarray(self.features[i].T @ self.marked(i, parts))

    def loss_bonus(self, i: int) -> Floats:
        """What each part adds to the distance from the reference: 1, or -1 if the reference has it too."""
        return np.where(self.marked(i, self.reference()[i]) > 0, -1.0, 1.0)

    def counts(self, outputs: Sequence[Parts] | None = None) -> Floats:
        """Features of the references (or other outputs), shape (n_sequences, n_features)."""
        outputs = self.reference() if outputs is None else outputs
        return np.array([self.features_of(i, parts) for i, parts in enumerate(outputs)])

    def gathered(self, counts: Floats) -> Floats:
        """Features from counts; here they are the same."""
        return counts

    def observed(self, importance: Floats | None = None, outputs: Sequence[Parts] | None = None) -> Floats:
        """Features of the references (or others), summed over the inputs with their weights."""
        return np.asarray((self.importance if importance is None else importance) @ self.counts(outputs))

    def scores(self, weights: Floats, outputs: Sequence[Parts], restrict: bool = True) -> Floats:
        """Score of the given output of each input."""
        return np.asarray(self.counts(outputs) @ weights)

    # ------------------------------------------------------------- best outputs

    def best_of(self, i: int, weights: Floats, bonus: Floats | None = None) -> tuple[Parts, float]:
        """Best output of one input and its score, with a bonus for each part."""
        found = argmax(self.graphs[i], self.part_scores(i, weights) + (0.0 if bonus is None else bonus))
        return found.parts, found.score

    def argmax(self, weights: Floats) -> tuple[list[Parts], Floats]:
        """Best output of each input, and their scores."""
        found = self.each(lambda i: self.best_of(i, weights))
        return [parts for parts, _ in found], np.array([score for _, score in found])

    def kbest(self, weights: Floats, k: int) -> list[list[tuple[Parts, float]]]:
        """The k best outputs of each input with their scores, best first; fewer if fewer exist."""
        ranked = self.each(lambda i: kbest(self.graphs[i], self.part_scores(i, weights), k))
        return [[(each.parts, each.score) for each in own] for own in ranked]

    # ------------------------------------------------------------- all outputs

    def marginals(self, weights: Floats) -> tuple[list[Floats], Floats]:
        """Probability of each part of each input, and log partitions."""
        scores = self.each(lambda i: self.part_scores(i, weights))
        totals = [log_partition(graph, own) for graph, own in zip(self.graphs, scores, strict=True)]
        return [marginals(graph, own) for graph, own in zip(self.graphs, scores, strict=True)], np.array(totals)

    def expectations(self, weights: Floats) -> tuple[Floats, Floats]:
        """Log partition and expected features of each input."""
        found, totals = self.marginals(weights)
        return totals, np.array([rows.T @ own for rows, own in zip(self.features, found, strict=True)])

    def log_partition_and_mean(self, weights: Floats, importance: Floats | None = None) -> tuple[float, Floats]:
        """Sum of log partitions and of expected features under the model."""
        importance = self.importance if importance is None else importance
        totals, means = self.expectations(weights)
        return float(importance @ totals), np.asarray(importance @ means)

    def covariance_product(self, weights: Floats, direction: Floats) -> Floats:
        """Covariance of the features under the model, summed over the inputs, times a vector."""
        return np.asarray(self.importance @ self.covariance_with(weights, direction)[1])

    def covariance_with(self, weights: Floats, direction: Floats, loss: bool = False) -> tuple[Floats, Floats]:
        """Expected features of each input, and their covariance with the score of a direction.

        With `loss` the distance to the reference takes the place of the score.
        """

        def work(i: int) -> Floats:
            graph, scores, rows = self.graphs[i], self.part_scores(i, weights), self.features[i]
            if not loss:
                return covariance_product(graph, scores, rows, direction)
            # The loss is one more feature, up to a constant.
            extended = scipy.sparse.hstack([rows, self.loss_bonus(i)[:, None]], format="csr")
            return covariance_product(graph, scores, extended, np.eye(1, self.n_features + 1, self.n_features)[0])[:-1]

        return self.expectations(weights)[1], np.array(self.each(work))

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
        """Random outputs of each input in proportion to the exponential of their scores."""
        drawn = self.each(lambda i: sample(self.graphs[i], self.part_scores(i, weights), n_samples, random))
        return [[each.parts for each in own] for own in drawn]

    # ------------------------------------------------------------ step by step

    def perceptron(self, state: PerceptronState, random: np.random.Generator) -> Iterator[tuple[PerceptronState, int]]:
        """State and number of wrong parts after each pass of the averaged perceptron."""
        return perceptron_passes(self, state, random)

    def frank_wolfe(self, strength: float, random: np.random.Generator) -> Iterator[tuple[Floats, float, float]]:
        """Weights, dual value and duality gap after each pass of the structural SVM."""
        return frank_wolfe_passes(self, strength, random)
