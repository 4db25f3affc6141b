"""Compiled loops that number the letter contexts of a corpus and find them again.

Contexts of a position are the n-grams of the window around it, each together with the symbol in its middle. An n-gram
is a node below the n-gram that is one symbol shorter, so that a rare one ends the walk.
"""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit, jit_inline
from weft.rewriting.candidates.key_table import slot_of

__all__ = ["count_children", "find_contexts", "number_children"]

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


@jit
def find_contexts(symbols, offsets, width, middle, view, table, found, n_found):
    """Numbers of the known contexts of every position, walk by walk, into the rows of `found`; how many each has."""
    table_keys, table_numbers = table
    boundary = view[2]
    mask = np.int64(len(table_keys) - 1)
    n_found[:] = 0
    for w in range(len(offsets) - 1):
        begin, end = offsets[w], offsets[w + 1]
        for t in range(begin, end):
            if symbols[t] < 0:
                continue
            n = 0
            for walk in range(2 * width + 1):
                start = walk - width
                if start == 1:
                    continue  # the symbol in the middle is always known: the same n-grams begin there
                node = walk * len(middle) + middle[symbols[t]]
                for place in range(start, width + 1):
                    if place == 0 and start < 0:
                        continue
                    symbol = _symbol(view, symbols, begin, end, t, place)
                    if symbol < 0:
                        break
                    key = node * (boundary + 1) + symbol
                    slot = _slot(key, mask)
                    while table_keys[slot] != key and table_keys[slot] >= 0:
                        slot = (slot + 1) & mask
                    if table_keys[slot] < 0:
                        break
                    node = np.int64(table_numbers[slot])
                    found[t, n] = node
                    n += 1
            n_found[t] = n


@jit
def join_views(found, widths, shifts, counts, rows):
    """Contexts of all views, those of a position one after the other; `rows` takes up where each position ends.

    The tables of the views stand one after the other in `found`, a row of ``widths[v]`` for each position, of which the
    first ``counts[v, t]`` are contexts; `shifts` makes their numbers those of all views.
    """
    n_views, n_positions = counts.shape
    for t in range(n_positions):
        total = rows[t]
        for v in range(n_views):
            total += counts[v, t]
        rows[t + 1] = total
    joined = np.empty(rows[n_positions] - rows[0], dtype=np.int32)
    first = 0
    places = rows[:n_positions] - rows[0]
    for v in range(n_views):
        for t in range(n_positions):
            begin = first + t * widths[v]
            for k in range(counts[v, t]):
                joined[places[t] + k] = found[begin + k] + shifts[v]
            places[t] += counts[v, t]
        first += n_positions * widths[v]
    return joined
