"""Outside pass over the loops of RNA: how often each part and each pair occurs.

It goes down from long spans to short ones, rows from the first base on. What stands around a span is the value of all
that can be put there; times the value of the span it is that of all structures with the span.
"""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit
from weft.core.semirings import is_zero, plus, times
from weft.structures.rna.loops.inside import PLANE_M, PLANE_M2, PLANE_V
from weft.structures.rna.loops.places import (
    ENDS,
    hairpin_end,
    hairpin_lengths,
    hairpin_value,
    inner_end,
    is_small,
    log_steps,
    outer_end,
    pair_value,
    small_loop,
    special_at,
)
from weft.structures.rna.loops.rows import (
    BULGE,
    MARGIN,
    N_KINDS,
    RING,
    add_row,
    add_shifted,
    dot_row,
    dot_shifted,
    length_tables,
    rights,
)
from weft.structures.rna.tables import (
    BULGE_END,
    BULGE_LENGTH,
    EXTERIOR_BASE,
    EXTERIOR_BRANCH,
    HAIRPIN_LENGTH,
    HAIRPIN_LOG,
    HAIRPIN_MORE,
    INTERIOR_LENGTH,
    LONGEST_HAIRPIN,
    LONGEST_LOOP,
    MULTI_BASE,
    MULTI_BRANCH,
    MULTI_CLOSE,
    PAIR,
    PAIR_CODES,
    REVERSED,
    SIDE,
)

__all__ = ["outside_loops"]

BARE = N_KINDS
"""Row of the ring for what stands around a pair without its end in a loop."""


@jit
def outside_loops(
    algebra, one, symbols, special, values, bonus, least, chart, sums, suffixes, prefixes, counts, paired
):
    """Add up, in the algebra, the value of all structures with a part in `counts`, with a pair in `paired`.

    `chart`, `sums` and `suffixes` are what `inside_loops` filled. `prefixes` of shape (n + 1,), `counts` and `paired`
    of shape (n, n) hold zeros of the algebra; ``paired[i, j]`` stays empty for j < i. Without `sums` nothing is counted
    but pairs.
    """
    n = symbols.shape[0]
    v, m, m2 = chart[PLANE_V], chart[PLANE_M], chart[PLANE_M2]
    empty = chart[0, n + 1, 0]
    counting = sums.shape[0] > 0
    base = values[MULTI_BASE]
    interior, bulge = length_tables(values)
    lengths = hairpin_lengths(algebra, values, n)
    by_side, by_bulge = np.full((SIDE, SIDE), empty, dtype=chart.dtype), np.full(SIDE, empty, dtype=chart.dtype)
    by_hairpin = np.full(n, empty, dtype=chart.dtype)
    ring = np.full((N_KINDS + 1, RING, n + 2 * MARGIN), empty, dtype=chart.dtype)
    rows, ends = np.full((N_KINDS, n), empty, dtype=chart.dtype), np.full((N_KINDS, n), empty, dtype=chart.dtype)
    around_m = np.full((n + 1, n), empty, dtype=chart.dtype)
    around_m2, around_branches = np.full(n, empty, dtype=chart.dtype), np.full(n, empty, dtype=chart.dtype)
    branches = np.full(n, empty, dtype=chart.dtype)
    prefixes[0] = one
    for i in range(n):
        alone = times(algebra, prefixes[i], values[EXTERIOR_BASE])
        prefixes[i + 1] = plus(algebra, prefixes[i + 1], alone)
        _add(algebra, counts, EXTERIOR_BASE, times(algebra, alone, suffixes[i + 1]))
        rows[:] = empty
        ends[:] = empty
        for j in range(i + 1 + least, n):
            if not is_zero(algebra, v[i, j]):
                for kind in range(BULGE):
                    ends[kind, j] = values[outer_end(symbols, ENDS[kind], i, j)]
                ends[BULGE, j] = values[BULGE_END + PAIR_CODES[symbols[i], symbols[j]]]
        _sum_outer(algebra, interior, bulge, i, least, ring, rows)
        _around_branches(algebra, symbols, values, i, least, ring[BARE], m, m2, around_m, around_m2, counts, counting)
        for j in range(i + 1 + least, n):
            around_branches[j] = plus(algebra, around_m[i, j], around_m2[j])
            branches[j] = empty
            if not is_zero(algebra, v[i, j]):
                branches[j] = times(algebra, v[i, j], values[outer_end(symbols, MULTI_BRANCH, i, j)])
        if counting:
            _count_trailing(algebra, empty, base, around_m[i], branches, i + 1 + least, counts)
        ring[:, i % RING] = empty
        around_one = empty  # what stands around a branch that begins at i, with unpaired bases behind it
        for j in range(n - 1, i + least, -1):
            around_one = plus(algebra, around_m[i, j], times(algebra, around_one, base))
            if is_zero(algebra, v[i, j]):
                continue
            end = outer_end(symbols, EXTERIOR_BRANCH, i, j)
            branch = times(algebra, v[i, j], values[end])
            above = times(algebra, prefixes[i], suffixes[j + 1])
            prefixes[j + 1] = plus(algebra, prefixes[j + 1], times(algebra, prefixes[i], branch))
            _add(algebra, counts, end, times(algebra, above, branch))
            above = times(algebra, above, values[end])
            end = outer_end(symbols, MULTI_BRANCH, i, j)
            others = dot_row(algebra, empty, around_branches[j + 1 :], m[j + 1, j + 1 : n])
            others = plus(algebra, around_one, others)
            _add(algebra, counts, end, times(algebra, others, branches[j]))
            above = plus(algebra, above, times(algebra, others, values[end]))
            others = _outer_pairs(algebra, empty, symbols, values, i, j, v, ring[BARE], counts)
            above = plus(algebra, above, others)
            for kind in range(N_KINDS):
                above = plus(algebra, above, times(algebra, rows[kind, j], ends[kind, j]))
            pair = PAIR_CODES[symbols[i], symbols[j]]
            paired[i, j] = times(algebra, above, v[i, j])
            _add(algebra, counts, PAIR + pair, paired[i, j])
            above = times(algebra, above, pair_value(algebra, symbols, values, bonus, i, j))
            _fill_ring(algebra, symbols, values, above, i, j, ring)
            if counting:
                _count_closed(algebra, symbols, special, values, above, i, j, sums, m2, lengths, by_hairpin, counts)
        for j in range(i + 1 + least, n):
            if not is_zero(algebra, branches[j]):
                add_row(algebra, branches[j], around_m[j + 1, j + 1 :], around_branches[j + 1 :])
        if counting:
            for j in range(i + 1 + least, n):
                for kind in range(N_KINDS):
                    ends[kind, j] = times(algebra, ends[kind, j], v[i, j])
            _count_outer_ends(algebra, symbols, i, least, v, rows, ends, counts)
            _count_lengths(algebra, empty, i, least, ring, ends, by_side, by_bulge)
    if counting:
        _spread_counts(algebra, values, interior, bulge, by_side, by_bulge, by_hairpin, counts)


