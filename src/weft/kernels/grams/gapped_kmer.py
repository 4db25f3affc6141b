"""Gapped k-mers: windows of g symbols of which k are looked at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.core.checks import checked_number
from weft.errors import InputError
from weft.kernels.grams.kernel import GramKernel
from weft.kernels.grams.loops.emitting import emit_masked
from weft.kernels.grams.rows import Occurrences
from weft.kernels.symbols import SymbolTable


class GappedKMerKernel(GramKernel):
    """Common windows of g symbols up to ``g - k`` that may be anything: the kernel of gkm-SVM and FastSK.

    Every window gives ``C(g, k)`` features, one for each choice of the k positions that count. Two windows that
    differ in d places so share ``C(g - d, k)`` features: a mismatch kernel whose cost does not depend on the alphabet.

    Parameters
    ----------
    g : int
        Length of the windows.
    k : int
        Positions that count.
    reverse_complement : bool
        Take a window of DNA and its reverse complement for one, as binding sites lie on both strands.
    idf : bool
        Weigh each gram by ``1 + log((1 + n) / (1 + df))``, where df of the n training sequences have it; grams that
        training lacks count nothing.
    sublinear : bool
        Take ``1 + log(count)`` for each count.
    dtype : {"float64", "float32"}
        Type of the features.
    n_jobs : int
        Threads; -1 means all cores.

    Examples
    --------
    >>> mapped, rows = GappedKMerKernel(3, 2).feature_map(["GATT"])
    >>> mapped.names()
    ['·AT', '·TT', 'A·T', 'AT·', 'G·T', 'GA·']
    >>> GappedKMerKernel(3, 2).gram(["GATT"], ["GAT", "GCT"])
    array([[3., 1.]])
    """

    def __init__(
        self,
        g: int = 10,
        k: int = 6,
        *,
        reverse_complement: bool = False,
        idf: bool = False,
        sublinear: bool = False,
        dtype: str = "float64",
        n_jobs: int | None = -1,
    ) -> None:
        self.g = g
        self.k = k
        self.reverse_complement = reverse_complement
        self.idf = idf
        self.sublinear = sublinear
        self.dtype = dtype
        self.n_jobs = n_jobs

    def _check(self) -> None:
        checked_number("g", self.g)
        if checked_number("k", self.k) > self.g:
            raise InputError(f"k={self.k} is above g={self.g}; want k <= g: of g positions, k count.")

    def _table(self, X: Sequence[Any]) -> SymbolTable:
        table = SymbolTable.learn(X)
        if not self.reverse_complement:
            return table
        other_strand = set(map(_complement_in(table), table.symbols))
        return SymbolTable(table.form, sorted(other_strand.union(table.symbols)))

    def _width(self) -> int:
        return self.g

    def _capacities(self, lengths: NDArray[np.int64], n_symbols: int) -> NDArray[np.int64]:
        return np.maximum(lengths - self.g + 1, 0) * comb(self.g, self.k)

    def _emit(
        self, codes: NDArray[np.int32], offsets: NDArray[np.int64], table: SymbolTable, block: Occurrences
    ) -> None:
        positions = np.array(list(combinations(range(self.g), self.k)), dtype=np.int64)
        complements = _complements(table) if self.reverse_complement else np.empty(0, dtype=np.int64)
        emit_masked(codes, offsets, self.g, positions, complements, table.base, block.keys, block.offsets)


def _complements(table: SymbolTable) -> NDArray[np.int64]:
    """Number of the symbol on the other strand."""
    own = [table.number(other) for other in map(_complement_in(table), table.symbols)]
    return np.array([0, *own, table.unknown], dtype=np.int64)


def _complement_in(table: SymbolTable) -> Callable[[Any], Any]:
    """What pairs with a symbol; what has no complement, such as N, is its own."""
    pairs = dict(zip("ACGTUacgtu", "TGCAAtgcaa", strict=True))
    if "U" in table.symbols or "u" in table.symbols:
        pairs |= {"A": "U", "a": "u"}
    return lambda symbol: pairs.get(symbol, symbol)
