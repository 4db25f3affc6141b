"""Compiled updates of a minimal deterministic acyclic weighted automaton with signed weights.

Every state is divided by its leading coefficient (its final weight if that is not zero, else the weight of its first
arc), and the quotient goes onto the arcs that enter it. Two states with the same future then have the same signature
(final weight, arcs in the order of their labels), and a register keeps one state for each signature. Leading
coefficients and not sums: sums of signed weights may be zero.

To add a sorted set of weighted strings, only the states on their paths are made again, from the last to the first,
each through the register; states that nothing refers to any more are freed. An update costs as many steps as these
states have arcs, however large the automaton is. LK section 5.3 leaves the update open.

Weights are compared by 40 bits of their mantissa, 12 decimal digits: rounding would else keep equal states apart.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from weft.core.jit import jit
from weft.kernel_methods.svm.loops.trie import common_prefix

# Places in `counters`: how far arrays are used, the first freed state, the initial state, and what is alive.
STATES_USED, ARCS_USED, FREE_STATE, ROOT, STATES, ARCS = 0, 1, 2, 3, 4, 5

NONE = -1
CANCELLED = 1e-13
"""A sum this small beside its terms is zero."""


class AutomatonArrays(NamedTuple):
    """States and arcs; the arcs of a state lie together, sorted by label."""

    begin: NDArray[np.int32]
    size: NDArray[np.int32]
    final: NDArray[np.float64]
    references: NDArray[np.int32]
    chain: NDArray[np.int32]
    """Next state of the same bucket, or of the list of freed states."""
    signature: NDArray[np.uint64]
    buckets: NDArray[np.int32]
    labels: NDArray[np.uint32]
    weights: NDArray[np.float64]
    targets: NDArray[np.int32]
    free_blocks: NDArray[np.int32]
    """First freed block of arcs of each size; the next one is its first target."""
    counters: NDArray[np.int64]
    scale: NDArray[np.float64]
    """What all paths are multiplied by."""


class Frames(NamedTuple):
    """States that are being made again, one for each symbol of the current string."""

    state: NDArray[np.int32]
    label: NDArray[np.uint32]
    scale: NDArray[np.float64]
    final: NDArray[np.float64]
    cursor: NDArray[np.int32]
    size: NDArray[np.int32]
    labels: NDArray[np.uint32]
    weights: NDArray[np.float64]
    targets: NDArray[np.int32]


@jit
def _sum(a, b):
    total = a + b
    return 0.0 if abs(total) <= CANCELLED * (abs(a) + abs(b)) else total


@jit
def _mixed(number, more):
    """One step of a hash (FNV with a final shift)."""
    number = (number ^ more) * np.uint64(0x100000001B3)
    return number ^ (number >> np.uint64(29))


@jit
def _rounded(bits):
    """The bits of a float without the last 12, rounded."""
    return (bits + np.int64(0x800)) >> np.int64(12)


@jit
def _signature(final, labels, bits, targets):
    number = np.uint64(0xCBF29CE484222325) if final != 0.0 else np.uint64(0x9E3779B97F4A7C15)
    for k in range(len(labels)):
        number = _mixed(number, np.uint64(labels[k]) << np.uint64(32) | np.uint64(targets[k]))
        number = _mixed(number, np.uint64(_rounded(bits[k])))
    return number


@jit
def _find_arc(arrays, state, label):
    """Place of the arc with this label, or of the first one with a larger label."""
    low = arrays.begin[state]
    high = low + arrays.size[state]
    while low < high:
        middle = (low + high) // 2
        if arrays.labels[middle] < label:
            low = middle + 1
        else:
            high = middle
    return low


@jit
def insert_states(arrays):
    """Put every state that is in use into the buckets anew, after they have grown."""
    arrays.buckets[:] = NONE
    mask = np.uint64(len(arrays.buckets) - 1)
    for state in range(arrays.counters[STATES_USED]):
        if arrays.references[state] > 0:
            bucket = arrays.signature[state] & mask
            arrays.chain[state] = arrays.buckets[bucket]
            arrays.buckets[bucket] = state


@jit
def _register(arrays, final, labels, weights, targets):
    """The state with this final weight and these arcs: the one that there is, or a new one."""
    bits = weights.view(np.int64)
    signature = _signature(final, labels, bits, targets)
    bucket = signature & np.uint64(len(arrays.buckets) - 1)
    size = len(labels)
    all_bits = arrays.weights.view(np.int64)
    state = arrays.buckets[bucket]
    while state != NONE:
        if arrays.signature[state] == signature and arrays.size[state] == size and arrays.final[state] == final:
            begin = arrays.begin[state]
            same = True
            for k in range(size):
                if (
                    arrays.labels[begin + k] != labels[k]
                    or arrays.targets[begin + k] != targets[k]
                    or _rounded(all_bits[begin + k]) != _rounded(bits[k])
                ):
                    same = False
                    break
            if same:
                return state
        state = arrays.chain[state]
    counters = arrays.counters
    state = np.int32(counters[FREE_STATE])
    if state != NONE:
        counters[FREE_STATE] = arrays.chain[state]
    else:
        state = np.int32(counters[STATES_USED])
        counters[STATES_USED] += 1
    begin = np.int32(0)
    if size > 0:
        begin = arrays.free_blocks[size]
        if begin != NONE:
            arrays.free_blocks[size] = arrays.targets[begin]
        else:
            begin = np.int32(counters[ARCS_USED])
            counters[ARCS_USED] += size
    for k in range(size):
        arrays.labels[begin + k] = labels[k]
        arrays.weights[begin + k] = weights[k]
        arrays.targets[begin + k] = targets[k]
        arrays.references[targets[k]] += 1
    arrays.begin[state], arrays.size[state] = begin, size
    arrays.final[state], arrays.signature[state] = final, signature
    arrays.references[state] = 0
    arrays.chain[state] = arrays.buckets[bucket]
    arrays.buckets[bucket] = state
    counters[STATES] += 1
    counters[ARCS] += size
    return state


@jit
def _release(arrays, state):
    """Drop one reference to a state; free it, and what only it referred to."""
    arrays.references[state] -= 1
    if arrays.references[state] > 0:
        return
    counters = arrays.counters
    mask = np.uint64(len(arrays.buckets) - 1)
    pending = np.int32(NONE)
    dead = state
    while dead != NONE:
        bucket = arrays.signature[dead] & mask
        if arrays.buckets[bucket] == dead:
            arrays.buckets[bucket] = arrays.chain[dead]
        else:
            other = arrays.buckets[bucket]
            while arrays.chain[other] != dead:
                other = arrays.chain[other]
            arrays.chain[other] = arrays.chain[dead]
        begin, size = arrays.begin[dead], arrays.size[dead]
        for k in range(begin, begin + size):
            target = arrays.targets[k]
            arrays.references[target] -= 1
            if arrays.references[target] == 0:
                # A waiting state is still in its bucket, so its count of references, below zero, links it.
                arrays.references[target] = NONE - 1 - pending
                pending = target
        if size > 0:
            arrays.targets[begin] = arrays.free_blocks[size]
            arrays.free_blocks[size] = begin
        arrays.chain[dead] = np.int32(counters[FREE_STATE])
        counters[FREE_STATE] = dead
        arrays.references[dead] = 0
        counters[STATES] -= 1
        counters[ARCS] -= size
        dead = pending
        if dead != NONE:
            pending = np.int32(NONE - 1 - arrays.references[dead])


@jit
def _open(arrays, frames, depth, state, scale):
    frames.state[depth], frames.scale[depth] = state, scale
    frames.size[depth] = 0
    frames.cursor[depth] = 0
    frames.final[depth] = 0.0
    if state != NONE:
        frames.cursor[depth] = arrays.begin[state]
        frames.final[depth] = scale * arrays.final[state]


@jit
def _copy_arcs(arrays, frames, depth, end):
    """Take over the arcs up to `end` as they are."""
    size, scale = frames.size[depth], frames.scale[depth]
    for k in range(frames.cursor[depth], end):
        frames.labels[depth, size] = arrays.labels[k]
        frames.weights[depth, size] = scale * arrays.weights[k]
        frames.targets[depth, size] = arrays.targets[k]
        size += 1
    frames.size[depth] = size
    frames.cursor[depth] = end


@jit
def _close(arrays, frames, depth):
    """Finish the state of a frame: its number, and the factor for the arc that enters it."""
    state = frames.state[depth]
    if state != NONE:
        _copy_arcs(arrays, frames, depth, arrays.begin[state] + arrays.size[state])
    size, final = frames.size[depth], frames.final[depth]
    if size == 0 and final == 0.0:
        return np.int32(NONE), 0.0
    lead = final if final != 0.0 else frames.weights[depth, 0]
    weights = frames.weights[depth, :size]
    for k in range(size):
        weights[k] /= lead
    final = 1.0 if final != 0.0 else 0.0
    found = _register(arrays, final, frames.labels[depth, :size], weights, frames.targets[depth, :size])
    return np.int32(found), lead


@jit
def _close_into_parent(arrays, frames, depth):
    state, weight = _close(arrays, frames, depth)
    if state != NONE:
        size = frames.size[depth - 1]
        frames.labels[depth - 1, size] = frames.label[depth]
        frames.weights[depth - 1, size] = weight
        frames.targets[depth - 1, size] = state
        frames.size[depth - 1] = size + 1


@jit
def add_strings(arrays, codes, offsets, columns, values, step, frames):
    """Add ``step * values`` to the weights of keys in sorted order; the automaton stays minimal."""
    old_root = np.int32(arrays.counters[ROOT])
    _open(arrays, frames, 0, old_root, arrays.scale[0])
    depth = 0
    before = -1
    for j in range(len(columns)):
        key = int(columns[j])
        begin, length = offsets[key], offsets[key + 1] - offsets[key]
        common = 0 if before < 0 else common_prefix(codes, offsets, before, key)
        before = key
        while depth > common:
            _close_into_parent(arrays, frames, depth)
            depth -= 1
        while depth < length:
            label = codes[begin + depth]
            state, target, scale = frames.state[depth], np.int32(NONE), 0.0
            if state != NONE:
                place = _find_arc(arrays, state, label)
                _copy_arcs(arrays, frames, depth, place)
                if place < arrays.begin[state] + arrays.size[state] and arrays.labels[place] == label:
                    target, scale = arrays.targets[place], frames.scale[depth] * arrays.weights[place]
                    frames.cursor[depth] = place + 1
            depth += 1
            frames.label[depth] = label
            _open(arrays, frames, depth, target, scale)
        frames.final[depth] = _sum(frames.final[depth], step * values[j])
    while depth > 0:
        _close_into_parent(arrays, frames, depth)
        depth -= 1
    root, scale = _close(arrays, frames, 0)
    if root != NONE:
        arrays.references[root] += 1
    arrays.counters[ROOT], arrays.scale[0] = root, scale
    if old_root != NONE:
        _release(arrays, old_root)


@jit
def room_needed(arrays, codes, offsets, columns, path):
    """States and arcs that adding these keys may take, at most."""
    root = np.int32(arrays.counters[ROOT])
    path[0] = root
    states, arcs = 1, arrays.size[root] if root != NONE else 0
    before = -1
    for j in range(len(columns)):
        key = int(columns[j])
        begin, length = offsets[key], offsets[key + 1] - offsets[key]
        depth = 0 if before < 0 else common_prefix(codes, offsets, before, key)
        before = key
        while depth < length:
            state = path[depth]
            target = np.int32(NONE)
            if state != NONE:
                place = _find_arc(arrays, state, codes[begin + depth])
                if place < arrays.begin[state] + arrays.size[state] and arrays.labels[place] == codes[begin + depth]:
                    target = arrays.targets[place]
            states += 1
            arcs += 1
            if target != NONE:
                arcs += arrays.size[target]
            depth += 1
            path[depth] = target
    return states, arcs


@jit
def dot_strings(arrays, codes, offsets, columns, values, path, products):
    """Sum of ``values`` times the weights of keys in sorted order: D(Phi o W') for the automaton W'."""
    root = np.int32(arrays.counters[ROOT])
    if root == NONE:
        return 0.0
    path[0], products[0] = root, arrays.scale[0]
    before, known, total = -1, 0, 0.0
    for j in range(len(columns)):
        key = int(columns[j])
        begin, length = offsets[key], offsets[key + 1] - offsets[key]
        depth = 0 if before < 0 else common_prefix(codes, offsets, before, key)
        before = key
        if depth > known:  # the key before left the automaton earlier than this one leaves that key
            continue
        known = depth
        while known < length:
            state, label = path[known], codes[begin + known]
            place = _find_arc(arrays, state, label)
            if place == arrays.begin[state] + arrays.size[state] or arrays.labels[place] != label:
                break
            known += 1
            path[known] = arrays.targets[place]
            products[known] = products[known - 1] * arrays.weights[place]
        if known == length:
            total += values[j] * products[known] * arrays.final[path[known]]
    return total
