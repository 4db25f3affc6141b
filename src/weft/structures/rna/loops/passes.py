"""Inside and outside passes over the loops of RNA secondary structures: n^2 memory, n^3 time.

`weft.structures.rna.tables` says which values a structure multiplies. A chart has one plane per kind of span (i, j):

* V: i and j pair, times the value of that pair; U and B the same, times its end in an interior loop and in a bulge
* M1: one branch of a multiloop that begins at i, and unpaired bases behind it; N: also such bases before it
* M2: two branches or more; M: N or M2
* INTERIOR, BULGE: the loops that i and j close, without their end there

Each structure is counted once: the last branch of M2 begins at k, and what stands before it is an M.
"""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit, jit_fast
from weft.core.semirings import is_zero, plus, times
from weft.structures.rna.tables import (
    BULGE_END,
    BULGE_LENGTH,
    BULGE_ONE,
    EXTERIOR_BASE,
    EXTERIOR_BRANCH,
    HAIRPIN_END,
    HAIRPIN_LENGTH,
    HAIRPIN_MORE,
    INTERIOR_END,
    INTERIOR_LENGTH,
    LONGEST_BULGE,
    LONGEST_HAIRPIN,
    LONGEST_SIDE,
    MULTI_BASE,
    MULTI_BRANCH,
    MULTI_CLOSE,
    N_LETTERS,
    N_PAIRS,
    NO_LETTER,
    ONE_ONE,
    PAIR,
    PAIR_CODES,
    REVERSED,
    SIDE,
    STACK,
)

__all__ = ["N_PLANES", "PADDING", "inside_loops", "outside_loops"]

PLANE_V, PLANE_U, PLANE_B, PLANE_M1, PLANE_N, PLANE_M, PLANE_M2, PLANE_INTERIOR, PLANE_BULGE = range(9)
N_PLANES = 9
PADDING = SIDE
"""Empty columns beside U and W, so that every sum over loops has the same length and vectorises."""


# --------------------------------------------------------------------- places of the parts of a loop


@jit
def letter_at(symbols, i):
    """Letter at a position; none outside the sequence."""
    return symbols[i] if 0 <= i < symbols.shape[0] else NO_LETTER


@jit
def inner_end(symbols, table, i, j):
    """Place of the pair (i, j) as it closes a loop: read from inside."""
    pair = REVERSED[PAIR_CODES[symbols[i], symbols[j]]]
    return table + (pair * N_LETTERS + symbols[j - 1]) * N_LETTERS + symbols[i + 1]


@jit
def outer_end(symbols, table, i, j):
    """Place of the pair (i, j) as it branches off a loop."""
    pair = PAIR_CODES[symbols[i], symbols[j]]
    return table + (pair * N_LETTERS + letter_at(symbols, i - 1)) * N_LETTERS + letter_at(symbols, j + 1)


@jit
def hairpin_end(symbols, i, j):
    """Place of the end of a hairpin, which depends on its length."""
    kind = min(max(j - i - 4, 0), 2)
    return inner_end(symbols, HAIRPIN_END + kind * N_PAIRS * N_LETTERS * N_LETTERS, i, j)


@jit
def small_loop(symbols, i, j, k, m):
    """Place of a loop between the pairs (i, j) and (k, m) with up to one base on each side."""
    pairs = PAIR_CODES[symbols[i], symbols[j]] * N_PAIRS + PAIR_CODES[symbols[k], symbols[m]]
    left, right = k - i - 1, j - m - 1
    if left + right == 0:
        return STACK + pairs
    if left + right == 1:
        return BULGE_ONE + pairs * N_LETTERS + symbols[i + 1 if left else j - 1]
    return ONE_ONE + (pairs * N_LETTERS + symbols[i + 1]) * N_LETTERS + symbols[j - 1]


@jit
def hairpin_value(algebra, symbols, values, i, j):
    """Value of the hairpin that (i, j) closes."""
    length = j - i - 1
    value = times(algebra, values[hairpin_end(symbols, i, j)], values[HAIRPIN_LENGTH + min(length, LONGEST_HAIRPIN)])
    for _ in range(length - LONGEST_HAIRPIN):
        value = times(algebra, value, values[HAIRPIN_MORE])
    return value


@jit
def pair_value(algebra, symbols, values, bonus, i, j):
    """Value of a base pair itself, with the bonus it may have."""
    value = values[PAIR + PAIR_CODES[symbols[i], symbols[j]]]
    return times(algebra, value, bonus[i, j]) if bonus.shape[0] > 0 else value


# ------------------------------------------------------------------------------------- sums over loops


