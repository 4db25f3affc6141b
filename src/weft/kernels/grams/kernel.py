"""Kernels whose features are grams: short rows of symbols, packed into one 64-bit number each."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Any

import numpy as np
import scipy  # which loads its sparse at first use: not to predict
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from weft.automata import Automaton
from weft.checkpoint.packing import pack_named, unpack_named
from weft.core.threads import check_jobs, effective_jobs
from weft.errors import InputError, ModelFileError
from weft.kernels.base import LEARNED, Floats, Kernel
from weft.kernels.feature_map import Arrays, FeatureMap, MapState, Spans
from weft.kernels.gram_matrix import squared_norms
from weft.kernels.grams.lattices import occurrences_in_lattices
from weft.kernels.grams.long import check_keys, digits_of, fits
from weft.kernels.grams.loops.rows import find_columns
from weft.kernels.grams.numbering import hash_table
from weft.kernels.grams.rows import Occurrences, Work, known_row, known_rows, learn_rows, row_norms, take_logarithms
from weft.kernels.grams.weighting import CountMap, WeightedGramMap
from weft.kernels.symbols import FORMS, SymbolTable, as_coded, form_of
from weft.state_rules import check_arrays, check_state, choice, integers, packed_symbols

WILDCARD, UNKNOWN = "·", "?"
"""How names show a position that may hold any symbol, and one that holds a symbol unseen in training."""


class GramKernel(Kernel):
    """A kernel that sums over grams; subclasses say how wide these are and where they occur."""

    idf: bool
    sublinear: bool
    dtype: str
    n_jobs: int | None

    weighted = False
    """Whether occurrences have weights; else each counts 1."""

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

    def _capacities(self, lengths: NDArray[np.int64], n_symbols: int) -> NDArray[np.int64]:
        """Occurrences, at the most, in a sequence of each length."""
        raise NotImplementedError

    def _emit(
        self, codes: NDArray[np.int32], offsets: NDArray[np.int64], table: SymbolTable, block: Occurrences
    ) -> None:
        """Write the occurrences of some sequences."""
        raise NotImplementedError

    def _spans(
        self, codes: NDArray[np.int32], table: SymbolTable, n_occurrences: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Start and stop of each occurrence in one sequence, in the order of `_emit`."""
        # Each window as a sequence of its own shows how many occurrences it has.
        width = self._width()
        windows = sliding_window_view(codes, width) if len(codes) >= width else np.empty((0, width), np.int32)
        block = Occurrences.empty(n_occurrences, len(windows), self.weighted)
        self._emit(np.ascontiguousarray(windows).ravel(), np.arange(len(windows) + 1) * width, table, block)
        start = np.repeat(np.arange(len(windows)), np.diff(block.offsets))
        return start, start + width

    def _lattice_occurrences(self, X: Sequence[Automaton], table: SymbolTable) -> Occurrences:
        """All grams of the lattices with their expected numbers."""
        width = self._width()
        found = occurrences_in_lattices(X, table, width)
        codes = digits_of(found.keys, width, table.base).astype(np.int32)
        room = int(self._capacities(np.full(len(codes), width), len(table)).sum())
        block = Occurrences.empty(room, len(codes), weighted=False)
        self._emit(codes.ravel(), np.arange(len(codes) + 1) * width, table, block)
        weights = np.repeat(found.weights, np.diff(block.offsets))
        return Occurrences(block.keys[: len(weights)], weights, block.offsets[found.offsets])

    def _table(self, X: Sequence[Any]) -> SymbolTable:
        """The symbols that grams can have."""
        return SymbolTable.learn(X)

    @property
    def learns_weights(self) -> bool:
        """With `idf`, values depend on the training data."""
        return bool(self.idf)

    def _counting(self) -> GramKernel:
        """The same kernel without weights."""
        return type(self)(**{**self.get_params(deep=False), "idf": False, "sublinear": False})

    def feature_map(self, X: Sequence[Any]) -> tuple[FeatureMap, scipy.sparse.csr_array]:
        """Learn the columns from `X`, and give its rows."""
        self._check()
        self._check_weights()
        X = as_coded(X)
        if self.idf or self.sublinear:
            return WeightedGramMap.learn(self._counting(), X, self.sublinear, self.idf)
        return self._count(X)

    def _check_weights(self) -> None:
        for name in ("idf", "sublinear"):
            if not isinstance(value := getattr(self, name), bool | np.bool_):
                raise InputError(f"{name}={value!r} given; need True or False.")

    def _count(self, X: Sequence[Any]) -> tuple[FeatureMap, scipy.sparse.csr_array]:
        """What `feature_map` gives without weights."""
        return self._learn(X, self._table(X))

    def _learn(self, X: Sequence[Any], table: SymbolTable) -> tuple[FeatureMap, scipy.sparse.csr_array]:
        keys, rows = learn_rows(self._work(X, table), self._dtype(), self._n_threads())
        return self._map(table, keys), rows

    def _map(self, table: SymbolTable, keys: NDArray[np.uint64]) -> GramFeatureMap:
        """Columns of some grams."""
        return GramFeatureMap(self, table, keys)

    def _n_keys(self, table: SymbolTable) -> int:
        """All keys are below this number."""
        return int(table.base ** self._width())

    def _relearn(self, X: Sequence[Any], grams: list[Any]) -> tuple[FeatureMap, NDArray[np.int64]]:
        """Columns of `X` and of grams learned before, which no longer fit 64 bits, and the places of the latter."""
        raise InputError(
            f"{type(self).__name__} has seen so many symbols that grams of {self._width()} no longer fit 64 bits; need "
            "fewer: take shorter grams."
        )

    def restore_feature_map(self, state: MapState) -> FeatureMap:
        """Make the map again that `FeatureMap.to_state` described."""
        if self.idf or self.sublinear:
            return WeightedGramMap.restore(self._counting(), state, self.sublinear, self.idf)
        return self._restored(state)

    def _restored(self, state: MapState) -> FeatureMap:
        """What `restore_feature_map` gives without weights."""
        settings, arrays = state
        check_state("n-grams", settings, {"form": choice(*FORMS)})
        check_arrays("n-grams", arrays, {"keys": KEYS, **packed_symbols("symbols", "n_symbols")})
        table = restored_table(settings["form"], arrays)
        check_width(table, self._width())
        check_keys(arrays["keys"], self._n_keys(table))
        return self._map(table, arrays["keys"])

    def diagonal(self, X: Sequence[Any]) -> Floats:
        """``K(x, x)`` for all x of `X`."""
        self._check()
        X = as_coded(X)
        if self.idf:
            raise InputError(LEARNED)
        return squared_norms(self.features(X)) if self.sublinear else self._count_norms(X)

    def _count_norms(self, X: Sequence[Any]) -> Floats:
        """What `diagonal` gives without weights."""
        return row_norms(self._work(X, self._table(X)), self._n_threads())

    def _dtype(self) -> np.dtype[Any]:
        if self.dtype not in ("float64", "float32"):
            raise InputError(f"dtype={self.dtype!r} given; need 'float64' or 'float32'.")
        return np.dtype(self.dtype)

    def _n_threads(self) -> int:
        return effective_jobs(self.n_jobs)

    def _work(self, X: Sequence[Any], table: SymbolTable) -> Work:
        """What is to be counted."""
        check_width(table, self._width())
        if form_of(X) == "automata":
            unknown = any(table.number(symbol) == table.unknown for lattice in X for symbol in lattice.symbols[1:])
            return Work.of_occurrences(self._lattice_occurrences(X, table), unknown)
        codes, offsets = table.encode(X)

        def emit(first: int, last: int, block: Occurrences) -> None:
            self._emit(codes, offsets[first : last + 1], table, block)

        unknown = bool(np.count_nonzero(codes == table.unknown))
        return Work(self._capacities(offsets[1:] - offsets[:-1], len(table)), emit, self.weighted, unknown)


