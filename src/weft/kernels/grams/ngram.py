"""Kernels of contiguous n-grams (LK section 2.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy  # which loads its sparse at first use: not to predict
from numpy.typing import NDArray

from weft.core.checks import checked_number
from weft.errors import InputError
from weft.kernels.base import Floats
from weft.kernels.feature_map import FeatureMap, MapState, UnionFeatureMap, part_state
from weft.kernels.gram_matrix import squared_norms
from weft.kernels.grams.kernel import GramKernel
from weft.kernels.grams.long import fits
from weft.kernels.grams.long_map import LongGramMap
from weft.kernels.grams.loops.emitting import emit_grams
from weft.kernels.grams.rows import Occurrences
from weft.kernels.symbols import SymbolTable, form_of


class NGramKernel(GramKernel):
    """Number of common n-grams: ``K(x, y) = sum over z of length n of count_x(z) count_y(z)``.

    Parameters
    ----------
    n : int
        Length of the n-grams.
    min_n : int, optional
        Take all lengths from `min_n` to `n`; None means `n` alone.
    idf : bool
        Weigh each gram by ``1 + log((1 + n) / (1 + df))``, where df of the n training sequences have it; grams unseen
        in training count nothing.
    sublinear : bool
        Take ``1 + log(count)`` for each count.
    dtype : {"float64", "float32"}
        Type of the features.
    n_jobs : int
        Threads; -1 means all cores.

    Examples
    --------
    >>> NGramKernel(2).gram(["ababa"], ["ababa", "abaab"])
    array([[8., 6.]])
    >>> mapped, rows = NGramKernel(2).feature_map(["ababa", "abaab"])
    >>> mapped.names()
    ['aa', 'ab', 'ba']
    >>> rows.toarray()
    array([[0., 2., 2.],
           [1., 2., 1.]])
    """

    def __init__(
        self,
        n: int = 4,
        min_n: int | None = None,
        *,
        idf: bool = False,
        sublinear: bool = False,
        dtype: str = "float64",
        n_jobs: int | None = -1,
    ) -> None:
        self.n = n
        self.min_n = min_n
        self.idf = idf
        self.sublinear = sublinear
        self.dtype = dtype
        self.n_jobs = n_jobs

    def _check(self) -> None:
        checked_number("n", self.n)
        if self.min_n is not None and checked_number("min_n", self.min_n) > self.n:
            raise InputError(f"min_n={self.min_n} is above n={self.n}; need min_n <= n: swap them.")

    def _orders(self) -> list[NGramKernel]:
        """One kernel for each length."""
        self._check()
        return [NGramKernel(n, dtype=self.dtype, n_jobs=self.n_jobs) for n in range(self.min_n or self.n, self.n + 1)]

    def _width(self) -> int:
        return int(self.n)

    def _count(self, X: Sequence[Any]) -> tuple[FeatureMap, scipy.sparse.csr_array]:
        """Columns and rows; shorter n-grams come first."""
        orders = self._orders()
        if len(orders) == 1:
            table = SymbolTable.learn(X)
            if not fits(table.base, self.n) and form_of(X) != "automata":
                return LongGramMap.learn(self, table, X)
            return self._learn(X, table)
        maps, rows = zip(*(order.feature_map(X) for order in orders), strict=True)
        return UnionFeatureMap(maps), scipy.sparse.hstack(rows, format="csr")

    def _relearn(self, X: Sequence[Any], grams: list[Any]) -> tuple[FeatureMap, NDArray[np.int64]]:
        """The map of `X` and of the grams, which are sequences with one n-gram each."""
        mapped, rows = self.feature_map([*X, *grams])
        return mapped, rows[len(X) :].indices.astype(np.int64)

    def _restored(self, state: MapState) -> FeatureMap:
        orders = self._orders()
        if len(orders) == 1:
            return LongGramMap.restore(self, state) if "n_levels" in state[0] else super()._restored(state)
        return UnionFeatureMap([order.restore_feature_map(part_state(state, i)) for i, order in enumerate(orders)])

    def _count_norms(self, X: Sequence[Any]) -> Floats:
        total = np.zeros(len(X))
        table = SymbolTable.learn(X)
        for order in self._orders():
            if fits(table.base, order.n) or table.form == "automata":
                total += super(NGramKernel, order)._count_norms(X)
            else:
                total += squared_norms(order.features(X))
        return total

    def _capacities(self, lengths: NDArray[np.int64], n_symbols: int) -> NDArray[np.int64]:
        return np.maximum(lengths - self.n + 1, 0)

    def _emit(
        self, codes: NDArray[np.int32], offsets: NDArray[np.int64], table: SymbolTable, block: Occurrences
    ) -> None:
        emit_grams(codes, offsets, self.n, table.base, block.keys, block.offsets)
