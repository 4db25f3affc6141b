"""Kernels of vectors: one matrix product, then one function of each entry."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from weft.annotations import ListOrArray
from weft.core.algebra import one_algebra_thread
from weft.core.checks import checked_number
from weft.core.threads import effective_jobs, in_threads
from weft.errors import InputError
from weft.kernels.base import Floats, Kernel
from weft.kernels.gram_matrix import empty_gram
from weft.parameters.rules import is_number
from weft.state_rules import LARGEST

BLOCK = 1 << 15
"""Entries of a Gram matrix that are worked on at once: they stay in the cache between the steps."""


def as_rows(X: Any, name: str = "X") -> Floats:
    """Vectors as the rows of a matrix; images and other arrays are written out row by row.

    Parameters
    ----------
    X : array of shape (n, ...) or sequence of vectors
    name : str
        What errors call it.

    Examples
    --------
    >>> as_rows([[[1, 2], [3, 4]]])
    array([[1., 2., 3., 4.]])
    >>> as_rows([[1.0], [2.0, 3.0]])
    Traceback (most recent call last):
    ...
    weft.errors.InputError: X holds vectors of different lengths, or no numbers; need one length: ...
    """
    try:
        rows = np.asarray(X, dtype=np.float64)
    except (ValueError, TypeError, OverflowError) as error:
        raise InputError(
            f"{name} holds vectors of different lengths, or no numbers; need one length: "
            "pad them, or use SumKernel for sequences of vectors."
        ) from error
    if rows.ndim < 2:
        raise InputError(f"{name} has shape {rows.shape}; need one row per example: reshape it with [:, None].")
    rows = rows.reshape(len(rows), -1) if len(rows) else rows.reshape(0, int(np.prod(rows.shape[1:])))
    fits = (np.abs(rows) <= LARGEST).all(axis=1)
    if not fits.all():
        raise InputError(
            f"{name}[{int(np.argmin(fits))}] holds a number that is not finite, or beyond {LARGEST}; need finite ones: "
            "drop, fill or scale it."
        )
    return rows


class VectorKernel(Kernel):
    """A kernel that is a function of inner products and squared lengths."""

    def _of_products(self, products: Floats, left: Floats, right: Floats) -> None:
        """Turn a block of inner products into kernel values, in place, given squared lengths of both sides."""
        raise NotImplementedError

    def _check(self) -> None:
        """Refuse parameters without a meaning."""

    @one_algebra_thread()
    def gram(self, X: ListOrArray, Y: ListOrArray | None = None) -> Floats:
        """Matrix of ``K(x, y)`` for all x of `X` and y of `Y`; None stands for `X`."""
        self._check()
        rows = as_rows(X)
        others = rows if Y is None else as_rows(Y, "Y")
        if rows.shape[1] != others.shape[1] and len(rows) and len(others):
            raise InputError(
                f"vectors of {rows.shape[1]} and of {others.shape[1]} numbers given; need one length: "
                "make both the same way."
            )
        products = empty_gram(len(rows), len(others))
        if not products.size:
            return products
        # NumPy sees that both factors are one matrix, and computes one triangle.
        np.matmul(rows, others.T, out=products)
        left = np.einsum("ij,ij->i", rows, rows)
        right = left if Y is None else np.einsum("ij,ij->i", others, others)
        in_blocks(products, lambda block, cut: self._of_products(block, left[cut], right))
        return products

    def diagonal(self, X: ListOrArray) -> Floats:
        """``K(x, x)`` for all x of `X`."""
        self._check()
        rows = as_rows(X)
        squared: Floats = np.einsum("ij,ij->i", rows, rows)
        found = squared[:, None].copy()
        self._of_products(found, squared, squared)
        return found.ravel()


def in_blocks(matrix: Floats, work: Callable[[Floats, slice], None], n_jobs: int = -1) -> None:
    """Let threads change a matrix in place, a few rows at a time, as many as stay in the cache.

    Examples
    --------
    >>> matrix = np.ones((3, 2))
    >>> in_blocks(matrix, lambda block, rows: np.add(block, 1.0, out=block))
    >>> matrix.sum()
    np.float64(12.0)
    """
    height = max(1, BLOCK // max(1, matrix.shape[1]))
    starts = range(0, len(matrix), height)
    n_parts = max(1, min(effective_jobs(n_jobs), len(starts) // 8))

    def share(part: int) -> None:
        for start in starts[part::n_parts]:
            cut = slice(start, start + height)
            work(matrix[cut], cut)

    in_threads(share, list(range(n_parts)))


class LinearKernel(VectorKernel):
    """Inner product of two vectors.

    Examples
    --------
    >>> LinearKernel().gram([[1, 2], [0, 1]])
    array([[5., 2.],
           [2., 1.]])
    """

    def _of_products(self, products: Floats, left: Floats, right: Floats) -> None:
        pass


class PolynomialKernel(VectorKernel):
    """``(offset + scale x.y) ** degree``.

    Parameters
    ----------
    degree : int
    scale : float
        1 / number of entries keeps values near 1 when entries are 0 or 1.
    offset : float
        0 takes products of exactly `degree` entries; more takes shorter ones as well.

    Examples
    --------
    >>> PolynomialKernel(2).gram([[1, 2]], [[1, 0], [0, 1]])
    array([[4., 9.]])
    """

    def __init__(self, degree: int = 3, scale: float = 1.0, offset: float = 1.0) -> None:
        self.degree = degree
        self.scale = scale
        self.offset = offset

    def _check(self) -> None:
        checked_number("degree", self.degree)
        if not is_number(self.scale, LARGEST) or self.scale == 0 or not is_number(self.offset, LARGEST):
            raise InputError(
                f"scale={self.scale!r} and offset={self.offset!r} given; need scale > 0 and offset >= 0, "
                "else values are no inner products: try 1 and 1."
            )

    def _of_products(self, products: Floats, left: Floats, right: Floats) -> None:
        if self.scale != 1.0:
            products *= self.scale
        products += self.offset
        if self.degree > 1:
            # Repeated squaring: NumPy's power of an array takes logarithms for exponents above 2.
            result, square, rest = None, products.copy(), int(self.degree)
            while rest:
                if rest & 1:
                    result = square.copy() if result is None else np.multiply(result, square, out=result)
                rest >>= 1
                if rest:
                    np.multiply(square, square, out=square)
            products[...] = result


class RBFKernel(VectorKernel):
    """``exp(-gamma |x - y|^2)``.

    Parameters
    ----------
    gamma : float
        ``1 / (2 width**2)``.

    Examples
    --------
    >>> RBFKernel(0.5).gram([[0.0]], [[0.0], [1.0]]).round(3)
    array([[1.   , 0.607]])
    """

    def __init__(self, gamma: float = 1.0) -> None:
        self.gamma = gamma

    def _check(self) -> None:
        if not is_number(self.gamma, LARGEST) or self.gamma == 0:
            raise InputError(f"gamma={self.gamma!r:.60} given; need a number above 0: try 1 / median squared distance.")

    def gram(self, X: ListOrArray, Y: ListOrArray | None = None) -> Floats:
        """Matrix of Gaussians."""
        found = super().gram(X, Y)
        if Y is None:
            np.fill_diagonal(found, 1.0)  # rounding leaves a distance of a vector to itself
        return found

    def diagonal(self, X: ListOrArray) -> Floats:
        """1 for each vector."""
        self._check()
        return np.ones(len(as_rows(X)))

    def _of_products(self, products: Floats, left: Floats, right: Floats) -> None:
        products *= -2.0
        products += right
        products += left[:, None]
        np.maximum(products, 0.0, out=products)
        products *= -self.gamma
        np.exp(products, out=products)
