"""Proximal steps: the matrix closest to a given one under a penalty on its size.

Each returns ``argmin_H 1/2 ||H - M||_F^2 + strength * R(H)`` and ``R`` of the result. The half belongs there: without
it the threshold would be half the strength and forward-backward steps would solve another problem (SP section 4).
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from weft.arrays import Floats
from weft.errors import InputError

Regularizer = Literal["nuclear", "frobenius", "frobenius_squared"]
REGULARIZERS = ("nuclear", "frobenius", "frobenius_squared", None)


def _gram_spectrum(matrix: Floats) -> tuple[Floats, Floats, bool]:
    """Singular values from largest to smallest, vectors of the short side, and whether that side is the columns.

    A Hankel matrix is |B|^2 x |B|: the |B| x |B| Gram matrix has the same spectrum and costs a fraction of an SVD.
    Values below 1e-8 of the largest are rounding, and come out as that.
    """
    by_columns = matrix.shape[0] >= matrix.shape[1]
    gram = matrix.T @ matrix if by_columns else matrix @ matrix.T
    squares, vectors = np.linalg.eigh(gram)
    return np.sqrt(np.maximum(squares[::-1], 0.0)), vectors[:, ::-1], by_columns


def singular_values(matrix: Floats) -> Floats:
    """Singular values from largest to smallest, through the Gram matrix of the short side.

    Examples
    --------
    >>> singular_values(np.array([[3.0, 0.0], [0.0, 4.0], [0.0, 0.0]])).tolist()
    [4.0, 3.0]
    """
    return _gram_spectrum(matrix)[0]


def threshold_singular_values(matrix: Floats, threshold: float) -> tuple[Floats, Floats]:
    """Lower every singular value by the threshold, to zero at least: the proximal step of the nuclear norm.

    Parameters
    ----------
    matrix : ndarray of shape (n_rows, n_columns)
    threshold : float

    Returns
    -------
    matrix : ndarray of shape (n_rows, n_columns)
    singular_values : ndarray of shape (rank,)
        Those that are left, from largest to smallest.

    Examples
    --------
    >>> threshold_singular_values(np.array([[3.0, 0.0], [0.0, 1.0]]), 1.5)[0].tolist()
    [[1.5, 0.0], [0.0, 0.0]]
    """
    values, vectors, by_columns = _gram_spectrum(matrix)
    if threshold <= 0.0:
        return matrix.copy(), values
    kept = values > threshold
    basis = vectors[:, kept]
    # H V diag(1 - threshold / s) V' has the same singular vectors as H.
    scaled = basis * (1.0 - threshold / values[kept])
    if 2 * basis.shape[1] > basis.shape[0]:  # one product with the whole projection is less work than two
        projection = scaled @ basis.T
        result = matrix @ projection if by_columns else projection @ matrix
    else:
        result = (matrix @ scaled) @ basis.T if by_columns else scaled @ (basis.T @ matrix)
    return np.ascontiguousarray(result), values[kept] - threshold


def penalty(matrix: Floats, regularizer: Regularizer | None) -> float:
    """R(H): the sum of the singular values, the Frobenius norm, its square, or zero.

    Examples
    --------
    >>> penalty(np.diag([3.0, 4.0]), "nuclear"), penalty(np.diag([3.0, 4.0]), "frobenius")
    (7.0, 5.0)
    """
    if regularizer is None:
        return 0.0
    if regularizer == "nuclear":
        return float(singular_values(matrix).sum())
    norm = float(np.linalg.norm(matrix))
    return norm if regularizer == "frobenius" else norm**2


def proximal_step(matrix: Floats, regularizer: Regularizer | None, strength: float) -> tuple[Floats, float]:
    """Proximal step of a regulariser, and its value at the result.

    Parameters
    ----------
    matrix : ndarray of shape (n_rows, n_columns)
    regularizer : {"nuclear", "frobenius", "frobenius_squared"} or None
    strength : float
        Step size times tau.

    Examples
    --------
    >>> proximal_step(np.diag([3.0, 4.0]), "frobenius", 1.0)
    (array([[2.4, 0. ], [0. , 3.2]]), 4.0)
    >>> proximal_step(np.diag([3.0, 4.0]), "frobenius_squared", 0.5)
    (array([[1.5, 0. ], [0. , 2. ]]), 6.25)
    """
    if regularizer is None:
        return matrix, 0.0
    if regularizer == "nuclear":
        matrix, values = threshold_singular_values(matrix, strength)
        return matrix, float(values.sum())
    norm = float(np.linalg.norm(matrix))
    if regularizer == "frobenius":
        factor = max(0.0, 1.0 - strength / norm) if norm > 0.0 else 0.0
        return matrix * factor, norm * factor
    if regularizer == "frobenius_squared":
        factor = 1.0 / (1.0 + 2.0 * strength)
        return matrix * factor, (norm * factor) ** 2
    raise InputError(f"regularizer is {regularizer!r}; use 'nuclear', 'frobenius', 'frobenius_squared' or None.")
