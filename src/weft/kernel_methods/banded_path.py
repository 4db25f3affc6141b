"""Ridge regression for many strengths from one reduction to a band, for large kernel matrices.

K = Q B Q' with an orthogonal Q and a band matrix B takes 4/3 n^3 steps, nearly all of them products of matrices; it is
where an eigendecomposition begins, which takes several times as long to end. Any strength then wants a factorisation of
B + alpha I, which costs next to nothing:  (K + alpha I)^-1 Y = Q (B + alpha I)^-1 Q'Y.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from weft.errors import InputError
from weft.kernel_methods.ridge import TINY, RidgePath, checked_alpha, checked_problem, not_positive

__all__ = ["BandForm", "BandedRidgePath", "ridge_path"]

Floats = NDArray[np.float64]

WIDTH = 64
ROWS = 256
"""Rows of the matrix that are changed at once: one block of them and its change stay in the cache."""
LARGE = 1000
"""Examples from which on a band is faster than eigenvectors."""


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
        for first, V, T in self.reflections:
            M[first:] -= V @ (T.T @ (V.T @ M[first:]))
        return M

    def times(self, columns: Any) -> Floats:
        """``Q`` times a matrix."""
        M = np.array(columns, dtype=np.float64, order="C")
        for first, V, T in reversed(self.reflections):
            M[first:] -= V @ (T @ (V.T @ M[first:]))
        return M

    def transposed(self) -> Floats:
        """``Q'``, written out; later reflections leave the first rows and columns of Q alone."""
        Q = np.eye(self.n)
        for first, V, T in reversed(self.reflections):
            part = Q[first:, first:]
            turned = T @ (V.T @ part)
            for start in range(0, len(part), ROWS):
                part[start : start + ROWS] -= V[start : start + ROWS] @ turned
        return np.ascontiguousarray(Q.T)


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
    Y = np.zeros_like(V)
    for i, j in blocks:
        Y[i:j] += A[i:j, :j] @ V[:j]
        if i:
            Y[:i] += A[i:j, :i].T @ V[i:j]
    Y = Y @ T
    W = Y - 0.5 * (V @ (T.T @ (V.T @ Y)))
    left, right = np.hstack([V, W]), np.hstack([W, V])
    for i, j in blocks:
        A[i:j, :j] -= left[i:j] @ right[:j].T


class BandedRidgePath(RidgePath):
    """What `RidgePath` does, for thousands of examples.

    Parameters
    ----------
    gram : ndarray of shape (n, n)
    targets : ndarray of shape (n,) or (n, n_outputs)
    width : int
        Of the band.

    Examples
    --------
    >>> path = BandedRidgePath([[2.0, 1.0], [1.0, 2.0]], [1.0, 0.0])
    >>> path.coefficients(1.0)
    array([ 0.375, -0.125])
    """

    def __init__(self, gram: Any, targets: Any, *, width: int = WIDTH) -> None:
        K, self.targets = checked_problem(gram, targets, square=True)
        self.form = BandForm(K, width)
        self._scale = float(np.abs(np.diag(K)).max(initial=0.0))
        self._projected = self.form.transposed_times(self.targets.reshape(len(K), -1))
        self._rotation: Floats | None = None

    def coefficients(self, alpha: float) -> Floats:
        """Dual coefficients for one strength."""
        return self.coefficients_of([alpha])[0]

    def coefficients_of(self, alphas: Sequence[float]) -> list[Floats]:
        """Dual coefficients for several strengths, which are turned back together."""
        solved = [
            scipy.linalg.cho_solve_banded((self._factor(alpha), True), self._projected, check_finite=False)
            for alpha in alphas
        ]
        if not solved:
            return []
        turned = self.form.times(np.hstack(solved))
        return [np.ascontiguousarray(part).reshape(self.targets.shape) for part in np.hsplit(turned, len(solved))]

    def leave_one_out(self, alpha: float) -> Floats:
        """Prediction for each training example by the model trained on all others."""
        return np.asarray(self.targets - self._residuals(alpha, self.coefficients(alpha)))

    def errors(self, alphas: Sequence[float]) -> Floats:
        """Mean over examples of the squared leave-one-out error, summed over outputs, for each strength."""
        if len(self.targets) == 0:
            raise InputError("there are no examples; want at least one to leave out.")
        solved = zip(alphas, self.coefficients_of(alphas), strict=True)
        return np.array([float(np.sum(self._residuals(*each) ** 2)) for each in solved]) / len(self.targets)

    def _residuals(self, alpha: float, coefficients: Floats) -> Floats:
        """Leave-one-out errors ``c_i / (G^-1)_ii``."""
        if self._rotation is None:
            self._rotation = self.form.transposed()
        diagonal = self._inverse_diagonal(alpha, self._rotation)
        if len(diagonal) and not float(diagonal.min()) > TINY * float(diagonal.max()):
            raise InputError(f"alpha={alpha:g} is too small to leave examples out; want a larger one.")
        return np.asarray(coefficients / (diagonal if self.targets.ndim == 1 else diagonal[:, None]))

    def _inverse_diagonal(self, alpha: float, columns: Floats) -> Floats:
        """``q' (B + alpha I)^-1 q`` for each column q: the squared length of L^-1 q with L L' = B + alpha I.

        Blocks of L as wide as the band have one block to their left, so a step is two products of matrices.
        """
        factor, b = self._factor(alpha), max(self.form.width, 1)
        total = np.zeros(columns.shape[1])
        before: Floats | None = None
        for start in range(0, self.form.n, b):
            stop = min(start + b, self.form.n)
            own, _ = scipy.linalg.lapack.dtrtri(_band_block(factor, start, stop, start), lower=1)
            rest = own @ columns[start:stop]
            if before is not None:
                rest -= (own @ _band_block(factor, start, stop, start - b)) @ before
            before = rest
            total += np.einsum("ij,ij->j", before, before)
        return total

    def _factor(self, alpha: float) -> Floats:
        """Cholesky factor of ``B + alpha I``, as a band."""
        strength, shifted = checked_alpha(alpha), self.form.band.copy()
        shifted[0] += strength
        if not self.form.n:
            return shifted
        factor, info = scipy.linalg.lapack.dpbtrf(shifted, lower=1)
        smallest = float(factor[0].min() / factor[0].max()) ** 2 if info == 0 else 0.0
        if info or (strength == 0.0 and smallest < TINY):
            lowest = scipy.linalg.eigvals_banded(self.form.band, lower=True, select="i", select_range=(0, 0))[0]
            raise not_positive(float(lowest), self._scale, strength, "kernel matrix")
        return np.asarray(factor)


def _band_block(band: Floats, start: int, stop: int, column: int) -> Floats:
    """Rows `start` to `stop` and as many columns from `column` on of the lower triangle that a band holds."""
    rows = np.arange(start, stop)[:, None]
    columns = np.arange(column, min(column + len(band) - 1, stop) if len(band) > 1 else stop)[None, :]
    offset = rows - columns
    inside = (offset >= 0) & (offset < len(band))
    return np.where(inside, band[np.where(inside, offset, 0), columns], 0.0)


def ridge_path(gram: Any, targets: Any) -> RidgePath:
    """`RidgePath` for few examples, `BandedRidgePath` for many.

    Examples
    --------
    >>> ridge_path([[2.0, 1.0], [1.0, 2.0]], [1.0, 0.0]).best([0.1, 1.0, 10.0])
    10.0
    """
    return BandedRidgePath(gram, targets) if len(gram) >= LARGE else RidgePath(gram, targets)
