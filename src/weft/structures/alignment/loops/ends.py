"""Alignments whose ends are free, of one pair of sequences: sums in logarithms, and the best.

Gaps before the first and after the last symbol of a sequence cost nothing, or something else than others, which is a
matter of what gaps cost in the first and last row and column. Local: everything before the first pair and after the
last costs nothing. Moves are those of `passes`; `gap_first` has what opening and extending a gap costs that puts a
symbol of the first sequence before symbol j of the second, `gap_second` the other way round.
"""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit
from weft.core.ties import TIE_TOLERANCE
from weft.structures.alignment.loops.passes import FIRST, PAIR, SECOND

__all__ = ["ends_best", "ends_sums"]


@jit
def _log_sum(a, b, c):
    largest = max(a, max(b, c))
    if largest == -np.inf:
        return largest
    return largest + np.log(np.exp(a - largest) + np.exp(b - largest) + np.exp(c - largest))


@jit
def ends_sums(profile, gap_first, gap_second, may_first, may_second, local, bounds, posterior, counts):
    """Logarithm of the sum over all alignments, and what is expected in one.

    Parameters
    ----------
    profile : ndarray of shape (n, m)
        Score of pairing each two positions; minus infinity where they must not pair.
    gap_first, gap_second : ndarray of shapes (2, m + 1) and (2, n + 1)
        Scores of opening and extending; zero where a gap is free.
    may_first, may_second : ndarray of bool, shapes (n,) and (m,)
        Whether a symbol may stand against a gap.
    local : bool
    bounds : (int, int, int, int)
        Local alignments begin after at most so many symbols of each sequence, and end after at least so many.
    posterior : ndarray of shape (n, m)
        Receives the probability of each pair.
    counts : (ndarray of shape (2, m + 1), ndarray of shape (2, n + 1))
        Receive how often gaps are expected to be opened and extended, where `gap_first` and `gap_second` say what
        that costs.

    Returns
    -------
    log_total : float
    """
    n, m = profile.shape
    before = np.full((3, n + 1, m + 1), -np.inf)
    pair, first, second = before[0], before[1], before[2]
    if not local:
        pair[0, 0] = 0.0
    total = -np.inf
    if local and bounds[2] == 0 and bounds[3] == 0:
        total = 0.0  # nothing is aligned
    for i in range(n + 1):
        for j in range(m + 1):
            if i > 0 and j > 0:
                sums = _log_sum(pair[i - 1, j - 1], first[i - 1, j - 1], second[i - 1, j - 1])
                if local and i - 1 <= bounds[0] and j - 1 <= bounds[1]:
                    sums = _log_sum(sums, 0.0, -np.inf)
                pair[i, j] = profile[i - 1, j - 1] + sums
                if local and i >= bounds[2] and j >= bounds[3]:
                    total = _log_sum(total, pair[i, j], -np.inf)
            if i > 0 and may_first[i - 1]:
                opening, extension = gap_first[0, j], gap_first[1, j]
                first[i, j] = _log_sum(
                    pair[i - 1, j] + opening, first[i - 1, j] + extension, second[i - 1, j] + opening
                )
            if j > 0 and may_second[j - 1]:
                opening, extension = gap_second[0, i], gap_second[1, i]
                second[i, j] = _log_sum(
                    pair[i, j - 1] + opening, first[i, j - 1] + opening, second[i, j - 1] + extension
                )
    if not local:
        total = _log_sum(pair[n, m], first[n, m], second[n, m])
    of_first, of_second = counts
    below, here = np.full((3, m + 1), -np.inf), np.full((3, m + 1), -np.inf)
    for i in range(n, -1, -1):
        for j in range(m, -1, -1):
            if i == n and j == m and not local:
                here[:, j] = 0.0
                continue
            a, b, c = pair[i, j], first[i, j], second[i, j]
            with_pair = with_first = with_second = -np.inf
            if i < n and j < m:
                with_pair = profile[i, j] + below[0, j + 1]
                sums = _log_sum(a, b, c)
                if local and i <= bounds[0] and j <= bounds[1]:
                    sums = _log_sum(sums, 0.0, -np.inf)
                posterior[i, j] = np.exp(sums + with_pair - total)
            open_first, extend_first = gap_first[0, j], gap_first[1, j]
            open_second, extend_second = gap_second[0, i], gap_second[1, i]
            if i < n and may_first[i]:
                with_first = below[1, j]
                of_first[0, j] += np.exp(_log_sum(a, c, -np.inf) + open_first + with_first - total)
                of_first[1, j] += np.exp(b + extend_first + with_first - total)
            if j < m and may_second[j]:
                with_second = here[2, j + 1]
                of_second[0, i] += np.exp(_log_sum(a, b, -np.inf) + open_second + with_second - total)
                of_second[1, i] += np.exp(c + extend_second + with_second - total)
            stop = 0.0 if local and i >= bounds[2] and j >= bounds[3] else -np.inf
            here[0, j] = _log_sum(
                _log_sum(with_pair, stop, -np.inf), open_first + with_first, open_second + with_second
            )
            here[1, j] = _log_sum(with_pair, extend_first + with_first, open_second + with_second)
            here[2, j] = _log_sum(with_pair, open_first + with_first, extend_second + with_second)
        below, here = here, below
    return total


