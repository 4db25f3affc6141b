"""Best alignments where all scores are whole numbers, with a byte for the way back in each cell.

Scores are reduced as in `loops.passes`, and an opening is at most 0: an extension is free, so that no cell is below
twice an opening, and 16 bits reach far. A row is filled from that above:

* P (a pair was last) is the best score of the cell before, on the diagonal, and that of the pair
* F (a symbol of the first sequence against a gap) is the best of F and of P and S with an opening, in the cell above
* S (one of the second sequence) is the best of P and F with an opening in all cells before, a running maximum

Whole numbers have no rounding: which state is best is decided here as `weft.core.ties` decides it, and noted in bits.

Rows are striped (Farrar 2007): lane l has a run of cells from l times the length of a run on, so that cells of the same
place in their runs stand side by side, and a running maximum is one of lanes and then one over lanes (Daily 2016).

Similar sequences need no whole rows. A band around the diagonal is filled, by diagonals; whoever leaves it leaves so
many symbols unpaired that a bound on his score tells whether he can be as good. If so the band was too narrow.
"""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit
from weft.structures.alignment.loops.lanes import (
    LANES,
    larger,
    last_everywhere,
    load,
    mark,
    moved_up,
    plus,
    running_larger,
    spread,
    store,
)
from weft.structures.alignment.loops.pairs import number_letters
from weft.structures.alignment.loops.passes import FIRST, PAIR, SECOND

__all__ = ["decode_integers"]

F_OVER_P, S_OVER_BOTH, F_OVER_OPENED, OPENED_S, S_OVER_OPENED = 1, 2, 4, 8, 16
"""What a cell notes: which state is best for a pair that follows (the first two bits), for a symbol of the first
sequence (the next two), for one of the second (the first and the last)."""

MOST_BYTES = 1 << 27
"""For the way back of one pair; longer ones are left to others."""
LONG = 384
"""From so many columns on a band is looked for."""
SAMPLED, SAMPLE_WIDTH = 128, 64
"""So many rows of a narrow band tell how similar two sequences are."""
UNSURE = 1.4
"""How many times more is lost than in the sample, to be on the safe side."""
ROW_COST = 128
"""A row of a band takes as long as so many cells more."""


@jit
def _choose(p, f, s, opening, nothing, first, at, row):
    """Note the best states of cells and write F of the row below; returns the best scores."""
    either = larger(p, f)
    marks = mark(mark(nothing, f, p, F_OVER_P), s, either, S_OVER_BOTH)
    opened_p, opened_s = plus(p, opening), plus(s, opening)
    not_s = larger(opened_p, f)
    marks = mark(mark(marks, f, opened_p, F_OVER_OPENED), opened_s, not_s, OPENED_S)
    store(row, at, mark(marks, s, plus(either, opening), S_OVER_OPENED))
    store(first, at, larger(not_s, opened_s))
    return larger(either, s)


@jit
def _fill_rows(letters, profile, opening, low, trace):
    """Fill all rows; `profile` and `trace` are striped."""
    size = profile.shape[1]
    best, first = np.empty(size + LANES, profile.dtype), np.empty(size, profile.dtype)
    pair, highest = np.empty(size, profile.dtype), np.empty(size, profile.dtype)
    open_lanes, nothing = spread(best, opening), spread(best, 0)
    for at in range(0, size, LANES):
        store(best, at + LANES, open_lanes)
        store(first, at, plus(open_lanes, open_lanes))
    edge = nothing  # best score in column 0
    for i in range(len(letters)):
        scores, row = profile[letters[i]], trace[i]
        store(best, 0, moved_up(load(best, size), edge))
        edge = open_lanes
        running = spread(best, low)
        for at in range(0, size, LANES):
            p = plus(load(best, at), load(scores, at))
            running = larger(running, larger(p, load(first, at)))
            store(pair, at, p)
            store(highest, at, running)
        before = larger(running_larger(moved_up(running, open_lanes)), open_lanes)
        running = before
        for at in range(0, size, LANES):
            s = plus(running, open_lanes)
            running = larger(before, load(highest, at))
            found = _choose(load(pair, at), load(first, at), s, open_lanes, nothing, first, at, row)
            store(best, at + LANES, found)