KEYS = integers("n_features", dtype="uint64", order="distinct")
"""What the sorted keys of grams must be in a model file."""


def restored_table(form: str, arrays: Arrays) -> SymbolTable:
    """The symbols that a model file holds."""
    symbols = unpack_named("symbols", arrays)
    if len(set(symbols)) != len(symbols):
        raise ModelFileError("n-grams have the same symbol twice")
    return SymbolTable(form, symbols)


def check_width(table: SymbolTable, width: int) -> None:
    """Refuse grams that are not all different numbers of 64 bits."""
    if not fits(table.base, width):
        raise InputError(
            f"grams of {width} out of {len(table)} symbols given; need at most 2^64 possible ones: "
            "take shorter grams, or fewer symbols."
        )


def renumbered(keys: NDArray[np.uint64], width: int, table: SymbolTable, larger: SymbolTable) -> NDArray[np.uint64]:
    """Keys of the same grams with another table, which has all symbols of the first.

    Examples
    --------
    >>> renumbered(np.array([6], dtype=np.uint64), 2, SymbolTable.learn(["bc"]), SymbolTable.learn(["abc"]))
    array([13], dtype=uint64)
    """
    number = np.array([0, *map(larger.number, table.symbols)], dtype=np.uint64)
    powers = np.uint64(larger.base) ** np.arange(width, dtype=np.uint64)[::-1]
    return np.asarray((number[digits_of(keys, width, table.base)] * powers).sum(axis=1, dtype=np.uint64))