@jit_fast
def _sum_of_loops(algebra, empty, lengths, plane, row, step, n_rows, column, sums):
    """Sum over loops with bases on both sides: ``lengths[n, t] * plane[row + step * n, column + t]``."""
    for t in range(SIDE):
        sums[t] = empty
    for n in range(1, n_rows + 1):
        other = row + step * n
        for t in range(SIDE):
            sums[t] = plus(algebra, sums[t], times(algebra, lengths[n, t], plane[other, column + t]))
    total = empty
    for t in range(SIDE):
        total = plus(algebra, total, sums[t])
    return total


@jit_fast
def _count_loops(algebra, value, plane, row, n_rows, column, counts):
    """Add value times what encloses it to the sum of each length."""
    for n in range(1, n_rows + 1):
        for t in range(SIDE):
            counts[n, t] = plus(algebra, counts[n, t], times(algebra, value, plane[row - n, column + t]))


@jit
def _length_tables(empty, values):
    """Values of loops with bases on both sides by their lengths, and the same with the right side backwards."""
    lengths = np.full((SIDE, SIDE), empty, dtype=values.dtype)
    backwards = np.full((SIDE, SIDE), empty, dtype=values.dtype)
    for left in range(1, SIDE):
        for right in range(1, SIDE):
            if left + right > 2:
                value = values[INTERIOR_LENGTH + left * SIDE + right]
                lengths[left, right] = value
                backwards[left, LONGEST_SIDE - right] = value
    return lengths, backwards


@jit_fast
def _push_row(algebra, value, target, source, first, n):
    for u in range(first, n):
        target[u] = plus(algebra, target[u], times(algebra, value, source[u]))


@jit_fast
def _pull_row(algebra, empty, target, source, first, n):
    total = empty
    for u in range(first, n):
        total = plus(algebra, total, times(algebra, target[u], source[u]))
    return total


# ---------------------------------------------------------------------------------------------- passes


@jit
def inside_loops(algebra, one, symbols, values, bonus, least, chart, prefixes):
    """Fill a chart, which holds zeros of the algebra, and return the value of the whole sequence.

    `one` is the neutral value; `bonus` has shape (n, n), or (0, 0) for none; `least` is the least number of bases in a
    hairpin; `chart` has shape (N_PLANES, n + 2, n + PADDING + 2); ``prefixes[j]`` becomes the value of the first j
    bases on their own.
    """
    n = symbols.shape[0]
    v, u, b, m1 = chart[PLANE_V], chart[PLANE_U], chart[PLANE_B], chart[PLANE_M1]
    behind, m, m2 = chart[PLANE_N], chart[PLANE_M], chart[PLANE_M2]
    empty = chart[0, n + 1, 0]
    _, backwards = _length_tables(empty, values)
    sums = np.empty(SIDE, dtype=chart.dtype)
    base = values[MULTI_BASE]
    for i in range(n - 2 - least, -1, -1):
        for j in range(i + 1 + least, n):
            pair = PAIR_CODES[symbols[i], symbols[j]]
            if pair >= 0:
                value = hairpin_value(algebra, symbols, values, i, j)
                if j - i - 3 >= least:
                    inner = _inner_pairs(algebra, empty, symbols, values, i, j, least, chart, backwards, sums)
                    closed = times(algebra, values[inner_end(symbols, MULTI_CLOSE, i, j)], m2[i + 1, j - 1])
                    value = plus(algebra, value, plus(algebra, inner, closed))
                value = times(algebra, value, pair_value(algebra, symbols, values, bonus, i, j))
                v[i, j] = value
                u[i, j + PADDING] = times(algebra, value, values[outer_end(symbols, INTERIOR_END, i, j)])
                b[i, j] = times(algebra, value, values[BULGE_END + pair])
                m1[i, j] = times(algebra, value, values[outer_end(symbols, MULTI_BRANCH, i, j)])
            m1[i, j] = plus(algebra, m1[i, j], times(algebra, m1[i, j - 1], base))
            behind[i, j] = plus(algebra, m1[i, j], times(algebra, behind[i + 1, j], base))
            m[i, j] = plus(algebra, behind[i, j], m2[i, j])
            if j + 2 < n and not is_zero(algebra, m[i, j]):
                _push_row(algebra, m[i, j], m2[i], m1[j + 1], j + 2, n)
    prefixes[0] = one
    for j in range(n):
        value = times(algebra, prefixes[j], values[EXTERIOR_BASE])
        for i in range(j - least):
            if not is_zero(algebra, v[i, j]):
                branch = times(algebra, v[i, j], values[outer_end(symbols, EXTERIOR_BRANCH, i, j)])
                value = plus(algebra, value, times(algebra, prefixes[i], branch))
        prefixes[j + 1] = value
    return prefixes[n]


