"""Compiled loops that write the grams of sequences, one family of kernels each.

A gram ``s_1 .. s_w`` is the number with these digits to `base`; digit 0 is a position that may hold any symbol.
"""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit


@jit
def mark_points(points, present):
    """Mark the code points that occur."""
    for i in range(len(points)):
        present[points[i]] = True


@jit
def number_points(points, numbers, codes):
    """Number of each code point; the last entry of `numbers` stands for all beyond."""
    last = len(numbers) - 1
    for i in range(len(points)):
        codes[i] = numbers[min(np.int64(points[i]), last)]


@jit
def emit_grams(codes, offsets, n, base, keys, key_offsets):
    """Contiguous grams of n symbols, each from the last in constant time."""
    top, base = np.uint64(1), np.uint64(base)
    for _ in range(n - 1):
        top *= base
    place = 0
    for i in range(len(offsets) - 1):
        begin, end = offsets[i], offsets[i + 1]
        if end - begin >= n:
            key = np.uint64(0)
            for position in range(begin, begin + n):
                key = key * base + np.uint64(codes[position])
            keys[place] = key
            place += 1
            for position in range(begin + n, end):
                key = (key - top * np.uint64(codes[position - n])) * base + np.uint64(codes[position])
                keys[place] = key
                place += 1
        key_offsets[i + 1] = place


@jit
def emit_pairs(codes, offsets, step, base, keys, key_offsets):
    """Pairs of symbols that are `step` apart."""
    place = 0
    for i in range(len(offsets) - 1):
        for position in range(offsets[i], offsets[i + 1] - step):
            keys[place] = np.uint64(codes[position]) * np.uint64(base) + np.uint64(codes[position + step])
            place += 1
        key_offsets[i + 1] = place


@jit
def emit_gappy(codes, offsets, n, max_gap, powers, base, keys, weights, key_offsets, spans):
    """Grams of n symbols of which at most `max_gap` are skipped, with weight ``powers[skipped]``.

    `spans` is empty, or has two rows for start and stop of each occurrence.
    """
    base = np.uint64(base)
    positions, prefixes = np.zeros(n, dtype=np.int64), np.zeros(n + 1, dtype=np.uint64)
    with_spans = spans.shape[1] > 0
    place = 0
    for i in range(len(offsets) - 1):
        begin, end = offsets[i], offsets[i + 1]
        for first in range(begin, end - n + 1):
            last = min(first + n - 1 + max_gap, end - 1)
            # Positions of the gram in lexicographic order, the last one in the innermost loop.
            depth = 0
            positions[0] = first
            while depth >= 0:
                position = positions[depth]
                if position > (first if depth == 0 else last - (n - 1 - depth)):
                    depth -= 1
                    if depth >= 0:
                        positions[depth] += 1
                    continue
                if depth == n - 1:
                    prefix = prefixes[depth] * base
                    for stop in range(position, last + 1 if n > 1 else first + 1):
                        keys[place] = prefix + np.uint64(codes[stop])
                        weights[place] = powers[stop - first - (n - 1)]
                        if with_spans:
                            spans[0, place], spans[1, place] = first - begin, stop + 1 - begin
                        place += 1
                    depth -= 1
                    if depth >= 0:
                        positions[depth] += 1
                else:
                    prefixes[depth + 1] = prefixes[depth] * base + np.uint64(codes[position])
                    positions[depth + 1] = position + 1
                    depth += 1
        key_offsets[i + 1] = place


@jit
def emit_masked(codes, offsets, window, positions, complements, base, keys, key_offsets):
    """Windows in which only the positions of one row of `positions` count, for each row.

    `complements` maps each symbol to the one on the other strand: a masked window and its reverse complement then
    have one key, the smaller. It is empty where there is one strand only.
    """
    n_masks, k = positions.shape
    powers = np.ones(window, dtype=np.uint64)
    for j in range(window - 2, -1, -1):
        powers[j] = powers[j + 1] * np.uint64(base)
    both = len(complements) > 0
    forward, backward = np.zeros(window, dtype=np.uint64), np.zeros(window, dtype=np.uint64)
    place = 0
    for i in range(len(offsets) - 1):
        for first in range(offsets[i], offsets[i + 1] - window + 1):
            for j in range(window):
                forward[j] = powers[j] * np.uint64(codes[first + j])
                if both:
                    backward[j] = powers[window - 1 - j] * np.uint64(complements[codes[first + j]])
            for mask in range(n_masks):
                key = np.uint64(0)
                for j in range(k):
                    key += forward[positions[mask, j]]
                if both:
                    other = np.uint64(0)
                    for j in range(k):
                        other += backward[positions[mask, j]]
                    key = min(key, other)
                keys[place] = key
                place += 1
        key_offsets[i + 1] = place


