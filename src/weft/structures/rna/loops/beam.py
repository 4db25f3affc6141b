"""Best structure by a beam from left to right: time and memory grow with the length of the sequence, not its cube.

As in LinearFold (Huang et al. 2019, Bioinformatics 35:i295). For each base j that a state ends with, only those that
begin with few bases i are kept: the best ones by their score and that of the best structure of all bases before i.
States are pairs (i, j), and parts of multiloops from i to j that begin with a branch and have one or more (M) or two or
more (M2). A multiloop begins with at most LONGEST_LOOP unpaired bases, as loops between two pairs have at most so many.

What is kept stands in one pool, j by j: first the pairs that end with j, then the M. A state knows those it was made
from by their numbers: an inner pair, or an M and the last branch behind it. Scores are added in the order of the bases,
nowhere reordered, so that all processors take the same states.
"""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit, jit_inline
from weft.structures.rna.loops.places import (
    END,
    ENDS,
    hairpin_lengths,
    inner_end,
    interior_kind,
    is_small,
    outer_end,
    small_loop,
    special_at,
)
from weft.structures.rna.tables import (
    BULGE_END,
    BULGE_LENGTH,
    EXTERIOR_BASE,
    EXTERIOR_BRANCH,
    HAIRPIN_END,
    INTERIOR_LENGTH,
    LONGEST_LOOP,
    MULTI_BASE,
    MULTI_BRANCH,
    MULTI_CLOSE,
    N_LETTERS,
    NO_LETTER,
    PAIR,
    PAIR_CODES,
    REVERSED,
    SIDE,
)

__all__ = ["beam_loops"]

START, LAST, FIRST, SECOND = range(4)
"""Columns of the pool: first base; last base of a pair, -1 for an M; the states it was made from, -1 for none."""
N_ENDS = 4
"""Of a pair: in the three kinds of interior loops, and in bulges."""


@jit
def beam_loops(algebra, symbols, special, values, least, beam):
    """Pairs of the best structure that was found, sorted, and its score.

    The algebra is `MaxPlus`; `special` are places of hairpins (`special_places`), `least` is the least number of bases
    in one, and `beam` how many states of a kind are kept for each base.
    """
    n = symbols.shape[0]
    lengths = hairpin_lengths(algebra, values, n)
    width = min(beam, n)
    pool, scores = np.empty((2 * width * n, 4), dtype=np.int32), np.empty(2 * width * n)
    bounds = np.zeros((n, 3), dtype=np.int64)  # where the pairs and the M that end with a base begin, and end
    ends = np.empty((SIDE, width, N_ENDS))  # values of the ends of the pairs of the last bases
    prefixes, last_pairs = np.full(n + 1, -np.inf), np.full(n + 1, -1, dtype=np.int64)
    previous = _previous_partners(symbols)
    unpaired = np.empty(n + 1)  # in a multiloop
    unpaired[0] = prefixes[0] = 0.0
    for length in range(n):
        unpaired[length + 1] = unpaired[length] + values[MULTI_BASE]
    # Of states that end with the base at hand: best score and what it is made of, by start; and which starts there are.
    found, made, starts = np.full(n, -np.inf), np.empty((n, 2), dtype=np.int32), np.empty(n, dtype=np.int64)
    keys = np.empty(n)
    hairpins, n_hairpins = np.empty((N_LETTERS, n), dtype=np.int64), np.zeros(N_LETTERS, dtype=np.int64)
    multis, n_multis = np.empty((N_LETTERS, n), dtype=np.int64), np.zeros(N_LETTERS, dtype=np.int64)
    is_open, is_waiting = np.zeros(n, dtype=np.bool_), np.zeros(n, dtype=np.bool_)
    waiting, waits_from = np.full(n, -np.inf), np.zeros(n, dtype=np.int64)
    waits_for = np.empty((n, 2), dtype=np.int32)
    size = 0
    for j in range(n):
        bounds[j] = size
        count = _offer_hairpins(
            symbols, special, values, lengths, least, j, width, prefixes, hairpins, n_hairpins, is_open, found, made,
            starts, keys,
        )  # fmt: skip
        count = _offer_multis(
            symbols, values, unpaired, j, width, prefixes, multis, n_multis, is_waiting, waiting, waits_from, waits_for,
            found, made, starts, count, keys,
        )  # fmt: skip
        count = _offer_loops(symbols, values, j, previous, pool, scores, bounds, ends, found, made, starts, count)
        count = _keep_best(found, prefixes, starts, count, width, keys)
        size = _store(pool, scores, size, found, made, starts, count, j)
        bounds[j, 1] = bounds[j, 2] = size
        prefixes[j + 1] = prefixes[j] + values[EXTERIOR_BASE]
        count = 0
        for state in range(bounds[j, 0], bounds[j, 1]):
            i, score = pool[state, START], scores[state]
            for kind in range(3):
                ends[j % SIDE, state - bounds[j, 0], kind] = values[outer_end(symbols, ENDS[kind], i, j)]
            ends[j % SIDE, state - bounds[j, 0], 3] = values[BULGE_END + PAIR_CODES[symbols[i], symbols[j]]]
            whole = prefixes[i] + (score + values[outer_end(symbols, EXTERIOR_BRANCH, i, j)])
            if whole > prefixes[j + 1]:
                prefixes[j + 1], last_pairs[j + 1] = whole, state
            if i > 0:  # two branches: an M and this pair
                branch = score + values[outer_end(symbols, MULTI_BRANCH, i, j)]
                for part in range(bounds[i - 1, 1], bounds[i - 1, 2]):
                    count = _offer(found, made, starts, count, pool[part, START], scores[part] + branch, part, state)
        count = _keep_best(found, prefixes, starts, count, width, keys)
        for place in range(count):  # a pair may follow that closes the multiloop
            i = starts[place]
            for left in range(min(LONGEST_LOOP, i - 1) + 1 if i > 0 else 0):
                k = i - 1 - left
                score = found[i] + unpaired[left]
                if symbols[k] == NO_LETTER or score == -np.inf:
                    continue
                if not is_waiting[k]:
                    is_waiting[k] = True
                    multis[symbols[k], n_multis[symbols[k]]] = k
                    n_multis[symbols[k]] += 1
                elif waiting[k] + unpaired[j - waits_from[k]] >= score:
                    continue
                waiting[k], waits_from[k] = score, j
                waits_for[k] = made[i]
        for state in range(bounds[j, 0], bounds[j, 1]):
            i = pool[state, START]
            branch = scores[state] + values[outer_end(symbols, MULTI_BRANCH, i, j)]
            count = _offer(found, made, starts, count, i, branch, state, -1)
        if j > 0:
            for part in range(bounds[j - 1, 1], bounds[j - 1, 2]):
                row = pool[part]
                score = scores[part] + values[MULTI_BASE]
                count = _offer(found, made, starts, count, row[START], score, row[FIRST], row[SECOND])
        count = _keep_best(found, prefixes, starts, count, width, keys)
        size = _store(pool, scores, size, found, made, starts, count, -1)
        bounds[j, 2] = size
        if symbols[j] != NO_LETTER:
            is_open[j] = True
            hairpins[symbols[j], n_hairpins[symbols[j]]] = j
            n_hairpins[symbols[j]] += 1
    return _walk_back(pool, last_pairs), prefixes[n]