@jit
def _inner_pairs(algebra, empty, symbols, values, i, j, least, chart, backwards, sums):
    """Sum over the loops that (i, j) closes and that have one more pair."""
    v, u, b = chart[PLANE_V], chart[PLANE_U], chart[PLANE_B]
    total = empty
    for k in range(i + 1, i + 3):
        for m in range(j - 2, j):
            if not is_zero(algebra, v[k, m]):
                total = plus(algebra, total, times(algebra, values[small_loop(symbols, i, j, k, m)], v[k, m]))
    space = j - i - 3 - least  # two paired bases and a hairpin must be left
    bulges = empty
    for n in range(2, min(space, LONGEST_BULGE) + 1):
        both = plus(algebra, b[i + 1, j - 1 - n], b[i + 1 + n, j - 1])
        bulges = plus(algebra, bulges, times(algebra, values[BULGE_LENGTH + n], both))
    chart[PLANE_BULGE, i, j] = bulges
    end = values[BULGE_END + REVERSED[PAIR_CODES[symbols[i], symbols[j]]]]
    total = plus(algebra, total, times(algebra, end, bulges))
    if space > 2:
        n_rows = min(space - 1, LONGEST_SIDE)
        others = _sum_of_loops(algebra, empty, backwards, u, i + 1, 1, n_rows, j, sums)
        chart[PLANE_INTERIOR, i, j] = others
        total = plus(algebra, total, times(algebra, values[inner_end(symbols, INTERIOR_END, i, j)], others))
    return total


@jit
def outside_loops(algebra, one, symbols, values, bonus, least, chart, prefixes, suffixes, counts, paired):
    """Add up, in the algebra, the value of all structures with a part in `counts`, with a pair in `paired`.

    `chart` and `prefixes` are what `inside_loops` filled; `suffixes` of shape (n + 1,), `counts` and `paired` of shape
    (n, n) hold zeros of the algebra. ``paired[i, j]`` stays empty for j < i.
    """
    n = symbols.shape[0]
    v, u, b, m1 = chart[PLANE_V], chart[PLANE_U], chart[PLANE_B], chart[PLANE_M1]
    behind, m, m2 = chart[PLANE_N], chart[PLANE_M], chart[PLANE_M2]
    empty = chart[0, n + 1, 0]
    lengths, _ = _length_tables(empty, values)
    by_length = np.full((SIDE, SIDE), empty, dtype=chart.dtype)
    sums = np.empty(SIDE, dtype=chart.dtype)
    base = values[MULTI_BASE]
    # What stands around a pair, times its value: bare, with its end in an interior loop, and in a bulge.
    around = np.full((n, n + 2), empty, dtype=chart.dtype)
    around_interior = np.full((n, n + PADDING + 2), empty, dtype=chart.dtype)
    around_bulge = np.full((n, n + 2), empty, dtype=chart.dtype)
    outer_m1 = np.full((n + 2, n + 2), empty, dtype=chart.dtype)
    outer_m, outer_m2 = np.full(n + 2, empty, dtype=chart.dtype), np.full(n + 2, empty, dtype=chart.dtype)
    outer_n = np.full(n + 2, empty, dtype=chart.dtype)  # of the row before until the cell is reached
    suffixes[n] = one
    for i in range(n - 1, -1, -1):
        value = times(algebra, suffixes[i + 1], values[EXTERIOR_BASE])
        _add(algebra, counts, EXTERIOR_BASE, times(algebra, prefixes[i], value))
        for j in range(i + 1 + least, n):
            if not is_zero(algebra, v[i, j]):
                branch = times(algebra, v[i, j], values[outer_end(symbols, EXTERIOR_BRANCH, i, j)])
                value = plus(algebra, value, times(algebra, suffixes[j + 1], branch))
        suffixes[i] = value
    for i in range(n - 1 - least):
        outer_m2[:] = empty
        for j in range(n - 1, i + least, -1):
            if i > 0 and j < n - 1 and not is_zero(algebra, around[i - 1, j + 1]):
                end = inner_end(symbols, MULTI_CLOSE, i - 1, j + 1)
                outer_m2[j] = times(algebra, around[i - 1, j + 1], values[end])
                _add(algebra, counts, end, times(algebra, outer_m2[j], m2[i, j]))
            outer_m[j] = _pull_row(algebra, empty, outer_m2, m1[j + 1], j + 2, n)
            outer_m2[j] = plus(algebra, outer_m2[j], outer_m[j])
            step = times(algebra, outer_n[j], base)
            _add(algebra, counts, MULTI_BASE, times(algebra, step, behind[i, j]))
            outer_n[j] = plus(algebra, outer_m[j], step)
            step = times(algebra, outer_m1[i, j + 1], base)
            _add(algebra, counts, MULTI_BASE, times(algebra, step, m1[i, j]))
            outer_m1[i, j] = plus(algebra, outer_m1[i, j], plus(algebra, outer_n[j], step))
            if is_zero(algebra, v[i, j]):
                continue
            end = outer_end(symbols, EXTERIOR_BRANCH, i, j)
            above = times(algebra, times(algebra, prefixes[i], suffixes[j + 1]), values[end])
            _add(algebra, counts, end, times(algebra, above, v[i, j]))
            end = outer_end(symbols, MULTI_BRANCH, i, j)
            value = times(algebra, outer_m1[i, j], values[end])
            _add(algebra, counts, end, times(algebra, value, v[i, j]))
            above = plus(algebra, above, value)
            value = _outer_pairs(
                algebra, empty, symbols, values, i, j, v, u, b, lengths, sums,
                around, around_interior, around_bulge, by_length, counts,
            )  # fmt: skip
            above = plus(algebra, above, value)
            pair = PAIR_CODES[symbols[i], symbols[j]]
            paired[i, j] = times(algebra, above, v[i, j])
            _add(algebra, counts, PAIR + pair, paired[i, j])
            above = times(algebra, above, pair_value(algebra, symbols, values, bonus, i, j))
            around[i, j] = above
            end = inner_end(symbols, INTERIOR_END, i, j)
            around_interior[i, j] = times(algebra, above, values[end])
            _add(algebra, counts, end, times(algebra, around_interior[i, j], chart[PLANE_INTERIOR, i, j]))
            end = BULGE_END + REVERSED[pair]
            around_bulge[i, j] = times(algebra, above, values[end])
            _add(algebra, counts, end, times(algebra, around_bulge[i, j], chart[PLANE_BULGE, i, j]))
            value = times(algebra, above, hairpin_value(algebra, symbols, values, i, j))
            _add(algebra, counts, hairpin_end(symbols, i, j), value)
            _add(algebra, counts, HAIRPIN_LENGTH + min(j - i - 1, LONGEST_HAIRPIN), value)
            for _ in range(j - i - 1 - LONGEST_HAIRPIN):
                _add(algebra, counts, HAIRPIN_MORE, value)
        for k in range(i + 2 + least, n - 1 - least):
            if not is_zero(algebra, m[i, k - 1]):
                _push_row(algebra, m[i, k - 1], outer_m1[k], outer_m2, k + 1, n)
    for left in range(1, SIDE):
        for right in range(1, SIDE):
            value = times(algebra, by_length[left, right], lengths[left, right])
            _add(algebra, counts, INTERIOR_LENGTH + left * SIDE + right, value)