@jit
def _fill_ring(algebra, symbols, values, above, i, j, ring):
    """What stands around a pair, times its value, with its end in each kind of loop seen from inside."""
    slot = i % RING
    for kind in range(BULGE):
        ring[kind, slot, MARGIN + j] = times(algebra, above, values[inner_end(symbols, ENDS[kind], i, j)])
    end = BULGE_END + REVERSED[PAIR_CODES[symbols[i], symbols[j]]]
    ring[BULGE, slot, MARGIN + j] = times(algebra, above, values[end])
    ring[BARE, slot, MARGIN + j] = above


@jit
def _sum_outer(algebra, interior, bulge, k, least, ring, rows):
    """Sums, for all m, over the loops in which (k, m) is the inner pair, by their kind."""
    for left in range(min(LONGEST_LOOP, k - 1) + 1 if k > 0 else 0):
        slot = (k - 1 - left) % RING
        for kind in range(N_KINDS):
            first, last = rights(kind, left)
            if last >= first:
                lengths = bulge[left + first : left + last + 1] if kind == BULGE else interior[left, first : last + 1]
                _add_lefts(algebra, lengths, first, last, ring[kind, slot], rows[kind], k + 1 + least)


@jit
def _add_lefts(algebra, lengths, first, last, source, target, start):
    n = target.shape[0]
    if start < n:
        add_shifted(algebra, target[start:], source[MARGIN + start + 1 + first : MARGIN + n + 1 + last], lengths)


@jit
def _outer_pairs(algebra, empty, symbols, values, k, m, v, around, counts):
    """Sum over the small loops in which (k, m) is the inner pair; they are counted."""
    n = symbols.shape[0]
    total = empty
    for left in range(min(3, k)):
        for right in range(min(3, n - 1 - m)):
            i, j = k - 1 - left, m + 1 + right
            outer = around[i % RING, MARGIN + j]
            if is_small(left, right) and not is_zero(algebra, outer):
                place = small_loop(symbols, i, j, k, m)
                value = times(algebra, outer, values[place])
                total = plus(algebra, total, value)
                _add(algebra, counts, place, times(algebra, value, v[k, m]))
    return total


