"""Inside pass over the loops of RNA secondary structures: n^2 memory, n^3 time.

`weft.structures.rna.tables` says which values a structure multiplies. A chart has one plane per kind of span (i, j):

* V: i and j pair, times the value of that pair
* M: one branch of a multiloop or more, with unpaired bases before, between and behind them
* M2: the same with two branches or more

Each structure is counted once: what M2 begins with is an unpaired base, or a branch C that an M follows. Loops between
two pairs are summed up row by row (`weft.structures.rna.loops.rows`), each kind on its own, without the ends of the
pair that closes them; whoever wants to know how often these occur has the sums kept.
"""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit
from weft.core.semirings import exceeds, is_zero, plus, times
from weft.structures.rna.loops.places import (
    ENDS,
    hairpin_lengths,
    hairpin_value,
    inner_end,
    outer_end,
    pair_value,
    small_loop,
)
from weft.structures.rna.loops.rows import (
    BULGE,
    MARGIN,
    N_KINDS,
    RING,
    add_row,
    add_shifted,
    length_tables,
    rights,
)
from weft.structures.rna.tables import (
    BULGE_END,
    EXTERIOR_BASE,
    EXTERIOR_BRANCH,
    LONGEST_LOOP,
    MULTI_BASE,
    MULTI_BRANCH,
    MULTI_CLOSE,
    PAIR_CODES,
    REVERSED,
    SIDE,
)

__all__ = ["N_PLANES", "PLANE_M", "PLANE_M2", "PLANE_V", "inside_loops"]

PLANE_V, PLANE_M, PLANE_M2 = range(3)
N_PLANES = 3


@jit
def inside_loops(algebra, one, symbols, special, values, bonus, least, chart, sums, suffixes):
    """Fill a chart, which holds zeros of the algebra, and return the value of the whole sequence.

    `one` is the neutral value; `special` are places of hairpins (`special_places`); `bonus` has shape (n, n), or (0, 0)
    for none; `least` is the least number of bases in a hairpin; `chart` has shape (N_PLANES, n + 2, n + 2); `sums` of
    shape (N_KINDS, n, n) takes up the sums of loops between two pairs unless it is empty; ``suffixes[i]`` becomes the
    value of the bases from i on.
    """
    n = symbols.shape[0]
    v, m, m2 = chart[PLANE_V], chart[PLANE_M], chart[PLANE_M2]
    empty = chart[0, n + 1, 0]
    ring = np.full((N_KINDS, RING, n + 2 * MARGIN), empty, dtype=chart.dtype)
    rows = np.full((N_KINDS, n), empty, dtype=chart.dtype)
    branches = np.empty(n + 1, dtype=chart.dtype)
    interior, bulge = length_tables(values)
    interior, bulge = interior[:, ::-1].copy(), bulge[::-1].copy()  # rows are read from their ends
    lengths = hairpin_lengths(algebra, values, n)
    base = values[MULTI_BASE]
    suffixes[n] = one
    for i in range(n - 1, -1, -1):
        rows[:] = empty
        branches[:] = empty
        ring[:, i % RING] = empty
        _sum_inner(algebra, interior, bulge, i, least, ring, rows)
        before = empty  # M1: a branch that begins here, and unpaired bases behind it
        for j in range(i + 1 + least, n):
            before = times(algebra, before, base)
            if PAIR_CODES[symbols[i], symbols[j]] >= 0:
                value = hairpin_value(algebra, symbols, special, values, lengths, i, j)
                if j - i - 3 >= least:
                    value = plus(algebra, value, _inner_pairs(algebra, empty, symbols, values, i, j, v, rows))
                    closed = times(algebra, values[inner_end(symbols, MULTI_CLOSE, i, j)], m2[i + 1, j - 1])
                    value = plus(algebra, value, closed)
                value = times(algebra, value, pair_value(algebra, symbols, values, bonus, i, j))
                v[i, j] = value
                _fill_ring(algebra, symbols, values, value, i, j, ring)
                branch = times(algebra, value, values[outer_end(symbols, MULTI_BRANCH, i, j)])
                # A best structure needs no branch that is no better than others in its place.
                if exceeds(algebra, branch, plus(algebra, before, branches[j])):
                    add_row(algebra, branch, branches[j + 1 : n], m[j + 1, j + 1 : n])
                before = plus(algebra, before, branch)
            m2[i, j] = plus(algebra, branches[j], times(algebra, m2[i + 1, j], base))
            more = plus(algebra, before, times(algebra, m[i + 1, j], base))
            m[i, j] = plus(algebra, branches[j], more)
        if sums.shape[0] > 0:
            for kind in range(N_KINDS):
                sums[kind, i, i:] = rows[kind, i:]
        value = times(algebra, suffixes[i + 1], values[EXTERIOR_BASE])
        for j in range(i + 1 + least, n):
            if not is_zero(algebra, v[i, j]):
                branch = times(algebra, v[i, j], values[outer_end(symbols, EXTERIOR_BRANCH, i, j)])
                value = plus(algebra, value, times(algebra, suffixes[j + 1], branch))
        suffixes[i] = value
    return suffixes[0]


