"""Compiled loops that find the letter contexts of positions again, and add up what is known of them.

Each n-gram is looked up by the number of the one before it, so that a walk from n-gram to n-gram waits for memory at
every step. But a position has some fifty walks, which need not wait for each other: all walks of a block of positions
make a step in turn, and each asks for what its next step will read.

Views come as ``(views, middles, classes, walks, table)``; see `weft.rewriting.candidates.contexts.JoinedViews`:

* a row of `views` is (width, radius, boundary, end of its symbols in `middles` and `classes`, end of its walks);
* a row of `walks` is (place in the window where it begins, number of its root without the middle, where its numbers
  begin in the row of a position, first place of the table of its view, mask of that table, boundary + 1, what makes
  numbers of the view those of all views);
* `table` has a key and a number side by side.
"""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit, jit_inline, jit_rows
from weft.core.prefetch import prefetch
from weft.rewriting.candidates.key_table import slot_of
from weft.rewriting.candidates.loops.contexts import NOTHING

__all__ = ["find_in_views", "score_in_views"]

AT_ONCE = 8
"""Positions whose walks go on in turn: some four hundred walks, whose places of memory fit into the nearest cache."""

_slot = jit_inline(slot_of)


@jit_inline
def _read_window(view, symbols, classes, begin, end, middle, windows, row):
    """What a view sees around a position: all but the middle, then the middle and what follows; -1 ends either.

    Symbols further away than the radius are their classes; the boundary stands on either side of the sequence.
    """
    width, radius, boundary, first_class = view
    for place in range(3 * width + 3):
        windows[row, place] = NOTHING
    if begin - 1 >= middle - width:
        windows[row, width + begin - 1 - middle] = boundary
    for place in range(max(begin, middle - width), middle):
        symbol = symbols[place]
        code = symbol if middle - place <= radius or symbol < 0 else classes[first_class + symbol]
        windows[row, width + place - middle] = code
    windows[row, 2 * width + 1] = symbols[middle]
    for place in range(middle + 1, min(end, middle + width + 1)):
        symbol = symbols[place]
        code = symbol if place - middle <= radius or symbol < 0 else classes[first_class + symbol]
        windows[row, width - 1 + place - middle], windows[row, 2 * width + 1 + place - middle] = code, code
    if end <= middle + width:
        windows[row, width - 1 + end - middle], windows[row, 2 * width + 1 + end - middle] = boundary, boundary


@jit
def _find_block(symbols, begins, ends, first, joined, entry_offsets, found, n_found, windows, active):
    """Contexts of the positions from `first` on, whose sequences have the given begins and ends.

    Walk w of position p finds ``n_found[p, w]`` of them, in ``found[p]`` from ``walks[w, 2]`` on. What a walk in
    progress needs is in a row of `active`: key, place in the table, place of the next symbol, place of the next number
    in `found`, walk, number of walk and position. `entry_offsets` of what is found are asked for.
    """
    views, middles, classes, walks, table = joined
    n_views, n_walks, most = len(views), len(walks), found.shape[1]
    n_active = 0
    for p in range(len(begins)):
        t = first + p
        if symbols[t] < 0:
            n_found[p] = 0
            continue
        first_symbol = first_walk = 0
        for v in range(n_views):
            boundary, row = views[v, 2], p * n_views + v
            view = views[v, 0], views[v, 1], boundary, first_symbol
            _read_window(view, symbols, classes, begins[p], ends[p], t, windows, row)
            middle = np.int64(middles[first_symbol + symbols[t]])
            for walk in range(first_walk, views[v, 4]):
                begin = walks[walk, 0]
                symbol = windows[row, begin]
                if symbol < 0:
                    n_found[p, walk] = 0
                    continue
                key = (walks[walk, 1] + middle) * (boundary + 1) + symbol
                slot = _slot(key, walks[walk, 4])
                prefetch(table, 2 * (walks[walk, 3] + slot))
                active[n_active, 0], active[n_active, 1] = key, slot
                active[n_active, 2], active[n_active, 3] = row * windows.shape[1] + begin + 1, p * most + walks[walk, 2]
                active[n_active, 4], active[n_active, 5] = walk, p * n_walks + walk
                n_active += 1
            first_symbol, first_walk = views[v, 3], views[v, 4]
    seen, numbers, counts = windows.reshape(-1), found.reshape(-1), n_found.reshape(-1)
    n_found_before = 0
    while n_active > 0:
        n_left = 0
        for i in range(n_active):
            key, slot, which = active[i, 0], active[i, 1], np.uint64(active[i, 4])
            first_place, mask = walks[which, 3], walks[which, 4]
            known = np.int64(table[np.uint64(2 * (first_place + slot))])
            while (known != key) & (known >= 0):
                slot = (slot + 1) & mask
                known = np.int64(table[np.uint64(2 * (first_place + slot))])
            # Whether a walk ends here cannot be guessed, and a wrong guess of the processor takes as long as the step.
            # So there is no branch; what is written for a walk that has ended is overwritten or not read.
            is_known = known == key
            node = np.int64(table[np.uint64(2 * (first_place + slot) + 1)])
            number = node + walks[which, 6]
            numbers[np.uint64(active[i, 3])] = number
            prefetch(entry_offsets, number)
            counts[np.uint64(active[i, 5])] = n_found_before + is_known
            symbol = seen[np.uint64(active[i, 2])]
            key = node * walks[which, 5] + symbol
            slot = _slot(key, mask)
            prefetch(table, 2 * (first_place + slot))
            left = np.uint64(n_left)
            active[left, 0], active[left, 1] = key, slot
            active[left, 2], active[left, 3] = active[i, 2] + 1, active[i, 3] + 1
            active[left, 4], active[left, 5] = active[i, 4], active[i, 5]
            n_left += is_known & (symbol >= 0)
        n_active = n_left
        n_found_before += 1


