"""How W' = sum_i alpha_i y_i Phi_i is kept while an SVM is trained (LK section 5): five ways, one result."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats
from weft.errors import InputError
from weft.kernel_methods.svm.loops import arrays as arrays_loops
from weft.kernel_methods.svm.loops.descent import weighted_sum
from weft.kernel_methods.svm.sparse_rows import SparseRows, check_columns
from weft.kernel_methods.svm.storages.hash import HashStorage
from weft.kernel_methods.svm.storages.keys import KeySet
from weft.kernel_methods.svm.storages.minimal import MinimalStorage
from weft.kernel_methods.svm.storages.size import StorageSize
from weft.kernel_methods.svm.storages.trie import TrieStorage

__all__ = [
    "BASE",
    "STORAGES",
    "ArrayStorage",
    "NaiveStorage",
    "StorageSize",
    "WeightStorage",
    "new_storage",
    "sorted_rows",
]


BASE = -1
"""In place of an example: what examples of an earlier day have added."""

STORAGES = ("array", "trie", "minimal", "naive", "hash")


class WeightStorage(Protocol):
    """W' as an example sees it: columns are places of keys in sorted order, and come sorted."""

    def dot(self, columns: NDArray[np.uint32], values: NDArray[Any]) -> float:
        """D(Phi o W'), LK (2)."""
        ...

    def add(self, example: int, columns: NDArray[np.uint32], values: NDArray[Any], step: float) -> None:
        """W' + step Phi, LK (3)."""
        ...

    def weights(self) -> Floats:
        """One weight for each key."""
        ...

    def size(self) -> StorageSize:
        """States, transitions and bytes."""
        ...


def sorted_rows(matrix: Any, keys: KeySet) -> SparseRows:
    """Rows with the places of keys as columns, in their order.

    Examples
    --------
    >>> from scipy.sparse import csr_matrix
    >>> sorted_rows(csr_matrix([[1.0, 2.0]]), KeySet.from_names(["b", "a"])).values
    array([2., 1.], dtype=float32)
    """
    ranked = type(matrix)((matrix.data, keys.rank[matrix.indices].astype(np.int32), matrix.indptr), shape=matrix.shape)
    ranked.sort_indices()
    return SparseRows.from_matrix(ranked)


def new_storage(kind: str, keys: KeySet, rows: SparseRows) -> WeightStorage:
    """An empty W' of the given kind.

    Parameters
    ----------
    kind : {"array", "trie", "minimal", "naive", "hash"}
    keys : KeySet
    rows : SparseRows
        Examples in the order of `keys`, see `sorted_rows`.

    Examples
    --------
    >>> from scipy.sparse import csr_matrix
    >>> keys = KeySet.from_names(["aa", "ab", "bb"])
    >>> rows = sorted_rows(csr_matrix([[1.0, 2.0, 0.0]]), keys)
    >>> storage = new_storage("minimal", keys, rows)
    >>> storage.add(0, rows.columns, rows.values, 0.5)
    >>> storage.weights(), storage.size()[:2]
    (array([0.5, 1. , 0. ]), (3, 3))
    """
    if kind == "array":
        return ArrayStorage(len(keys))
    if kind == "naive":
        return NaiveStorage(rows)
    if kind == "trie":
        return TrieStorage(keys)
    if kind == "minimal":
        return MinimalStorage(keys)
    if kind == "hash":
        return HashStorage(keys)
    raise InputError(f"storage is {kind!r}; use one of {', '.join(map(repr, STORAGES))}.")


class ArrayStorage:
    """One weight for each column: fastest, since columns were numbered before training."""

    def __init__(self, n_keys: int) -> None:
        self._weights = np.zeros(n_keys)

    def dot(self, columns: NDArray[np.uint32], values: NDArray[Any]) -> float:
        """D(Phi o W')."""
        check_columns(columns, values, len(self._weights))
        return float(arrays_loops.dot(columns, values, self._weights))

    def add(self, example: int, columns: NDArray[np.uint32], values: NDArray[Any], step: float) -> None:
        """W' + step Phi."""
        check_columns(columns, values, len(self._weights))
        arrays_loops.add(columns, values, step, self._weights)

    def weights(self) -> Floats:
        """One weight for each key."""
        return self._weights.copy()

    def size(self) -> StorageSize:
        """Bytes of the vector; the numbering of the columns is not in it."""
        return StorageSize(0, 0, self._weights.nbytes)


class NaiveStorage:
    """W' as the sum it is (LK section 5.1): an update is one number, a gradient goes through all examples."""

    def __init__(self, rows: SparseRows) -> None:
        self._rows = rows
        self._coefficients = np.zeros(rows.n_rows)
        self._work = np.zeros(rows.n_columns)
        self._base = np.zeros(0)

    def dot(self, columns: NDArray[np.uint32], values: NDArray[Any]) -> float:
        """D(Phi o W')."""
        check_columns(columns, values, self._rows.n_columns)
        rows = self._rows
        total = float(
            arrays_loops.dot_all(
                rows.indptr, rows.columns, rows.values, self._coefficients, columns, values, self._work
            )
        )
        return total + (float(arrays_loops.dot(columns, values, self._base)) if len(self._base) else 0.0)

    def add(self, example: int, columns: NDArray[np.uint32], values: NDArray[Any], step: float) -> None:
        """W' + step Phi."""
        if example == BASE:
            check_columns(columns, values, self._rows.n_columns)
            self._base = np.zeros(self._rows.n_columns)
            arrays_loops.add(columns, values, step, self._base)
            return
        self._coefficients[example] += step

    def weights(self) -> Floats:
        """One weight for each key."""
        weights = self._base.copy() if len(self._base) else np.zeros(self._rows.n_columns)
        rows = self._rows
        weighted_sum(rows.indptr, rows.columns, rows.values, self._coefficients, weights)
        return weights

    def size(self) -> StorageSize:
        """Bytes of the coefficients; the examples are there anyway."""
        return StorageSize(0, 0, self._coefficients.nbytes)
