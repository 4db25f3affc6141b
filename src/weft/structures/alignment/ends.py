"""Semi-global and local alignments: what stands at the ends costs nothing."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats, Ids, Integers
from weft.core.array_checks import checked_floats
from weft.core.memory import require_memory
from weft.errors import InputError
from weft.structures.alignment.batch import NO_PLACES, Moves
from weft.structures.alignment.context import ContextAlignment
from weft.structures.alignment.context_batch import ContextBatch, Places
from weft.structures.alignment.loops.ends import ends_best, ends_sums
from weft.structures.alignment.loops.passes import PAIR
from weft.structures.alignment.pair_corpus import Alignments, PairCorpus
from weft.structures.alignment.references import References
from weft.structures.alignment.structure import NO_ENTRIES

MODES = ("global", "semi-global", "local")
BYTES_PER_CELL = 60
"""Of the tables of one pair, all of which are in memory."""
NOT_WITH_ENDS = "mode={!r} has no {}; use mode='global', or learn with weft.CRF(), Perceptron() or StructuredSVM()."


class EndsAlignment(ContextAlignment):
    """Alignments whose ends are free.

    Semi-global: a gap before the first or after the last symbol of a sequence has no features, so that one sequence
    may lie within the other, or overlap with it. Local: whatever comes before the first pair and after the last has
    none. Symbols that are left out are written as gaps, those of the first sequence first.

    Parameters
    ----------
    alphabet, gaps, context, classes
        As in `ContextAlignment`; a context of 0 means none.
    mode : {"semi-global", "local"}

    Examples
    --------
    >>> structure = EndsAlignment("ACG", "linear", mode="local")
    >>> moves = np.array([1, 2, 0, 1, 0, 2], dtype=np.uint8)
    >>> float(structure.features(("ACCG", "GCGA"), moves)[-1])  # one symbol against a gap between two pairs
    1.0
    """

    least_context: ClassVar[int] = 0

    def __init__(
        self, alphabet: Any, gaps: str = "affine", context: int = 0, classes: Any = (), mode: str = "semi-global"
    ) -> None:
        super().__init__(alphabet, gaps, context, classes)
        if mode not in MODES[1:]:
            raise InputError(f"mode is {mode!r}; use one of {', '.join(map(repr, MODES))}.")
        self.mode = mode

    def count(self, corpus: PairCorpus, alignments: Alignments, sample_weight: Floats | None = None) -> Floats:
        """Feature vectors of alignments, without their ends."""
        out = super().count(corpus, alignments, sample_weight)
        opening, extension = self.gap_features
        for index in range(len(corpus)):
            weight = 1.0 if sample_weight is None else sample_weight[index]
            row = out[index if sample_weight is None else 0]
            n_runs, n_moves = self._free_gaps(alignments[index])
            row[opening] -= weight * n_runs
            row[extension] -= weight * (n_moves - n_runs)
        return out

    def _free_gaps(self, moves: Moves) -> tuple[int, int]:
        """Number of gaps at the ends that are free, and of their symbols."""
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


class EndsBatch(ContextBatch):
    """As `AlignmentBatch`, for `EndsAlignment`: sums and best alignments, which is what CRFs and perceptrons ask for.

    Examples
    --------
    >>> structure = EndsAlignment("ACGT", "linear", mode="semi-global")
    >>> batch = EndsBatch(structure, structure.encode([("TTTACGTTT", "ACG")]))
    >>> batch.argmax(np.array([1.0, -1, -1, -1, 1, -1, -1, 1, -1, 1, -2]))
    (Alignments(...), array([3.]))
    """

    structure: EndsAlignment

    def _gap_scores(self, index: int, weights: Floats) -> tuple[Floats, Floats]:
        """Scores of gaps in each column and row; NaN where they are free."""
        n, m = self.corpus.first_lengths[index], self.corpus.second_lengths[index]
        own = weights[self.structure.gap_features][:, None]
        by_column, by_row = np.repeat(own, m + 1, axis=1), np.repeat(own, n + 1, axis=1)
        if self.structure.mode == "semi-global":
            by_column[:, [0, -1]] = by_row[:, [0, -1]] = np.nan
        return by_column, by_row

    def _profile(self, index: int, weights: Floats) -> tuple[Places, Floats]:
        checked_floats("weights", weights, (self.n_features,), "give one weight per feature")
        n, m = int(self.corpus.first_lengths[index]), int(self.corpus.second_lengths[index])
        require_memory(BYTES_PER_CELL * n * m, f"alignments of {n:,} and {m:,} symbols", "align shorter pieces")
        places = self._places(index)
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
        posterior = np.zeros((n, m))
        log_total, openings, extensions = ends_sums(
            profile,
            *self._gap_scores(index, weights),
            may_first,
            may_second,
            self.structure.mode == "local",
            bounds,
            posterior,
        )
        gaps = [openings, extensions] if self.structure.gaps == "affine" else [openings + extensions]
        return log_total, places.features(np.append(posterior.reshape(-1), gaps)), posterior

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

    def best_references(self, weights: Floats) -> tuple[Alignments, Floats]:
        """The references, which must be known as a whole."""
        if self.reference().is_partial:
            raise self._refused("best alignment of references that are known in part")
        alignments = self.reference().alignments
        return alignments, self.scores(weights, alignments)

    # -------------------------------------------------------- what ends rule out

    def _refused(self, what: str) -> InputError:
        return InputError(NOT_WITH_ENDS.format(self.structure.mode, what))

    def covariance_with(self, weights: Floats, direction: Floats, loss: float = 0.0) -> tuple[Floats, Floats]:
        """Refused: nothing here computes it."""
        raise self._refused("covariances of features")

    def score_moments(self, weights: Floats) -> tuple[Floats, Floats]:
        """Refused: nothing here computes it."""
        raise self._refused("moments of scores")

    def kbest(self, weights: Floats, k: int) -> list[list[tuple[Moves, float]]]:
        """Refused: nothing here computes it."""
        raise self._refused("lists of the best alignments")

    def sample(self, weights: Floats, n_samples: int, random: np.random.Generator) -> list[Alignments]:
        """Refused: nothing here computes it."""
        raise self._refused("draws of alignments")
