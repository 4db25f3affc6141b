"""Columns of n-grams that do not fit 64 bits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy  # which loads its sparse at first use: not to predict
from numpy.typing import NDArray

from weft.arrays import Floats
from weft.checkpoint.packing import pack_named
from weft.kernels.feature_map import Arrays, FeatureMap, MapState, Spans
from weft.kernels.grams.kernel import KEYS, UNKNOWN, GramKernel, restored_table
from weft.kernels.grams.long import HalfGrams, check_pairs, join_halves
from weft.kernels.grams.loops.emitting import emit_pairs
from weft.kernels.grams.loops.rows import find_columns
from weft.kernels.grams.numbering import hash_table
from weft.kernels.grams.rows import Occurrences, Work, known_rows, learn_rows
from weft.kernels.symbols import FORMS, CodedSequences, SymbolTable, as_coded
from weft.state_rules import check_arrays, check_state, choice, packed_symbols, whole


class LongGramMap(FeatureMap):
    """Pairs of halves numbered in sorted order.

    Parameters
    ----------
    kernel : GramKernel
        Says how long the n-grams are.
    table : SymbolTable
    halves : HalfGrams
    keys : ndarray of uint64
        Sorted pairs; column j is the n-gram ``keys[j]``.
    """

    def __init__(self, kernel: GramKernel, table: SymbolTable, halves: HalfGrams, keys: NDArray[np.uint64]) -> None:
        self.kernel = kernel
        self.table = table
        self.halves = halves
        self.keys = keys
        self.n_features = len(keys)
        self._hashed: tuple[NDArray[np.uint64], NDArray[np.int32]] | None = None

    @classmethod
    def learn(
        cls, kernel: GramKernel, table: SymbolTable, X: Sequence[Any]
    ) -> tuple[LongGramMap, scipy.sparse.csr_array]:
        """Learn the columns from `X`, and give its rows."""
        halves, numbered = HalfGrams.learn(table.encode(X), table.base, kernel._width(), kernel._n_threads())
        work = _pairs_to_count(numbered, kernel._width() - halves.length, halves)
        keys, rows = learn_rows(work, kernel._dtype(), kernel._n_threads())
        return cls(kernel, table, halves, keys), rows

    @classmethod
    def restore(cls, kernel: GramKernel, state: MapState) -> LongGramMap:
        """The map that `to_state` described."""
        settings, arrays = state
        check_state("n-grams", settings, {"form": choice(*FORMS), "n_levels": whole(1, 64)})
        names = [f"level_{i}" for i in range(settings["n_levels"])]
        rules = {name: replace(KEYS, shape=(f"n_{name}",)) for name in names}
        check_arrays("n-grams", arrays, {"keys": KEYS, **rules, **packed_symbols("symbols", "n_symbols")})
        table = restored_table(settings["form"], arrays)
        halves = HalfGrams(kernel._width(), [arrays[name] for name in names])
        halves.check_keys(table.base)
        check_pairs(arrays["keys"], halves.base)
        return cls(kernel, table, halves, arrays["keys"])

    def _work(self, X: Sequence[Any]) -> Work:
        numbered = self.halves.encode(self.table.encode(X), self.table.base)
        return _pairs_to_count(numbered, self.kernel._width() - self.halves.length, self.halves)

    def transform_with_norms(self, X: Sequence[Any]) -> tuple[scipy.sparse.csr_array, Floats]:
        """Rows of `X`, and ``K(x, x)`` for all x of `X`, dropped n-grams included."""
        X = as_coded(X)
        work, kernel = self._work(X), self.kernel
        rows, norms = known_rows(work, kernel._dtype(), kernel._n_threads(), self._table_of_keys(), self.n_features)
        return rows, kernel.diagonal(X) if work.has_unknown else norms

    def grown(self, X: Sequence[Any]) -> tuple[FeatureMap, NDArray[np.int64]]:
        """A map that has the n-grams of `X` too."""
        digits = join_halves(self.keys, self.kernel._width(), self.halves, self.table)
        return self.kernel._relearn(as_coded(X), self.table.decoded(digits))

    def _table_of_keys(self) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
        if self._hashed is None:
            self._hashed = hash_table(self.keys)
        return self._hashed

    def names(self) -> list[str]:
        """n-grams as text; tokens are separated by spaces."""
        digits = join_halves(self.keys, self.kernel._width(), self.halves, self.table)
        shown = ["", *map(str, self.table.symbols), UNKNOWN]
        between = "" if self.table.form == "characters" else " "
        return [between.join([shown[digit] for digit in row]) for row in digits.tolist()]

    def spans(self, sequence: Any) -> Spans:
        """Where the known n-grams occur in one string or list of tokens."""
        [sequence] = as_coded([sequence], "sequences")
        work = self._work([sequence])
        block = Occurrences.empty(int(work.capacities[0]), 1, weighted=False)
        work.emit(0, 1, block)
        columns = np.empty(len(block.keys), dtype=np.int32)
        find_columns(block.keys, *self._table_of_keys(), columns)
        start = np.flatnonzero(columns >= 0)
        return Spans(start, start + self.kernel._width(), columns[start].astype(np.int64))

    def to_state(self) -> MapState:
        """Settings that JSON can hold, and arrays."""
        arrays: Arrays = {"keys": self.keys, **pack_named("symbols", self.table.symbols)}
        levels = self.halves.levels()
        arrays |= {f"level_{i}": keys for i, keys in enumerate(levels)}
        return {"form": self.table.form, "n_levels": len(levels)}, arrays

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_hashed": None}


def _pairs_to_count(numbered: CodedSequences, step: int, halves: HalfGrams) -> Work:
    """The n-grams of sequences that are given by the numbers of their halves."""
    codes, offsets = numbered

    def emit(first: int, last: int, block: Occurrences) -> None:
        emit_pairs(codes, offsets[first : last + 1], step, halves.base, block.keys, block.offsets)

    unknown = bool((codes == halves.base - 1).any())
    return Work(np.maximum(np.diff(offsets) - step, 0), emit, False, unknown)
