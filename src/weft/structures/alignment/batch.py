"""Alignments of all pairs of a corpus: the queries that learners ask."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.core.array_checks import checked_floats
from weft.core.shards import concatenate_over_shards, cut_into_shards, sum_over_shards
from weft.core.ties import mean_size
from weft.core.vectors import dot_in_order
from weft.errors import InputError
from weft.structures.alignment.counts import generative_alignment_weights
from weft.structures.alignment.graph import PairGraph
from weft.structures.alignment.loops.pairs import covariance_products, decode_pairs, draw_pairs, expected_features
from weft.structures.alignment.moments import AlignmentMoments, SampledAlignmentMoments
from weft.structures.alignment.online import frank_wolfe_passes, perceptron_passes, plain_weights
from weft.structures.alignment.pair_corpus import Alignments, PairCorpus
from weft.structures.alignment.references import References, anchor_columns
from weft.structures.alignment.structure import Alignment
from weft.structures.online import PerceptronState

__all__ = ["AlignmentBatch"]

Floats = NDArray[np.float64]
NO_COLUMNS = np.empty(0, dtype=np.int32)
NO_PLACES = np.empty(0, dtype=np.int64)

CELLS_PER_COST = 64
"""Cells of an alignment that take as long as a token of a chain, roughly."""


class AlignmentBatch:
    """Output spaces of all pairs of a corpus, one weight vector for all.

    Parameters
    ----------
    structure : Alignment
    corpus : PairCorpus
    references : References, optional
        Needed by `observed` and whatever learns.
    importance : ndarray of shape (n_pairs,), optional
        Weight of each pair in every sum.
    n_jobs : int
        Threads; -1 for all cores.
    """

    def __init__(
        self,
        structure: Alignment,
        corpus: PairCorpus,
        references: References | None = None,
        importance: Floats | None = None,
        n_jobs: int | None = -1,
    ) -> None:
        self.structure = structure
        self.corpus = corpus
        self.references = references
        self.importance = self._importance(np.ones(len(corpus)) if importance is None else importance)
        if references is not None:
            self._check_references(references)
        self.n_jobs = n_jobs
        self._pair_features = structure.pair_features(corpus.n_symbols)
        shards = cut_into_shards(corpus.n_cells / CELLS_PER_COST, self.n_features)
        self._chunks = [(shard.start, shard.stop) for shard in shards]

    def _importance(self, importance: Any) -> Floats:
        return checked_floats("importance", importance, (len(self.corpus),), "give one number per pair")

    def _check_references(self, references: References) -> None:
        lengths = np.repeat(self.corpus.second_lengths, self.corpus.first_lengths)
        anchors = references.anchors
        if anchors.shape != lengths.shape or len(references.n_anchors) != len(self.corpus):
            raise InputError(f"references of {len(anchors)} symbols came; want {len(lengths)}: align the same pairs")
        if (anchors < -1).any() or (anchors >= lengths).any():
            raise InputError("a reference pairs a position beyond the second sequence; want moves of the same pairs")

    @property
    def n_features(self) -> int:
        """Length of a weight vector."""
        return self.structure.n_features

    @property
    def n_sequences(self) -> int:
        """Number of pairs."""
        return len(self.corpus)

    @property
    def n_symbols(self) -> NDArray[np.int64]:
        """Number of symbols of each pair."""
        return self.corpus.first_lengths + self.corpus.second_lengths

    def single(self, index: int) -> AlignmentBatch:
        """One of the pairs on its own, with importance 1."""
        corpus = self.corpus.select([index])
        references = None if self.references is None else self.references.select(self.corpus, corpus, index)
        return AlignmentBatch(self.structure, corpus, references, n_jobs=1)

    # --------------------------------------------------------------- references

    def reference(self) -> References:
        """Reference alignments."""
        if self.references is None:
            raise InputError("this batch has no reference alignments; pass y to learn from it.")
        return self.references

    @property
    def has_partial_references(self) -> bool:
        """Whether a reference is a set of alignments, so that its features depend on the weights."""
        return self.reference().is_partial

    def count(self, alignments: Alignments | References) -> Floats:
        """Features of each alignment, shape (n_pairs, d); of a partial reference, the mean over its alignments."""
        if isinstance(alignments, Alignments):
            return self.structure.count(self.corpus, alignments)
        if alignments is self.references:
            return self._reference_features
        return self._mean_of_set(alignments, np.zeros(self.n_features))[1]

    @cached_property
    def _reference_features(self) -> Floats:
        return self._mean_of_set(self.reference(), np.zeros(self.n_features))[1]

    def _mean_of_set(self, references: References, weights: Floats) -> tuple[Floats, Floats]:
        """Log weight and expected features of the alignments that agree with each reference."""
        if references.stretches is None:
            features = self.structure.count(self.corpus, references.alignments)
            return features @ weights, features
        features = self.anchor_features(references)
        inner = AlignmentBatch(self.structure, references.stretches, n_jobs=self.n_jobs)
        log_weights = features @ weights
        if len(inner.corpus):
            log_partitions, means = inner.expectations(weights)
            np.add.at(log_weights, references.owners, log_partitions)
            np.add.at(features, references.owners, means)
        return log_weights, features

    def anchor_features(self, references: References) -> Floats:
        """Features of the known pairs of positions alone."""
        features = np.zeros((len(self.corpus), self.n_features))
        known = np.flatnonzero(references.anchors >= 0)
        owner = np.searchsorted(self.corpus.first_offsets, known, side="right") - 1
        second = self.corpus.second[self.corpus.second_offsets[owner] + references.anchors[known]]
        np.add.at(features, (owner, self._pair_features[self.corpus.first[known], second]), 1.0)
        return features

    def best_references(self, weights: Floats) -> Floats:
        """Features of the best alignment that agrees with each reference."""
        references = self.reference()
        if references.stretches is None:
            return self._reference_features
        features = self.anchor_features(references)
        inner = AlignmentBatch(self.structure, references.stretches, n_jobs=self.n_jobs)
        if len(inner.corpus):
            np.add.at(features, references.owners, inner.count(inner.argmax(weights)[0]))
        return features

    def observed(self, importance: Floats | None = None, alignments: Alignments | None = None) -> Floats:
        """Features of the references (or other alignments), summed; for partial ones, the mean of all that agree."""
        importance = self.importance if importance is None else self._importance(importance)
        return np.asarray(importance @ self.count(self.reference() if alignments is None else alignments))

    def reference_partition_and_mean(self, weights: Floats) -> tuple[float, Floats]:
        """Sum of log weights, and of expected features, of the alignments that agree with the references."""
        log_weights, features = self._mean_of_set(self.reference(), weights)
        return float(self.importance @ log_weights), np.asarray(self.importance @ features)

    def missed(self, alignments: Alignments) -> Floats:
        """Number of reference pairs of positions that each alignment does not have: the loss of alignments."""
        references = self.reference()
        found = np.empty(len(self.corpus))
        for index in range(len(self.corpus)):
            here = slice(self.corpus.first_offsets[index], self.corpus.first_offsets[index + 1])
            found[index] = _n_common(alignments[index], references.anchors[here])
        return np.asarray(references.n_anchors - found)

    # ------------------------------------------------------------------- passes

    def _over_chunks(self, work: Any) -> list[Any]:
        return concatenate_over_shards(work, self._chunks, self.n_jobs)

    def _collected(self, work: Callable[[tuple[int, int], Floats], None], separate: bool) -> Floats:
        """What `work(bounds, out)` adds to `out` for all pairs: a row for each if `separate`, else one row of sums."""
        if separate:
            rows = np.zeros((len(self.corpus), self.n_features))
            self._over_chunks(lambda bounds: work(bounds, rows))
            return rows

        def sums(bounds: tuple[int, int]) -> tuple[Floats]:
            out = np.zeros((1, self.n_features))
            work(bounds, out)
            return (out,)

        return np.asarray(sum_over_shards(sums, self._chunks, self.n_jobs)[0])

    def log_partition_and_mean(self, weights: Floats, importance: Floats | None = None) -> tuple[float, Floats]:
        """Sum of log partitions and of expected features under the model."""
        importance = self.importance if importance is None else self._importance(importance)
        log_partitions, mean = self._expected(weights, importance, separate=False)
        return dot_in_order(importance, log_partitions), mean[0]

    def expectations(self, weights: Floats) -> tuple[Floats, Floats]:
        """Log partition of each pair, and its expected features, shape (n_pairs, d)."""
        return self._expected(weights, np.ones(len(self.corpus)), separate=True)

    def _expected(self, weights: Floats, importance: Floats, separate: bool) -> tuple[Floats, Floats]:
        pairs, opening, extension = self.structure.reduced(weights, self.corpus.n_symbols)
        with np.errstate(over="ignore", under="ignore"):
            table, opening = np.exp(pairs), float(np.exp(opening))
        log_partitions = np.empty(len(self.corpus))

        def work(bounds: tuple[int, int], out: Floats) -> None:
            expected_features(
                *bounds, self.corpus.arrays, table, opening, self._pair_features, self.structure.gap_features,
                importance, out, log_partitions, np.empty(0), NO_PLACES,
            )  # fmt: skip

        out = self._collected(work, separate)
        lost = np.isnan(log_partitions)
        log_partitions += extension * self.n_symbols
        for index in np.flatnonzero(lost).tolist():
            alone = PairGraph(self.structure, self.corpus, index, weights)
            log_partitions[index] = alone.log_partition
            out[index if separate else 0] += importance[index] * alone.mean()
        return log_partitions, out

    def covariance_product(self, weights: Floats, direction: Floats) -> Floats:
        """Covariance of the features under the model, summed over the pairs, times a vector."""
        return self.covariance_with(weights, direction)[0]

    def covariance_with(
        self, weights: Floats, direction: Floats, loss: float = 0.0, separate: bool = False
    ) -> tuple[Floats, Floats]:
        """Covariance of the features with the score of a direction, and the expected score of each pair.

        The score is that of `direction` plus `loss` times the number of reference pairs that are missed. With
        `separate` the covariances of each pair, shape (n_pairs, d), without importance.
        """
        n_symbols = self.corpus.n_symbols
        pairs, opening, _ = self.structure.reduced(weights, n_symbols)
        with np.errstate(over="ignore", under="ignore"):
            table, opening = np.exp(pairs), float(np.exp(opening))
        pair_slopes, opening_slope, extension_slope = self.structure.reduced(direction, n_symbols)
        model = (table, opening)
        slopes = (table * pair_slopes, opening * opening_slope)
        columns = self.reference().anchors if loss else NO_COLUMNS
        importance = np.ones(len(self.corpus)) if separate else self.importance
        means = np.empty(len(self.corpus))

        def work(bounds: tuple[int, int], out: Floats) -> None:
            covariance_products(
                *bounds, self.corpus.arrays, model, slopes, columns, -loss, self._pair_features,
                self.structure.gap_features, importance, out, means,
            )  # fmt: skip

        out = self._collected(work, separate)
        lost = np.isnan(means)
        means += extension_slope * self.n_symbols
        for index in np.flatnonzero(lost).tolist():
            here = slice(self.corpus.first_offsets[index], self.corpus.first_offsets[index + 1])
            alone = PairGraph(self.structure, self.corpus, index, weights)
            product, means[index] = alone.covariance(direction, columns[here], -loss)
            out[index if separate else 0] += importance[index] * product
        if loss:
            means += loss * self.reference().n_anchors
        return (out if separate else out[0]), means

    # ------------------------------------------------------------------ outputs

    def argmax(self, weights: Floats) -> tuple[Alignments, Floats]:
        """Best alignment of each pair and its score."""
        alignments = self.decode(weights)
        return alignments, self.scores(weights, alignments)

    def decode(self, weights: Floats, loss: float = 0.0) -> Alignments:
        """Alignments of the largest score plus `loss` times the number of missed reference pairs."""
        pairs, opening, extension = self.structure.reduced(weights, self.corpus.n_symbols)
        sizes = (float(mean_size(weights)), abs(extension))
        columns = self.reference().anchors if loss else NO_COLUMNS
        found = Alignments.empty(self.corpus)

        def work(bounds: tuple[int, int]) -> None:
            decode_pairs(
                *bounds, self.corpus.arrays, pairs, opening, sizes, columns, -loss,
                found.moves, found.offsets, found.n_moves,
            )  # fmt: skip

        self._over_chunks(work)
        return found

    def scores(self, weights: Floats, alignments: Alignments | References, restrict: bool = True) -> Floats:
        """Score of an alignment of each pair."""
        return np.asarray(self.count(alignments) @ weights)

    def kbest(self, weights: Floats, k: int) -> tuple[list[list[NDArray[np.uint8]]], list[Floats]]:
        """Moves of the k best alignments of each pair, and their scores; fewer if fewer exist."""

        def work(bounds: tuple[int, int]) -> list[tuple[list[NDArray[np.uint8]], Floats]]:
            return [PairGraph(self.structure, self.corpus, index, weights).kbest(k) for index in range(*bounds)]

        every = [each for chunk in self._over_chunks(work) for each in chunk]
        return [moves for moves, _ in every], [scores for _, scores in every]

    def marginals(self, weights: Floats) -> tuple[list[Floats], Floats]:
        """Probability that each two positions are paired, shape (n, m) for each pair, and log partitions."""
        pairs, opening, extension = self.structure.reduced(weights, self.corpus.n_symbols)
        with np.errstate(over="ignore", under="ignore"):
            table, opening = np.exp(pairs), float(np.exp(opening))
        sizes = self.corpus.first_lengths * self.corpus.second_lengths
        places = np.concatenate([[0], np.cumsum(sizes)])
        posteriors, log_partitions = np.empty(places[-1]), np.empty(len(self.corpus))
        importance = np.ones(len(self.corpus))

        def work(bounds: tuple[int, int]) -> None:
            expected_features(
                *bounds, self.corpus.arrays, table, opening, self._pair_features, self.structure.gap_features,
                importance, np.zeros((1, self.n_features)), log_partitions, posteriors, places,
            )  # fmt: skip

        self._over_chunks(work)
        lost = np.isnan(log_partitions)
        log_partitions += extension * self.n_symbols
        for index in np.flatnonzero(lost).tolist():
            alone = PairGraph(self.structure, self.corpus, index, weights)
            log_partitions[index] = alone.log_partition
            posteriors[places[index] : places[index + 1]] = alone.posterior()
        shapes = zip(self.corpus.first_lengths.tolist(), self.corpus.second_lengths.tolist(), strict=True)
        return [
            posteriors[places[index] : places[index + 1]].reshape(shape) for index, shape in enumerate(shapes)
        ], log_partitions

    def sample(self, weights: Floats, n_samples: int, random: np.random.Generator) -> list[Alignments]:
        """Alignments of each pair, drawn exactly in proportion to ``exp(score)``; uniformly for zero weights."""
        pairs, opening, _ = self.structure.reduced(weights, self.corpus.n_symbols)
        with np.errstate(over="ignore", under="ignore"):
            table, opening = np.exp(pairs), float(np.exp(opening))
        room = Alignments.empty(self.corpus)
        moves = np.empty((n_samples, len(room.moves)), dtype=np.uint8)
        n_moves = np.empty((n_samples, len(self.corpus)), dtype=np.int64)
        uniforms = random.random(moves.shape)
        lost = draw_pairs(self.corpus.arrays, table, opening, uniforms, moves, room.offsets, n_moves)
        if lost >= 0:
            raise InputError(f"scores of pair {lost} are too far apart to draw alignments; use smaller weights.")
        return [Alignments(row, room.offsets, count) for row, count in zip(moves, n_moves, strict=True)]

    # ----------------------------------------------------------------- learning

    def moments(self, base: Floats | None = None) -> AlignmentMoments:
        """Moments of all alignments under a base distribution; uniform without one."""
        return AlignmentMoments(self, base)

    def sampled_moments(self, n_samples: int, random: np.random.Generator) -> SampledAlignmentMoments:
        """Moments estimated from uniformly drawn alignments (MM section 3.2.2)."""
        return SampledAlignmentMoments(self, self.sample(np.zeros(self.n_features), n_samples, random))

    def generative_weights(self, counts: Floats, smoothing: float) -> Floats:
        """Weights of the generative model with these feature counts."""
        return generative_alignment_weights(self.structure, counts, self.corpus.n_symbols, smoothing)

    def starting_weights(self) -> Floats:
        """Where learning without references begins: equal symbols pair, gaps are few and long."""
        return plain_weights(self)

    def maximised_weights(self, counts: Floats, smoothing: float) -> Floats:
        """As `generative_weights`, with the frequencies of all symbols as their distribution in gaps.

        The likelihood of the pairs is then their sum over alignments up to a constant.
        """
        symbols = np.concatenate([self.corpus.first, self.corpus.second])
        frequencies = np.bincount(symbols, minlength=self.corpus.n_symbols) + smoothing
        background = frequencies / frequencies.sum()
        return generative_alignment_weights(self.structure, counts, self.corpus.n_symbols, smoothing, background)

    def perceptron(self, state: PerceptronState, random: np.random.Generator) -> Iterator[tuple[PerceptronState, int]]:
        """State and number of missed reference pairs after each pass of the averaged perceptron."""
        return perceptron_passes(self, state, random)

    def frank_wolfe(self, strength: float, random: np.random.Generator) -> Iterator[tuple[Floats, float, float]]:
        """Weights, dual value and duality gap after each pass of the structural SVM."""
        return frank_wolfe_passes(self, strength, random)


def _n_common(moves: NDArray[np.uint8], anchors: NDArray[np.int32]) -> int:
    """How many known pairs of positions an alignment has."""
    columns = anchor_columns(moves)
    return int(np.count_nonzero((columns == anchors) & (anchors >= 0)))