@jit_inline
def _scratch(joined, n_positions, most):
    """Room for a block: numbers, counts, windows and walks in progress."""
    views, _, _, walks, _ = joined
    n_at_once, widest = min(AT_ONCE, n_positions), 0
    for v in range(len(views)):
        widest = max(widest, views[v, 0])
    found = np.empty((n_at_once, most), dtype=np.int32)
    n_found = np.empty((n_at_once, len(walks)), dtype=np.int64)
    windows = np.empty((n_at_once * len(views), 3 * widest + 3), dtype=np.int64)
    return found, n_found, windows, np.empty((n_at_once * len(walks), 6), dtype=np.int64)


@jit_inline
def _bounds(offsets, first, begins, ends, word):
    """Begin and end of the sequence of each position from `first` on; the sequence after the last one."""
    n = 0
    while n < len(begins) and word < len(offsets) - 1:
        while n < len(begins) and first + n < offsets[word + 1]:
            begins[n], ends[n] = offsets[word], offsets[word + 1]
            n += 1
        if first + n >= offsets[word + 1]:
            word += 1
    return n, word


@jit
def find_in_views(symbols, offsets, joined, most, rows):
    """Contexts of all views, those of a position one after the other; `rows` takes up where each position ends."""
    begin, end = offsets[0], offsets[-1]
    walks = joined[3]
    found, n_found, windows, active = _scratch(joined, end - begin, most)
    begins, ends = np.empty(len(found), dtype=np.int64), np.empty(len(found), dtype=np.int64)
    flat = np.empty((end - begin) * most, dtype=np.int32)
    first, word, total = begin, 0, 0
    while first < end:
        n, word = _bounds(offsets, first, begins, ends, word)
        _find_block(symbols, begins[:n], ends[:n], first, joined, rows, found, n_found, windows, active)
        for p in range(n):
            before = total
            for walk in range(len(walks)):
                for k in range(n_found[p, walk]):
                    flat[total + k] = found[p, walks[walk, 2] + k]
                total += n_found[p, walk]
            rows[first + p + 1] = rows[first + p] + total - before
        first += n
    return flat[:total].copy()


@jit_inline
def _ask_for_entries(row, counts, walks, entries, begins, ends):
    """Where the entries of the contexts of a position are, into `begins` and `ends`; how many contexts there are."""
    entry_offsets, entry_places, weights = entries
    n = 0
    for walk in range(len(walks)):
        for k in range(walks[walk, 2], walks[walk, 2] + counts[walk]):
            number = np.uint64(row[k])
            begin, end = entry_offsets[number], entry_offsets[number + np.uint64(1)]
            begins[n], ends[n] = begin, end
            prefetch(entry_places, begin)
            prefetch(weights, begin)
            prefetch(weights, end - 1)
            n += 1
    return n


@jit_rows
def score_in_views(symbols, offsets, joined, most, candidates, n_places, entries, scores):
    """Sum of the weights of the contexts for each position and candidate into the rows of `scores`.

    `candidates` and `entries` are as in `weft.rewriting.candidates.loops.chains`, with `n_places` that entries may
    speak for; `most` contexts may a position have. Entries are asked for a position ahead.
    """
    begin, end = offsets[0], offsets[-1]
    first, trait_offsets, traits = candidates
    _, entry_places, weights = entries
    walks = joined[3]
    found, n_found, windows, active = _scratch(joined, end - begin, most)
    begins, ends = np.empty(len(found), dtype=np.int64), np.empty(len(found), dtype=np.int64)
    entry_begins, entry_ends = np.empty((2, most), dtype=np.int64), np.empty((2, most), dtype=np.int64)
    row, n_contexts = np.empty(n_places), np.empty(2, dtype=np.int64)
    n_own = scores.shape[1]
    t, word = begin, 0
    while t < end:
        n, word = _bounds(offsets, t, begins, ends, word)
        _find_block(symbols, begins[:n], ends[:n], t, joined, entries[0], found, n_found, windows, active)
        for p in range(n + 1):
            if p < n:
                into = p & 1
                n_contexts[into] = _ask_for_entries(
                    found[p], n_found[p], walks, entries, entry_begins[into], entry_ends[into]
                )
            if p == 0:
                continue
            here = (p - 1) & 1
            row[:] = 0.0
            for k in range(n_contexts[here]):
                for e in range(np.uint64(entry_begins[here, k]), np.uint64(entry_ends[here, k])):
                    row[np.uint16(entry_places[e])] += weights[e]
            symbol = symbols[t + p - 1]
            for c in range(first[symbol + 1] - first[symbol]):
                candidate = first[symbol] + c
                total = row[c]
                for k in range(trait_offsets[candidate], trait_offsets[candidate + 1]):
                    total += row[n_own + traits[k]]
                scores[t + p - 1, c] = total
        t += n
