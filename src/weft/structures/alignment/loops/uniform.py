"""Mean and variance of a score over all alignments of a pair, each counting the same, in one pass and three rows.

With ``x = m / (n + sqrt(n^2 + m^2))`` and ``y = (1 - x) / (1 + x)`` a walk that moves SECOND with probability x, FIRST
with y and PAIR with x y (they sum to 1) takes every alignment of n and m symbols with the same probability x^m y^n, and
is likely to pass where most alignments do. So the share of partial alignments that a cell stands for is a probability,
which never overflows, and underflows only where nearly no alignment passes, however long the pair.
"""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit

__all__ = ["placed_score_moments", "uniform_score_moments"]

NEVER = 1e-280
"""A probability taken for 0: below, sums lose digits and processors are slow."""


@jit
def _union(a, shift_a, b, shift_b, c, shift_c, j):
    """Probability, mean and centred variance of three sets of partial alignments, each with a score more."""
    total = a[0, j] + b[0, j] + c[0, j]
    if total < NEVER:
        return 0.0, 0.0, 0.0
    of_a, of_b, of_c = a[1, j] + shift_a, b[1, j] + shift_b, c[1, j] + shift_c
    mean = (a[0, j] * of_a + b[0, j] * of_b + c[0, j] * of_c) / total
    spread = a[0, j] * (a[2, j] + (of_a - mean) ** 2) + b[0, j] * (b[2, j] + (of_b - mean) ** 2)
    return total, mean, (spread + c[0, j] * (c[2, j] + (of_c - mean) ** 2)) / total


@jit
def uniform_score_moments(begin, end, corpus, table, opening, means, variances):
    """Mean and variance of the reduced score (`passes`) over all alignments of the pairs `begin` to `end`."""
    first, first_offsets, second, second_offsets = corpus
    for k in range(begin, end):
        xs = first[first_offsets[k] : first_offsets[k + 1]]
        ys = second[second_offsets[k] : second_offsets[k + 1]]
        n, m = len(xs), len(ys)
        x = m / max(n + np.sqrt(float(n * n + m * m)), 1.0)
        y = (1.0 - x) / (1.0 + x)
        # Sets that end with PAIR, FIRST and SECOND: probability, mean and variance of each cell of a row.
        above, row = np.zeros((3, 3, m + 1)), np.zeros((3, 3, m + 1))
        for i in range(n + 1):
            pair, gap, other = row
            for j in range(m + 1):
                if i > 0:
                    total, mean, variance = _union(above[0], opening, above[1], 0.0, above[2], opening, j)
                    gap[0, j], gap[1, j], gap[2, j] = y * total, mean, variance
                if i > 0 and j > 0:
                    score = table[xs[i - 1], ys[j - 1]]
                    total, mean, variance = _union(above[0], score, above[1], score, above[2], score, j - 1)
                    pair[0, j], pair[1, j], pair[2, j] = x * y * total, mean, variance
                else:
                    pair[0, j] = 1.0 if i == j else 0.0  # the beginning: whatever follows opens
                if j > 0:
                    total, mean, variance = _union(pair, opening, gap, opening, other, 0.0, j - 1)
                    other[0, j], other[1, j], other[2, j] = x * total, mean, variance
            above, row = row, above
        _, means[k], variances[k] = _union(above[0], 0.0, above[1], 0.0, above[2], 0.0, m)


@jit
def placed_score_moments(profile, gap_first, gap_second):
    """The same for one pair whose gaps score by place, as in `ends_sums`."""
    n, m = profile.shape
    x = m / max(n + np.sqrt(float(n * n + m * m)), 1.0)
    y = (1.0 - x) / (1.0 + x)
    above, row = np.zeros((3, 3, m + 1)), np.zeros((3, 3, m + 1))
    for i in range(n + 1):
        pair, gap, other = row
        opening, extension = gap_second[0, i], gap_second[1, i]
        for j in range(m + 1):
            if i > 0:
                opened, extended = gap_first[0, j], gap_first[1, j]
                total, mean, variance = _union(above[0], opened, above[1], extended, above[2], opened, j)
                gap[0, j], gap[1, j], gap[2, j] = y * total, mean, variance
            if i > 0 and j > 0:
                score = profile[i - 1, j - 1]
                total, mean, variance = _union(above[0], score, above[1], score, above[2], score, j - 1)
                pair[0, j], pair[1, j], pair[2, j] = x * y * total, mean, variance
            else:
                pair[0, j] = 1.0 if i == j else 0.0  # the beginning: whatever follows opens
            if j > 0:
                total, mean, variance = _union(pair, opening, gap, opening, other, extension, j - 1)
                other[0, j], other[1, j], other[2, j] = x * total, mean, variance
        above, row = row, above
    _, mean, variance = _union(above[0], 0.0, above[1], 0.0, above[2], 0.0, m)
    return mean, variance
