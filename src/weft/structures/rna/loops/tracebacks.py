"""From a chart of loops back to structures: the choices that a state has, and the one that is taken."""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit
from weft.core.semirings import is_zero, times
from weft.core.ties import first_best, larger_size
from weft.structures.rna.loops.passes import (
    PLANE_M,
    PLANE_M1,
    PLANE_M2,
    PLANE_N,
    PLANE_V,
    hairpin_value,
    inner_end,
    outer_end,
    pair_value,
    small_loop,
)
from weft.structures.rna.tables import (
    BULGE_END,
    BULGE_LENGTH,
    EXTERIOR_BASE,
    EXTERIOR_BRANCH,
    INTERIOR_END,
    INTERIOR_LENGTH,
    LONGEST_BULGE,
    LONGEST_SIDE,
    MULTI_BASE,
    MULTI_BRANCH,
    MULTI_CLOSE,
    PAIR_CODES,
    REVERSED,
    SIDE,
)

__all__ = ["NO_STATE", "PAIRED", "PREFIX", "list_choices", "most_choices", "trace_loops"]

NO_STATE, PREFIX, PAIRED, ONE, SOME, ANY, TWO = range(7)
"""Kinds of open states: the first j bases, a pair, M1, N, M and M2."""


@jit
def most_choices(n):
    """Bound on the number of choices of one state of a sequence of n bases."""
    return n + 2 * LONGEST_BULGE + LONGEST_SIDE * LONGEST_SIDE + 3


@jit
def list_choices(algebra, symbols, values, bonus, least, chart, prefixes, state, choices, found):
    """Write down the ways in which a state can be derived, and return their number.

    Parameters
    ----------
    state : ndarray of shape (3,)
        Kind and span; PREFIX has its length as the end of the span.
    choices : ndarray of shape (most_choices(n), 6)
        Takes up two states for each choice, NO_STATE if there are fewer.
    found : ndarray of shape (most_choices(n),)
        Takes up the value of each choice, all that follows from it included.
    """
    kind, i, j = state
    v, m1, some, many, two = chart[PLANE_V], chart[PLANE_M1], chart[PLANE_N], chart[PLANE_M], chart[PLANE_M2]
    count = 0
    if kind == PREFIX:
        value = times(algebra, prefixes[j - 1], values[EXTERIOR_BASE])
        count = _choose(algebra, choices, found, count, value, PREFIX, 0, j - 1, NO_STATE, 0, 0)
        for k in range(j - 1 - least):
            if not is_zero(algebra, v[k, j - 1]):
                branch = times(algebra, v[k, j - 1], values[outer_end(symbols, EXTERIOR_BRANCH, k, j - 1)])
                value = times(algebra, prefixes[k], branch)
                count = _choose(algebra, choices, found, count, value, PAIRED, k, j - 1, PREFIX, 0, k)
    elif kind == PAIRED:
        own = pair_value(algebra, symbols, values, bonus, i, j)
        value = times(algebra, own, hairpin_value(algebra, symbols, values, i, j))
        count = _choose(algebra, choices, found, count, value, NO_STATE, 0, 0, NO_STATE, 0, 0)
        space = j - i - 3 - least  # two paired bases and a hairpin must be left
        for left in range(min(space, LONGEST_BULGE) + 1):
            most = LONGEST_BULGE if left == 0 else LONGEST_SIDE if left <= LONGEST_SIDE else 0
            for right in range(min(space - left, most) + 1):
                k, m = i + 1 + left, j - 1 - right
                if not is_zero(algebra, v[k, m]):
                    loop = _loop_value(algebra, symbols, values, i, j, k, m)
                    value = times(algebra, times(algebra, own, loop), v[k, m])
                    count = _choose(algebra, choices, found, count, value, PAIRED, k, m, NO_STATE, 0, 0)
        if space >= 0 and not is_zero(algebra, two[i + 1, j - 1]):
            value = times(algebra, own, values[inner_end(symbols, MULTI_CLOSE, i, j)])
            value = times(algebra, value, two[i + 1, j - 1])
            count = _choose(algebra, choices, found, count, value, TWO, i + 1, j - 1, NO_STATE, 0, 0)
    elif kind == ONE:
        if not is_zero(algebra, v[i, j]):
            value = times(algebra, v[i, j], values[outer_end(symbols, MULTI_BRANCH, i, j)])
            count = _choose(algebra, choices, found, count, value, PAIRED, i, j, NO_STATE, 0, 0)
        value = times(algebra, m1[i, j - 1], values[MULTI_BASE])
        count = _choose(algebra, choices, found, count, value, ONE, i, j - 1, NO_STATE, 0, 0)
    elif kind == SOME:
        count = _choose(algebra, choices, found, count, m1[i, j], ONE, i, j, NO_STATE, 0, 0)
        value = times(algebra, some[i + 1, j], values[MULTI_BASE])
        count = _choose(algebra, choices, found, count, value, SOME, i + 1, j, NO_STATE, 0, 0)
    elif kind == ANY:
        count = _choose(algebra, choices, found, count, some[i, j], SOME, i, j, NO_STATE, 0, 0)
        count = _choose(algebra, choices, found, count, two[i, j], TWO, i, j, NO_STATE, 0, 0)
    else:
        for k in range(i + 2 + least, j - least):
            value = times(algebra, many[i, k - 1], m1[k, j])
            count = _choose(algebra, choices, found, count, value, ANY, i, k - 1, ONE, k, j)
    return count


