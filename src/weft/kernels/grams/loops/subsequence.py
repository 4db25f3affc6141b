"""Compiled dynamic programming over pairs of sequences."""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit


@jit
def _common_subsequences(left, right, n, min_n, decay, ends, reached):
    """Sum over common subsequences, of length min_n to n, of ``decay ** (skipped in both)``.

    ``ends[i, j]``: weight of those whose last symbols are left[i] and right[j]. ``reached[i, j]``: sum of ends[i', j']
    for i' <= i, j' <= j, times decay for each step between. The next length extends those reached one step before.
    """
    total = 0.0
    for i in range(len(left)):
        for j in range(len(right)):
            ends[i, j] = 1.0 if left[i] == right[j] else 0.0
            if min_n == 1:
                total += ends[i, j]
    for length in range(2, n + 1):
        for i in range(len(left)):
            along = 0.0
            for j in range(len(right)):
                along = decay * along + ends[i, j]
                reached[i, j] = along + (decay * reached[i - 1, j] if i > 0 else 0.0)
        for i in range(len(left)):
            for j in range(len(right)):
                common = left[i] == right[j] and i > 0 and j > 0
                ends[i, j] = reached[i - 1, j - 1] if common else 0.0
                if length >= min_n:
                    total += ends[i, j]
    return total


@jit
def subsequence_rows(codes, offsets, others, other_offsets, first, last, symmetric, n, min_n, decay, gram):
    """Fill rows `first` to ``last - 1`` of a Gram matrix; only up to the diagonal if it is symmetric."""
    longest, other_longest = 0, 0
    for i in range(first, last):
        longest = max(longest, offsets[i + 1] - offsets[i])
    for j in range(len(other_offsets) - 1):
        other_longest = max(other_longest, other_offsets[j + 1] - other_offsets[j])
    ends, reached = np.empty((longest, other_longest)), np.empty((longest, other_longest))
    for i in range(first, last):
        left = codes[offsets[i] : offsets[i + 1]]
        for j in range(i + 1 if symmetric else len(other_offsets) - 1):
            right = others[other_offsets[j] : other_offsets[j + 1]]
            gram[i, j] = _common_subsequences(left, right, n, min_n, decay, ends, reached)
