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

from weft.core.jit import jit, jit_inline
from weft.core.semirings import exceeds, plus, times
from weft.structures.rna.loops.places import (
    END,
    ENDS,
    hairpin_lengths,
    pair_value,
    partner_lists,
    special_at,
)
from weft.structures.rna.loops.rows import (
    BULGE,
    MARGIN,
    N_KINDS,
    RING,
    add_row,
    add_shifted,
    fill_row,
    length_tables,
    rights,
)
from weft.structures.rna.tables import (
    BULGE_END,
    BULGE_ONE,
    EXTERIOR_BASE,
    EXTERIOR_BRANCH,
    HAIRPIN_END,
    LONGEST_LOOP,
    MULTI_BASE,
    MULTI_BRANCH,
    MULTI_CLOSE,
    N_LETTERS,
    N_PAIRS,
    NO_LETTER,
    ONE_ONE,
    PAIR_CODES,
    REVERSED,
    SIDE,
    STACK,
    TWO_ONE,
    TWO_TWO,
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
    branches = np.empty(n + 1, dtype=chart.dtype)  # of multiloops: one that begins at i, and an M behind it
    single = np.empty(n + 1, dtype=chart.dtype)  # one, and unpaired bases behind it
    interior, bulge = length_tables(values)
    interior, bulge = interior[:, ::-1].copy(), bulge[::-1].copy()  # rows are read from their ends
    lengths = hairpin_lengths(algebra, values, n)
    letters = np.full(n + 4, NO_LETTER, dtype=np.int64)  # none behind the end, nor at -1, before the beginning
    letters[:n] = symbols
    codes = PAIR_CODES[:, letters]
    partners, n_partners = partner_lists(symbols)
    firsts = n_partners.copy()
    base = values[MULTI_BASE]
    suffixes[n] = one
    for i in range(n - 1, -1, -1):
        rows[:] = empty
        branches[:] = empty
        ring[:, i % RING] = empty
        _sum_inner(algebra, interior, bulge, i, least, ring, rows)
        letter, next_letter = letters[i], letters[i + 1]
        own, first = partners[letter], firsts[letter]
        while first > 0 and own[first - 1] > i + least:
            first -= 1
        firsts[letter] = first
        begin = min(i + 1 + least, n)
        before, done = empty, begin
        suffix = times(algebra, suffixes[i + 1], values[EXTERIOR_BASE])
        for place in range(first, n_partners[letter]):
            j = own[place]
            for u in range(done, j):
                before = times(algebra, before, base)
                single[u] = before
            before = times(algebra, before, base)
            pair = codes[letter, j]
            inner = (REVERSED[pair] * N_LETTERS + letters[j - 1]) * N_LETTERS + next_letter  # as `inner_end`
            outer = (pair * N_LETTERS + letters[i - 1]) * N_LETTERS + letters[j + 1]  # as `outer_end`
            value = times(algebra, values[HAIRPIN_END + min(max(j - i - 4, 0), 2) * END + inner], lengths[j - i - 1])
            if special_at(special, i, j) >= 0:
                value = times(algebra, value, values[special_at(special, i, j)])
            if j - i - 3 >= least:
                inside = _small_loops(algebra, letters, values, i, j, pair, codes, v)
                for kind in range(BULGE):
                    inside = plus(algebra, inside, times(algebra, values[ENDS[kind] + inner], rows[kind, j]))
                end = values[BULGE_END + REVERSED[pair]]
                value = plus(algebra, value, plus(algebra, inside, times(algebra, end, rows[BULGE, j])))
                value = plus(algebra, value, times(algebra, values[MULTI_CLOSE + inner], m2[i + 1, j - 1]))
            value = times(algebra, value, pair_value(algebra, symbols, values, bonus, i, j))
            v[i, j] = value
            for kind in range(BULGE):  # its ends in each kind of loop, seen from outside
                ring[kind, i % RING, MARGIN + j] = times(algebra, value, values[ENDS[kind] + outer])
            ring[BULGE, i % RING, MARGIN + j] = times(algebra, value, values[BULGE_END + pair])
            branch = times(algebra, value, values[MULTI_BRANCH + outer])
            # A best structure needs no branch that is no better than others in its place.
            if exceeds(algebra, branch, plus(algebra, before, branches[j])):
                add_row(algebra, branch, branches[j + 1 : n], m[j + 1, j + 1 : n])
            before = plus(algebra, before, branch)
            single[j] = before
            done = j + 1
            branch = times(algebra, value, values[EXTERIOR_BRANCH + outer])
            suffix = plus(algebra, suffix, times(algebra, suffixes[j + 1], branch))
        suffixes[i] = suffix
        for u in range(done, n):
            before = times(algebra, before, base)
            single[u] = before
        fill_row(algebra, base, m2[i, begin:n], branches[begin:n], m2[i + 1, begin:n])
        fill_row(algebra, base, m[i, begin:n], single[begin:n], m[i + 1, begin:n])
        add_row(algebra, one, m[i, begin:n], branches[begin:n])
        if sums.shape[0] > 0:
            for kind in range(N_KINDS):
                sums[kind, i, i:] = rows[kind, i:]
    return suffixes[0]


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


@jit_inline
def _small_loops(algebra, letters, values, i, j, outer, codes, v):
    """Sum over the loops that (i, j) closes and that have a place for all they are, as `small_loop` says.

    Letters that do not pair have the number -1 and thus some place too: what the chart has for them is empty.
    """
    a, b, c, d = letters[i + 1], letters[i + 2], letters[j - 2], letters[j - 1]
    near, middle, far = codes[a], codes[b], codes[letters[i + 3]]
    pairs = outer * N_PAIRS
    total = times(algebra, values[STACK + pairs + near[j - 1]], v[i + 1, j - 1])
    place = BULGE_ONE + (pairs + near[j - 2]) * N_LETTERS + d
    total = plus(algebra, total, times(algebra, values[place], v[i + 1, j - 2]))
    place = BULGE_ONE + (pairs + middle[j - 1]) * N_LETTERS + a
    total = plus(algebra, total, times(algebra, values[place], v[i + 2, j - 1]))
    place = ONE_ONE + ((pairs + middle[j - 2]) * N_LETTERS + a) * N_LETTERS + d
    total = plus(algebra, total, times(algebra, values[place], v[i + 2, j - 2]))
    place = TWO_ONE + (((pairs + middle[j - 3]) * N_LETTERS + a) * N_LETTERS + c) * N_LETTERS + d
    total = plus(algebra, total, times(algebra, values[place], v[i + 2, j - 3]))
    place = REVERSED[far[j - 2]] * N_PAIRS + REVERSED[outer]
    place = TWO_ONE + ((place * N_LETTERS + d) * N_LETTERS + a) * N_LETTERS + b
    total = plus(algebra, total, times(algebra, values[place], v[i + 3, j - 2]))
    place = (((pairs + far[j - 3]) * N_LETTERS + a) * N_LETTERS + b) * N_LETTERS + c
    return plus(algebra, total, times(algebra, values[TWO_TWO + place * N_LETTERS + d], v[i + 3, j - 3]))