@jit
def _first_of(pair, first, second, tolerance):
    floor = max(pair, max(first, second)) - tolerance
    if pair >= floor:
        return PAIR
    return FIRST if first >= floor else SECOND


@jit
def ends_best(profile, gap_first, gap_second, local, moves):
    """Best alignment; a pair wins ties, then a gap in the second sequence, and of local ones that which ends first.

    `moves`, of n + m numbers, receives it; what a local alignment leaves out is written as gaps, those of the first
    sequence first. Returns the number of moves.
    """
    n, m = profile.shape
    tables = np.full((3, n + 1, m + 1), -np.inf)
    pair, first, second = tables[0], tables[1], tables[2]
    if not local:
        pair[0, 0] = 0.0
    best, size = 0.0, 0.0
    for i in range(n + 1):
        for j in range(m + 1):
            if i > 0 and j > 0:
                sums = max(pair[i - 1, j - 1], max(first[i - 1, j - 1], second[i - 1, j - 1]))
                if local:
                    sums = max(sums, 0.0)
                pair[i, j] = profile[i - 1, j - 1] + sums
                best = max(best, pair[i, j])
            if i > 0:
                opening, extension = gap_first[0, j], gap_first[1, j]
                first[i, j] = max(max(pair[i - 1, j], second[i - 1, j]) + opening, first[i - 1, j] + extension)
            if j > 0:
                opening, extension = gap_second[0, i], gap_second[1, i]
                second[i, j] = max(max(pair[i, j - 1], first[i, j - 1]) + opening, second[i, j - 1] + extension)
    size = max(1.0, abs(best))
    i, j = n, m
    n_moves, state = 0, _first_of(pair[n, m], first[n, m], second[n, m], TIE_TOLERANCE * size)
    if local:
        state = PAIR
        i, j = _where_it_ends(pair, best, TIE_TOLERANCE * size)
        # Moves are written backwards: the symbols of the second sequence that are left out come last.
        for _ in range(m - j):
            moves[n_moves] = SECOND
            n_moves += 1
        for _ in range(n - i):
            moves[n_moves] = FIRST
            n_moves += 1
    while i + j > 0:
        if i == 0 or j == 0:
            if local:
                break
            state = SECOND if i == 0 else FIRST
        moves[n_moves] = state
        n_moves += 1
        opening, extension = 0.0, 0.0
        if state == FIRST:
            opening, extension = gap_first[0, j], gap_first[1, j]
        elif state == SECOND:
            opening, extension = gap_second[0, i], gap_second[1, i]
        last = state
        i -= state != SECOND
        j -= state != FIRST
        a = pair[i, j] + opening
        b = first[i, j] + (extension if last == FIRST else opening)
        c = second[i, j] + (extension if last == SECOND else opening)
        if local and last == PAIR and max(a, max(b, c)) <= TIE_TOLERANCE * size:
            break
        state = _first_of(a, b, c, TIE_TOLERANCE * size)
    for _ in range(j):
        moves[n_moves] = SECOND
        n_moves += 1
    for _ in range(i):
        moves[n_moves] = FIRST
        n_moves += 1
    for k in range(n_moves // 2):
        moves[k], moves[n_moves - 1 - k] = moves[n_moves - 1 - k], moves[k]
    return n_moves


@jit
def _where_it_ends(pair, best, tolerance):
    """The first cell, row by row, that the best local alignment may end with; (0, 0) if nothing scores above 0."""
    if best <= tolerance:
        return 0, 0
    for i in range(len(pair)):
        for j in range(pair.shape[1]):
            if pair[i, j] >= best - tolerance:
                return i, j
    return 0, 0