@jit
def _around_branches(algebra, symbols, values, i, least, around, m, m2, around_m, around_m2, counts, counting):
    """What stands around the branches of a multiloop that begin with base i, for all ends."""
    n = symbols.shape[0]
    base = values[MULTI_BASE]
    if i == 0:
        return
    for j in range(i + 1 + least, n):
        more, more2 = times(algebra, around_m[i - 1, j], base), times(algebra, around_m2[j], base)
        if counting:
            _add(algebra, counts, MULTI_BASE, times(algebra, more, m[i, j]))
            _add(algebra, counts, MULTI_BASE, times(algebra, more2, m2[i, j]))
        around_m[i, j] = plus(algebra, around_m[i, j], more)
        outer = around[(i - 1) % RING, MARGIN + j + 1]
        if not is_zero(algebra, outer):
            more2 = plus(algebra, more2, times(algebra, outer, values[inner_end(symbols, MULTI_CLOSE, i - 1, j + 1)]))
        around_m2[j] = more2


# ------------------------------------------------------------------------------------------------ counting


@jit
def _count_trailing(algebra, empty, base, around_m, branches, first, counts):
    """Unpaired bases behind the last branch of a multiloop."""
    n = branches.shape[0]
    trailing = np.full(n + 1, empty, dtype=branches.dtype)
    for j in range(n - 1, first - 1, -1):
        trailing[j] = plus(algebra, around_m[j], times(algebra, trailing[j + 1], base))
    before = empty
    for j in range(first, n):
        before = plus(algebra, times(algebra, before, base), branches[j])
        _add(algebra, counts, MULTI_BASE, times(algebra, times(algebra, before, base), trailing[j + 1]))


@jit
def _count_closed(algebra, symbols, special, values, above, i, j, sums, m2, lengths, by_hairpin, counts):
    """Ends of a pair in the loops that it closes."""
    for kind in range(BULGE):
        end = inner_end(symbols, ENDS[kind], i, j)
        _add(algebra, counts, end, times(algebra, times(algebra, above, values[end]), sums[kind, i, j]))
    end = BULGE_END + REVERSED[PAIR_CODES[symbols[i], symbols[j]]]
    _add(algebra, counts, end, times(algebra, times(algebra, above, values[end]), sums[BULGE, i, j]))
    if j - i > 2:
        end = inner_end(symbols, MULTI_CLOSE, i, j)
        _add(algebra, counts, end, times(algebra, times(algebra, above, values[end]), m2[i + 1, j - 1]))
    value = times(algebra, above, hairpin_value(algebra, symbols, special, values, lengths, i, j))
    _add(algebra, counts, hairpin_end(symbols, i, j), value)
    _add(algebra, by_hairpin, j - i - 1, value)
    place = special_at(special, i, j)
    if place >= 0:
        _add(algebra, counts, place, value)


@jit
def _count_outer_ends(algebra, symbols, i, least, v, rows, ends, counts):
    """Ends of the pairs of a row in loops around them."""
    for j in range(i + 1 + least, symbols.shape[0]):
        if not is_zero(algebra, v[i, j]):
            for kind in range(BULGE):
                _add(
                    algebra, counts, outer_end(symbols, ENDS[kind], i, j), times(algebra, rows[kind, j], ends[kind, j])
                )
            end = BULGE_END + PAIR_CODES[symbols[i], symbols[j]]
            _add(algebra, counts, end, times(algebra, rows[BULGE, j], ends[BULGE, j]))


@jit
def _count_lengths(algebra, empty, k, least, ring, ends, by_side, by_bulge):
    """Lengths of the loops in which pairs of row k are the inner ones, still without the values of the lengths."""
    n = ends.shape[1]
    start = k + 1 + least
    if start >= n:
        return
    for left in range(min(LONGEST_LOOP, k - 1) + 1 if k > 0 else 0):
        slot = (k - 1 - left) % RING
        for kind in range(N_KINDS):
            first, last = rights(kind, left)
            if last >= first:
                source = ring[kind, slot, MARGIN + start + 1 + first : MARGIN + n + 1 + last]
                totals = by_side[left, first : last + 1]
                if kind == BULGE:
                    totals = by_bulge[left + first : left + last + 1]
                dot_shifted(algebra, empty, ends[kind, start:], source, totals)


@jit
def _spread_counts(algebra, values, interior, bulge, by_side, by_bulge, by_hairpin, counts):
    """Sums by length as counts of parts."""
    for left in range(SIDE):
        _add(algebra, counts, BULGE_LENGTH + left, times(algebra, by_bulge[left], bulge[left]))
        for right in range(SIDE):
            value = times(algebra, by_side[left, right], interior[left, right])
            _add(algebra, counts, INTERIOR_LENGTH + left * SIDE + right, value)
    for length in range(by_hairpin.shape[0]):
        _add(algebra, counts, HAIRPIN_LENGTH + min(length, LONGEST_HAIRPIN), by_hairpin[length])
        for _ in range(length - LONGEST_HAIRPIN):
            _add(algebra, counts, HAIRPIN_MORE, by_hairpin[length])
        for _ in range(log_steps(length)):
            _add(algebra, counts, HAIRPIN_LOG, by_hairpin[length])


@jit
def _add(algebra, counts, place, value):
    counts[place] = plus(algebra, counts[place], value)