@jit
def _previous_partners(symbols):
    """For each letter and position, the last position before it that can pair with that letter, -1 if none."""
    n = symbols.shape[0]
    found = np.full((N_LETTERS, n + 1), -1, dtype=np.int32)
    for letter in range(N_LETTERS):
        for position in range(n):
            pairs = PAIR_CODES[symbols[position], letter] >= 0
            found[letter, position + 1] = position if pairs else found[letter, position]
    return found


# -------------------------------------------------------------------------------------- states that are kept


@jit_inline
def _offer(found, made, starts, count, start, score, first, second):
    """Note a way to make the state that begins with `start`; returns the number of starts that there are."""
    if score > found[start]:
        if found[start] == -np.inf:
            starts[count] = start
            count += 1
        found[start] = score
        made[start, 0], made[start, 1] = first, second
    return count


@jit
def _keep_best(found, prefixes, starts, count, width, keys):
    """Leave the `width` best starts and forget the others; returns how many there are now."""
    if count <= width:
        return count
    for place in range(count):
        keys[place] = prefixes[starts[place]] + found[starts[place]]
    limit = np.partition(keys[:count], count - width)[count - width]
    n_equal = width  # how many of those at the limit there is room for
    for place in range(count):
        n_equal -= keys[place] > limit
    kept = 0
    for place in range(count):
        start, key = starts[place], keys[place]
        if key > limit or (key == limit and n_equal > 0):
            n_equal -= key == limit
            starts[kept] = start
            kept += 1
        else:
            found[start] = -np.inf
    return kept


@jit
def _store(pool, scores, size, found, made, starts, count, last):
    """Put the states into the pool and forget them; returns its size."""
    for place in range(count):
        start = starts[place]
        row = pool[size]
        row[START], row[LAST], row[FIRST], row[SECOND] = start, last, made[start, 0], made[start, 1]
        scores[size] = found[start]
        found[start] = -np.inf
        size += 1
    return size


# ------------------------------------------------------------------------------------ pairs that end with j


