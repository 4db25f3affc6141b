"""Keys of features: strings in sorted order, as arrays that compiled loops walk through tries and automata."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from weft.errors import InputError


class KeySet(NamedTuple):
    """Distinct strings, sorted; key i is ``codes[offsets[i] : offsets[i + 1]]``.

    Attributes
    ----------
    codes : ndarray of uint32
        Symbols, numbered from 0 in sorted order.
    offsets : ndarray of int64 of shape (n_keys + 1,)
    n_symbols : int
    rank : ndarray of int64 of shape (n_keys,)
        Place of the i-th given string among the sorted ones.

    Examples
    --------
    >>> keys = KeySet.from_names(["ba", "ab", "aba"])
    >>> keys.codes, keys.offsets, keys.rank
    (array([0, 1, 0, 1, 0, 1, 0], dtype=uint32), array([0, 2, 5, 7]), array([2, 0, 1]))
    """

    codes: NDArray[np.uint32]
    offsets: NDArray[np.int64]
    n_symbols: int
    rank: NDArray[np.int64]

    @staticmethod
    def from_names(names: Sequence[str]) -> KeySet:
        """Sort the names of features; each may come once."""
        order = sorted(range(len(names)), key=names.__getitem__)
        for before, after in pairwise(order):
            if names[before] == names[after]:
                raise InputError(
                    f"two features are both called {names[after]!r}; automata need a name for each: "
                    "use storage='array', or kernels whose features differ."
                )
        joined = "".join(names[i] for i in order)
        points = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        symbols, codes = np.unique(points, return_inverse=True)
        offsets = np.zeros(len(names) + 1, dtype=np.int64)
        np.cumsum([len(names[i]) for i in order], out=offsets[1:])
        rank = np.empty(len(names), dtype=np.int64)
        rank[order] = np.arange(len(names))
        return KeySet(codes.astype(np.uint32), offsets, max(1, len(symbols)), rank)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def longest(self) -> int:
        """Length of the longest key."""
        return int(np.diff(self.offsets).max(initial=0))