@jit
def _choose(algebra, choices, found, count, value, first, i, j, second, k, m):
    """Add a choice unless it has no structures."""
    if is_zero(algebra, value):
        return count
    found[count] = value
    row = choices[count]
    row[0], row[1], row[2], row[3], row[4], row[5] = first, i, j, second, k, m
    return count + 1


@jit
def _loop_value(algebra, symbols, values, i, j, k, m):
    """Value of the loop between two pairs, without that of the pairs themselves."""
    left, right = k - i - 1, j - m - 1
    if max(left, right) <= 1:
        return values[small_loop(symbols, i, j, k, m)]
    if min(left, right) == 0:
        length = values[BULGE_LENGTH + left + right]
        outer = values[BULGE_END + REVERSED[PAIR_CODES[symbols[i], symbols[j]]]]
        inner = values[BULGE_END + PAIR_CODES[symbols[k], symbols[m]]]
    else:
        length = values[INTERIOR_LENGTH + left * SIDE + right]
        outer = values[inner_end(symbols, INTERIOR_END, i, j)]
        inner = values[outer_end(symbols, INTERIOR_END, k, m)]
    return times(algebra, times(algebra, outer, inner), length)


@jit
def trace_loops(algebra, symbols, values, bonus, least, chart, prefixes, draws, tolerance):
    """Pairs of a structure, sorted, the size of its scores, and how close another choice came to one that was taken.

    It is the best one if `draws` is empty, of equal ones (`weft.core.ties`) that of the first choices; else one drawn
    with these uniform numbers, 8 for each base, which is more than a structure has states. Values so large that sums of
    them are infinite lead to states without a choice; the walk then stops, and the only pair is (-1, -1).
    """
    size, closest = 0.0, np.inf
    n = symbols.shape[0]
    partner = np.full(n, -1, dtype=np.int32)
    n_pairs = n_drawn = 0
    choices = np.empty((most_choices(n), 6), dtype=np.int64)
    found = np.empty(most_choices(n))
    todo = np.empty((n + 2, 3), dtype=np.int64)
    todo[0, 0], todo[0, 1], todo[0, 2] = PREFIX, 0, n
    n_todo = 1
    while n_todo > 0:
        n_todo -= 1
        state = todo[n_todo].copy()
        if state[0] == PREFIX and state[2] == 0:
            continue
        if state[0] == PAIRED:
            partner[state[1]] = state[2]
            n_pairs += 1
        count = list_choices(algebra, symbols, values, bonus, least, chart, prefixes, state, choices, found)
        if count == 0 or n_todo + 2 > todo.shape[0] or n_drawn >= max(draws.shape[0], 1):
            return np.full((1, 2), -1, dtype=np.int32), size, closest
        taken = 0
        if draws.shape[0] > 0:
            level = draws[n_drawn] * found[:count].sum()
            n_drawn += 1
            while taken < count - 1 and level >= found[taken]:
                level -= found[taken]
                taken += 1
        else:
            taken = first_best(found, count, tolerance)
            size = larger_size(size, found[taken])
            for other in range(count):
                if other != taken:
                    closest = min(closest, found[taken] - found[other])
        for place in (0, 3):
            if choices[taken, place] != NO_STATE:
                todo[n_todo] = choices[taken, place : place + 3]
                n_todo += 1
    pairs = np.empty((n_pairs, 2), dtype=np.int32)
    n_pairs = 0
    for i in range(n):
        if partner[i] >= 0:
            pairs[n_pairs, 0], pairs[n_pairs, 1] = i, partner[i]
            n_pairs += 1
    return pairs, size, closest