@jit
def _fill_band(letters, profile, opening, low, lowest, best, first, trace):
    """Fill a band whose first diagonal is `lowest` (column minus row); column 1 stands at ``-lowest`` of a profile.

    `best` has one number for each diagonal, `first` so many and LANES more.
    """
    width = trace.shape[1]
    for c in range(width + LANES):
        column = lowest + c
        first[c] = low if column < 0 or c >= width else (opening if column == 0 else 2 * opening)
        if c < width:
            best[c] = low if column < 0 else (0 if column == 0 else opening)
    open_lanes, nothing, nowhere = spread(best, opening), spread(best, 0), spread(best, low)
    for i in range(len(letters)):
        scores, row = profile[letters[i]][i:], trace[i]
        carried = nowhere
        for at in range(0, width, LANES):
            p, f = plus(load(best, at), load(scores, at)), load(first, at + 1)
            running = larger(running_larger(larger(p, f)), carried)
            s = plus(moved_up(running, carried), open_lanes)
            carried = last_everywhere(running)
            store(best, at, _choose(p, f, s, open_lanes, nothing, first, at, row))


@jit
def _walk(n, m, trace, place, up, left, around, moves):
    """Moves of the best alignment; `place` is that of the last cell in its row, `up` and `left` are steps of it.

    A place below 0 is moved by `around`.
    """
    i, j, n_moves, state = n, m, 0, PAIR
    while i + j > 0:
        if i == 0 or j == 0:
            state = SECOND if i == 0 else FIRST
        else:
            marks = trace[i - 1, place]
            if state == FIRST:
                state = SECOND if marks & OPENED_S else (FIRST if marks & F_OVER_OPENED else PAIR)
            else:
                over = S_OVER_BOTH if state == PAIR else S_OVER_OPENED
                state = SECOND if marks & over else (FIRST if marks & F_OVER_P else PAIR)
        moves[n_moves] = state
        n_moves += 1
        if state != SECOND:
            i -= 1
            place += up
        if state != FIRST:
            j -= 1
            place += left
            place += around if place < 0 else 0
    for k in range(n_moves // 2):
        moves[k], moves[n_moves - 1 - k] = moves[n_moves - 1 - k], moves[k]
    return n_moves


@jit
def _in_rows(letters, kinds, second, table, opening, low, moves):
    """Best alignment from whole rows."""
    n, m = len(letters), len(second)
    run = (m + LANES - 1) // LANES
    striped = np.zeros(run * LANES, dtype=np.uint32)
    for lane in range((m + run - 1) // run):
        begin = lane * run
        for k in range(min(run, m - begin)):
            striped[k * LANES + lane] = second[begin + k]
    profile = np.empty((len(kinds), run * LANES), dtype=table.dtype)
    for row in range(len(kinds)):
        target, source = profile[row], table[kinds[row]]
        for j in range(len(striped)):
            target[j] = source[striped[j]]
    trace = np.empty((n, run * LANES), dtype=np.uint8)
    _fill_rows(letters, profile, opening, low, trace)
    last = (m - 1) % run * LANES + (m - 1) // run
    return _walk(n, m, trace, last, 0, -LANES, run * LANES - 1, moves)


@jit
def _band_profile(kinds, second, table, n, lowest, width):
    """Scores of n rows of a band; those of columns that are not there do not matter, but left of them must be 0."""
    profile = np.zeros((len(kinds), n + width), dtype=table.dtype)
    m = min(len(second), n + width + lowest)
    for row in range(len(kinds)):
        target, source = profile[row, -lowest:], table[kinds[row]]
        for j in range(m):
            target[j] = source[second[j]]
    return profile


@jit
def _widened(unpaired, difference):
    """Width of the band outside of which so many symbols of the first sequence are unpaired at the least."""
    width = max(2 * unpaired + difference, abs(difference) + 2)
    return (width + LANES - 1) // LANES * LANES


@jit
def _needed_width(lost, opening, least, difference):
    """Width of the band of all alignments that lose at most so much against the best that each symbol could score."""
    # Outside there are two gaps, and each unpaired symbol of the first sequence loses `least` or more.
    return _widened(max(lost + 2 * opening, 0) // least + 1, difference)


@jit
def _band_width(letters, kinds, second, table, opening, low, tops, least):
    """Width of the band that is probably enough, from the first rows of a narrow one; 0 if whole rows are better."""
    n, m = len(letters), len(second)
    lowest = -SAMPLE_WIDTH // 2
    if least <= 0 or m < LONG or n < LONG or abs(m - n) > m // 4:
        return 0
    profile = _band_profile(kinds, second, table, SAMPLED, lowest, SAMPLE_WIDTH)
    best, first = np.empty(SAMPLE_WIDTH, table.dtype), np.empty(SAMPLE_WIDTH + LANES, table.dtype)
    trace = np.empty((SAMPLED, SAMPLE_WIDTH), dtype=np.uint8)
    _fill_band(letters[:SAMPLED], profile, opening, low, lowest, best, first, trace)
    lost = -int(best.max())
    for i in range(SAMPLED):
        lost += tops[letters[i]]
    lost = int(UNSURE * lost * n / SAMPLED) + 2 * least * LANES // 4 + max(n - m, 0) * least - 2 * opening
    return _needed_width(lost, opening, least, m - n)


@jit
def _in_band(letters, kinds, second, table, opening, low, tops, least, width, moves):
    """Best alignment from a band, or -1 and the width that it takes to know that it is the best."""
    n, m = len(letters), len(second)
    lowest = (m - n - width) // 2
    profile = _band_profile(kinds, second, table, n, lowest, width)
    best, first = np.empty(width, table.dtype), np.empty(width + LANES, table.dtype)
    trace = np.empty((n, width), dtype=np.uint8)
    _fill_band(letters, profile, opening, low, lowest, best, first, trace)
    last = m - n - lowest
    lost = -int(best[last])
    for i in range(n):
        lost += tops[letters[i]]
    needed = _needed_width(lost, opening, least, m - n)
    if needed > width:
        return -1, needed
    return _walk(n, m, trace, last, 1, -1, 0, moves), width


@jit
def decode_integers(begin, end, corpus, table, opening, moves, offsets, n_moves):
    """Best alignments of those pairs `begin` to `end` that have none yet (-1 moves) and whose scores fit the table.

    `table` has reduced scores in whole numbers of 16 or 32 bits, `opening` is at most 0.
    """
    first, first_offsets, second, second_offsets = corpus
    limit = np.iinfo(table.dtype).max
    largest = max(int(table.max()), -int(table.min()))
    low = -limit - 1 - 2 * opening
    row_of = np.full(len(table), -1, dtype=np.int64)
    for i in range(begin, end):
        x = first[first_offsets[i] : first_offsets[i + 1]]
        y = second[second_offsets[i] : second_offsets[i + 1]]
        n, m = len(x), len(y)
        if n_moves[i] >= 0 or largest * (min(n, m) + 2) - 8 * opening > limit:
            continue
        room = moves[offsets[i] : offsets[i + 1]]
        letters = np.empty(n, dtype=np.int64)
        kinds = np.empty(min(n, len(table)), dtype=np.int64)
        n_kinds = number_letters(x, row_of, letters, kinds)
        kinds = kinds[:n_kinds]
        if n == 0 or m == 0:
            n_moves[i] = _walk(n, m, np.empty((0, 0), dtype=np.uint8), 0, 0, 0, 0, room)
            continue
        width = 0
        tops = np.zeros(n_kinds, dtype=np.int64)
        least = 0
        if m >= LONG:
            for row in range(n_kinds):
                tops[row] = table[kinds[row]].max()
            least = int(tops.min())
            width = _band_width(letters, kinds, y, table, opening, low, tops, least)
        while width > 0 and width + ROW_COST < m * 3 // 4 and n * width <= MOST_BYTES and n_moves[i] < 0:
            n_moves[i], width = _in_band(letters, kinds, y, table, opening, low, tops, least, width, room)
        if n_moves[i] < 0 and n * (m + LANES) <= MOST_BYTES:
            n_moves[i] = _in_rows(letters, kinds, y, table, opening, low, room)