@jit
def _offer_hairpins(
    symbols, special, values, lengths, least, j, width, prefixes, hairpins, n_hairpins, is_open, found, made, starts,
    keys,
):  # fmt: skip
    """Pairs that close a hairpin. A base whose hairpin is not among the best closes no longer one either."""
    count = 0
    for letter in range(N_LETTERS):
        pair = PAIR_CODES[letter, symbols[j]]
        if pair < 0:
            continue
        n_left = 0
        for place in range(n_hairpins[letter]):
            i = hairpins[letter, place]
            if not is_open[i]:
                continue
            hairpins[letter, n_left] = i
            n_left += 1
            if j - i - 1 < least:
                continue
            end = inner_end(symbols, HAIRPIN_END + min(max(j - i - 4, 0), 2) * END, i, j)
            score = values[end] + lengths[j - i - 1]
            if special_at(special, i, j) >= 0:
                score += values[special_at(special, i, j)]
            count = _offer(found, made, starts, count, i, score + values[PAIR + pair], -1, -1)
        n_hairpins[letter] = n_left
    if count <= width:
        return count
    before = starts[:count].copy()
    count = _keep_best(found, prefixes, starts, count, width, keys)
    for i in before:
        is_open[i] = found[i] > -np.inf
    return count


@jit
def _offer_multis(
    symbols, values, unpaired, j, width, prefixes, multis, n_multis, is_waiting, waiting, waits_from, waits_for, found,
    made, starts, count, keys,
):  # fmt: skip
    """Pairs that close a multiloop; of the bases that wait for one only the best go on."""
    n_offers = 0
    for letter in range(N_LETTERS):
        if PAIR_CODES[letter, symbols[j]] >= 0:
            for place in range(n_multis[letter]):
                i = multis[letter, place]
                keys[n_offers] = prefixes[i] + (waiting[i] + unpaired[j - 1 - waits_from[i]])
                n_offers += 1
    limit = -np.inf
    if n_offers > width:
        limit = np.partition(keys[:n_offers], n_offers - width)[n_offers - width]
    n_offers = 0
    for letter in range(N_LETTERS):
        pair = PAIR_CODES[letter, symbols[j]]
        if pair < 0:
            continue
        n_left = 0
        for place in range(n_multis[letter]):
            i = multis[letter, place]
            is_waiting[i] = keys[n_offers] >= limit
            n_offers += 1
            if is_waiting[i]:
                multis[letter, n_left] = i
                n_left += 1
                score = waiting[i] + unpaired[j - 1 - waits_from[i]]
                end = values[inner_end(symbols, MULTI_CLOSE, i, j)] + values[PAIR + pair]
                count = _offer(found, made, starts, count, i, score + end, waits_for[i, 0], waits_for[i, 1])
        n_multis[letter] = n_left
    return count


@jit
def _offer_loops(symbols, values, j, previous, pool, scores, bounds, ends, found, made, starts, count):
    """Pairs around another one, with a stack, a bulge or an interior loop between them."""
    partners, codes, before = previous[symbols[j]], PAIR_CODES[:, symbols[j]], symbols[j - 1]
    for right in range(min(LONGEST_LOOP, j - 1) + 1 if j > 0 else 0):
        m = j - 1 - right
        for state in range(bounds[m, 0], bounds[m, 1]):
            k, score = pool[state, START], scores[state]
            own = ends[m % SIDE, state - bounds[m, 0]]
            i = partners[k]
            while i >= 0 and k - i - 1 + right <= LONGEST_LOOP:
                left = k - i - 1
                pair = codes[symbols[i]]
                if is_small(left, right):
                    loop = values[small_loop(symbols, i, j, k, m)]
                elif left == 0 or right == 0:
                    loop = values[BULGE_END + REVERSED[pair]] + own[3] + values[BULGE_LENGTH + left + right]
                else:
                    kind = interior_kind(left, right)
                    end = (REVERSED[pair] * N_LETTERS + before) * N_LETTERS + symbols[i + 1]  # as `inner_end`
                    loop = values[ENDS[kind] + end] + own[kind] + values[INTERIOR_LENGTH + left * SIDE + right]
                count = _offer(found, made, starts, count, i, score + (loop + values[PAIR + pair]), state, -1)
                i = partners[i]
    return count


@jit
def _walk_back(pool, last_pairs):
    """Pairs of the best structure, sorted."""
    n = last_pairs.shape[0] - 1
    partner = np.full(n, -1, dtype=np.int32)
    todo = np.empty(n + 2, dtype=np.int64)
    n_todo, n_pairs, position = 0, 0, n
    while position > 0 or n_todo > 0:
        if n_todo == 0:
            state = last_pairs[position]
            position -= 1
            if state < 0:
                continue
            position = pool[state, START]
        else:
            n_todo -= 1
            state = todo[n_todo]
        if pool[state, LAST] >= 0:
            partner[pool[state, START]] = pool[state, LAST]
            n_pairs += 1
        for column in (FIRST, SECOND):
            if pool[state, column] >= 0:
                todo[n_todo] = pool[state, column]
                n_todo += 1
    pairs = np.empty((n_pairs, 2), dtype=np.int32)
    n_pairs = 0
    for i in range(n):
        if partner[i] >= 0:
            pairs[n_pairs, 0], pairs[n_pairs, 1] = i, partner[i]
            n_pairs += 1
    return pairs
