"""W' as one vector of weights behind a minimal perfect hash: a minimal acyclic automaton of the keys that counts.

The keys are known before training. Their minimal automaton (all weights one) tells for each state how many keys end
below it; the sum of the counts that a walk passes by is the place of the key among all keys, sorted.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.core.vectors import product
from weft.kernel_methods.svm.loops.keys import count_keys, depth_first, find_keys
from weft.kernel_methods.svm.loops.minimal import NONE, ROOT
from weft.kernel_methods.svm.storages.keys import KeySet
from weft.kernel_methods.svm.storages.minimal import MinimalStorage
from weft.kernel_methods.svm.storages.size import StorageSize

KEYS_AT_ONCE = 10_000


class KeyAutomaton:
    """Numbers of keys by a minimal acyclic automaton.

    Parameters
    ----------
    keys : KeySet

    Examples
    --------
    >>> keys = KeySet.from_names(["aa", "ab", "ba", "bb", "bba"])
    >>> automaton = KeyAutomaton(keys)
    >>> automaton.index(keys.codes, keys.offsets)
    array([0, 1, 2, 3, 4])
    >>> automaton.size()[:2]
    (5, 7)
    """

    def __init__(self, keys: KeySet) -> None:
        minimal = MinimalStorage(keys)
        place = np.arange(len(keys), dtype=np.uint32)
        for start in range(0, len(keys), KEYS_AT_ONCE):
            part = place[start : start + KEYS_AT_ONCE]
            minimal.add(0, part, np.ones(len(part), dtype=np.float32), 1.0)
        self._freeze(minimal)

    def _freeze(self, minimal: MinimalStorage) -> None:
        """Number the states from the last to the first, and count the keys below each."""
        arrays = minimal.arrays
        order = depth_first(arrays.begin, arrays.size, arrays.targets, int(arrays.counters[ROOT]))
        number = np.full(len(arrays.begin), NONE, dtype=np.int64)
        number[order] = np.arange(len(order))
        sizes = arrays.size[order].astype(np.int64)
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        places = np.repeat(arrays.begin[order] - offsets[:-1], sizes) + np.arange(offsets[-1])
        targets = number[arrays.targets[places]]
        final = arrays.final[order] != 0.0
        # As few bytes as hold the numbers, in few combinations, since loops are compiled for each.
        few_symbols = minimal.n_symbols <= 1 << 8
        label_type = np.uint8 if few_symbols else np.uint32
        target_type = np.uint16 if few_symbols and len(order) <= 1 << 16 else np.uint32
        self._offsets, self._final = offsets.astype(np.int32), final
        self._labels, self._targets = arrays.labels[places].astype(label_type), targets.astype(target_type)
        self._below = count_keys(self._offsets, self._targets, final)

    def index(self, codes: NDArray[np.uint32], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
        """Place of each string among the keys, -1 for a string that is no key."""
        found = np.empty(len(offsets) - 1, dtype=np.int64)
        find_keys(self._offsets, self._labels, self._targets, self._below, self._final, codes, offsets, found)
        return found

    def size(self) -> StorageSize:
        """States, transitions and bytes."""
        arrays = (self._offsets, self._labels, self._targets, self._below, self._final)
        return StorageSize(len(self._final), len(self._labels), sum(array.nbytes for array in arrays))


class HashStorage:
    """One weight for each key, found through a `KeyAutomaton`: an array that brings its own index along.

    Parameters
    ----------
    keys : KeySet

    Examples
    --------
    >>> keys = KeySet.from_names(["aa", "ab", "ba"])
    >>> storage = HashStorage(keys)
    >>> storage.add(0, np.array([1, 2], dtype=np.uint32), np.array([1.0, 3.0]), 0.5)
    >>> storage.weights(), storage.size()[:2]
    (array([0. , 0.5, 1.5]), (4, 5))
    """

    def __init__(self, keys: KeySet) -> None:
        self.automaton = KeyAutomaton(keys)
        self._keys = keys
        self._weights = np.zeros(len(keys))

    def _places(self, columns: NDArray[np.uint32]) -> NDArray[np.int64]:
        """Walk the keys through the automaton."""
        begin, end = self._keys.offsets[columns], self._keys.offsets[columns + np.uint32(1)]
        offsets = np.concatenate([[0], np.cumsum(end - begin)])
        places = np.repeat(begin - offsets[:-1], end - begin) + np.arange(offsets[-1])
        return self.automaton.index(self._keys.codes[places], offsets)

    def dot(self, columns: NDArray[np.uint32], values: NDArray[Any]) -> float:
        """D(Phi o W')."""
        return product(values.astype(np.float64), self._weights[self._places(columns)])

    def add(self, example: int, columns: NDArray[np.uint32], values: NDArray[Any], step: float) -> None:
        """W' + step Phi."""
        self._weights[self._places(columns)] += step * values.astype(np.float64)

    def weights(self) -> NDArray[np.float64]:
        """One weight for each key."""
        return self._weights.copy()

    def size(self) -> StorageSize:
        """The automaton, and 8 bytes for each key."""
        size = self.automaton.size()
        return size._replace(bytes=size.bytes + self._weights.nbytes)