@jit
def _outer_pairs(
    algebra, empty, symbols, values, k, m, v, u, b, lengths, sums,
    around, around_interior, around_bulge, by_length, counts,
):  # fmt: skip
    """Sum over the loops in which (k, m) is the inner pair, and their parts' counts."""
    n = symbols.shape[0]
    total = empty
    for i in range(max(k - 2, 0), k):
        for j in range(m + 1, min(m + 3, n)):
            if not is_zero(algebra, around[i, j]):
                place = small_loop(symbols, i, j, k, m)
                value = times(algebra, around[i, j], values[place])
                total = plus(algebra, total, value)
                _add(algebra, counts, place, times(algebra, value, v[k, m]))
    if k < 1 or m > n - 2:
        return total
    bulges = empty
    for length in range(2, LONGEST_BULGE + 1):
        value = around_bulge[k - 1, m + 1 + length] if m + 1 + length < n else empty
        if length < k:
            value = plus(algebra, value, around_bulge[k - 1 - length, m + 1])
        value = times(algebra, value, values[BULGE_LENGTH + length])
        bulges = plus(algebra, bulges, value)
        _add(algebra, counts, BULGE_LENGTH + length, times(algebra, value, b[k, m]))
    end = BULGE_END + PAIR_CODES[symbols[k], symbols[m]]
    _add(algebra, counts, end, times(algebra, bulges, b[k, m]))
    total = plus(algebra, total, times(algebra, bulges, values[end]))
    n_rows = min(LONGEST_SIDE, k - 1)
    if n_rows > 0:
        others = _sum_of_loops(algebra, empty, lengths, around_interior, k - 1, -1, n_rows, m + 1, sums)
        end = outer_end(symbols, INTERIOR_END, k, m)
        _add(algebra, counts, end, times(algebra, others, u[k, m + PADDING]))
        total = plus(algebra, total, times(algebra, others, values[end]))
        _count_loops(algebra, u[k, m + PADDING], around_interior, k - 1, n_rows, m + 1, by_length)
    return total


@jit
def _add(algebra, counts, place, value):
    counts[place] = plus(algebra, counts[place], value)
