"""Ridge regression with vector images (RG section 1.3.1).

Minimises  sum_i |W x_i - y_i|^2 + alpha |W|^2  over matrices W. By Proposition 1,

    W' = (X'X + alpha I)^-1 X'Y  (primal)  =  X' (K + alpha I)^-1 Y  (dual),   K = X X',

with one example per row of X and Y here; one factorisation serves all columns of Y.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse  # scipy loads its linalg at first use: not to predict

from weft.arrays import Floats
from weft.core.algebra import one_algebra_thread
from weft.errors import InputError
from weft.parameters.rules import is_number
from weft.state_rules import LARGEST

TINY = 64 * np.finfo(np.float64).eps
"""Eigenvalues below this share of the largest one are rounding."""


def lowest_eigenvalue(matrix: Floats) -> float:
    """Smallest eigenvalue of a symmetric matrix.

    Examples
    --------
    >>> round(lowest_eigenvalue(np.array([[0.0, 1.0], [1.0, 0.0]])), 12)
    -1.0
    """
    found = scipy.linalg.eigh(matrix, eigvals_only=True, subset_by_index=(0, 0), check_finite=False)
    return float(found[0])


@one_algebra_thread(scipy=True)
def solve_ridge(gram: Any, targets: Any, alpha: float = 1.0, *, overwrite: bool = False) -> Floats:
    """Dual coefficients ``(K + alpha I)^-1 Y``; a prediction is ``k(x, X) @ coefficients``.

    Parameters
    ----------
    gram : ndarray of shape (n, n)
    targets : ndarray of shape (n,) or (n, n_outputs)
    alpha : float
        At least 0; 0 wants a kernel of full rank.
    overwrite : bool
        Use the memory of `gram` for the factor.

    Returns
    -------
    ndarray of the shape of `targets`

    Examples
    --------
    >>> solve_ridge([[2.0, 1.0], [1.0, 2.0]], [1.0, 0.0], alpha=1.0)
    array([ 0.375, -0.125])
    >>> solve_ridge([[1.0, 1.0], [1.0, 1.0]], [1.0, 0.0], alpha=0.0)
    Traceback (most recent call last):
    ...
    weft.errors.InputError: alpha=0 with a singular kernel matrix (smallest eigenvalue 0); need alpha > 0: ...
    """
    K, Y = checked_problem(gram, targets, square=True)
    return _solve_positive(K if overwrite and K is gram else K.copy(), Y, checked_alpha(alpha), "kernel matrix")


@one_algebra_thread(scipy=True)
def ridge_weights(features: Any, targets: Any, alpha: float = 1.0) -> Floats:
    """Weights W' of linear ridge regression, by the smaller of the primal and the dual system.

    Parameters
    ----------
    features : array or sparse matrix of shape (n, n_features)
    targets : ndarray of shape (n,) or (n, n_outputs)
    alpha : float

    Returns
    -------
    ndarray of shape (n_features,) or (n_features, n_outputs)

    Examples
    --------
    >>> ridge_weights([[1.0, 0.0], [0.0, 1.0]], [[1.0], [2.0]], alpha=1.0)
    array([[0.5],
           [1. ]])
    """
    rows, Y = checked_problem(features, targets)
    strength = checked_alpha(alpha)
    if rows.shape[1] <= rows.shape[0]:
        return _solve_positive(_dense(rows.T @ rows), np.asarray(rows.T @ Y), strength, "matrix of features")
    return np.asarray(rows.T @ _solve_positive(_dense(rows @ rows.T), Y, strength, "matrix of features"))


def _solve_positive(matrix: Floats, targets: Floats, alpha: float, name: str) -> Floats:
    """Solve ``(matrix + alpha I) c = targets`` in the memory of `matrix`."""
    n = len(matrix)
    if n == 0:
        return np.zeros_like(targets)
    diagonal = matrix.diagonal().copy()
    matrix.flat[:: n + 1] += alpha
    # The transpose of a symmetric matrix is the same matrix in Fortran's order: no copy.
    factor, info = scipy.linalg.lapack.dpotrf(matrix.T, lower=1, overwrite_a=1, clean=0)
    pivots = factor.diagonal()
    if info == 0 and alpha == 0.0 and float(np.min(pivots) / np.max(pivots)) ** 2 < TINY:
        info = 1
    if info:
        # Only the lower triangle was overwritten, which is the upper one of the transpose.
        spoiled = factor.T if factor.flags.f_contiguous else factor
        whole = np.tril(spoiled, -1) + np.tril(spoiled, -1).T + np.diag(diagonal)
        raise not_positive(lowest_eigenvalue(whole), float(np.abs(diagonal).max()), alpha, name)
    solved, _ = scipy.linalg.lapack.dpotrs(factor, targets if targets.ndim == 2 else targets[:, None], lower=1)
    return np.ascontiguousarray(solved.reshape(targets.shape))


def not_positive(lowest: float, scale: float, alpha: float, name: str) -> InputError:
    """Error for a matrix that has no Cholesky factor: it is not positive, or needs a larger strength."""
    if alpha == 0.0 and lowest > -1e-8 * scale:
        shown = 0.0 if abs(lowest) <= 1e-12 * scale else lowest
        return InputError(
            f"alpha=0 with a singular {name} (smallest eigenvalue {shown:.3g}); need alpha > 0: try alpha=1e-6, "
            "or drop examples that repeat."
        )
    return InputError(
        f"the {name} is not positive semidefinite: its most negative eigenvalue is {lowest:.6g}, and alpha={alpha:g} "
        "does not make up for it; need an inner product: check the kernel, or raise alpha above that."
    )


class RidgePath:
    """Ridge regression for many strengths from one eigendecomposition, with leave-one-out predictions.

    With ``G = K + alpha I`` and ``c = G^-1 y``, the prediction for example i by a model that was trained without it is
    ``y_i - c_i / (G^-1)_ii``: no model is trained again.

    Parameters
    ----------
    gram : ndarray of shape (n, n)
    targets : ndarray of shape (n,) or (n, n_outputs)

    Attributes
    ----------
    eigenvalues_ : ndarray
        Ascending.

    Examples
    --------
    >>> path = RidgePath([[2.0, 1.0], [1.0, 2.0]], [1.0, 0.0])
    >>> path.coefficients(1.0)
    array([ 0.375, -0.125])
    >>> path.leave_one_out(1.0).round(6) + 0.0
    array([0.      , 0.333333])
    >>> path.best([0.1, 1.0, 10.0])
    10.0
    """

    @one_algebra_thread(scipy=True)
    def __init__(self, gram: Any, targets: Any) -> None:
        K, self.targets = checked_problem(gram, targets, square=True)
        self.eigenvalues_, self._left = _eigh(K)
        lowest, largest = (self.eigenvalues_[0], self.eigenvalues_[-1]) if len(K) else (0.0, 0.0)
        if lowest < -1e-8 * max(largest, 0.0):
            warnings.warn(
                f"the kernel matrix is not positive semidefinite: its most negative eigenvalue is {lowest:.6g}; "
                "check the kernel, or keep alpha well above that.",
                stacklevel=3,
            )
        self._basis = self._left
        self._projected = self._left.T @ self.targets
        self._primal = False

    @classmethod
    @one_algebra_thread(scipy=True)
    def from_features(cls, features: Any, targets: Any) -> RidgePath:
        """Path for explicit features: `coefficients` are then weights, one row per feature.

        The decomposition is that of the smaller of the two matrices.

        Examples
        --------
        >>> RidgePath.from_features([[1.0], [2.0]], [1.0, 3.0]).coefficients(2.0)
        array([1.])
        """
        rows, Y = checked_problem(features, targets)
        if rows.shape[1] > rows.shape[0]:
            path = cls(_dense(rows @ rows.T), Y)
            path._basis = np.asarray(rows.T @ path._left)
            return path
        path = cls.__new__(cls)
        path.targets, path._primal = Y, True
        path.eigenvalues_, path._basis = _eigh(_dense(rows.T @ rows))
        path._left = np.asarray(rows @ path._basis)
        path._projected = path._left.T @ Y
        return path

    @one_algebra_thread()
    def coefficients(self, alpha: float) -> Floats:
        """Solution for one strength: dual coefficients, or weights after `from_features`."""
        return np.asarray(self._basis @ _scaled(self._projected, self._inverse(alpha)))

    def coefficients_of(self, alphas: Sequence[float]) -> list[Floats]:
        """Solutions for several strengths."""
        return [self.coefficients(alpha) for alpha in alphas]

    @one_algebra_thread()
    def leave_one_out(self, alpha: float) -> Floats:
        """Prediction for each training example by the model trained on all others."""
        inverse = self._inverse(alpha)
        residual = self._left @ _scaled(self._projected, inverse)
        diagonal = np.einsum("ij,j,ij->i", self._left, inverse, self._left)
        if self._primal:
            # These were fitted values and leverages; alpha G^-1 is what remains.
            residual, diagonal = self.targets - residual, 1.0 - diagonal
        if len(diagonal) and not float(diagonal.min()) > TINY * float(np.abs(diagonal).max()):
            raise InputError(
                f"alpha={alpha:g} lets the model pass through example {int(np.argmin(diagonal))} whatever its target, "
                "so nothing can be said without it; need a larger alpha: try 1e-6 times the mean of K(x, x)."
            )
        return np.asarray(self.targets - residual / (diagonal if self.targets.ndim == 1 else diagonal[:, None]))

    def _inverse(self, alpha: float) -> Floats:
        """``1 / (eigenvalue + alpha)`` for each eigenvalue; rounding below zero counts as zero."""
        strength, values = checked_alpha(alpha), self.eigenvalues_
        if not len(values):
            return np.zeros(0)
        rounding = TINY * len(values) * float(np.abs(values).max())
        shifted = np.where(np.abs(values) <= rounding, 0.0, values) + strength
        if not shifted.min() > 0.0:
            raise not_positive(float(values[0]), float(np.abs(values).max()), strength, "kernel matrix")
        return 1.0 / shifted

    def errors(self, alphas: Sequence[float]) -> Floats:
        """Mean over examples of the squared leave-one-out error, summed over outputs, for each strength."""
        if len(self.targets) == 0:
            raise InputError("there are no examples; need at least one to leave out.")
        squared = [float(np.sum((self.leave_one_out(alpha) - self.targets) ** 2)) for alpha in alphas]
        return np.array(squared) / len(self.targets)

    def best(self, alphas: Sequence[float]) -> float:
        """The strength of the smallest leave-one-out error; the largest of equals."""
        if not len(alphas):
            raise InputError("no alphas given; need at least one: try numpy.logspace(-4, 2, 20).")
        errors = self.errors(alphas)
        return float(max(alpha for alpha, error in zip(alphas, errors, strict=True) if error == errors.min()))


def checked_alpha(alpha: Any) -> float:
    """Strength of the penalty as a float of at least 0."""
    if isinstance(alpha, bool) or not is_number(alpha, LARGEST):
        raise InputError(f"alpha={alpha!r:.30} given; need a finite number of at least 0, at most {LARGEST}: try 1.0.")
    return float(alpha)


def checked_problem(matrix: Any, targets: Any, square: bool = False) -> tuple[Any, Floats]:
    """Matrix (dense, or CSR if it came sparse) and targets, if they fit each other."""
    rows = scipy.sparse.csr_array(matrix) if scipy.sparse.issparse(matrix) else np.asarray(matrix, dtype=np.float64)
    Y = np.asarray(targets, dtype=np.float64)
    if rows.ndim != 2 or (square and rows.shape[0] != rows.shape[1]):
        wanted = "a square kernel matrix" if square else "one row per example"
        raise InputError(f"a matrix of shape {rows.shape} given; need {wanted}: check what it was made of.")
    if Y.ndim not in (1, 2) or len(Y) != rows.shape[0]:
        raise InputError(f"{rows.shape[0]} examples but targets of shape {Y.shape} given; need one target per example.")
    if not np.isfinite(Y).all():
        raise InputError("targets hold a number that is not finite; need finite ones: drop or fill it.")
    if not np.isfinite(rows.data if scipy.sparse.issparse(rows) else rows).all():
        raise InputError("the matrix holds a number that is not finite; need finite ones: check the kernel.")
    return rows, Y


def _dense(matrix: Any) -> Floats:
    return np.asarray(matrix.toarray() if scipy.sparse.issparse(matrix) else matrix, dtype=np.float64)


def _eigh(matrix: Floats) -> tuple[Floats, Floats]:
    if not len(matrix):
        return np.zeros(0), np.zeros((0, 0))
    values, vectors = scipy.linalg.eigh(matrix, driver="evd", check_finite=False)
    return values, vectors


def _scaled(columns: Floats, factors: Floats) -> Floats:
    """Multiply each row by its factor, for one or several outputs."""
    return columns * (factors if columns.ndim == 1 else factors[:, None])
