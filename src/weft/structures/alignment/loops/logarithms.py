"""Sums over all alignments of one pair in logarithms: for scores so far apart that `passes` would lose numbers.

The same recurrences and moves as there, cell by cell, with reduced scores: an extension is free. Some five times slower
than exponentials that are scaled row by row, and never out of range. Long pairs are summed in the same blocks of rows.
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
def _rows_before(begin, end, first, second, table, opening, before):
    """Sums over beginnings that end with each move: rows after `begin` up to `end`, from that of `begin`."""
    pair, firsts, seconds = before[0], before[1], before[2]
    for i in range(begin + 1, end + 1):
        k = i - begin
        pair[k, 0] = seconds[k, 0] = -np.inf
        firsts[k, 0] = _log_sum(pair[k - 1, 0] + opening, firsts[k - 1, 0], seconds[k - 1, 0] + opening)
        for j in range(1, len(second) + 1):
            sums = _log_sum(pair[k - 1, j - 1], firsts[k - 1, j - 1], seconds[k - 1, j - 1])
            pair[k, j] = table[first[i - 1], second[j - 1]] + sums
            firsts[k, j] = _log_sum(pair[k - 1, j] + opening, firsts[k - 1, j], seconds[k - 1, j] + opening)
            seconds[k, j] = _log_sum(pair[k, j - 1] + opening, firsts[k, j - 1] + opening, seconds[k, j - 1])


@jit
def _sums_before(first, second, table, opening, before, kept):
    """The last block of rows and the first row of each; the logarithm of the sum over all alignments."""
    n, m = len(first), len(second)
    n_rows = before.shape[1] - 1
    before[:, 0] = -np.inf
    before[0, 0, 0] = 0.0  # an opening may follow, as after a pair
    before[2, 0, 1:] = opening
    begin = 0
    for begin in range(0, max(n, 1), n_rows):
        if begin > 0:
            before[:, 0] = before[:, n_rows]
        kept[:, begin // n_rows] = before[:, 0]
        _rows_before(begin, min(begin + n_rows, n), first, second, table, opening, before)
    return _log_sum(before[0, n - begin, m], before[1, n - begin, m], before[2, n - begin, m])


@jit
def log_space_sums(first, second, table, opening, before, kept, counts, posterior, entries):
    """Logarithm of the reduced sum over all alignments, and what is expected in one.

    Parameters
    ----------
    first, second : ndarray of int32, shapes (n,) and (m,)
    table : ndarray of shape (n_symbols, n_symbols)
        Reduced scores of pairs.
    opening : float
        Reduced.
    before : ndarray of shape (3, rows of a block + 1, m + 1)
        Scratch.
    kept : ndarray of shape (3, n_blocks, m + 1)
        Scratch.
    counts : ndarray of shape (n_symbols, n_symbols)
        Receives, added, the expected number of pairs of each two symbols.
    posterior : ndarray of shape (n, m) or (0, 0)
        Receives the probability of each pair of positions.
    entries : (float, ndarray of int32, ndarray of int32, ndarray)
        A threshold, and room for positions and probability of each pair that reaches it, or none.

    Returns
    -------
    log_total, openings, extensions : float
    n_entries : int
    """
    n, m = len(first), len(second)
    threshold, entry_first, entry_second, values = entries
    n_rows = before.shape[1] - 1
    log_total = _sums_before(first, second, table, opening, before, kept)
    begin = (max(n, 1) - 1) // n_rows * n_rows
    floor = log_total + NEGLIGIBLE
    openings, extensions, n_entries = 0.0, 0.0, 0
    posterior[:] = 0.0
    # Logarithms of the sums over completions after each move: of the row below and of this one.
    below, here = np.full((3, m + 1), -np.inf), np.full((3, m + 1), -np.inf)
    for i in range(n, -1, -1):
        if i < begin:
            begin -= n_rows
            before[:, 0] = kept[:, begin // n_rows]
            _rows_before(begin, begin + n_rows, first, second, table, opening, before)
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
            a, b, c = before[0, i - begin, j], before[1, i - begin, j], before[2, i - begin, j]
            after_pair = _log_sum(with_pair, with_first + opening, with_second + opening)
            after_first = _log_sum(with_pair, with_first, with_second + opening)
            after_second = _log_sum(with_pair, with_first + opening, with_second)
            if not max(a + after_pair, max(b + after_first, c + after_second)) >= floor:
                continue
            here[0, j], here[1, j], here[2, j] = after_pair, after_first, after_second
            if with_pair > -np.inf:
                probability = np.exp(_log_sum(a, b, c) + with_pair - log_total)
                counts[first[i], second[j]] += probability
                if posterior.shape[1]:
                    posterior[i, j] = probability
                if probability >= threshold and n_entries < len(values):
                    entry_first[n_entries], entry_second[n_entries], values[n_entries] = i, j, probability
                    n_entries += 1
            extensions += np.exp(b + with_first - log_total) + np.exp(c + with_second - log_total)
            openings += np.exp(a + opening + with_first - log_total) + np.exp(c + opening + with_first - log_total)
            openings += np.exp(a + opening + with_second - log_total) + np.exp(b + opening + with_second - log_total)
        below, here = here, below
    return log_total, openings, extensions, n_entries
