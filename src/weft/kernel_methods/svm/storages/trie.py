"""W' as a weighted trie (LK section 5.2)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.kernel_methods.svm.loops.trie import EMPTY, add_keys, dot_keys, move_slots
from weft.kernel_methods.svm.sparse_rows import check_columns
from weft.kernel_methods.svm.storages.keys import KeySet
from weft.kernel_methods.svm.storages.size import StorageSize

SMALLEST = 1 << 10


class TrieStorage:
    """A trie that grows as strings come; one weight on each node.

    Parameters
    ----------
    keys : KeySet

    Examples
    --------
    >>> keys = KeySet.from_names(["aa", "ab", "bb"])
    >>> trie = TrieStorage(keys)
    >>> trie.add(0, np.array([0, 2], dtype=np.uint32), np.array([1, 3], dtype=np.float32), 0.5)
    >>> trie.weights(), trie.size()[:2]
    (array([0.5, 0. , 1.5]), (5, 4))
    """

    def __init__(self, keys: KeySet) -> None:
        self._keys = keys
        self._slots = np.full(SMALLEST, EMPTY, dtype=np.uint64)
        self._children = np.zeros(SMALLEST, dtype=np.int32)
        self._weights = np.zeros(SMALLEST)
        self._n_nodes = 1
        self._longest = keys.longest  # kept: it is a look at all keys, and an update must not depend on their number
        self._path = np.zeros(self._longest + 1, dtype=np.int64)

    def dot(self, columns: NDArray[np.uint32], values: NDArray[Any]) -> float:
        """D(Phi o W')."""
        check_columns(columns, values, len(self._keys))
        keys = self._keys
        return float(
            dot_keys(self._slots, self._children, self._weights, keys.codes, keys.offsets, columns, values, self._path)
        )

    def add(self, example: int, columns: NDArray[np.uint32], values: NDArray[Any], step: float) -> None:
        """W' + step Phi."""
        check_columns(columns, values, len(self._keys))
        self._make_room(len(columns) * self._longest)
        self._n_nodes = add_keys(
            self._slots,
            self._children,
            self._weights,
            self._n_nodes,
            self._keys.codes,
            self._keys.offsets,
            columns,
            values,
            step,
            self._path,
        )

    def _make_room(self, more: int) -> None:
        """Keep the table at most three quarters full."""
        needed = min(self._n_nodes + more, len(self._keys.codes) + 1)
        if needed > len(self._weights):
            grown = np.zeros(max(needed, min(2 * len(self._weights), len(self._keys.codes) + 1)))
            grown[: len(self._weights)] = self._weights
            self._weights = grown
        if 4 * needed > 3 * len(self._slots):
            n_slots = len(self._slots)
            while 4 * needed > 3 * n_slots:
                n_slots *= 2
            slots, children = np.full(n_slots, EMPTY, dtype=np.uint64), np.zeros(n_slots, dtype=np.int32)
            move_slots(self._slots, self._children, slots, children)
            self._slots, self._children = slots, children

    def weights(self) -> NDArray[np.float64]:
        """One weight for each key."""
        keys, one = self._keys, np.ones(1, dtype=np.float32)
        place = np.arange(len(keys), dtype=np.uint32)
        return np.array([self.dot(place[i : i + 1], one) for i in range(len(keys))])

    def size(self) -> StorageSize:
        """Nodes, steps between them, and bytes of the used part of the arrays at a load of three quarters.

        A step takes 12 bytes (8 for the node and the symbol it begins with, 4 for the node it leads to), 16 in a table
        that is three quarters full, and a node 8 for its weight.
        """
        steps = self._n_nodes - 1
        return StorageSize(self._n_nodes, steps, 16 * steps + 8 * self._n_nodes)
