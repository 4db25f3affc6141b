"""Beam search for the string whose n-gram counts are nearest to given numbers; compiled."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats, Integers
from weft.core.jit import jit
from weft.core.ties import TIE_TOLERANCE, larger_size, mean_size
from weft.language_model.tables import step


class Grams(NamedTuple):
    """N-grams of all lengths, and where each length begins; keys of one length are sorted."""

    lengths: Integers
    starts: Integers
    keys: Integers
    weights: Floats
    new_gram_costs: Floats
    is_final: NDArray[np.bool_]
    is_first: NDArray[np.bool_]
    successor_offsets: Integers
    successors: Integers
    powers: Integers
    base: int


class Beam(NamedTuple):
    """How wide, how long, how many strings to return, and the weight of the language model."""

    width: int
    max_length: int
    k: int
    model_weight: float
    floor: float


@jit
def _find(grams: Any, block: Any, key: Any) -> Any:
    """Place of an n-gram, or -1."""
    low, high = grams.starts[block], grams.starts[block + 1]
    end = high
    while low < high:
        middle = (low + high) >> 1
        if grams.keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    if low < end and grams.keys[low] == key:
        return low
    return -1


@jit
def _reachable_gain(grams: Any, z: Any) -> Any:
    """Sum of all increments below zero within a string, and the least cost of its end.

    The k-th use of an n-gram adds ``(k - z)^2 - (k - 1 - z)^2 = 2 k - 1 - 2 z``. A string begins and ends once, so
    that of the n-grams at its end one of each length is used, the cheapest at best.
    """
    inner = 0.0
    ends = 0.0
    for block in range(len(grams.lengths)):
        # Strings of one symbol have no n-grams longer than 3.
        best_end = min(grams.new_gram_costs[block], 0.0) if grams.lengths[block] > 3 else grams.new_gram_costs[block]
        for g in range(grams.starts[block], grams.starts[block + 1]):
            if grams.is_final[g]:
                best_end = min(best_end, grams.weights[g] * (1.0 - 2.0 * z[g]))
            elif not grams.is_first[g]:
                increment = 1.0 - 2.0 * z[g]
                while increment < 0.0:
                    inner += grams.weights[g] * increment
                    increment += 2.0
        if grams.lengths[block] > 1:
            ends += best_end
    return inner, ends


@jit
def _first_gain(grams: Any, z: Any) -> Any:
    """Least cost of n-grams at the begin that come after the first symbol, at most one of each length above two."""
    total = 0.0
    for block in range(len(grams.lengths)):
        if grams.lengths[block] <= 2:
            continue
        best = 0.0
        for g in range(grams.starts[block], grams.starts[block + 1]):
            if grams.is_first[g] and not grams.is_final[g]:
                best = min(best, grams.weights[g] * (1.0 - 2.0 * z[g]))
        total += best
    return total


@jit
def _insert(ranks: Any, slots: Any, n: Any, rank: Any, tolerance: Any) -> Any:
    """Put a rank into the sorted list of the best, and return the slot that it may use; -1 if it is not among them."""
    room = len(ranks)
    if n == room and rank >= ranks[room - 1] - tolerance:
        return -1
    slot = slots[n] if n < room else slots[room - 1]
    at = min(n, room - 1)
    while at > 0 and ranks[at - 1] > rank + tolerance:
        ranks[at], slots[at] = ranks[at - 1], slots[at - 1]
        at -= 1
    ranks[at], slots[at] = rank, slot
    return slot


@jit
def _keep_complete(texts: Any, out: Any, n_found: Any, string: Any, length: Any, cost: Any, tolerance: Any) -> Any:
    """Put a whole string among the k best, unless it is there; return how many there are."""
    k = len(out)
    if n_found == k and cost >= out[k - 1, 1] - tolerance:
        return n_found
    for j in range(n_found):
        if out[j, 0] == length and (texts[j, :length] == string[:length]).all():
            return n_found
    at = min(n_found, k - 1)
    while at > 0 and out[at - 1, 1] > cost + tolerance:
        out[at, 0], out[at, 1] = out[at - 1, 0], out[at - 1, 1]
        for t in range(len(string)):
            texts[at, t] = texts[at - 1, t]
        at -= 1
    out[at, 0], out[at, 1] = length, cost
    for t in range(length):
        texts[at, t] = string[t]
    return min(n_found + 1, k)


@jit
def _extend(z: Any, grams: Any, used: Any, length: Any, context: Any, symbol: Any, hashed: Any, here: Any) -> Any:
    """Cost of one more symbol, the part of it that was counted as a gain to come, and the hash; n-grams into `here`."""
    cost, spent = 0.0, 0.0
    n_lengths = len(grams.lengths)
    for block in range(n_lengths):
        n = grams.lengths[block]
        here[block] = -1
        # Before the symbol at place `length` there are `length` symbols and one boundary.
        if n > length + 2 or (n == 1 and symbol == 0):
            continue
        key = (context % grams.powers[block]) * grams.base + symbol
        g = _find(grams, block, key)
        if g < 0:
            cost += grams.new_gram_costs[block]
            hashed += np.uint64(key + 1) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(block)
            continue
        uses = 1
        for t in range(length):
            if used[t * n_lengths + block] == g:
                uses += 1
        increment = grams.weights[g] * (2.0 * uses - 1.0 - 2.0 * z[g])
        cost += increment
        if increment < 0.0 and not grams.is_final[g] and not grams.is_first[g]:
            spent -= increment
        here[block] = g
        # A sum, so that the order of the n-grams does not matter.
        hashed += (np.uint64(g + 1) * np.uint64(0x9E3779B97F4A7C15)) ^ np.uint64(0xD1B54A32D192ED03)
    return cost, spent, hashed


@jit
def _cost(z: Any, grams: Any, beam: Any, tables: Any, start_state: Any, model_symbols: Any, string: Any) -> Any:
    """Cost of a whole string; infinite if it has symbols that may not follow each other."""
    n_lengths = len(grams.lengths)
    used = np.full((len(string) + 1) * n_lengths, -1, dtype=np.int64)
    cost, context, state = 0.0, 0, start_state
    for length in range(len(string) + 1):
        symbol = string[length] if length < len(string) else 0
        last = context % grams.base
        following = grams.successors[grams.successor_offsets[last] : grams.successor_offsets[last + 1]]
        if not (following == symbol).any():
            return np.inf
        here = used[length * n_lengths : (length + 1) * n_lengths]
        added, _, _ = _extend(z, grams, used, length, context, symbol, np.uint64(0), here)
        cost += added
        if beam.model_weight > 0.0:
            value, state = step(tables, state, model_symbols[symbol])
            cost -= beam.model_weight * max(value, beam.floor)
        context = (context * grams.base + symbol) % grams.powers[n_lengths - 1]
    return cost


@jit
def _search(
    z: Any,
    grams: Any,
    beam: Any,
    tables: Any,
    start_state: Any,
    model_symbols: Any,
    starts: Any,
    lengths: Any,
    texts: Any,
    out: Any,
) -> Any:
    """Fill `texts` and `out` (lengths, costs) with the k best strings; return a bound for all that were dropped.

    Of equal strings (`weft.core.ties`) the one that was met first is kept: the shorter one, or that of the better
    prefix or the earlier symbol. Strings that came as `starts` are taken where the search found none as good.
    """
    n_lengths = len(grams.lengths)
    longest = grams.lengths[n_lengths - 1]
    width, max_length, base = beam.width, beam.max_length, grams.base
    modulus = grams.powers[n_lengths - 1]
    inner, ends = _reachable_gain(grams, z)
    late = _first_gain(grams, z)
    # Counts are whole numbers, so that costs have at least the size of the weights.
    tolerance = TIE_TOLERANCE * larger_size(larger_size(mean_size(grams.weights), inner), ends)

    start_costs = np.full(len(lengths), np.inf)
    for i in range(len(lengths)):
        if lengths[i] > 0:
            string = starts[i, : lengths[i]]
            start_costs[i] = _cost(z, grams, beam, tables, start_state, model_symbols, string)
    # What costs more than a start is not looked at; equals are, so that the rule for ties does not know of starts.
    ceiling = start_costs.min() + tolerance if beam.k == 1 and len(lengths) else np.inf

    # Partial strings: context, cost, gains to come, state of the language model, hash of their n-grams. At most
    # `width` different ones survive, and of equal ones k, whose completions are equal too.
    most = width * beam.k
    contexts, states = np.zeros(most, dtype=np.int64), np.zeros(most, dtype=np.int64)
    costs, gains = np.zeros(most), np.zeros(most)
    hashes = np.zeros(most, dtype=np.uint64)
    used = np.full((most, (max_length + 2) * n_lengths), -1, dtype=np.int64)
    strings = np.zeros((most, max_length + 1), dtype=np.int64)
    new_used, new_strings = used.copy(), strings.copy()

    # Extensions, twice as many as survive: equal ones are merged among them.
    room = 2 * most
    ranks, slots = np.empty(room), np.arange(room)
    owners, symbols = np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64)
    new_contexts, new_states = np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64)
    new_costs, new_gains, bounds = np.empty(room), np.empty(room), np.empty(room)
    new_hashes = np.empty(room, dtype=np.uint64)
    new_grams = np.empty((room, n_lengths), dtype=np.int64)
    here = np.empty(n_lengths, dtype=np.int64)
    chosen = np.empty(most, dtype=np.int64)

    gains[0] = inner
    states[0] = start_state
    n_active, n_found = 1, 0
    dropped = np.inf
    for length in range(max_length + 1):
        n = 0
        for h in range(n_active):
            last = contexts[h] % base
            for place in range(grams.successor_offsets[last], grams.successor_offsets[last + 1]):
                symbol = grams.successors[place]
                if symbol == 0 and length == 0:
                    continue
                added, spent, hashed = _extend(z, grams, used[h], length, contexts[h], symbol, hashes[h], here)
                cost, gain, state = costs[h] + added, gains[h] + spent, states[h]
                if beam.model_weight > 0.0:
                    value, state = step(tables, state, model_symbols[symbol])
                    cost -= beam.model_weight * max(value, beam.floor)
                if cost == np.inf:
                    continue
                if symbol == 0:
                    n_found = _keep_complete(texts, out, n_found, strings[h], length, cost, tolerance)
                    continue
                # N-grams at the begin that are longer than what there is so far are still to come.
                bound = cost + gain + ends + (late if length + 2 < longest else 0.0)
                if bound > ceiling or (n_found == beam.k and bound >= out[beam.k - 1, 1] - tolerance):
                    continue
                if length == max_length:
                    dropped = min(dropped, bound)
                    continue
                slot = _insert(ranks, slots, n, bound + 1e-3 * cost, tolerance)
                if slot < 0:
                    dropped = min(dropped, bound)
                    continue
                if n == room:
                    dropped = min(dropped, bounds[slot])
                n = min(n + 1, room)
                owners[slot], symbols[slot], bounds[slot] = h, symbol, bound
                new_costs[slot], new_gains[slot], new_states[slot] = cost, gain, state
                new_hashes[slot], new_contexts[slot] = hashed, (contexts[h] * base + symbol) % modulus
                for block in range(n_lengths):
                    new_grams[slot, block] = here[block]
        worst = out[beam.k - 1, 1] if n_found == beam.k else np.inf
        n_chosen, n_different = 0, 0
        for r in range(n):
            i = slots[r]
            if bounds[i] >= worst - tolerance:
                continue
            n_same = 0
            for a in range(n_chosen):
                j = chosen[a]
                same = new_hashes[i] == new_hashes[j] and new_contexts[i] == new_contexts[j]
                if same and new_states[i] == new_states[j] and new_costs[j] <= new_costs[i] + tolerance:
                    n_same += 1
            if n_same == beam.k:
                continue
            if n_same == 0 and n_different == width:
                dropped = min(dropped, bounds[i])
                continue
            chosen[n_chosen] = i
            n_chosen += 1
            n_different += n_same == 0
        if n_chosen == 0:
            break
        for a in range(n_chosen):
            i = chosen[a]
            h = owners[i]
            for t in range(length):
                new_strings[a, t] = strings[h, t]
            new_strings[a, length] = symbols[i]
            for t in range(length * n_lengths):
                new_used[a, t] = used[h, t]
            for block in range(n_lengths):
                new_used[a, length * n_lengths + block] = new_grams[i, block]
        for a in range(n_chosen):
            i = chosen[a]
            costs[a], gains[a], states[a] = new_costs[i], new_gains[i], new_states[i]
            hashes[a], contexts[a] = new_hashes[i], new_contexts[i]
        n_active = n_chosen
        used, new_used = new_used, used
        strings, new_strings = new_strings, strings
    for i in range(len(lengths)):
        if start_costs[i] < np.inf:
            n_found = _keep_complete(texts, out, n_found, starts[i], lengths[i], start_costs[i], tolerance)
    return n_found, dropped


@jit
def search_rows(
    z: Any, grams: Any, beam: Any, tables: Any, start_state: Any, model_symbols: Any, starts: Any, lengths: Any
) -> Any:
    """The k best strings for each row of `z`: symbols, lengths, costs without ``|z|^2``, numbers found, bounds.

    `starts` are strings that every row begins with, of shape (n, n_starts, max_length + 1), and `lengths` theirs.
    """
    n = len(z)
    texts = np.zeros((n, beam.k, beam.max_length + 1), dtype=np.int64)
    found = np.zeros((n, beam.k, 2))
    numbers = np.zeros(n, dtype=np.int64)
    bounds = np.empty(n)
    for i in range(n):
        numbers[i], bounds[i] = _search(
            z[i], grams, beam, tables, start_state, model_symbols, starts[i], lengths[i], texts[i], found[i]
        )
    return texts, found, numbers, bounds