@jit
def _fill_ring(algebra, symbols, values, value, i, j, ring):
    """Value of a pair with its end in each kind of loop, seen from outside."""
    slot = i % RING
    for kind in range(BULGE):
        ring[kind, slot, MARGIN + j] = times(algebra, value, values[outer_end(symbols, ENDS[kind], i, j)])
    ring[BULGE, slot, MARGIN + j] = times(algebra, value, values[BULGE_END + PAIR_CODES[symbols[i], symbols[j]]])


@jit
def _sum_inner(algebra, interior, bulge, i, least, ring, rows):
    """Sums, for all j, over the loops that (i, j) closes and that have one more pair, by their kind.

    Values of lengths come backwards on the right: that of r bases stands at ``LONGEST_LOOP - r``.
    """
    n = rows.shape[1]
    for left in range(min(LONGEST_LOOP, n - i - 4 - least) + 1):
        slot = (i + 1 + left) % RING
        start = i + left + 3 + least  # j if nothing stands on the right
        for kind in range(N_KINDS):
            first, last = rights(kind, left)
            if last >= first:
                lengths = interior[left]
                if kind == BULGE:
                    lengths = bulge[: SIDE - left]
                _add_rights(algebra, lengths, first, last, ring[kind, slot], rows[kind], start)


@jit
def _add_rights(algebra, backwards, first, last, source, target, start):
    """Loops with `first` to `last` bases on the right, of which the others are known."""
    n = target.shape[0]
    start += first
    end = backwards.shape[0] - 1
    if start < n and last >= first:
        part = source[MARGIN + start - 1 - last : MARGIN + n - 1 - first]
        add_shifted(algebra, target[start:], part, backwards[end - last : end - first + 1])


@jit
def _inner_pairs(algebra, empty, symbols, values, i, j, v, rows):
    """Sum over the loops that (i, j) closes and that have one more pair."""
    total = empty
    for left in range(3):
        # No base on one side leaves at most one on the other.
        low, high = (1, 2) if left == 2 else (0, 2) if left == 1 else (0, 1)
        for right in range(low, high + 1):
            k, m = i + 1 + left, j - 1 - right
            if k < m and not is_zero(algebra, v[k, m]):
                total = plus(algebra, total, times(algebra, values[small_loop(symbols, i, j, k, m)], v[k, m]))
    for kind in range(BULGE):
        total = plus(algebra, total, times(algebra, values[inner_end(symbols, ENDS[kind], i, j)], rows[kind, j]))
    end = values[BULGE_END + REVERSED[PAIR_CODES[symbols[i], symbols[j]]]]
    return plus(algebra, total, times(algebra, end, rows[BULGE, j]))
