"""W' as a minimal deterministic weighted automaton, updated in place (LK section 5.3 and its open question)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.errors import InputError
from weft.kernel_methods.svm.loops.minimal import (
    ARCS,
    ARCS_USED,
    FREE_STATE,
    NONE,
    ROOT,
    STATES,
    STATES_USED,
    AutomatonArrays,
    Frames,
    add_strings,
    dot_strings,
    insert_states,
    room_needed,
)
from weft.kernel_methods.svm.sparse_rows import check_columns
from weft.kernel_methods.svm.storages.keys import KeySet
from weft.kernel_methods.svm.storages.size import StorageSize

SMALLEST = 1 << 8


class MinimalStorage:
    """The smallest deterministic automaton that gives each key its weight, at any moment of the training.

    Parameters
    ----------
    keys : KeySet

    Examples
    --------
    Sums of these weights are zero in every state, and still three states are enough:

    >>> keys = KeySet.from_names(["aa", "ab", "ba", "bb"])
    >>> minimal = MinimalStorage(keys)
    >>> minimal.add(0, np.arange(4, dtype=np.uint32), np.array([1, -1, 2, -2], dtype=np.float32), 1.0)
    >>> minimal.weights(), minimal.size()[:2]
    (array([ 1., -1.,  2., -2.]), (3, 4))
    """

    def __init__(self, keys: KeySet) -> None:
        self._keys = keys
        depth, width = keys.longest + 1, keys.n_symbols
        self._frames = Frames(
            state=np.zeros(depth, dtype=np.int32),
            label=np.zeros(depth, dtype=np.uint32),
            scale=np.zeros(depth),
            final=np.zeros(depth),
            cursor=np.zeros(depth, dtype=np.int32),
            size=np.zeros(depth, dtype=np.int32),
            labels=np.zeros((depth, width), dtype=np.uint32),
            weights=np.zeros((depth, width)),
            targets=np.zeros((depth, width), dtype=np.int32),
        )
        self._path = np.zeros(depth, dtype=np.int32)
        self._products = np.zeros(depth)
        counters = np.zeros(6, dtype=np.int64)
        counters[[FREE_STATE, ROOT]] = NONE
        self._arrays = AutomatonArrays(
            **_state_arrays(SMALLEST),
            buckets=np.full(SMALLEST, NONE, dtype=np.int32),
            **_arc_arrays(SMALLEST),
            free_blocks=np.full(width + 1, NONE, dtype=np.int32),
            counters=counters,
            scale=np.zeros(1),
        )

    @property
    def n_symbols(self) -> int:
        """Size of the alphabet."""
        return self._keys.n_symbols

    @property
    def arrays(self) -> AutomatonArrays:
        """States and arcs, for those who walk them."""
        return self._arrays

    def dot(self, columns: NDArray[np.uint32], values: NDArray[Any]) -> float:
        """D(Phi o W')."""
        check_columns(columns, values, len(self._keys))
        keys = self._keys
        return float(dot_strings(self._arrays, keys.codes, keys.offsets, columns, values, self._path, self._products))

    def add(self, example: int, columns: NDArray[np.uint32], values: NDArray[Any], step: float) -> None:
        """W' + step Phi."""
        check_columns(columns, values, len(self._keys))
        if len(columns) > 1 and not (columns[1:] > columns[:-1]).all():
            raise InputError("columns given that do not rise; need them sorted, each once: use sorted_rows.")
        keys = self._keys
        self._make_room(*room_needed(self._arrays, keys.codes, keys.offsets, columns, self._path))
        add_strings(self._arrays, keys.codes, keys.offsets, columns, values, step, self._frames)

    def _make_room(self, states: int, arcs: int) -> None:
        arrays, counters = self._arrays, self._arrays.counters
        states, arcs = states + int(counters[STATES_USED]), arcs + int(counters[ARCS_USED])
        if states > len(arrays.begin):
            arrays = arrays._replace(**_grown(arrays, _state_arrays(max(states, 2 * len(arrays.begin)))))
            if len(arrays.begin) > len(arrays.buckets):
                n_buckets = 1 << (len(arrays.begin) - 1).bit_length()
                arrays = arrays._replace(buckets=np.full(n_buckets, NONE, dtype=np.int32))
                insert_states(arrays)
        if arcs > len(arrays.labels):
            arrays = arrays._replace(**_grown(arrays, _arc_arrays(max(arcs, 2 * len(arrays.labels)))))
        self._arrays = arrays

    def weights(self) -> NDArray[np.float64]:
        """One weight for each key."""
        one, place = np.ones(1, dtype=np.float32), np.arange(len(self._keys), dtype=np.uint32)
        return np.array([self.dot(place[i : i + 1], one) for i in range(len(place))])

    def size(self) -> StorageSize:
        """States and transitions that are alive, and the bytes of their arrays.

        A state takes 32 bytes (first arc, number of arcs, final weight, references, chain, signature) and 4 in the
        register, a transition 16 (label, weight, target).
        """
        counters = self._arrays.counters
        states, arcs = int(counters[STATES]), int(counters[ARCS])
        return StorageSize(states, arcs, 36 * states + 16 * arcs)


def _state_arrays(n: int) -> dict[str, NDArray[Any]]:
    return {
        "begin": np.zeros(n, dtype=np.int32),
        "size": np.zeros(n, dtype=np.int32),
        "final": np.zeros(n),
        "references": np.zeros(n, dtype=np.int32),
        "chain": np.full(n, NONE, dtype=np.int32),
        "signature": np.zeros(n, dtype=np.uint64),
    }


def _arc_arrays(n: int) -> dict[str, NDArray[Any]]:
    return {
        "labels": np.zeros(n, dtype=np.uint32),
        "weights": np.zeros(n),
        "targets": np.zeros(n, dtype=np.int32),
    }


def _grown(arrays: AutomatonArrays, larger: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    for name, array in larger.items():
        old = getattr(arrays, name)
        array[: len(old)] = old
    return larger
