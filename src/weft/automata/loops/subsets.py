"""The weighted subset construction."""

from __future__ import annotations

import math

import numpy as np

from weft.automata.loops.growing import doubled, find_place, rehashed, sort_together
from weft.automata.semirings import REAL, cancels, plus, times
from weft.core.jit import jit


@jit
def rounded(value, semiring):
    """A number that nearby weights share: about 11 digits of a real weight, 10 after the point of a cost.

    Examples
    --------
    >>> rounded(1.0, REAL) == rounded(1.0 - 1e-15, REAL), rounded(1.0, REAL) == rounded(1.001, REAL)
    (True, False)
    """
    if semiring != REAL:
        if not abs(value) < 2.0**28:
            value = 2.0**28
        return np.int64(math.floor(value * 2.0**33 + 0.5))
    if not abs(value) > 1e-290:
        return np.int64(0)
    fraction, exponent = math.frexp(value)
    mantissa = np.int64(math.floor(fraction * 2.0**37 + 0.5))
    if abs(mantissa) == 2**37:  # just below a power of two, where the exponent changes
        mantissa //= 2
        exponent += 1
    return mantissa * 4096 + exponent


@jit
def rounded_all(values, semiring):
    """`rounded` of every value.

    Examples
    --------
    >>> rounded_all(np.array([0.0, 0.5]), REAL).tolist() == [0, rounded(0.5, REAL)]
    True
    """
    result = np.empty(len(values), dtype=np.int64)
    for place in range(len(values)):
        result[place] = rounded(values[place], semiring)
    return result


@jit
def determinize_arcs(machine, labels, start, zero, one, semiring, max_states):
    """Arcs of the deterministic machine; the first value is False if it has more than `max_states` states.

    `machine` is ``(offsets, targets, weights, final)`` and `labels` number pairs of labels. A new state is a set of
    old states with residual weights, divided by that of the least old state: the leading coefficient is never zero,
    whereas a sum of weights with signs can be. Sets whose residuals agree to about 11 digits are one state.

    Returns
    -------
    is_done, sources, arc_labels, targets, weights, final
    """
    offsets, old_targets, old_weights, old_final = machine
    members = np.empty(256, dtype=np.int32)
    residuals = np.empty(256, dtype=np.float64)
    begins = np.zeros(64, dtype=np.int64)  # members of new state q are begins[q]:begins[q + 1]
    hashes = np.full(256, -1, dtype=np.int64)
    numbers = np.empty(256, dtype=np.int32)
    members[0] = start
    residuals[0] = one
    begins[1] = 1
    n_states = 1
    hash_value = _subset_hash(members, residuals, 0, 1, semiring)
    place = find_place(hashes, hash_value)
    hashes[place] = hash_value
    numbers[place] = 0

    sources = np.empty(256, dtype=np.int32)
    arc_labels = np.empty(256, dtype=np.int64)
    targets = np.empty(256, dtype=np.int32)
    weights = np.empty(256, dtype=np.float64)
    final = np.empty(64, dtype=np.float64)
    n_arcs = 0
    state = 0
    while state < n_states:
        n_moves = 0
        total, size = zero, 0.0
        for place in range(begins[state], begins[state + 1]):
            old = members[place]
            n_moves += offsets[old + 1] - offsets[old]
            weight = times(semiring, residuals[place], old_final[old])
            total = plus(semiring, total, weight)
            size = max(size, abs(weight))
        # What cancels leaves rounding errors, which are no weights.
        if cancels(semiring, total, size):
            total = zero
        if state == len(final):
            final = doubled(final)
        final[state] = total
        keys = np.empty(n_moves, dtype=np.int64)
        moved = np.empty(n_moves, dtype=np.float64)
        n_old = np.int64(len(offsets) - 1)
        move = 0
        for place in range(begins[state], begins[state + 1]):
            old = members[place]
            for arc in range(offsets[old], offsets[old + 1]):
                keys[move] = labels[arc] * n_old + old_targets[arc]
                moved[move] = times(semiring, residuals[place], old_weights[arc])
                move += 1
        sort_together(keys, moved)

        move = 0
        while move < n_moves:
            label = keys[move] // n_old
            while begins[n_states] + n_moves > len(members):
                members, residuals = doubled(members), doubled(residuals)
            first = begins[n_states]
            n_members = first
            while move < n_moves and keys[move] // n_old == label:
                key = keys[move]
                weight, size = zero, 0.0
                while move < n_moves and keys[move] == key:
                    weight = plus(semiring, weight, moved[move])
                    size = max(size, abs(moved[move]))
                    move += 1
                if weight != zero and not cancels(semiring, weight, size):
                    members[n_members] = key - label * n_old
                    residuals[n_members] = weight
                    n_members += 1
            if n_members == first:
                continue
            leading = residuals[first]
            for place in range(first, n_members):
                if semiring == REAL:
                    residuals[place] /= leading
                else:
                    residuals[place] -= leading
            hash_value = _subset_hash(members, residuals, first, n_members, semiring)
            while True:  # sets with one hash get neighbouring ones
                place = find_place(hashes, hash_value)
                if hashes[place] == -1:
                    break
                if _same_subset(members, residuals, begins, numbers[place], first, n_members, semiring):
                    break
                hash_value = (hash_value + 1) & np.int64(0x3FFFFFFFFFFFFFFF)
            if hashes[place] == -1:
                if n_states == max_states:
                    return False, sources[:0], arc_labels[:0], targets[:0], weights[:0], final[:0]
                hashes[place] = hash_value
                numbers[place] = n_states
                n_states += 1
                if n_states + 1 >= len(begins):
                    begins = doubled(begins)
                begins[n_states] = n_members
            target = numbers[place]
            if 2 * n_states > len(hashes):
                hashes, numbers = rehashed(hashes, numbers)
            if n_arcs == len(sources):
                sources, arc_labels = doubled(sources), doubled(arc_labels)
                targets, weights = doubled(targets), doubled(weights)
            sources[n_arcs] = state
            arc_labels[n_arcs] = label
            targets[n_arcs] = target
            weights[n_arcs] = leading
            n_arcs += 1
        state += 1
    return (
        True,
        sources[:n_arcs].copy(),
        arc_labels[:n_arcs].copy(),
        targets[:n_arcs].copy(),
        weights[:n_arcs].copy(),
        final[:n_states].copy(),
    )


@jit
def _subset_hash(members, residuals, first, stop, semiring):
    mixed = np.uint64(stop - first)
    for place in range(first, stop):
        mixed = (mixed ^ np.uint64(members[place])) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= (mixed >> np.uint64(29)) ^ np.uint64(rounded(residuals[place], semiring))
        mixed *= np.uint64(0xBF58476D1CE4E5B9)
        mixed ^= mixed >> np.uint64(32)
    return np.int64(mixed & np.uint64(0x3FFFFFFFFFFFFFFF))


@jit
def _same_subset(members, residuals, begins, state, first, stop, semiring):
    begin = begins[state]
    if begins[state + 1] - begin != stop - first:
        return False
    for place in range(stop - first):
        if members[begin + place] != members[first + place]:
            return False
        if rounded(residuals[begin + place], semiring) != rounded(residuals[first + place], semiring):
            return False
    return True