@jit
def emit_filtered(
    codes, offsets, window, letters, weights, window_weights, complements, base, keys, values, key_offsets
):
    """All grams of letters that differ from a window in less than ``len(weights)`` places, with ``weights[places]``.

    Windows with other symbols are left out; each other one has its own factor. `complements` as in `emit_masked`.
    """
    powers = np.ones(window, dtype=np.uint64)
    for j in range(window - 2, -1, -1):
        powers[j] = powers[j + 1] * np.uint64(base)
    is_letter = np.zeros(base, dtype=np.bool_)
    for letter in letters:
        is_letter[letter] = True
    most, both = len(weights) - 1, len(complements) > 0
    # A stack of changes: position, number of the letter put there, keys on either strand with the changes so far.
    positions, put = np.zeros(most + 1, np.int64), np.zeros(most + 1, np.int64)
    forward, backward = np.zeros(most + 1, np.uint64), np.zeros(most + 1, np.uint64)
    place, number = 0, 0
    for i in range(len(offsets) - 1):
        for first in range(offsets[i], offsets[i + 1] - window + 1):
            own = window_weights[number]
            number += 1
            inside = True
            forward[0], backward[0] = np.uint64(0), np.uint64(0)
            for j in range(window):
                code = codes[first + j]
                inside = inside and is_letter[code]
                forward[0] += powers[j] * np.uint64(code)
                if both:
                    backward[0] += powers[window - 1 - j] * np.uint64(complements[code])
            if not inside:
                continue
            keys[place] = min(forward[0], backward[0]) if both else forward[0]
            values[place] = own * weights[0]
            place += 1
            depth = min(1, most)
            positions[depth], put[depth] = 0, -1
            while depth > 0:
                put[depth] += 1
                if put[depth] == len(letters):
                    put[depth] = 0
                    positions[depth] += 1
                j = positions[depth]
                if j >= window:
                    depth -= 1
                    continue
                old, new = codes[first + j], letters[put[depth]]
                if new == old:
                    continue
                # Differences wrap around in 64 bits, and come out right in the sum.
                forward[depth] = forward[depth - 1] + powers[j] * (np.uint64(new) - np.uint64(old))
                key = forward[depth]
                if both:
                    change = np.uint64(complements[new]) - np.uint64(complements[old])
                    backward[depth] = backward[depth - 1] + powers[window - 1 - j] * change
                    key = min(key, backward[depth])
                keys[place] = key
                values[place] = own * weights[depth]
                place += 1
                if depth < most:
                    positions[depth + 1], put[depth + 1] = j + 1, -1
                    depth += 1
        key_offsets[i + 1] = place


@jit
def emit_mismatches(codes, offsets, n, m, n_symbols, base, keys, key_offsets):
    """All grams that differ from a window of n symbols in at most m positions."""
    factors = np.ones(n, dtype=np.uint64)
    for j in range(n - 2, -1, -1):
        factors[j] = factors[j + 1] * np.uint64(base)
    # A stack of changes: position, symbol put there, key with the changes so far.
    positions, symbols, changed = np.zeros(m + 1, np.int64), np.zeros(m + 1, np.int64), np.zeros(m + 1, np.uint64)
    place = 0
    for i in range(len(offsets) - 1):
        for first in range(offsets[i], offsets[i + 1] - n + 1):
            key = np.uint64(0)
            for j in range(n):
                key += factors[j] * np.uint64(codes[first + j])
            keys[place] = key
            place += 1
            if m == 0:
                continue
            changed[0], depth = key, 1
            positions[1], symbols[1] = 0, 0
            while depth > 0:
                symbols[depth] += 1
                if symbols[depth] > n_symbols:
                    symbols[depth] = 1
                    positions[depth] += 1
                if positions[depth] >= n:
                    depth -= 1
                    continue
                old = codes[first + positions[depth]]
                if symbols[depth] == old:
                    continue
                # Differences wrap around in 64 bits, and come out right in the sum.
                change = np.uint64(symbols[depth]) - np.uint64(old)
                changed[depth] = changed[depth - 1] + factors[positions[depth]] * change
                keys[place] = changed[depth]
                place += 1
                if depth < m:
                    positions[depth + 1], symbols[depth + 1] = positions[depth] + 1, 0
                    depth += 1
        key_offsets[i + 1] = place
