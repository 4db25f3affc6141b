"""Sums over whole rows of a chart.

Each runs over slices that start at 0, with few arrays: only so does the compiler turn them into instructions that take
several numbers at once. Kinds of loops between two pairs: those with one base on a side, with two and three, all others
with bases on both sides, and bulges. The rows of the last `RING` bases stand in a ring, with empty margins.
"""

from __future__ import annotations

from weft.core.jit import jit, jit_fast
from weft.core.semirings import plus, times
from weft.structures.rna.tables import BULGE_LENGTH, INTERIOR_LENGTH, LONGEST_LOOP, SIDE

__all__ = [
    "BULGE",
    "GENERIC",
    "MARGIN",
    "N_KINDS",
    "ONE_SIDED",
    "RING",
    "TWO_THREE",
    "add_row",
    "add_shifted",
    "dot_row",
    "dot_shifted",
    "fill_row",
    "length_tables",
    "rights",
]

ONE_SIDED, TWO_THREE, GENERIC, BULGE = range(4)
N_KINDS = 4
RING = 32
MARGIN = 32


@jit_fast
def add_row(algebra, value, target, source):
    """``target[u] += value * source[u]``."""
    for u in range(target.shape[0]):
        target[u] = plus(algebra, times(algebra, value, source[u]), target[u])


@jit
def fill_row(algebra, value, target, first, second):
    """``target[u] = first[u] + value * second[u]``."""
    for u in range(target.shape[0]):
        target[u] = plus(algebra, first[u], times(algebra, second[u], value))


@jit_fast
def dot_row(algebra, empty, first, second):
    """Sum of ``first[u] * second[u]``."""
    total = empty
    for u in range(first.shape[0]):
        total = plus(algebra, total, times(algebra, first[u], second[u]))
    return total


@jit_fast
def add_shifted(algebra, target, source, lengths):
    """``target[u] += sum over t of lengths[t] * source[u + t]``, four at a time."""
    n, n_shifts = target.shape[0], lengths.shape[0]
    for t in range(0, n_shifts - 3, 4):
        a, b, c, d = lengths[t], lengths[t + 1], lengths[t + 2], lengths[t + 3]
        own = source[t : t + n + 3]
        for u in range(n):
            x = plus(algebra, times(algebra, a, own[u]), times(algebra, b, own[u + 1]))
            y = plus(algebra, times(algebra, c, own[u + 2]), times(algebra, d, own[u + 3]))
            target[u] = plus(algebra, plus(algebra, x, y), target[u])
    for t in range(n_shifts - n_shifts % 4, n_shifts):
        add_row(algebra, lengths[t], target, source[t : t + n])


@jit
def dot_shifted(algebra, empty, target, source, totals):
    """``totals[t] += sum over u of target[u] * source[u + t]``."""
    n = target.shape[0]
    for t in range(totals.shape[0]):
        totals[t] = plus(algebra, totals[t], dot_row(algebra, empty, target, source[t : t + n]))


@jit
def rights(kind, left):
    """Least and most bases on the right of a loop with so many on the left; the most is less if there are none."""
    if kind == BULGE:
        return (2, LONGEST_LOOP) if left == 0 else (0, 0) if left >= 2 else (1, 0)
    if left == 0:
        return 1, 0
    if kind == ONE_SIDED:
        return (3, LONGEST_LOOP - 1) if left == 1 else (1, 1) if 3 <= left < LONGEST_LOOP else (1, 0)
    if kind == TWO_THREE:
        return (5 - left, 5 - left) if 2 <= left <= 3 else (1, 0)
    return (4 if left == 2 else 3 if left == 3 else 2, LONGEST_LOOP - left) if left >= 2 else (1, 0)


@jit
def length_tables(values):
    """Values of the lengths of interior loops and of bulges."""
    interior = values[INTERIOR_LENGTH : INTERIOR_LENGTH + SIDE * SIDE].copy().reshape(SIDE, SIDE)
    return interior, values[BULGE_LENGTH : BULGE_LENGTH + LONGEST_LOOP + 1].copy()
