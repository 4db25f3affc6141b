"""Compiled loops that number the letter contexts of a corpus and find them again.

Contexts of a position are the n-grams of the window around it, each together with the symbol in its middle. An n-gram
is a node below the n-gram that is one symbol shorter, so that a rare one ends the walk.
"""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit, jit_inline
from weft.rewriting.candidates.key_table import slot_of

__all__ = ["count_children", "find_in_views", "number_children"]

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
    boundary = view[2]
    mask = np.int64(len(table) - 1)
    n_found[:] = 0
    first = offsets[0]
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
                    while table[slot, 0] != key and table[slot, 0] >= 0:
                        slot = (slot + 1) & mask
                    if table[slot, 0] < 0:
                        break
                    node = table[slot, 1]
                    found[t - first, n] = node
                    n += 1
            n_found[t - first] = n


@jit
def find_in_views(symbols, offsets, views, middles, classes, tables, rows):
    """Contexts of all views, those of a position one after the other; `rows` takes up where each position ends.

    A row of `views` is (width, radius, boundary, most contexts of a position, what makes their numbers those of all
    views, end of its symbols in `middles` and `classes`, end of its table of keys and numbers in `tables`).
    """
    n_views, begin, end = len(views), offsets[0], offsets[-1]
    n_positions = end - begin
    counts = np.empty((n_views, n_positions), dtype=np.int32)
    total = 0
    for v in range(n_views):
        total += views[v, 3]
    flat = np.empty(n_positions * total, dtype=np.int32)
    first = first_symbol = first_key = 0
    for v in range(n_views):
        width, radius, boundary, most = views[v, 0], views[v, 1], views[v, 2], views[v, 3]
        last_symbol, last_key = views[v, 5], views[v, 6]
        found = flat[first : first + n_positions * most].reshape(n_positions, most)
        view = radius, classes[first_symbol:last_symbol], boundary
        find_contexts(
            symbols, offsets, width, middles[first_symbol:last_symbol], view, tables[first_key:last_key], found,
            counts[v],
        )  # fmt: skip
        first, first_symbol, first_key = first + n_positions * most, last_symbol, last_key
    for t in range(n_positions):
        total = rows[begin + t]
        for v in range(n_views):
            total += counts[v, t]
        rows[begin + t + 1] = total
    joined = np.empty(rows[end] - rows[begin], dtype=np.int32)
    first = 0
    places = rows[begin:end] - rows[begin]
    for v in range(n_views):
        most, shift = views[v, 3], views[v, 4]
        for t in range(n_positions):
            for k in range(counts[v, t]):
                joined[places[t] + k] = flat[first + t * most + k] + shift
            places[t] += counts[v, t]
        first += n_positions * most
    return joined
