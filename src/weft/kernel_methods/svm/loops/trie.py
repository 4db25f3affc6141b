"""Compiled walks through a weighted trie whose steps lie in one hash table.

A step from a node by a symbol is found under ``node << 32 | symbol``. Keys come sorted, so that a walk begins where the
key before it went another way: what the composition of a trie of n-grams with W' explores (LK section 5.2).
"""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit

EMPTY = np.uint64(0xFFFFFFFFFFFFFFFF)


@jit
def common_prefix(codes, offsets, one, other):
    """Length of the longest common prefix of two keys."""
    begin, start = offsets[one], offsets[other]
    length = min(offsets[one + 1] - begin, offsets[other + 1] - start)
    k = 0
    while k < length and codes[begin + k] == codes[start + k]:
        k += 1
    return k


@jit
def _slot(slots, step):
    """Place of a step in the table, or the free place where it belongs (linear probing)."""
    mask = np.uint64(len(slots) - 1)
    # The node stands in the upper half of a step, so that only the upper half of the product depends on it.
    place = (step * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32) & mask
    while slots[place] != EMPTY and slots[place] != step:
        place = (place + np.uint64(1)) & mask
    return place


@jit
def move_slots(slots, children, new_slots, new_children):
    """Put all steps into a larger table."""
    for k in range(len(slots)):
        if slots[k] != EMPTY:
            place = _slot(new_slots, slots[k])
            new_slots[place] = slots[k]
            new_children[place] = children[k]


@jit
def add_keys(slots, children, weights, n_nodes, codes, offsets, columns, values, step, path):
    """Add ``step * values`` to the weights of the keys; returns the number of nodes, which may have grown."""
    path[0] = 0
    before = -1
    for j in range(len(columns)):
        key = int(columns[j])
        begin, length = offsets[key], offsets[key + 1] - offsets[key]
        depth = 0 if before < 0 else common_prefix(codes, offsets, before, key)
        node = path[depth]
        while depth < length:
            wanted = np.uint64(node) << np.uint64(32) | np.uint64(codes[begin + depth])
            place = _slot(slots, wanted)
            if slots[place] == EMPTY:
                slots[place] = wanted
                children[place] = n_nodes
                n_nodes += 1
            node = int(children[place])
            depth += 1
            path[depth] = node
        weights[node] += step * values[j]
        before = key
    return n_nodes


@jit
def dot_keys(slots, children, weights, codes, offsets, columns, values, path):
    """Sum of ``values`` times the weights of the keys: D(Phi o W') for the trie W'."""
    path[0] = 0
    before = -1
    known = 0  # nodes of `path` that exist, beyond the root
    total = 0.0
    for j in range(len(columns)):
        key = int(columns[j])
        begin, length = offsets[key], offsets[key + 1] - offsets[key]
        depth = 0 if before < 0 else common_prefix(codes, offsets, before, key)
        before = key
        if depth > known:  # the key before left the trie earlier than this one leaves that key
            continue
        known = depth
        while known < length:
            place = _slot(slots, np.uint64(path[known]) << np.uint64(32) | np.uint64(codes[begin + known]))
            if slots[place] == EMPTY:
                break
            known += 1
            path[known] = int(children[place])
        if known == length:
            total += values[j] * weights[path[known]]
    return total
