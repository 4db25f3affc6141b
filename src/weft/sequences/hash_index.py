"""Numbers of many strings at once, by their hashes.

Looking up a string in a dictionary of several hundred thousand touches five places in memory that are far apart: the
index, the entry, the key's object, the value's object, the string. Python has the hash of a string at hand, so this
index keeps only hashes and numbers, in one array, and is searched by compiled code: a corpus is encoded twice as fast.

Two strings with the same 64-bit hash would be taken for one. Among the strings of the index that is ruled out when it
is built; that a foreign string hits one of 10^6 known hashes has a chance of 10^6 / 2^64, about 5e-14.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.core.jit import jit


@jit
def _slot(hashed: Any, mask: Any) -> Any:
    """First place to look: high and low bits of the hash together."""
    return (hashed ^ (hashed >> 32)) & mask


@jit
def _fill(hashes: Any, keys: Any, numbers: Any) -> bool:
    """Put every hash into the table; False if two are equal."""
    mask = len(keys) - 1
    for i in range(len(hashes)):
        place = _slot(hashes[i], mask)
        while numbers[place] >= 0:
            if keys[place] == hashes[i]:
                return False
            place = (place + 1) & mask
        keys[place] = hashes[i]
        numbers[place] = i
    return True


@jit
def _find(hashes: Any, keys: Any, numbers: Any, found: Any) -> None:
    """Number of every hash, -1 for those that the table lacks."""
    mask = len(keys) - 1
    for i in range(len(hashes)):
        place = _slot(hashes[i], mask)
        while numbers[place] >= 0 and keys[place] != hashes[i]:
            place = (place + 1) & mask
        found[i] = numbers[place]


class HashIndex:
    """Finds the numbers of strings; see the module for what it trusts.

    Hashes of strings differ from process to process, so an index must never be saved.

    Parameters
    ----------
    keys, numbers : ndarrays of one length, a power of two
        Hashes and numbers by open addressing; use `build`.

    Examples
    --------
    >>> HashIndex.build(["a", "b"]).find(["b", "a", "c"])
    array([ 1,  0, -1], dtype=int32)
    """

    def __init__(self, keys: NDArray[np.int64], numbers: NDArray[np.int32]) -> None:
        self._keys = keys
        self._numbers = numbers

    @classmethod
    def build(cls, symbols: Sequence[Hashable]) -> HashIndex | None:
        """Index of the symbols; None if one is no string or two have the same hash."""
        if any(type(symbol) is not str for symbol in symbols):
            return None
        size = 1 << max(4, (2 * len(symbols)).bit_length())
        keys, numbers = np.zeros(size, dtype=np.int64), np.full(size, -1, dtype=np.int32)
        return cls(keys, numbers) if _fill(_hashes(symbols), keys, numbers) else None

    def find(self, symbols: Iterable[Hashable]) -> NDArray[np.int32]:
        """Numbers of the strings, -1 for unknown ones."""
        hashes = _hashes(symbols)
        found = np.empty(len(hashes), dtype=np.int32)
        _find(hashes, self._keys, self._numbers, found)
        return found


def _hashes(symbols: Iterable[Hashable]) -> NDArray[np.int64]:
    return np.fromiter(map(hash, symbols), dtype=np.int64)
