"""Kernels of n-grams with some symbols changed (Leslie et al. 2004)."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.core.checks import checked_number
from weft.errors import InputError
from weft.kernels.base import Floats
from weft.kernels.gram_matrix import product_with_transpose
from weft.kernels.grams.kernel import GramKernel
from weft.kernels.grams.loops.emitting import emit_mismatches
from weft.kernels.grams.rows import Occurrences
from weft.kernels.symbols import SymbolTable, as_coded


class MismatchKernel(GramKernel):
    """Common n-grams, with up to m changed symbols each.

    The features of x are all n-grams z over the alphabet, each counted once for every window of x that differs from
    z in at most m places. The alphabet is that of the data given (of `X` and `Y` together for `gram`), as every
    change must put some symbol: with `m` of 1 a window has ``1 + n (|alphabet| - 1)`` features.

    Parameters
    ----------
    n : int
        Length of the n-grams.
    m : int
        Maximum number of changed symbols, less than n.
    alphabet : str or list, optional
        Symbols that changes may put; None means those seen. Give it when K must not depend on the sample.
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
    >>> mapped, rows = MismatchKernel(2, 1, alphabet="ab").feature_map(["ab"])
    >>> mapped.names(), rows.toarray()
    (['aa', 'ab', 'bb'], array([[1., 1., 1.]]))
    """

    def __init__(
        self,
        n: int = 5,
        m: int = 1,
        alphabet: Sequence[Any] | None = None,
        *,
        idf: bool = False,
        sublinear: bool = False,
        dtype: str = "float64",
        n_jobs: int | None = -1,
    ) -> None:
        self.n = n
        self.m = m
        self.alphabet = alphabet
        self.idf = idf
        self.sublinear = sublinear
        self.dtype = dtype
        self.n_jobs = n_jobs

    def _check(self) -> None:
        checked_number("n", self.n)
        if self.m != 0 and checked_number("m", self.m) >= self.n:
            raise InputError(f"m={self.m!r} given with n={self.n}; need less than n: keep one symbol.")

    def _width(self) -> int:
        return int(self.n)

    def _table(self, X: Sequence[Any]) -> SymbolTable:
        return SymbolTable.learn(X, () if self.alphabet is None else self.alphabet)

    def gram(self, X: Sequence[Any], Y: Sequence[Any] | None = None) -> Floats:
        """Matrix of ``K(x, y)`` over the alphabet of both sides."""
        if Y is None:
            return super().gram(X)
        self._check_sides(Y)
        X, Y = as_coded(X), as_coded(Y, "Y")
        rows = self.features([*X, *Y])
        return product_with_transpose(rows[: len(X)], rows[len(X) :])

    def _capacities(self, lengths: NDArray[np.int64], n_symbols: int) -> NDArray[np.int64]:
        # An unknown symbol can be changed to any known one, hence no n_symbols - 1.
        neighbours = sum(comb(self.n, changes) * n_symbols**changes for changes in range(self.m + 1))
        if neighbours > 2**24:
            raise InputError(
                f"n={self.n}, m={self.m} over {n_symbols} symbols give {neighbours:.0e} neighbours per window; "
                "need at most 2e7: take a smaller m, or GappedKMerKernel, whose cost does not depend on the alphabet."
            )
        return np.asarray(np.maximum(lengths - self.n + 1, 0) * neighbours)

    def _emit(
        self, codes: NDArray[np.int32], offsets: NDArray[np.int64], table: SymbolTable, block: Occurrences
    ) -> None:
        emit_mismatches(codes, offsets, self.n, self.m, len(table), table.base, block.keys, block.offsets)
