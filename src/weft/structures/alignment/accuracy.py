"""Alignments of the largest expected accuracy: the most probable pairs, not the most probable whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weft.arrays import Floats
from weft.core.threads import effective_jobs, in_threads
from weft.errors import InputError
from weft.structures.alignment.loops.passes import block_rows, viterbi
from weft.structures.alignment.pair_corpus import Alignments

if TYPE_CHECKING:
    from weft.structures.alignment.batch import AlignmentBatch

NO_BONUS = np.empty(0, dtype=np.int32)
MANY_CELLS = 20_000_000
"""Probabilities of so many pairs of positions are in memory at one time."""
INSTEAD = 'use decode="best", or align shorter pieces'


def most_accurate_alignments(batch: AlignmentBatch, weights: Floats, gamma: float) -> Alignments:
    """The alignment of each pair with the largest expected number of symbols that are right.

    A symbol is right if it is paired with the right one, or rightly against a gap. The sum of ``2 gamma p_ij`` over the
    pairs of positions and of the probability to be against a gap over all other symbols is the largest.

    Parameters
    ----------
    batch : AlignmentBatch
    weights : ndarray of shape (d,)
    gamma : float
        How many times more a right pair counts than two symbols that are rightly against gaps. With ``np.inf`` only
        pairs count: gaps cost nothing then, and where none is probable, few pairs are.

    Returns
    -------
    Alignments

    Examples
    --------
    >>> from weft.structures.alignment.structure import Alignment
    >>> from weft.structures.alignment.batch import AlignmentBatch
    >>> structure = Alignment("match", gaps="linear")
    >>> batch = AlignmentBatch(structure, structure.encode([("ACG", "AG")]))
    >>> weights = np.array([2.0, 0.0, 0.0])
    >>> most_accurate_alignments(batch, weights, 1.0)[0], most_accurate_alignments(batch, weights, 0.1)[0]
    (array([0, 1, 0], dtype=uint8), array([2, 2, 1, 1, 1], dtype=uint8))
    """
    if not gamma > 0.0:
        raise InputError(f"gamma is {gamma!r}; a positive number is needed, np.inf to count pairs alone.")
    corpus = batch.corpus
    found = Alignments.empty(corpus)
    cells = np.cumsum(corpus.n_cells)
    begin = 0
    while begin < len(corpus):
        before = int(cells[begin - 1]) if begin else 0
        end = max(begin + 1, int(np.searchsorted(cells, before + MANY_CELLS, side="right")))
        some = type(batch)(batch.structure, corpus.select(range(begin, end)), n_jobs=batch.n_jobs)
        posteriors = some.marginals(weights, INSTEAD)
        n_threads = min(effective_jobs(batch.n_jobs), end - begin)

        def work(thread: int, first: int = begin, step: int = n_threads, probable: list[Floats] = posteriors) -> None:
            for place in range(thread, len(probable), step):
                _align(probable[place], gamma, found, first + place)

        in_threads(work, range(n_threads))
        begin = end
    return found


def _align(probabilities: Floats, gamma: float, found: Alignments, index: int) -> None:
    n, m = probabilities.shape
    gains, size = probabilities, 1.0
    if gamma < np.inf:
        # What a pair adds to the sum in which every symbol is against a gap.
        gains = 2.0 * gamma * probabilities
        gains -= (1.0 - probabilities.sum(axis=1))[:, None]
        gains -= 1.0 - probabilities.sum(axis=0)
        size = max(1.0, 2.0 * gamma)
    moves = found.moves[found.offsets[index] : found.offsets[index + 1]]
    block = block_rows(n, m)
    tables = (np.empty((block + 1, m + 1)), np.empty((block + 1, m + 1)), np.empty((block + 1, m + 1)))
    kept, scratch = np.empty((3, n // block + 1, m + 1)), np.empty((3, m + 1))
    found.n_moves[index] = viterbi(np.arange(n), gains, 0.0, NO_BONUS, 0.0, tables, kept, scratch, moves, size)
