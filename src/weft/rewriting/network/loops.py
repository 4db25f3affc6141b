"""Compiled loops of a gated memory that is read along every sequence, in both directions."""

from __future__ import annotations

from weft.core.jit import jit


@jit
def remember(offsets, keep, new, memory, n_forward):
    """``memory[t] = keep[t] * memory[t - 1] + (1 - keep[t]) * new[t]``, zero before the first position.

    Columns after the first `n_forward` are read from the end to the beginning.
    """
    n = keep.shape[1]
    for i in range(len(offsets) - 1):
        begin, end = offsets[i], offsets[i + 1]
        for c in range(n_forward):
            memory[begin, c] = (1 - keep[begin, c]) * new[begin, c]
        for t in range(begin + 1, end):
            for c in range(n_forward):
                memory[t, c] = keep[t, c] * memory[t - 1, c] + (1 - keep[t, c]) * new[t, c]
        for c in range(n_forward, n):
            memory[end - 1, c] = (1 - keep[end - 1, c]) * new[end - 1, c]
        for t in range(end - 2, begin - 1, -1):
            for c in range(n_forward, n):
                memory[t, c] = keep[t, c] * memory[t + 1, c] + (1 - keep[t, c]) * new[t, c]


@jit
def remember_backwards(offsets, keep, new, memory, slope, keep_slope, new_slope, n_forward):
    """Derivatives by `keep` and `new` from those by `memory`; `slope` is used up: it gets what later positions add."""
    n = keep.shape[1]
    for i in range(len(offsets) - 1):
        begin, end = offsets[i], offsets[i + 1]
        for t in range(end - 1, begin - 1, -1):
            for c in range(n_forward):
                before = memory[t - 1, c] if t > begin else 0 * memory[t, c]
                new_slope[t, c] = slope[t, c] * (1 - keep[t, c])
                keep_slope[t, c] = slope[t, c] * (before - new[t, c])
                if t > begin:
                    slope[t - 1, c] += slope[t, c] * keep[t, c]
        for t in range(begin, end):
            for c in range(n_forward, n):
                before = memory[t + 1, c] if t < end - 1 else 0 * memory[t, c]
                new_slope[t, c] = slope[t, c] * (1 - keep[t, c])
                keep_slope[t, c] = slope[t, c] * (before - new[t, c])
                if t < end - 1:
                    slope[t + 1, c] += slope[t, c] * keep[t, c]
