"""Compiled loops over grams at their places, and over windows of two sequences at the same place."""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit


@jit
def emit_placed(codes, offsets, origins, shortest, n, base, weights, taps, keys, values, key_offsets, spans):
    """Grams of `shortest` to n symbols, each with the number of its place in front.

    A gram of k symbols has the digits of n, the last n - k of them 0, and weight ``weights[k]``. Place i of a sequence
    is ``origin + i``; with `taps` the gram stands at this place and at those before it, tap by tap. `spans` is empty,
    or has two rows for start and stop of each occurrence.
    """
    powers = np.ones(n + 1, dtype=np.uint64)
    for j in range(1, n + 1):
        powers[j] = powers[j - 1] * np.uint64(base)
    with_spans = spans.shape[1] > 0
    entry = 0
    for i in range(len(offsets) - 1):
        begin, end = offsets[i], offsets[i + 1]
        for first in range(begin, end):
            gram = np.uint64(0)
            for k in range(1, min(n, end - first) + 1):
                gram += powers[n - k] * np.uint64(codes[first + k - 1])
                if k < shortest:
                    continue
                for t in range(len(taps)):
                    keys[entry] = np.uint64(origins[i] + first - begin - t) * powers[n] + gram
                    values[entry] = weights[k] * taps[t]
                    if with_spans:
                        spans[0, entry], spans[1, entry] = first - begin, first + k - begin
                    entry += 1
        key_offsets[i + 1] = entry


@jit
def _locality(left, right, weights, inner, outer):
    """``(sum over windows of (sum over its places of weight, if both have the same symbol) ** inner) ** outer``."""
    width = len(weights) // 2
    shared = min(len(left), len(right))
    total = 0.0
    for centre in range(shared):
        window = 0.0
        for place in range(max(centre - width, 0), min(centre + width + 1, shared)):
            if left[place] == right[place]:
                window += weights[place - centre + width]
        power = 1.0
        for _ in range(inner):
            power *= window
        total += power
    value = 1.0
    for _ in range(outer):
        value *= total
    return value


@jit
def locality_rows(codes, offsets, others, other_offsets, first, last, symmetric, weights, inner, outer, gram):
    """Fill rows `first` to ``last - 1`` of a Gram matrix; only up to the diagonal if it is symmetric."""
    for i in range(first, last):
        left = codes[offsets[i] : offsets[i + 1]]
        for j in range(i + 1 if symmetric else len(other_offsets) - 1):
            right = others[other_offsets[j] : other_offsets[j + 1]]
            gram[i, j] = _locality(left, right, weights, inner, outer)
