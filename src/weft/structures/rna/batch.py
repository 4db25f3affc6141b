"""A loop model bound to sequences: the queries that learners ask, over all of them at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats, Ids
from weft.errors import InputError
from weft.structures.grammar.chart_batch import ChartBatch
from weft.structures.grammar.queries import NOTHING
from weft.structures.rna.kbest import best_structures
from weft.structures.rna.queries import (
    CONSUMED,
    NO_BONUS,
    Pairs,
    best_structure,
    covariance_of_parts,
    draw_structures,
    expected_parts,
)


class LoopBatch(ChartBatch):
    """Structures of all sequences of a corpus, one weight vector for all.

    Like a `GrammarBatch`, with parts of loops in place of rules, and outputs that are a list of pairs of positions, one
    array per sequence. It has no weights from counts: the parts of loops are no choices of which one is taken.

    Parameters
    ----------
    grammar : LoopModel
    sequences : list of ndarrays of int32
        As `LoopModel.encode` gives them.
    references : list of ndarrays of shape (n_pairs, 2), optional
        Needed to learn.
    sample_weight : ndarray of shape (n_sequences,), optional
        Weight of each sequence in every sum.
    n_jobs : int
        Threads; -1 for all cores.
    beam_width : int, optional
        Look for best structures by a beam of this many states (`weft.structures.rna.beam`): in linear time, and no
        longer sure to be the best. Searches that count a loss, and all other questions, still take in every structure.

    Examples
    --------
    >>> from weft.structures.rna.model import LoopModel
    >>> model = LoopModel()
    >>> batch = LoopBatch(model, [model.encode("gggaaaaccc")], [np.array([[0, 9], [1, 8], [2, 7]])])
    >>> batch.losses([np.array([[0, 9], [1, 7]])]).tolist()
    [3.0]
    """

    _n_marks = 1

    def __init__(
        self,
        grammar: Any,
        sequences: Sequence[Ids],
        references: Sequence[Pairs] | None = None,
        sample_weight: Floats | None = None,
        n_jobs: int | None = -1,
        beam_width: int | None = None,
    ) -> None:
        super().__init__(grammar, sequences, references, sample_weight, n_jobs)
        self._beam_width = beam_width

    def _bound(
        self, sequences: Sequence[Ids], references: Sequence[Pairs] | None, sample_weight: Floats, n_jobs: int | None
    ) -> Self:
        return type(self)(self.grammar, sequences, references, sample_weight, n_jobs, self._beam_width)

    # ------------------------------------------------------------ given outputs

    def _rule_counts(self, i: int, output: Pairs) -> tuple[NDArray[np.integer], Floats]:
        counts = self.grammar.counts(self.sequences[i], output)
        parts = np.flatnonzero(counts)
        return parts, counts[parts]

    def _marked(self, i: int, output: Pairs) -> tuple[NDArray[np.integer], ...]:
        pairs, n = np.asarray(output), len(self.sequences[i])
        if pairs.size == 0:
            pairs = np.empty((0, 2), dtype=np.int64)
        if pairs.ndim != 2 or pairs.shape[1] != 2 or not ((pairs >= 0) & (pairs < n)).all():
            raise InputError(
                f"y[{i}] holds no pairs of positions of X[{i}]; need shape (n_pairs, 2), from 0 to {n - 1}"
            )
        return np.zeros(len(pairs), dtype=np.int64), pairs[:, 0], pairs[:, 1]

    # ------------------------------------------------------------- one sequence

    def _one_best(self, i: int, scores: Floats, bonus: Floats = NOTHING) -> tuple[Pairs, float]:
        symbols, least, codes = self.sequences[i], self.grammar.min_hairpin, self.grammar.codes
        if self._beam_width is not None and not len(bonus):
            from weft.structures.rna.beam import beam_structure  # compiled only where it is asked for

            return beam_structure(symbols, scores, least, self._beam_width, codes)
        has_numbers = not len(bonus)  # `rule_scores` has looked at the scores
        return best_structure(symbols, scores, least, _of_pairs(bonus), codes, has_numbers)

    def _one_ranked(self, i: int, scores: Floats, k: int) -> list[tuple[Pairs, float]]:
        return best_structures(self.sequences[i], scores, self.grammar.min_hairpin, k, self.grammar.codes)

    def _one_expected(self, i: int, scores: Floats, rate: float | None, marked: Floats) -> tuple[float, Floats]:
        least, codes = self.grammar.min_hairpin, self.grammar.codes
        value, counts, pairs = expected_parts(self.sequences[i], scores, least, rate, codes, counting=not len(marked))
        if len(marked):
            marked[0] = pairs
        return value, counts

    def _one_covariance(
        self, i: int, scores: Floats, direction: Floats, rate: float, bonus: Floats
    ) -> tuple[float, Floats] | None:
        least, codes = self.grammar.min_hairpin, self.grammar.codes
        return covariance_of_parts(self.sequences[i], scores, least, direction, rate, _of_pairs(bonus), codes)

    def _one_drawn(self, i: int, scores: Floats, rate: float, n: int, random: np.random.Generator) -> list[Pairs]:
        values = np.exp(scores - rate * CONSUMED)
        return draw_structures(self.sequences[i], values, self.grammar.min_hairpin, n, random, self.grammar.codes)

    def _one_with_pairs(self, i: int, pairs: Pairs) -> Pairs | None:
        return pairs if self.grammar.is_structure(self.sequences[i], pairs) else None


def _of_pairs(bonus: Floats) -> Floats:
    return bonus[0] if len(bonus) else NO_BONUS