class GramFeatureMap(CountMap):
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
        self._hashed: tuple[NDArray[np.uint64], NDArray[np.int32]] | None = None

    def transform_with_norms(self, X: Sequence[Any]) -> tuple[scipy.sparse.csr_array, Floats]:
        """Rows of `X`, and ``K(x, x)`` for all x of `X`, dropped grams included."""
        return self.counted(as_coded(X), False)

    def counted(self, X: list[Any], logarithms: bool) -> tuple[scipy.sparse.csr_array, Floats]:
        """Rows of coded sequences, and squared lengths, dropped grams included."""
        kernel = self.kernel
        work = kernel._work(X, self.table)
        table = self._table_of_keys()
        rows, norms = known_rows(work, kernel._dtype(), kernel._n_threads(), table, self.n_features, logarithms)
        return rows, self._all_norms(X, logarithms) if work.has_unknown else norms

    def one_row(self, x: Any) -> tuple[Floats, NDArray[np.int32], float] | None:
        """Values and columns of the row of one sequence, and ``K(x, x)``."""
        return self.counted_row(as_coded([x]), False)

    def counted_row(self, X: list[Any], logarithms: bool) -> tuple[Floats, NDArray[np.int32], float]:
        """Values and columns of the row of a single coded sequence, and its squared length, as in `counted`."""
        kernel = self.kernel
        check_jobs(kernel.n_jobs)
        work = kernel._work(X, self.table)
        values, columns, norm = known_row(work, kernel._dtype(), self._table_of_keys(), logarithms)
        return values, columns, float(self._all_norms(X, logarithms)[0]) if work.has_unknown else norm

    def _all_norms(self, X: list[Any], logarithms: bool) -> Floats:
        """Squared lengths by a table of symbols of their own.

        All unknown symbols have one number, which would make two of them equal.
        """
        if not logarithms:
            return self.kernel.diagonal(X)
        rows = self.kernel.features(X)
        take_logarithms(rows.data)
        return squared_norms(rows)

    def grown(self, X: Sequence[Any]) -> tuple[FeatureMap, NDArray[np.int64]]:
        """A map that has the grams of `X` too; new symbols change the numbers of all grams."""
        kernel, X, table, own = self.kernel, as_coded(X), self.table, self.keys
        if kernel._work(X, table).has_unknown:
            table = table.joined(kernel._table(X))
            if not fits(table.base, kernel._width()):
                return kernel._relearn(X, self.table.decoded(digits_of(own, kernel._width(), self.table.base)))
            own = self._renumbered(table)
        found, _ = learn_rows(kernel._work(X, table), kernel._dtype(), kernel._n_threads())
        keys = np.union1d(own, found)
        return kernel._map(table, keys), np.searchsorted(keys, own)

    def _renumbered(self, table: SymbolTable) -> NDArray[np.uint64]:
        """The keys that the grams have with a larger table of symbols."""
        return renumbered(self.keys, self.kernel._width(), self.table, table)

    def selected(self, columns: NDArray[np.int64]) -> FeatureMap:
        """A map of some of the grams only."""
        return self.kernel._map(self.table, self.keys[columns])

    def _table_of_keys(self) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
        """Hash table of the keys, made when first asked for."""
        if self._hashed is None:
            self._hashed = hash_table(self.keys)
        return self._hashed

    def symbols(self) -> Set[Any] | None:
        """Symbols of the training data."""
        return self.table.known

    def names(self) -> list[str]:
        """Grams as text; tokens are separated by spaces, and ``·`` is any symbol."""
        digits = digits_of(self.keys, self.kernel._width(), self.table.base)
        shown = [WILDCARD, *map(str, self.table.symbols), UNKNOWN]
        between = "" if self.table.form == "characters" else " "
        return [between.join([shown[digit] for digit in row]) for row in digits.tolist()]

    def spans(self, sequence: Any) -> Spans:
        """Where the known grams occur in one string or list of tokens."""
        [sequence] = as_coded([sequence], "sequences")
        work = self.kernel._work([sequence], self.table)
        block = Occurrences.empty(int(work.capacities[0]), 1, work.weighted)
        work.emit(0, 1, block)
        keys = block.keys[: block.offsets[1]]
        columns = np.empty(len(keys), dtype=np.int32)
        find_columns(keys, *self._table_of_keys(), columns)
        known = columns >= 0
        codes, _ = self.table.encode([sequence])
        start, stop = self.kernel._spans(codes, self.table, len(block.keys))
        return Spans(start[known], stop[known], columns[known].astype(np.int64))

    def to_state(self) -> MapState:
        """Settings that JSON can hold, and arrays."""
        return {"form": self.table.form}, {"keys": self.keys, **pack_named("symbols", self.table.symbols)}

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_hashed": None}
