"""Kernels whose features are grams: short rows of symbols, packed into one 64-bit number each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from weft.checkpoint.packing import pack_symbols, unpack_symbols
from weft.errors import InputError
from weft.kernels.base import Kernel
from weft.kernels.feature_map import Arrays, FeatureMap, MapState, Spans
from weft.kernels.symbols import CodedSequences, SymbolTable

__all__ = ["GramFeatureMap", "GramKernel", "Occurrences"]

WILDCARD = "·"
"""How names show a position that may hold any symbol."""


class Occurrences(NamedTuple):
    """Grams of several sequences with repetitions; those of sequence i begin at ``offsets[i]``."""

    keys: NDArray[np.uint64]
    weights: NDArray[np.float64]
    offsets: NDArray[np.int64]


class GramKernel(Kernel):
    """A kernel that sums over grams of `_width` symbols; subclasses say where they occur."""

    @property
    def has_features(self) -> bool:
        """Grams are explicit features."""
        return True

    def _width(self) -> int:
        """Symbols in a gram."""
        raise NotImplementedError

    def _check(self) -> None:
        """Raise for parameters that make no sense."""
        raise NotImplementedError

    def _occurrences(self, coded: CodedSequences, base: int) -> Occurrences:
        """All grams of the sequences; gram ``s_1 .. s_w`` is the number with these digits to `base`."""
        raise NotImplementedError

    def _spans(self, codes: NDArray[np.int32], base: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Start, stop and key of each occurrence in one sequence."""
        raise NotImplementedError

    def feature_map(self, X: Sequence[Any]) -> tuple[FeatureMap, scipy.sparse.csr_array]:
        """Learn the columns from `X`, and give its rows."""
        self._check()
        table, coded = SymbolTable.learn(X)
        base = base_of(table, self._width())
        found = self._occurrences(coded, base)
        keys, columns = np.unique(found.keys, return_inverse=True)
        mapped = GramFeatureMap(self, table, keys)
        return mapped, _rows(columns, found, len(keys))

    def restore_feature_map(self, state: MapState) -> FeatureMap:
        """Make the map again that `FeatureMap.to_state` described."""
        settings, arrays = state
        symbols = unpack_symbols(*(arrays[name] for name in ("symbols", "symbol_offsets", "symbol_kinds")))
        return GramFeatureMap(self, SymbolTable(settings["form"], symbols), arrays["keys"])


def base_of(table: SymbolTable, width: int) -> int:
    """Number of digits that grams are written in: the symbols, one for all others, and zero."""
    base = len(table) + 2
    if base**width >= 2**64:
        raise InputError(
            f"grams of {width} out of {len(table)} symbols came; want at most 2^64 possible ones: "
            "take shorter grams, or fewer symbols."
        )
    return base


def _rows(columns: NDArray[Any], found: Occurrences, n_columns: int) -> scipy.sparse.csr_array:
    shape = (len(found.offsets) - 1, n_columns)
    rows = scipy.sparse.csr_array((found.weights, columns.astype(np.int32), found.offsets.copy()), shape=shape)
    rows.sum_duplicates()
    return rows


class GramFeatureMap(FeatureMap):
    """Grams numbered in sorted order.

    Parameters
    ----------
    kernel : GramKernel
    table : SymbolTable
    keys : ndarray of uint64
        Sorted; column j is the gram ``keys[j]``.
    """

    def __init__(self, kernel: GramKernel, table: SymbolTable, keys: NDArray[np.uint64]) -> None:
        self.kernel = kernel
        self.table = table
        self.keys = keys
        self.n_features = len(keys)
        self._base = base_of(table, kernel._width())

    def transform(self, X: Sequence[Any]) -> scipy.sparse.csr_array:
        """Rows of `X`; grams that training did not have are dropped."""
        found = self.kernel._occurrences(self.table.encode(X), self._base)
        columns, known = self._columns(found.keys)
        counts = np.concatenate([[0], np.cumsum(known)])
        kept = Occurrences(found.keys[known], found.weights[known], counts[found.offsets])
        return _rows(columns[known], kept, self.n_features)

    def _columns(self, keys: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Column of each key, and which keys have one."""
        if not self.n_features:
            return np.zeros(len(keys), dtype=np.int64), np.zeros(len(keys), dtype=bool)
        columns = np.minimum(np.searchsorted(self.keys, keys), self.n_features - 1)
        return columns, self.keys[columns] == keys

    def names(self) -> list[str]:
        """Grams as text; tokens are separated by spaces, and any symbol is ``·``."""
        shown = [WILDCARD, *map(str, self.table.symbols)]
        between = "" if self.table.form == "characters" else " "
        return [between.join([shown[digit] for digit in row]) for row in self.digits().tolist()]

    def digits(self) -> NDArray[np.int64]:
        """Numbers of the symbols of each gram, in rows; 0 is a position that may hold any symbol."""
        width, rest = self.kernel._width(), self.keys.copy()
        digits = np.empty((len(rest), width), dtype=np.int64)
        for position in range(width - 1, -1, -1):
            rest, digits[:, position] = np.divmod(rest, np.uint64(self._base))
        return digits

    def spans(self, sequence: Any) -> Spans:
        """Where the known grams occur in one string or list of tokens."""
        start, stop, keys = self.kernel._spans(self.table.encode([sequence]).codes, self._base)
        columns, known = self._columns(keys)
        return Spans(start[known], stop[known], columns[known])

    def to_state(self) -> MapState:
        """Settings that JSON can hold, and arrays."""
        data, offsets, kinds = pack_symbols(self.table.symbols)
        arrays: Arrays = {"keys": self.keys, "symbols": data, "symbol_offsets": offsets, "symbol_kinds": kinds}
        return {"form": self.table.form}, arrays
