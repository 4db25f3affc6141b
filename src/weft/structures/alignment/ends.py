"""Alignments whose gaps at the ends are free or have scores of their own, and local ones."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from weft.arrays import Floats, Ids, Integers
from weft.core.array_checks import checked_floats
from weft.core.memory import require_memory
from weft.errors import InputError
from weft.structures.alignment.batch import NO_PLACES, Moves
from weft.structures.alignment.context import ContextAlignment
from weft.structures.alignment.context_batch import ContextBatch, Places
from weft.structures.alignment.ends_graph import EndsPositions, GraphedBatch, part_features_with_ends
from weft.structures.alignment.loops.ends import ends_best, ends_sums
from weft.structures.alignment.loops.ends_scaled import scaled_ends_sums
from weft.structures.alignment.loops.passes import PAIR
from weft.structures.alignment.loops.uniform import placed_score_moments
from weft.structures.alignment.pair_corpus import Alignments, PairCorpus
from weft.structures.alignment.references import References
from weft.structures.alignment.structure import NO_ENTRIES

MODES = ("global", "end-gaps", "semi-global", "local")
BYTES_PER_CELL = 60
"""Of the tables of one pair, all of which are in memory."""
NOT_WITH_ENDS = "mode={!r} has no {}; use another mode, or learn with weft.CRF(), Perceptron() or StructuredSVM()."


class EndsAlignment(ContextAlignment):
    """Alignments whose gaps at the ends score otherwise than those within.

    With end gaps, a gap before the first or after the last symbol of a sequence has weights of its own: proteins of a
    family differ more in where they begin and end than in between. Semi-global: it has no features, so that one
    sequence may lie within the other, or overlap with it. Local: whatever comes before the first pair and after the
    last has none. Symbols that are left out are written as gaps, those of the first sequence first.

    Feature order: that of `ContextAlignment`; with end gaps, their opening and extension stand last.

    Parameters
    ----------
    alphabet, gaps, context, classes
        As in `ContextAlignment`; a context of 0 means none.
    mode : {"end-gaps", "semi-global", "local"}

    Examples
    --------
    >>> structure = EndsAlignment("ACG", "linear", mode="local")
    >>> moves = np.array([1, 2, 0, 1, 0, 2], dtype=np.uint8)
    >>> float(structure.features(("ACCG", "GCGA"), moves)[-1])  # one symbol against a gap between two pairs
    1.0
    >>> EndsAlignment("ACG", mode="end-gaps").feature_names[-4:]
    ['gap open', 'gap extend', 'end gap open', 'end gap extend']
    """

    least_context: ClassVar[int] = 0

    def __init__(
        self, alphabet: Any, gaps: str = "affine", context: int = 0, classes: Any = (), mode: str = "semi-global"
    ) -> None:
        super().__init__(alphabet, gaps, context, classes)
        if mode not in MODES[1:]:
            raise InputError(f"mode is {mode!r}; use one of {', '.join(map(repr, MODES))}.")
        self.mode = mode

    @property
    def n_features(self) -> int:
        """Number of weights."""
        return super().n_features + (self.n_gap_features if self.mode == "end-gaps" else 0)

    @property
    def feature_names(self) -> list[Any]:
        """Those of `ContextAlignment`, and gaps at the ends."""
        names = super().feature_names
        return [*names, *(f"end {each}" for each in names[-self.n_gap_features :] if self.mode == "end-gaps")]

    @property
    def end_gap_features(self) -> Integers | None:
        """Features of the first symbol of a gap at an end and of further ones; None if they have none."""
        return self.gap_features + self.n_gap_features if self.mode == "end-gaps" else None

    def count(self, corpus: PairCorpus, alignments: Alignments, sample_weight: Floats | None = None) -> Floats:
        """Feature vectors of alignments."""
        out = super().count(corpus, alignments, sample_weight)
        ends = self.end_gap_features
        for index in range(len(corpus)):
            weight = 1.0 if sample_weight is None else sample_weight[index]
            row = out[index if sample_weight is None else 0]
            n_runs, n_moves = self._end_gaps(alignments[index])
            for k, number in enumerate((n_runs, n_moves - n_runs)):
                row[self.gap_features[k]] -= weight * number
                if ends is not None:
                    row[ends[k]] += weight * number
        return out

    def _end_gaps(self, moves: Moves) -> tuple[int, int]:
        """Number of gaps at the ends, and of their symbols."""
        if not len(moves):
            return 0, 0
        begins = np.flatnonzero(np.diff(moves, prepend=255) != 0)
        kinds, lengths = moves[begins], np.diff(np.append(begins, len(moves)))
        paired = np.flatnonzero(kinds == PAIR)
        if self.mode == "local":
            at_ends = np.ones(len(kinds), dtype=bool)
            if len(paired):
                at_ends[paired[0] : paired[-1] + 1] = False
        else:
            at_ends = np.zeros(len(kinds), dtype=bool)
            at_ends[[0, -1]] = True
            at_ends &= kinds != PAIR
        return int(np.count_nonzero(at_ends)), int(lengths[at_ends].sum())

    def encoded_part_features(self, first: Ids, second: Ids, n_symbols: int) -> csr_matrix:
        """As `part_features`, for symbol numbers and without neighbours."""
        plain = super().encoded_part_features(first, second, n_symbols)
        return part_features_with_ends(plain, len(first), len(second), self.gap_features, self.end_gap_features)


class EndsBatch(ContextBatch):
    """As `AlignmentBatch`, for `EndsAlignment`; local alignments have sums and the best alone.

    Examples
    --------
    >>> structure = EndsAlignment("ACGT", "linear", mode="semi-global")
    >>> batch = EndsBatch(structure, structure.encode([("TTTACGTTT", "ACG")]))
    >>> batch.argmax(np.array([1.0, -1, -1, -1, 1, -1, -1, 1, -1, 1, -2]))
    (Alignments(...), array([3.]))
    """

    structure: EndsAlignment

    def _gap_scores(self, index: int, weights: Floats) -> tuple[Floats, Floats]:
        """Scores of gaps in each column and row."""
        n, m = self.corpus.first_lengths[index], self.corpus.second_lengths[index]
        own, ends = weights[self.structure.gap_features][:, None], self.structure.end_gap_features
        by_column, by_row = np.repeat(own, m + 1, axis=1), np.repeat(own, n + 1, axis=1)
        if self.structure.mode != "local":
            of_ends = np.zeros((2, 1)) if ends is None else weights[ends][:, None]
            by_column[:, [0, -1]] = by_row[:, [0, -1]] = of_ends
        return by_column, by_row

    def _places(self, index: int, with_reference: bool = False) -> Places:
        """One pair by its positions, which answers by the graph."""
        if self.structure.mode == "local":
            raise self._refused("lists of alignments, draws, covariances and moments")
        n, m = int(self.corpus.first_lengths[index]), int(self.corpus.second_lengths[index])
        places = super()._places(index, with_reference)
        positions = EndsPositions(n, m, self.structure.gaps, self.structure.end_gap_features is not None)
        places.batch = GraphedBatch(positions, places.batch.corpus, places.batch.references, n_jobs=1)
        return places

    def _profile(self, index: int, weights: Floats) -> tuple[Places, Floats]:
        checked_floats("weights", weights, (self.n_features,), "give one weight per feature")
        n, m = int(self.corpus.first_lengths[index]), int(self.corpus.second_lengths[index])
        require_memory(BYTES_PER_CELL * n * m, f"alignments of {n:,} and {m:,} symbols", "align shorter pieces")
        places = super()._places(index)
        return places, places.scores(weights)[: n * m].reshape((n, m))

    def _sums(self, index: int, weights: Floats, columns: Ids | None = None) -> tuple[float, Floats, Floats]:
        """Log partition, expected features and probabilities of pairs; of those alignments that have `columns`."""
        places, profile = self._profile(index, weights)
        n, m = profile.shape
        may_first, may_second, bounds = np.ones(n, dtype=bool), np.ones(m, dtype=bool), (n, m, 0, 0)
        known = np.empty(0, dtype=np.int64) if columns is None else np.flatnonzero(columns >= 0)
        if columns is not None and len(known):
            may_first[known] = False
            may_second[columns[known]] = False
            kept = profile[known, columns[known]]
            profile[known] = -np.inf
            profile[:, columns[known]] = -np.inf
            profile[known, columns[known]] = kept
            bounds = (int(known[0]), int(columns[known[0]]), int(known[-1]) + 1, int(columns[known[-1]]) + 1)
        is_local = self.structure.mode == "local"
        gaps = self._gap_scores(index, weights)
        posterior, counts = np.zeros((n, m)), (np.zeros((2, m + 1)), np.zeros((2, n + 1)))
        log_total = np.nan
        if not is_local:
            log_total = scaled_ends_sums(profile, *gaps, may_first, may_second, posterior, counts)
        if np.isnan(log_total):
            for each in (posterior, *counts):
                each[:] = 0.0
            log_total = ends_sums(profile, *gaps, may_first, may_second, is_local, bounds, posterior, counts)
        return log_total, places.features(np.append(posterior.reshape(-1), self._of_gaps(counts))), posterior

    def _of_gaps(self, counts: tuple[Floats, Floats]) -> Floats:
        """Features of gaps, from how often there is one in each column and row."""
        structure = self.structure
        every = counts[0].sum(axis=1) + counts[1].sum(axis=1)
        at_ends = np.zeros(2)
        if structure.mode != "local":
            # Without symbols the first place is also the last.
            at_ends = np.add(*(each[:, sorted({0, each.shape[1] - 1})].sum(axis=1) for each in counts))
        found = [every - at_ends] + [at_ends] * (structure.end_gap_features is not None)
        return np.concatenate([each if structure.gaps == "affine" else each.sum(keepdims=True) for each in found])

    def _mean_of_set(self, references: References, weights: Floats) -> tuple[Floats, Floats]:
        if references.stretches is None:
            features = self.structure.count(self.corpus, references.alignments)
            return features @ weights, features
        begins = self.corpus.first_offsets

        def sums(index: int) -> tuple[float, Floats, Floats]:
            return self._sums(index, weights, references.anchors[begins[index] : begins[index + 1]])

        found = self._each(sums)
        return np.array([each[0] for each in found]), np.array([each[1] for each in found])

    def _expected(
        self,
        weights: Floats,
        sample_weight: Floats,
        separate: bool,
        posteriors: Floats | None = None,
        places: Integers = NO_PLACES,
        entries: tuple[float, Any, Any, Floats, Integers] = NO_ENTRIES,
    ) -> tuple[Floats, Floats]:
        log_partitions = np.zeros(len(self.corpus))
        threshold, first, second, values, n_entries = entries

        def work(chunk: slice, out: Floats) -> None:
            for index in range(chunk.start, chunk.stop):
                if sample_weight[index] == 0.0:
                    continue
                log_partitions[index], mean, probable = self._sums(index, weights)
                out[index if separate else 0] += sample_weight[index] * mean
                if posteriors is not None:
                    posteriors[places[index] : places[index + 1]] = probable.reshape(-1)
                if len(values):
                    i, j = np.nonzero(probable >= threshold)
                    here = slice(places[index], places[index] + len(i))
                    first[here], second[here], values[here], n_entries[index] = i, j, probable[i, j], len(i)

        out = self._collected(work, separate)
        return log_partitions, out

    def _decode(self, weights: Floats, loss: float) -> Alignments:
        begins = self.corpus.first_offsets

        def best(index: int) -> NDArray[np.uint8]:
            profile = self._profile(index, weights)[1]
            if loss:
                columns = self.reference().anchors[begins[index] : begins[index + 1]]
                known = np.flatnonzero(columns >= 0)
                profile[known, columns[known]] -= loss
            moves = np.empty(sum(profile.shape), dtype=np.uint8)
            is_local = self.structure.mode == "local"
            n_moves = ends_best(profile, *self._gap_scores(index, weights), is_local, moves)
            return moves[:n_moves]

        return self.join(self._each(best))

    def score_moments(self, weights: Floats) -> tuple[Floats, Floats]:
        """Mean and variance of the score over all alignments of each pair, each counting the same."""
        if self.structure.mode == "local":
            raise self._refused("moments of scores")

        def moments(index: int) -> tuple[float, float]:
            profile = self._profile(index, weights)[1]
            found: tuple[float, float] = placed_score_moments(profile, *self._gap_scores(index, weights))
            return found

        means, variances = np.array(self._each(moments)).reshape((-1, 2)).T
        return means, variances

    def generative_weights(self, counts: Floats, smoothing: float) -> Floats:
        """Refused: gaps at the ends have no counts of their own."""
        raise self._uncounted("Generative")

    def starting_weights(self, counts: Floats | None = None) -> Floats:
        """Refused, as `generative_weights`."""
        raise self._uncounted("EM")

    def maximised_weights(self, counts: Floats, smoothing: float) -> Floats:
        """Refused, as `generative_weights`."""
        raise self._uncounted("EM")

    def best_references(self, weights: Floats) -> tuple[Alignments, Floats]:
        """The references, which must be known as a whole."""
        if self.reference().is_partial:
            raise self._refused("best alignment of references that are known in part")
        alignments = self.reference().alignments
        return alignments, self.scores(weights, alignments)

    def _uncounted(self, learner: str) -> InputError:
        mode, context = self.structure.mode, ", context=0" * bool(self.structure.context)
        return InputError(
            f"{learner} counts pairs and gaps of whole alignments, but mode is {mode!r}; use weft.CRF(), or "
            f"mode='global'{context}."
        )

    def _refused(self, what: str) -> InputError:
        return InputError(NOT_WITH_ENDS.format(self.structure.mode, what))
