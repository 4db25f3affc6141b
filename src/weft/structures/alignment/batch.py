"""Alignments of all pairs of a corpus: the queries that learners ask."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from weft.arrays import Floats, Ids, Integers
from weft.core.ties import mean_size
from weft.errors import InputError
from weft.structures.alignment.accuracy import most_accurate_alignments
from weft.structures.alignment.counts import generative_alignment_weights
from weft.structures.alignment.graph import PairGraph
from weft.structures.alignment.logarithms import sums_in_logarithms
from weft.structures.alignment.loops.integers import decode_integers
from weft.structures.alignment.loops.pairs import decode_pairs, draw_pairs, expected_features, score_moves
from weft.structures.alignment.loops.uniform import uniform_score_moments
from weft.structures.alignment.pair_corpus import Alignments, PairCorpus
from weft.structures.alignment.posteriors import all_pairs, likely_pairs
from weft.structures.alignment.references import References
from weft.structures.alignment.structure import NO_ENTRIES, NOT_USED_UP, Alignment
from weft.structures.alignment.whole_scores import whole_scores
from weft.structures.batch import MomentBatch

Moves = NDArray[np.uint8]
NO_COLUMNS = np.empty(0, dtype=np.int32)
NO_MEANS = np.empty(0)
NO_PLACES = np.empty(0, dtype=np.int64)

CELLS_PER_COST = 64
"""Cells of an alignment that take as long as a token of a chain, roughly."""


class AlignmentBatch(MomentBatch):
    """Output spaces of all pairs of a corpus, one weight vector for all.

    Outputs are `Alignments`, an output an array of moves. References may be known in part; they are outputs too, and
    their features the mean over all alignments that agree with them.

    Parameters
    ----------
    structure : Alignment
    corpus : PairCorpus
    references : References, optional
        Needed by `observed` and whatever learns.
    sample_weight : ndarray of shape (n_pairs,), optional
        Weight of each pair in every sum.
    n_jobs : int
        Threads; -1 for all cores.

    Examples
    --------
    >>> structure = Alignment("match", gaps="linear")
    >>> batch = AlignmentBatch(structure, structure.encode([("ACG", "AG")]))
    >>> alignments, scores = batch.argmax(np.array([2.0, 0.0, -1.0]))
    >>> alignments[0], scores
    (array([0, 1, 0], dtype=uint8), array([3.]))
    """

    references: References | None

    def __init__(
        self,
        structure: Alignment,
        corpus: PairCorpus,
        references: References | None = None,
        sample_weight: Floats | None = None,
        n_jobs: int | None = -1,
    ) -> None:
        self.structure = structure
        self.corpus = corpus
        super().__init__(corpus.n_cells / CELLS_PER_COST, self.n_features, references, sample_weight, n_jobs)
        if references is not None:
            self._check_references(references)
        self._check_symbols()
        # What follows from the references alone, so that batches that differ in weights of the pairs share it.
        self._of_references: dict[str, Any] = {}

    @cached_property
    def _pair_features(self) -> Integers:
        return self.structure.pair_features(self.corpus.n_symbols)

    def _check_symbols(self) -> None:
        """Refuse a corpus of other symbols than those of the structure."""
        self._pair_features  # noqa: B018

    def _check_references(self, references: References) -> None:
        lengths = np.repeat(self.corpus.second_lengths, self.corpus.first_lengths)
        anchors = references.anchors
        if anchors.shape != lengths.shape or len(references.n_anchors) != len(self.corpus):
            raise InputError(f"references of {len(anchors)} symbols given; need {len(lengths)}: align the same pairs")
        if (anchors < -1).any() or (anchors >= lengths).any():
            raise InputError("a reference pairs a position beyond the second sequence; need moves of the same pairs")

    @property
    def n_features(self) -> int:
        """Length of a weight vector."""
        return self.structure.n_features

    @property
    def _lengths(self) -> Integers:
        """Number of symbols of each pair."""
        return self.corpus.first_lengths + self.corpus.second_lengths

    def select(self, sequences: Sequence[int] | Integers) -> Self:
        """The batch of these pairs, with their references and weights."""
        chosen = self._numbers(sequences)
        corpus = self.corpus.select(chosen)
        references = None if self.references is None else self.references.select(self.corpus, corpus, chosen)
        n_jobs = 1 if len(chosen) == 1 else self.n_jobs
        return type(self)(self.structure, corpus, references, self.sample_weight[chosen], n_jobs)

    # --------------------------------------------------------------- references

    @property
    def has_partial_references(self) -> bool:
        """Whether a reference is a set of alignments, so that its features depend on the weights."""
        return self.references is not None and self.references.is_partial

    def features_of(self, outputs: Alignments | References) -> csr_matrix:
        """Features of each alignment; of a partial reference, the mean over its alignments."""
        if isinstance(outputs, Alignments):
            return csr_matrix(self.structure.count(self.corpus, outputs))
        if outputs is not self.references:
            return csr_matrix(self._mean_of_set(outputs, np.zeros(self.n_features))[1])
        if "features" not in self._of_references:
            self._of_references["features"] = csr_matrix(self._mean_of_set(outputs, np.zeros(self.n_features))[1])
        return self._of_references["features"]

    def losses(self, outputs: Alignments | References) -> Floats:
        """Number of reference pairs of positions that each alignment does not have."""
        references = self.reference()
        alignments = outputs.alignments if isinstance(outputs, References) else outputs
        nothing = np.zeros((self.corpus.n_symbols, self.corpus.n_symbols))
        common = self._walked(alignments, nothing, (0.0, 0.0), references.anchors, 1.0)
        return np.asarray(references.n_anchors - common)

    def join(self, outputs: Sequence[Moves]) -> Alignments:
        """Moves of an alignment of each pair, laid end to end."""
        return Alignments.join(self.corpus, outputs)

    def split(self, outputs: Alignments | References) -> list[Moves]:
        """Moves of the alignment of each pair; of references, as they were given."""
        alignments = outputs.alignments if isinstance(outputs, References) else outputs
        alignments.check(self.corpus)
        return [alignments[index] for index in range(self.n_sequences)]

    def _mean_of_set(self, references: References, weights: Floats) -> tuple[Floats, Floats]:
        """Log weight and expected features of the alignments that agree with each reference."""
        if references.stretches is None:
            features = self.structure.count(self.corpus, references.alignments)
            return features @ weights, features
        features = self._anchor_features(references)
        log_weights = features @ weights
        inner = self._between(references)
        if inner is not None:
            log_partitions, means = inner._expected(weights, np.ones(inner.n_sequences), separate=True)
            np.add.at(log_weights, references.owners, log_partitions)
            np.add.at(features, references.owners, means)
        return log_weights, features

    def _anchor_features(self, references: References) -> Floats:
        """Features of the known pairs of positions alone."""
        features = np.zeros((len(self.corpus), self.n_features))
        known = np.flatnonzero(references.anchors >= 0)
        owner = np.searchsorted(self.corpus.first_offsets, known, side="right") - 1
        second = self.corpus.second[self.corpus.second_offsets[owner] + references.anchors[known]]
        np.add.at(features, (owner, self._pair_features[self.corpus.first[known], second]), 1.0)
        return features

    def _between(self, references: References) -> AlignmentBatch | None:
        """The stretches between known pairs of positions as a batch, if there are any."""
        if references.stretches is None or not len(references.stretches):
            return None
        if references is not self.references:
            return type(self)(self.structure, references.stretches, n_jobs=self.n_jobs)
        if "between" not in self._of_references:
            inner = type(self)(self.structure, references.stretches, n_jobs=self.n_jobs)
            self._of_references["between"] = inner
        found: AlignmentBatch = self._of_references["between"]
        return found

    def best_references(self, weights: Floats) -> tuple[Alignments, Floats]:
        """Best alignment that agrees with each reference, and its score."""
        references = self.reference()
        alignments = references.alignments
        if references.is_partial:
            inner = self._between(references)
            between = Alignments.empty(references.stretches) if inner is None else inner._decode(weights, 0.0)
            alignments = references.completed(self.corpus, between)
        return alignments, self.scores(weights, alignments)

    def reference_partition_and_mean(self, weights: Floats) -> tuple[float, Floats]:
        """Sum of log weights, and of expected features, of the alignments that agree with the references."""
        log_weights, features = self._mean_of_set(self.reference(), weights)
        return self._total(log_weights), self._summed_rows(features)

    # ------------------------------------------------------------------- passes

    def _exponentials(self, weights: Floats) -> tuple[Floats, float, float]:
        """Exponentials of the reduced scores of pairs, as a plane, and of an opening; and the score of an extension."""
        pairs, opening, extension = self.structure.reduced(weights, self.corpus.n_symbols)
        with np.errstate(over="ignore", under="ignore"):
            return np.exp(pairs)[None], float(np.exp(opening)), extension

    def _collected(self, work: Callable[[slice, Floats], None], separate: bool) -> Floats:
        """What `work(chunk, out)` adds to `out` for all pairs: a row for each if `separate`, else one row of sums."""
        if separate:
            rows = np.zeros((len(self.corpus), self.n_features))
            self._concatenated(lambda chunk: work(chunk, rows))
            return rows

        def sums(chunks: list[slice]) -> tuple[Floats]:
            out = np.zeros((1, self.n_features))
            for chunk in chunks:
                work(chunk, out)
            return (out,)

        return np.asarray(self._summed(sums)[0])

    def _expected(
        self,
        weights: Floats,
        sample_weight: Floats,
        separate: bool,
        posteriors: Floats | None = None,
        places: Integers = NO_PLACES,
        entries: tuple[float, Any, Any, Floats, Integers] = NO_ENTRIES,
    ) -> tuple[Floats, Floats]:
        """Log partition of each pair and expected features.

        `posteriors`, or `entries` for those that reach a threshold, receive those of pair i from ``places[i]`` on.
        """
        planes, opening, extension = self._exponentials(weights)
        log_partitions = np.empty(len(self.corpus))
        room = np.empty(0) if posteriors is None else posteriors

        def work(chunk: slice, out: Floats) -> None:
            expected_features(
                chunk.start, chunk.stop, self.corpus.arrays, planes, (opening, 0.0), NO_COLUMNS, 0.0,
                self._pair_features, self.structure.gap_features, sample_weight, out, log_partitions, NO_MEANS, room,
                places, entries,
            )  # fmt: skip
            for index in self._lost(log_partitions, chunk):
                alone(index, out)

        def alone(index: int, out: Floats) -> None:
            own, here = room[:0], slice(0, 0)
            if posteriors is not None:
                own = posteriors[places[index] : places[index + 1]]
            if len(entries[3]):
                here = slice(places[index], places[index + 1])
            threshold, first, second, values, n_entries = entries
            rooms = (threshold, first[here], second[here], values[here])
            found = sums_in_logarithms(self.structure, self.corpus, index, weights, own, rooms)
            log_partitions[index], mean, n_found = found
            log_partitions[index] -= extension * self._lengths[index]
            out[index if separate else 0] += sample_weight[index] * mean
            if len(values):
                n_entries[index] = n_found

        out = self._collected(work, separate)
        return log_partitions + extension * self._lengths, out

    @staticmethod
    def _lost(log_partitions: Floats, chunk: slice) -> list[int]:
        """Pairs whose numbers under- or overflow, so that each is summed in logarithms."""
        found: list[int] = (chunk.start + np.flatnonzero(np.isnan(log_partitions[chunk]))).tolist()
        return found

    def log_partition_and_mean(self, weights: Floats) -> tuple[float, Floats]:
        """Sum of log partitions and of expected features under the model."""
        log_partitions, mean = self._expected(weights, self.sample_weight, separate=False)
        return self._total(log_partitions), mean[0]

    def log_partitions(self, weights: Floats) -> Floats:
        """Logarithm of the sum over all alignments of each pair.

        The way back is not needed for it, but shows where the way there lost numbers.
        """
        return self._expected(weights, np.ones(len(self.corpus)), separate=False)[0]

    def expectations(self, weights: Floats) -> Floats:
        """Expected features of each pair, shape (n_pairs, d)."""
        return self._expected(weights, np.ones(len(self.corpus)), separate=True)[1]

    def covariance_with(self, weights: Floats, direction: Floats, loss: float = 0.0) -> tuple[Floats, Floats]:
        """Covariance of the features with ``direction . features + loss * missed reference pairs``, and its mean."""
        plane, opening, _ = self._exponentials(weights)
        pair_slopes, opening_slope, extension_slope = self.structure.reduced(direction, self.corpus.n_symbols)
        with np.errstate(over="ignore", invalid="ignore"):  # pairs whose numbers are lost go to the graph below
            planes, openings = np.concatenate([plane, plane * pair_slopes]), (opening, opening * opening_slope)
        columns = self.reference().anchors if loss else NO_COLUMNS
        means, log_partitions = np.zeros(len(self.corpus)), np.empty(len(self.corpus))

        def work(chunk: slice, out: Floats) -> None:
            expected_features(
                chunk.start, chunk.stop, self.corpus.arrays, planes, openings, columns, -loss,
                self._pair_features, self.structure.gap_features, self.sample_weight, out, log_partitions, means,
                NO_MEANS, NO_PLACES, NO_ENTRIES,
            )  # fmt: skip
            for index in self._lost(log_partitions, chunk):
                here = slice(self.corpus.first_offsets[index], self.corpus.first_offsets[index + 1])
                alone = PairGraph(self.structure, self.corpus, index, weights)
                product, mean = alone.covariance(direction, columns[here], -loss)
                means[index] = mean - extension_slope * self._lengths[index]
                out[0] += self.sample_weight[index] * product

        out = self._collected(work, separate=False)[0]
        means += extension_slope * self._lengths
        if loss:
            means += loss * self.reference().n_anchors
        return out, means

    def score_moments(self, weights: Floats) -> tuple[Floats, Floats]:
        """Mean and variance of the score over all alignments of each pair, each counting the same."""
        pairs, opening, extension = self.structure.reduced(weights, self.corpus.n_symbols)
        means, variances = np.empty(len(self.corpus)), np.empty(len(self.corpus))

        def work(chunk: slice) -> None:
            uniform_score_moments(chunk.start, chunk.stop, self.corpus.arrays, pairs, opening, means, variances)

        self._concatenated(work)
        return means + extension * self._lengths, variances

    # ------------------------------------------------------------------ outputs

    def argmax(self, weights: Floats, loss: float = 0.0) -> tuple[Alignments, Floats]:
        """Alignments of the largest score plus `loss` times the number of missed reference pairs, and these sums."""
        found = self._decode(weights, loss)
        table, *gaps = self.structure.tables(weights, self.corpus.n_symbols)
        if not loss:
            return found, self._walked(found, table, (gaps[0], gaps[1]), NO_COLUMNS, 0.0)
        references = self.reference()
        scores = self._walked(found, table, (gaps[0], gaps[1]), references.anchors, -loss)
        return found, scores + loss * references.n_anchors

    def _decode(self, weights: Floats, loss: float) -> Alignments:
        pairs, opening, extension = self.structure.reduced(weights, self.corpus.n_symbols)
        sizes = (float(mean_size(weights)), abs(extension))
        columns = self.reference().anchors if loss else NO_COLUMNS
        found = Alignments.empty(self.corpus)
        found.n_moves[:] = -1
        whole = None if loss else whole_scores(pairs, opening)

        def work(chunk: slice) -> None:
            room = (found.moves, found.offsets, found.n_moves)
            # Most pairs are done by the first that can: scores of 16 bits, of 32, any.
            for table, whole_opening in whole or ():
                if found.n_moves[chunk].min() < 0:
                    decode_integers(chunk.start, chunk.stop, self.corpus.arrays, table, whole_opening, *room)
            if found.n_moves[chunk].min() < 0:
                decode_pairs(chunk.start, chunk.stop, self.corpus.arrays, pairs, opening, sizes, columns, -loss, *room)

        self._concatenated(work)
        return found

    def _walked(
        self,
        alignments: Alignments,
        table: Floats,
        gaps: tuple[float, float],
        columns: Ids,
        bonus: float,
    ) -> Floats:
        """Scores of alignments, move by move; pairs of `columns` score `bonus` more."""
        alignments.check(self.corpus)
        scores = np.empty(len(self.corpus))

        def work(chunk: slice) -> int:
            bad: int = score_moves(
                chunk.start, chunk.stop, self.corpus.arrays, alignments.moves, alignments.offsets, alignments.n_moves,
                table, gaps, columns, bonus, scores,
            )  # fmt: skip
            return bad

        for bad in self._concatenated(work):
            if bad >= 0:
                raise InputError(NOT_USED_UP.format(bad))
        return scores

    def scores(self, weights: Floats, outputs: Alignments | References) -> Floats:
        """Score of an alignment of each pair; of a partial reference, the mean over its alignments."""
        if isinstance(outputs, References):
            if outputs.is_partial:
                return np.asarray(self.features_of(outputs) @ weights)
            outputs = outputs.alignments
        table, opening, extension = self.structure.tables(weights, self.corpus.n_symbols)
        return self._walked(outputs, table, (opening, extension), NO_COLUMNS, 0.0)

    def kbest(self, weights: Floats, k: int) -> list[list[tuple[Moves, float]]]:
        """Moves of the k best alignments of each pair with their scores; fewer if fewer exist."""
        return self._each(lambda index: PairGraph(self.structure, self.corpus, index, weights).kbest(k))

    def most_accurate(self, weights: Floats, gamma: float = 1.0) -> Alignments:
        """Alignments with the largest expected number of symbols that are right.

        A right pair counts `gamma` times as much as two symbols that are rightly against gaps; with ``np.inf`` only
        pairs count.
        """
        return most_accurate_alignments(self, weights, gamma)

    def marginals(
        self, weights: Floats, instead: str = "ask for those above a threshold (likely_pairs), or fewer at once"
    ) -> list[Floats]:
        """Probability that each two positions are paired, shape (n, m) for each pair; `instead` if memory lacks."""
        return all_pairs(self, weights, instead)

    def likely_pairs(self, weights: Floats, threshold: float) -> list[csr_matrix]:
        """Probability that each two positions are paired, where it reaches the threshold; in memory for those alone."""
        return likely_pairs(self, weights, threshold)

    def sample(self, weights: Floats, n_samples: int, random: np.random.Generator) -> list[Alignments]:
        """Alignments of each pair, drawn exactly in proportion to ``exp(score)``; uniformly for zero weights."""
        planes, opening, _ = self._exponentials(weights)
        room = Alignments.empty(self.corpus)
        moves = np.empty((n_samples, len(room.moves)), dtype=np.uint8)
        n_moves = np.empty((n_samples, len(self.corpus)), dtype=np.int64)
        uniforms = random.random(moves.shape)
        lost = draw_pairs(self.corpus.arrays, planes, opening, uniforms, moves, room.offsets, n_moves)
        if lost >= 0:
            raise InputError(f"scores of pair {lost} are too far apart to draw alignments; use smaller weights.")
        return [Alignments(row, room.offsets, count) for row, count in zip(moves, n_moves, strict=True)]

    # ----------------------------------------------------------------- learning

    def generative_weights(self, counts: Floats, smoothing: float) -> Floats:
        """Weights of the generative model with these feature counts."""
        return generative_alignment_weights(self.structure, counts, self.corpus.n_symbols, smoothing)

    def starting_weights(self, counts: Floats | None = None) -> Floats:
        """Where learning without references begins: equal symbols pair, gaps are few and long."""
        weights = np.zeros(self.n_features)
        weights[self._pair_features.diagonal()] = 1.0
        opening, extension = self.structure.gap_features
        weights[opening] = -1.0
        weights[extension] = -0.5
        return weights

    def maximised_weights(self, counts: Floats, smoothing: float) -> Floats:
        """As `generative_weights`, with the frequencies of all symbols as their distribution in gaps.

        The likelihood of the pairs is then their sum over alignments up to a constant.
        """
        symbols = np.concatenate([self.corpus.first, self.corpus.second])
        frequencies = np.bincount(symbols, minlength=self.corpus.n_symbols) + smoothing
        background = frequencies / frequencies.sum()
        return generative_alignment_weights(self.structure, counts, self.corpus.n_symbols, smoothing, background)
