"""Compiled loops that number the letter contexts of a corpus.

Contexts of a position are the n-grams of the window around it, each together with the symbol in its middle. An n-gram
is a node below the n-gram that is one symbol shorter, so that a rare one ends the walk.
"""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit, jit_inline
from weft.rewriting.candidates.key_table import slot_of

__all__ = ["count_children", "number_children"]

NOTHING = -1


_slot = jit_inline(slot_of)


@jit_inline
def _symbol(view, symbols, begin, end, middle, offset):
    """Symbol at an offset from the middle, its class if that is far; the boundary just outside, -1 further out."""
    radius, classes, boundary = view
    place = middle + offset
    if begin <= place < end:
        symbol = symbols[place]
        return np.int64(symbol) if -radius <= offset <= radius else np.int64(classes[symbol])
    if place == begin - 1 or place == end:
        return np.int64(boundary)
    return np.int64(NOTHING)


@jit
def count_children(symbols, offsets, nodes, offset, view, keys, counts, places):
    """Count the pairs (node, symbol at `offset`) of all positions; where each is in the table goes into `places`."""
    mask = np.int64(len(keys) - 1)
    boundary = view[2]
    for w in range(len(offsets) - 1):
        begin, end = offsets[w], offsets[w + 1]
        for t in range(begin, end):
            places[t] = NOTHING
            if nodes[t] < 0:
                continue
            symbol = _symbol(view, symbols, begin, end, t, offset)
            if symbol < 0:
                continue
            key = np.int64(nodes[t]) * (boundary + 1) + symbol
            place = _slot(key, mask)
            while keys[place] != key:
                if keys[place] < 0:
                    keys[place] = key
                    break
                place = (place + 1) & mask
            counts[place] += 1
            places[t] = place


@jit
def number_children(places, counts, min_count, numbers, first, keys, new_keys, nodes):
    """Give numbers from `first` on to the frequent pairs, in the order of their appearance; move every node on."""
    n_new = 0
    for t in range(len(places)):
        place = places[t]
        if place < 0 or counts[place] < min_count:
            nodes[t] = NOTHING
            continue
        if numbers[place] < 0:
            numbers[place] = first + n_new
            new_keys[n_new] = keys[place]
            n_new += 1
        nodes[t] = numbers[place]
    return n_new
