"""Kernels of contiguous n-grams (LK section 2.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from weft.core.checks import checked_number
from weft.errors import InputError
from weft.kernels.feature_map import FeatureMap, MapState, UnionFeatureMap, part_state
from weft.kernels.gram_kernel import GramKernel, Occurrences
from weft.kernels.gram_passes import pack_grams
from weft.kernels.symbols import CodedSequences

__all__ = ["NGramKernel"]


class NGramKernel(GramKernel):
    """Number of common n-grams: ``K(x, y) = sum over z of length n of count_x(z) count_y(z)``.

    Parameters
    ----------
    n : int
        Length of the n-grams.
    min_n : int, optional
        Take all lengths from `min_n` to `n`; None means `n` alone.

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

    def __init__(self, n: int = 4, min_n: int | None = None) -> None:
        self.n = n
        self.min_n = min_n

    def _check(self) -> None:
        checked_number("n", self.n)
        if self.min_n is not None and checked_number("min_n", self.min_n) > self.n:
            raise InputError(f"min_n={self.min_n} is above n={self.n}; want min_n <= n: swap them.")

    def _orders(self) -> list[NGramKernel]:
        """One kernel for each length."""
        self._check()
        return [NGramKernel(n) for n in range(self.min_n or self.n, self.n + 1)]

    def _width(self) -> int:
        return self.n

    def feature_map(self, X: Sequence[Any]) -> tuple[FeatureMap, scipy.sparse.csr_array]:
        """Learn the columns from `X`, and give its rows; shorter n-grams come first."""
        orders = self._orders()
        if len(orders) == 1:
            return super().feature_map(X)
        maps, rows = zip(*(order.feature_map(X) for order in orders), strict=True)
        return UnionFeatureMap(maps), scipy.sparse.hstack(rows, format="csr")

    def restore_feature_map(self, state: MapState) -> FeatureMap:
        """Make the map again that `FeatureMap.to_state` described."""
        orders = self._orders()
        if len(orders) == 1:
            return super().restore_feature_map(state)
        return UnionFeatureMap([order.restore_feature_map(part_state(state, i)) for i, order in enumerate(orders)])

    def _occurrences(self, coded: CodedSequences, base: int) -> Occurrences:
        lengths = np.maximum(np.diff(coded.offsets) - self.n + 1, 0)
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        keys = np.empty(offsets[-1], dtype=np.uint64)
        pack_grams(coded.codes, coded.offsets, self.n, base, offsets, keys)
        return Occurrences(keys, np.ones(len(keys)), offsets)

    def _spans(self, codes: NDArray[np.int32], base: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        keys = self._occurrences(CodedSequences(codes, np.array([0, len(codes)])), base).keys
        start = np.arange(len(keys))
        return start, start + self.n, keys
