"""Sums over all alignments of one pair in logarithms: for scores so far apart that `passes` would lose numbers.

The same recurrences and moves as there, cell by cell, with reduced scores: an extension is free. Some five times slower
than exponentials that are scaled row by row, and never out of range.
"""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit

__all__ = ["log_space_sums"]


NOTHING = -38.0
"""A term this far below the largest is less than the rounding of the sum."""
NEGLIGIBLE = -100.0
"""Cells of a smaller share of all alignments, 4e-44, are left out on the way back: with such scores, most of them."""


@jit
def _log_sum(a, b, c):
    """Logarithm of the sum of three exponentials; where one stands out, as mostly here, it is that one."""
    largest = a if a > b else b
    largest = largest if largest > c else c
    floor = largest + NOTHING
    if largest == -np.inf or (a > floor) + (b > floor) + (c > floor) == 1:
        return largest
    return largest + np.log(np.exp(a - largest) + np.exp(b - largest) + np.exp(c - largest))


@jit
def _sums_before(first, second, table, opening, before):
    """Logarithms of the sums over beginnings that end with each move, and over all alignments."""
    n, m = len(first), len(second)
    pair, firsts, seconds = before[0], before[1], before[2]
    for i in range(n + 1):
        for j in range(m + 1):
            pair[i, j] = firsts[i, j] = seconds[i, j] = -np.inf
            if i == 0 and j == 0:
                pair[i, j] = 0.0  # an opening may follow, as after a pair
            if i > 0 and j > 0:
                sums = _log_sum(pair[i - 1, j - 1], firsts[i - 1, j - 1], seconds[i - 1, j - 1])
                pair[i, j] = table[first[i - 1], second[j - 1]] + sums
            if i > 0:
                firsts[i, j] = _log_sum(pair[i - 1, j] + opening, firsts[i - 1, j], seconds[i - 1, j] + opening)
            if j > 0:
                seconds[i, j] = _log_sum(pair[i, j - 1] + opening, firsts[i, j - 1] + opening, seconds[i, j - 1])
    return _log_sum(pair[n, m], firsts[n, m], seconds[n, m])


@jit
def log_space_sums(first, second, table, opening, before, posterior):
    """Logarithm of the reduced sum over all alignments, probabilities of pairs, and expected numbers of gap moves.

    Parameters
    ----------
    first, second : ndarray of int32, shapes (n,) and (m,)
    table : ndarray of shape (n_symbols, n_symbols)
        Reduced scores of pairs.
    opening : float
        Reduced.
    before : ndarray of shape (3, n + 1, m + 1)
        Scratch.
    posterior : ndarray of shape (n, m)
        Receives the probability of each pair.

    Returns
    -------
    log_total, openings, extensions : float
    """
    n, m = len(first), len(second)
    pair, firsts, seconds = before[0], before[1], before[2]
    log_total = _sums_before(first, second, table, opening, before)
    floor = log_total + NEGLIGIBLE
    openings, extensions = 0.0, 0.0
    posterior[:] = 0.0
    # Logarithms of the sums over completions after each move: of the row below and of this one.
    below, here = np.full((3, m + 1), -np.inf), np.full((3, m + 1), -np.inf)
    for i in range(n, -1, -1):
        for j in range(m, -1, -1):
            here[:, j] = -np.inf
            if i == n and j == m:
                here[:, j] = 0.0
                continue
            with_pair = table[first[i], second[j]] + below[0, j + 1] if i < n and j < m else -np.inf
            with_first = below[1, j] if i < n else -np.inf
            with_second = here[2, j + 1] if j < m else -np.inf
            if with_pair == -np.inf and with_first == -np.inf and with_second == -np.inf:
                continue
            a, b, c = pair[i, j], firsts[i, j], seconds[i, j]
            after_pair = _log_sum(with_pair, with_first + opening, with_second + opening)
            after_first = _log_sum(with_pair, with_first, with_second + opening)
            after_second = _log_sum(with_pair, with_first + opening, with_second)
            if not max(a + after_pair, max(b + after_first, c + after_second)) >= floor:
                continue
            here[0, j], here[1, j], here[2, j] = after_pair, after_first, after_second
            if with_pair > -np.inf:
                # All that go on with this pair are those that end with it one cell on.
                posterior[i, j] = np.exp(pair[i + 1, j + 1] + below[0, j + 1] - log_total)
            extensions += np.exp(b + with_first - log_total) + np.exp(c + with_second - log_total)
            openings += np.exp(a + opening + with_first - log_total) + np.exp(c + opening + with_first - log_total)
            openings += np.exp(a + opening + with_second - log_total) + np.exp(b + opening + with_second - log_total)
        below, here = here, below
    return log_total, openings, extensions
