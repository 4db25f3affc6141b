"""A symmetric matrix as a band in other axes: nearly all of the work is products of matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy  # which loads its linalg at first use: not to predict

from weft.arrays import Floats
from weft.core.algebra import one_algebra_thread
from weft.core.shards import concatenate_over_shards, sum_over_shards

WIDTH = 64
ROWS = 256
"""Rows of the matrix that are changed at once: one block of them and its change stay in the cache."""
COLUMNS = 256
"""Columns that a thread turns at once."""
PARTS = 8
"""Parts that sums and columns are cut into, for any number of threads: products of other shapes end in other digits."""


class Reflection(NamedTuple):
    """``I - V T V'`` on the rows from `first` on."""

    first: int
    V: Floats
    T: Floats


class BandForm:
    """A symmetric matrix as ``Q B Q'`` with B a band of `width` diagonals below the main one.

    Attributes
    ----------
    band : ndarray of shape (width + 1, n)
        Diagonals of B, the main one first, as `scipy.linalg.cholesky_banded` wants them.

    Examples
    --------
    >>> form = BandForm(np.diag([1.0, 2.0, 3.0]) + 1.0, width=1)
    >>> form.band.shape
    (2, 3)
    >>> form.times(form.transposed_times(np.eye(3))).round(12) + 0.0
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    """

    def __init__(self, matrix: Floats, width: int = WIDTH) -> None:
        self.n = n = len(matrix)
        self.width = min(width, max(n - 1, 0))
        self.reflections: list[Reflection] = []
        A = np.array(matrix, dtype=np.float64, order="C")
        with one_algebra_thread(scipy=True):
            for start in range(0, n - self.width - 1, max(self.width, 1)):
                first = start + self.width
                reflection, corner = _reflection(A[first:, start : start + self.width], first)
                A[first:, start : start + self.width] = 0.0
                A[first : first + len(corner), start : start + self.width] = corner
                _two_sided(A[first:, first:], reflection)
                self.reflections.append(reflection)
        self.band = np.zeros((self.width + 1, n))
        for offset in range(self.width + 1):
            self.band[offset, : n - offset] = np.diagonal(A, -offset)

    def transposed_times(self, columns: Any) -> Floats:
        """``Q'`` times a matrix."""
        M = np.array(columns, dtype=np.float64, order="C")

        def turn(part: slice) -> None:
            for first, V, T in self.reflections:
                M[first:, part] -= V @ (T.T @ (V.T @ M[first:, part]))

        for_columns(M.shape[1], turn)
        return M

    def times(self, columns: Any) -> Floats:
        """``Q`` times a matrix."""
        M = np.array(columns, dtype=np.float64, order="C")

        def turn(part: slice) -> None:
            for first, V, T in reversed(self.reflections):
                M[first:, part] -= V @ (T @ (V.T @ M[first:, part]))

        for_columns(M.shape[1], turn)
        return M

    def transposed(self) -> Floats:
        """``Q'``, written out; later reflections leave the first rows and columns of Q alone."""
        found = np.empty((self.n, self.n))

        def turn(part: slice) -> None:
            Q = np.eye(self.n, part.stop - part.start, -part.start)
            for first, V, T in reversed(self.reflections):
                known = max(first - part.start, 0)
                Q[first:, known:] -= V @ (T @ (V.T @ Q[first:, known:]))
            found[part] = Q.T

        for_columns(self.n, turn)
        return found


def for_columns(n: int, work: Callable[[slice], None]) -> None:
    """Let threads work on shares of columns, each with products of one thread.

    Many small products that all threads share spend their time on waiting for each other, most of all on a machine
    that has other things to do.

    Examples
    --------
    >>> seen = np.zeros(5)
    >>> for_columns(5, lambda part: np.add(seen[part], 1.0, out=seen[part]))
    >>> seen
    array([1., 1., 1., 1., 1.])
    """
    width = max(1, min(COLUMNS, -(-n // PARTS)))
    parts = [slice(start, min(start + width, n)) for start in range(0, n, width)]
    with one_algebra_thread(scipy=True):
        concatenate_over_shards(work, parts, -1)


def _reflection(panel: Floats, first: int) -> tuple[Reflection, Floats]:
    """Orthogonal matrix that makes a panel upper triangular, and the triangle."""
    packed, tau, _, _ = scipy.linalg.lapack.dgeqrf(panel)
    n = len(tau)
    V = np.ascontiguousarray(np.tril(packed[:, :n], -1))
    V[np.arange(n), np.arange(n)] = 1.0
    # The product of all I - tau v v' is I - V T V' with T^-1 = diag(1 / tau) + the upper triangle of V'V.
    upper = np.eye(n) + tau[:, None] * np.triu(V.T @ V, 1)
    T = scipy.linalg.solve_triangular(upper, np.diag(tau), check_finite=False)
    return Reflection(first, V, T), np.triu(packed[:n])


def _two_sided(A: Floats, reflection: Reflection) -> None:
    """Replace A by ``(I - V T' V') A (I - V T V')``, of which only the blocks on and below the diagonal are kept."""
    first, V, T = reflection
    m = len(A)
    # Blocks end at the same rows of the whole matrix every time, so that diagonal blocks stay whole.
    ends = [*range((first // ROWS + 1) * ROWS - first, m, ROWS), m]
    blocks = list(zip([0, *ends[:-1]], ends, strict=True))
    n_parts = max(1, min(PARTS, len(blocks) // 2))

    def product(number: int) -> tuple[Floats]:
        Y = np.zeros_like(V)
        for i, j in blocks[number::n_parts]:
            Y[i:j] += A[i:j, :j] @ V[:j]
            if i:
                Y[:i] += A[i:j, :i].T @ V[i:j]
        return (Y,)

    Y = sum_over_shards(product, range(n_parts), -1)[0] @ T
    W = Y - 0.5 * (V @ (T.T @ (V.T @ Y)))
    left, right = np.hstack([V, W]), np.hstack([W, V])

    def change(number: int) -> None:
        for i, j in blocks[number::n_parts]:
            A[i:j, :j] -= left[i:j] @ right[:j].T

    concatenate_over_shards(change, range(n_parts), -1)
