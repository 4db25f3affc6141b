"""Alignments of the largest expected accuracy: the most probable pairs, not the most probable whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from weft.core.threads import effective_jobs, in_threads
from weft.structures.alignment.loops.passes import viterbi
from weft.structures.alignment.pair_corpus import Alignments

if TYPE_CHECKING:
    from weft.structures.alignment.batch import AlignmentBatch

__all__ = ["expected_accuracy_alignments"]

Floats = NDArray[np.float64]

NO_BONUS = np.empty(0, dtype=np.int32)
MANY_CELLS = 20_000_000
"""Probabilities of so many pairs of positions are in memory at one time."""


def expected_accuracy_alignments(batch: AlignmentBatch, weights: Floats) -> Alignments:
    """The alignment of each pair whose pairs of positions have the largest sum of probabilities.

    That sum is the number of pairs that are expected to be right. Gaps cost nothing here: where none is probable, few
    pairs are.

    Parameters
    ----------
    batch : AlignmentBatch
    weights : ndarray of shape (d,)

    Returns
    -------
    Alignments

    Examples
    --------
    >>> from weft.structures.alignment.structure import Alignment
    >>> from weft.structures.alignment.batch import AlignmentBatch
    >>> structure = Alignment("match", gaps="linear")
    >>> batch = AlignmentBatch(structure, structure.encode([("ACG", "AG")]))
    >>> expected_accuracy_alignments(batch, np.array([2.0, 0.0, 0.0]))[0]
    array([0, 1, 0], dtype=uint8)
    """
    corpus = batch.corpus
    found = Alignments.empty(corpus)
    cells = np.cumsum(corpus.n_cells)
    begin = 0
    while begin < len(corpus):
        before = int(cells[begin - 1]) if begin else 0
        end = max(begin + 1, int(np.searchsorted(cells, before + MANY_CELLS, side="right")))
        some = type(batch)(batch.structure, corpus.select(range(begin, end)), n_jobs=batch.n_jobs)
        posteriors = some.marginals(weights)[0]
        n_threads = min(effective_jobs(batch.n_jobs), end - begin)

        def work(thread: int, first: int = begin, step: int = n_threads, probable: list[Floats] = posteriors) -> None:
            for place in range(thread, len(probable), step):
                _align(probable[place], found, first + place)

        in_threads(work, range(n_threads))
        begin = end
    return found


def _align(probabilities: Floats, found: Alignments, index: int) -> None:
    n, m = probabilities.shape
    moves = found.moves[found.offsets[index] : found.offsets[index + 1]]
    tables = (np.empty((n + 1, m + 1)), np.empty((n + 1, m + 1)), np.empty((n + 1, m + 1)))
    scratch = np.empty((3, m + 1))
    found.n_moves[index] = viterbi(np.arange(n), probabilities, 0.0, NO_BONUS, 0.0, tables, scratch, moves, 1.0)
