"""Sums over all pairs of windows of two sequences of DNA, by the number of places in which they differ.

Windows that begin one letter later in both sequences differ in as many places, but for the letters that leave and
enter: ``D(i, j) = D(i - 1, j - 1) + [x leaves = y leaves] - [x enters = y enters]``. What these add is written down
first, for each pair of letters of x and each place of y (`_write_changes`). Then a diagonal ``j - i`` is one byte, and
a step along x one addition to the bytes of all diagonals. Eight steps are taken at once, and the least of their eight
counts is kept; only where it is small are the eight looked at again. Before x comes what equals no letter, so that
counts begin with all g places, and all windows are steps.
"""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit

OTHER = 4
"""Number of what is none of the four letters, and equals nothing."""
STEPS = 8
LARGEST = 127
"""Of a signed byte."""
ONES, TOPS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
"""The lowest and the highest bit of each of eight bytes."""


@jit
def _write_changes(others, g, changes):
    """What a step along x adds to the count of the window that begins at each place of the others.

    Row ``5 * entering + leaving`` for the letters of x, column ``place + g + STEPS``; twice `OTHER` adds nothing.
    """
    changes[:] = np.int8(0)
    for place in range(len(others)):
        letter = others[place]
        if letter == OTHER:
            continue
        for other in range(OTHER + 1):
            changes[letter * (OTHER + 1) + other, place + STEPS + 1] -= np.int8(1)
            changes[other * (OTHER + 1) + letter, place + STEPS + 1 + g] += np.int8(1)


@jit
def _take_steps(table, begins, counts, least, n):
    """Add eight rows of changes, each from its place on, to the counts; and the least of the eight sums."""
    b0, b1, b2, b3 = begins[0], begins[1], begins[2], begins[3]
    b4, b5, b6, b7 = begins[4], begins[5], begins[6], begins[7]
    first, second, third, fourth = table[b0 : b0 + n], table[b1 : b1 + n], table[b2 : b2 + n], table[b3 : b3 + n]
    fifth, sixth, seventh, eighth = table[b4 : b4 + n], table[b5 : b5 + n], table[b6 : b6 + n], table[b7 : b7 + n]
    for t in range(n):
        count = np.int8(counts[t] + first[t])
        low = count
        count = np.int8(count + second[t])
        low = min(low, count)
        count = np.int8(count + third[t])
        low = min(low, count)
        count = np.int8(count + fourth[t])
        low = min(low, count)
        count = np.int8(count + fifth[t])
        low = min(low, count)
        count = np.int8(count + sixth[t])
        low = min(low, count)
        count = np.int8(count + seventh[t])
        low = min(low, count)
        count = np.int8(count + eighth[t])
        least[t] = min(low, count)
        counts[t] = count


@jit
def _begin_steps(letters, step, g, width, begins):
    """Where the rows of changes begin in their table, for eight steps after `step`."""
    last = len(letters)
    for u in range(STEPS):
        place = step + u
        entering = np.int64(letters[place]) if place < last else OTHER
        leaving = np.int64(letters[place - g]) if g <= place < last else OTHER
        begins[u] = (entering * (OTHER + 1) + leaving) * width + u + 2


