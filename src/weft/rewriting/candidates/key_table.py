"""Tables that tell the number of a key: open addressing, built here and read by compiled loops.

Building one takes a few passes over all keys at once, so that a model is ready without compiled code.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weft.arrays import Ids, Integers
from weft.errors import InputError

FREE = -1
"""The key of a place that none has taken."""
MOST_PASSES = 1000
"""Places that a key may pass: tens happen, more are the work of somebody who wants the search to take for ever."""


def slot_of(key: Any, mask: Any) -> Any:
    """Where to look for a key first; the next places follow, round the end of the table."""
    mixed = key * np.int64(-7046029254386353131)
    return (mixed ^ (mixed >> np.int64(29))) & mask


def key_table(keys: Integers, first: int = 0, size: int | None = None) -> tuple[Integers, Ids]:
    """Keys, which are not negative, and their numbers from `first` on; half of the places or more stay free.

    Examples
    --------
    >>> table, numbers = key_table(np.array([7, 3, 9]), first=10)
    >>> sorted((int(table[place]), int(numbers[place])) for place in np.flatnonzero(table != FREE))
    [(3, 11), (7, 10), (9, 12)]
    """
    size = size or 1 << max(4, int(2 * len(keys)).bit_length())
    table, numbers = np.full(size, FREE, dtype=np.int64), np.empty(size, dtype=np.int32)
    left = np.arange(len(keys))
    places = slot_of(keys, np.int64(size - 1))
    for _ in range(MOST_PASSES):
        if not len(left):
            return table, numbers
        # Of keys that want one free place the first takes it (the last that is written stays), all others go on: a
        # key passes a place only if that is taken, which is what finding it again relies on.
        free = table[places] == FREE
        numbers[places[free][::-1]] = first + left[free][::-1]
        placed = free & (numbers[places] == first + left)
        table[places[placed]] = keys[left[placed]]
        left, places = left[~placed], (places[~placed] + 1) & (size - 1)
    raise InputError(f"{len(left)} keys of contexts crowd at one place; no training makes such: learn the model anew")
