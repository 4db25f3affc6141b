"""From a chart of loops back to structures: the choices that a state has, and the one that is taken."""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit
from weft.core.loops import tie_size
from weft.core.semirings import MaxPlus, is_zero, times
from weft.core.ties import TIE_TOLERANCE, first_best, larger_size
from weft.structures.rna.loops.inside import PLANE_M, PLANE_M2, PLANE_V
from weft.structures.rna.loops.places import (
    ENDS,
    hairpin_lengths,
    hairpin_value,
    inner_end,
    interior_kind,
    is_small,
    outer_end,
    pair_value,
    small_loop,
)
from weft.structures.rna.tables import (
    BULGE_END,
    BULGE_LENGTH,
    EXTERIOR_BASE,
    EXTERIOR_BRANCH,
    INTERIOR_LENGTH,
    LONGEST_LOOP,
    MULTI_BASE,
    MULTI_BRANCH,
    MULTI_CLOSE,
    PAIR_CODES,
    REVERSED,
    SIDE,
)

__all__ = ["NO_STATE", "PAIRED", "SUFFIX", "best_pairs", "list_choices", "most_choices", "trace_loops"]

NO_STATE, SUFFIX, PAIRED, ANY, TWO = range(5)
"""Kinds of open states: the bases from i on, a pair, M and M2."""


@jit
def most_choices(n):
    """Bound on the number of choices of one state of a sequence of n bases."""
    return 2 * n + SIDE * SIDE + 3


@jit
def list_choices(algebra, symbols, special, values, bonus, least, chart, suffixes, state, choices, found):
    """Write down the ways in which a state can be derived, and return their number.

    Parameters
    ----------
    state : ndarray of shape (3,)
        Kind and span; SUFFIX has where it begins as that of the span.
    choices : ndarray of shape (most_choices(n), 6)
        Takes up two states for each choice, NO_STATE if there are fewer.
    found : ndarray of shape (most_choices(n),)
        Takes up the value of each choice, all that follows from it included.
    """
    kind, i, j = state
    n = symbols.shape[0]
    v, any_, two = chart[PLANE_V], chart[PLANE_M], chart[PLANE_M2]
    count = 0
    if kind == SUFFIX:
        value = times(algebra, suffixes[i + 1], values[EXTERIOR_BASE])
        count = _choose(algebra, choices, found, count, value, SUFFIX, i + 1, n, NO_STATE, 0, 0)
        for k in range(i + 1 + least, n):
            if not is_zero(algebra, v[i, k]):
                branch = times(algebra, v[i, k], values[outer_end(symbols, EXTERIOR_BRANCH, i, k)])
                value = times(algebra, suffixes[k + 1], branch)
                count = _choose(algebra, choices, found, count, value, PAIRED, i, k, SUFFIX, k + 1, n)
    elif kind == PAIRED:
        own = pair_value(algebra, symbols, values, bonus, i, j)
        lengths = hairpin_lengths(algebra, values, j - i)
        value = times(algebra, own, hairpin_value(algebra, symbols, special, values, lengths, i, j))
        count = _choose(algebra, choices, found, count, value, NO_STATE, 0, 0, NO_STATE, 0, 0)
        space = j - i - 3 - least  # two paired bases and a hairpin must be left
        for left in range(min(space, LONGEST_LOOP) + 1):
            for right in range(min(space, LONGEST_LOOP) - left + 1):
                k, m = i + 1 + left, j - 1 - right
                if not is_zero(algebra, v[k, m]):
                    loop = _loop_value(algebra, symbols, values, i, j, k, m)
                    value = times(algebra, times(algebra, own, loop), v[k, m])
                    count = _choose(algebra, choices, found, count, value, PAIRED, k, m, NO_STATE, 0, 0)
        if space >= 0 and not is_zero(algebra, two[i + 1, j - 1]):
            value = times(algebra, own, values[inner_end(symbols, MULTI_CLOSE, i, j)])
            value = times(algebra, value, two[i + 1, j - 1])
            count = _choose(algebra, choices, found, count, value, TWO, i + 1, j - 1, NO_STATE, 0, 0)
    else:
        base = values[MULTI_BASE]
        count = _list_branches(algebra, symbols, values, least, v, any_, kind, i, j, choices, found)
        rest = two[i + 1, j] if kind == TWO else any_[i + 1, j]
        count = _choose(algebra, choices, found, count, times(algebra, rest, base), kind, i + 1, j, NO_STATE, 0, 0)
    return count


@jit
def _list_branches(algebra, symbols, values, least, v, any_, kind, i, j, choices, found):
    """Choices of a multiloop's part that begins with a branch: others follow, or if one is enough unpaired bases."""
    count = 0
    base = values[MULTI_BASE]
    for k in range(i + 1 + least, j + 1):
        if is_zero(algebra, v[i, k]):
            continue
        branch = times(algebra, v[i, k], values[outer_end(symbols, MULTI_BRANCH, i, k)])
        if k < j:
            value = times(algebra, branch, any_[k + 1, j])
            count = _choose(algebra, choices, found, count, value, PAIRED, i, k, ANY, k + 1, j)
        if kind == ANY:
            for _ in range(j - k):
                branch = times(algebra, branch, base)
            count = _choose(algebra, choices, found, count, branch, PAIRED, i, k, NO_STATE, 0, 0)
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
    if is_small(left, right):
        return values[small_loop(symbols, i, j, k, m)]
    if min(left, right) == 0:
        length = values[BULGE_LENGTH + left + right]
        outer = values[BULGE_END + REVERSED[PAIR_CODES[symbols[i], symbols[j]]]]
        inner = values[BULGE_END + PAIR_CODES[symbols[k], symbols[m]]]
    else:
        length = values[INTERIOR_LENGTH + left * SIDE + right]
        table = ENDS[interior_kind(left, right)]
        outer = values[inner_end(symbols, table, i, j)]
        inner = values[outer_end(symbols, table, k, m)]
    return times(algebra, times(algebra, outer, inner), length)


@jit
def trace_loops(algebra, symbols, special, values, bonus, least, chart, suffixes, draws, tolerance):
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
    todo[0, 0], todo[0, 1], todo[0, 2] = SUFFIX, 0, n
    n_todo = 1
    while n_todo > 0:
        n_todo -= 1
        state = todo[n_todo].copy()
        if state[0] == SUFFIX and state[1] == n:
            continue
        if state[0] == PAIRED:
            partner[state[1]] = state[2]
            n_pairs += 1
        count = list_choices(algebra, symbols, special, values, bonus, least, chart, suffixes, state, choices, found)
        if count == 0 or n_todo + 2 > todo.shape[0] or n_drawn >= max(draws.shape[0], 1):
            return np.full((1, 2), -1, dtype=np.int32), size, closest
        taken = 0
        if draws.shape[0] > 0:
            total = 0.0
            for other in range(count):  # written out, as in `special_places`
                total += found[other]
            level = draws[n_drawn] * total
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


@jit
def best_pairs(symbols, special, values, bonus, least, chart, suffixes):
    """Pairs of the best structure as `trace_loops` gives them, and the tolerance of ties."""
    draws = np.empty(0)
    pairs, size, closest = trace_loops(MaxPlus(), symbols, special, values, bonus, least, chart, suffixes, draws, 0.0)
    tolerance = TIE_TOLERANCE * tie_size(size, values)
    if closest <= tolerance:  # else the rule for ties would have taken the same choices
        pairs, size, closest = trace_loops(
            MaxPlus(), symbols, special, values, bonus, least, chart, suffixes, draws, tolerance
        )
    return pairs, tolerance