@jit
def _find_small(least, most, n, diagonals):
    """Diagonals of which a count is at most `most`, and how many: without branches, which would be guessed wrongly."""
    words = least.view(np.uint64)
    slack = np.uint64(LARGEST - most) * ONES
    n_words = 0
    for word in range((n + STEPS - 1) // STEPS):
        diagonals[n_words] = word
        n_words += int(((words[word] + slack) & TOPS) != TOPS)
    found, end = n_words, n_words
    for place in range(n_words):
        for t in range(diagonals[place] * STEPS, diagonals[place] * STEPS + STEPS):
            diagonals[end] = t
            end += int(least[t] <= most)
    return found, end


@jit
def _add_hits(table, begins, own, diagonals, step, values, weights, other_weights, owners, hits, totals):
    """Look at the eight counts of each diagonal, the last one first, and add what small ones stand for."""
    n_hits, most = 0, len(values) - 1
    for t in diagonals:
        count = own[t]
        for back in range(STEPS):
            u = STEPS - 1 - back
            hits[n_hits, 0], hits[n_hits, 1], hits[n_hits, 2] = count, step + u, t + u + 2
            n_hits += int(count <= most)
            count = np.int8(count - table[begins[u] + t])
    for hit in range(n_hits):
        count, window, column = hits[hit, 0], hits[hit, 1], hits[hit, 2]
        totals[owners[column]] += weights[window] * other_weights[column] * values[count]


@jit
def _add_pairs(letters, weights, changes, g, values, other_weights, owners, scratch, totals):
    """Add the pairs of all windows of x and of the others to the total of each of these."""
    counts, least, begins, diagonals, hits = scratch
    most, width = len(values) - 1, changes.shape[1]
    table, n = changes.ravel(), width - STEPS - 2
    n_steps = (len(letters) + STEPS - 1) // STEPS * STEPS
    counts[: n_steps + n] = np.int8(g)
    for step in range(0, n_steps, STEPS):
        _begin_steps(letters, step, g, width, begins)
        own = counts[n_steps - STEPS - step :]
        _take_steps(table, begins, own, least, n)
        first, end = _find_small(least, most, n, diagonals)
        small = diagonals[first:end]
        _add_hits(table, begins, own, small, step, values, weights, other_weights, owners, hits, totals)


@jit
def add_window_pairs(
    codes, offsets, weights, n_rows, others, other_offsets, other_weights, first, last, g, values, both, gram
):
    """Add to ``gram[:n_rows, first:last]`` what pairs of windows count, by the places in which they differ.

    Parameters
    ----------
    codes, offsets, others, other_offsets : arrays
        Letters of both sides, 0 to 3 such that 3 - letter is on the other strand, or `OTHER`.
    weights, other_weights : arrays of float
        Of the window that begins at each letter; 0 where none does.
    n_rows, first, last : int
        Which sequences of each side.
    g : int
        At most 100.
    values : array of float
        What a pair counts that differs in 0, 1, ... places; none counts that differs in more.
    both : bool
        Compare the other strand of `codes` too.
    """
    begin, end = other_offsets[first], other_offsets[last]
    before, n = g + STEPS, end - begin
    width = before + n + STEPS
    changes = np.empty(((OTHER + 1) ** 2, width), dtype=np.int8)
    _write_changes(others[begin:end], g, changes)
    padded, owners = np.zeros(width), np.zeros(width, dtype=np.int64)
    padded[before : before + n] = other_weights[begin:end]
    for i in range(first, last):
        owners[before + other_offsets[i] - begin : before + other_offsets[i + 1] - begin] = i - first
    longest = 0
    for row in range(n_rows):
        longest = max(longest, offsets[row + 1] - offsets[row])
    scratch = (
        np.empty(longest + width + STEPS, dtype=np.int8),
        np.full((width + STEPS - 1) // STEPS * STEPS, LARGEST, dtype=np.int8),
        np.empty(STEPS, dtype=np.int64),
        np.empty(2 * width + STEPS, dtype=np.int64),
        np.empty((STEPS * width + 1, 3), dtype=np.int64),
    )
    letters, own = np.empty(longest, dtype=codes.dtype), np.zeros(longest + g + STEPS)
    for row in range(n_rows):
        here, there = offsets[row], offsets[row + 1]
        length = there - here
        if length < g:
            continue
        totals = gram[row, first:last]
        own[g - 1 : g - 1 + length] = weights[here:there]
        own[g - 1 + length :] = 0.0
        _add_pairs(codes[here:there], own, changes, g, values, padded, owners, scratch, totals)
        if both:
            for i in range(length):
                letter = codes[there - 1 - i]
                letters[i] = OTHER if letter == OTHER else OTHER - 1 - letter
            for i in range(length - g + 1):
                own[g - 1 + i] = weights[there - g - i]
            _add_pairs(letters[:length], own, changes, g, values, padded, owners, scratch, totals)


@jit
def add_own_pairs(codes, offsets, weights, g, values, both, found):
    """Add to ``found[i]`` what the pairs of windows of sequence i with itself count."""
    for i in range(len(found)):
        own, cell = offsets[i : i + 2], found[i : i + 1].reshape(1, 1)
        add_window_pairs(codes, own, weights, 1, codes, own, weights, 0, 1, g, values, both, cell)
