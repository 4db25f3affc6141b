"""Arrays that grow, a hash table of integers, and a sort that compiles fast."""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit


@jit
def doubled(array):
    """A copy with twice the room.

    Examples
    --------
    >>> doubled(np.array([1, 2], dtype=np.int32))[:2]
    array([1, 2], dtype=int32)
    """
    larger = np.empty(2 * len(array), dtype=array.dtype)
    for place in range(len(array)):  # compiles faster than a slice
        larger[place] = array[place]
    return larger


@jit
def find_place(keys, key):
    """Place of `key`, or the free place (-1) where it belongs; the number of places is a power of two.

    Examples
    --------
    >>> keys = np.full(4, -1)
    >>> place = find_place(keys, 7)
    >>> keys[place] = 7
    >>> find_place(keys, 7) == place
    True
    """
    mask = len(keys) - 1
    # Fibonacci hashing: neighbouring keys fall far apart.
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    place = np.int64(mixed >> np.uint64(33)) & mask
    while keys[place] != -1 and keys[place] != key:
        place = (place + 1) & mask
    return place


@jit
def rehashed(keys, values):
    """The table with twice the places.

    Examples
    --------
    >>> keys, values = rehashed(np.array([5, -1]), np.array([3, 0], dtype=np.int32))
    >>> int(values[find_place(keys, 5)])
    3
    """
    more_keys = np.full(2 * len(keys), -1, dtype=np.int64)
    more_values = np.empty(2 * len(keys), dtype=np.int32)
    for old in range(len(keys)):
        if keys[old] != -1:
            place = find_place(more_keys, keys[old])
            more_keys[place] = keys[old]
            more_values[place] = values[old]
    return more_keys, more_values


@jit
def sort_together(keys, values):
    """Sort keys, and move values with them, in place (Shell's sort; equal keys may change places).

    Examples
    --------
    >>> keys, values = np.array([3, 1, 2]), np.array([0.3, 0.1, 0.2])
    >>> sort_together(keys, values)
    >>> keys, values
    (array([1, 2, 3]), array([0.1, 0.2, 0.3]))
    """
    gap = 1
    while gap < len(keys) // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for right in range(gap, len(keys)):
            key, value = keys[right], values[right]
            place = right
            while place >= gap and keys[place - gap] > key:
                keys[place] = keys[place - gap]
                values[place] = values[place - gap]
                place -= gap
            keys[place] = key
            values[place] = value
        gap //= 3
