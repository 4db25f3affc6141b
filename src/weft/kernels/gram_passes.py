"""Compiled loops over the grams of sequences."""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit

__all__ = ["pack_grams"]


@jit
def pack_grams(codes, offsets, n, base, key_offsets, keys):
    """Write the key of every n-gram, sequence by sequence."""
    top = np.uint64(1)
    for _ in range(n - 1):
        top *= np.uint64(base)
    for i in range(len(offsets) - 1):
        begin, end, place = offsets[i], offsets[i + 1], key_offsets[i]
        key = np.uint64(0)
        for position in range(begin, end):
            if position - begin >= n:
                key -= top * np.uint64(codes[position - n])
            key = key * np.uint64(base) + np.uint64(codes[position])
            if position - begin >= n - 1:
                keys[place] = key
                place += 1
