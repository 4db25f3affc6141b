"""Whether a Gram matrix is one of inner products."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from weft.errors import InputError


def check_positive_semidefinite(gram: npt.ArrayLike, tolerance: float = 1e-8) -> float:
    """Smallest eigenvalue of a Gram matrix, or an error if it is not symmetric or clearly negative.

    Parameters
    ----------
    gram : array of shape (n, n)
    tolerance : float
        What counts as rounding, relative to the largest entry.

    Returns
    -------
    float

    Raises
    ------
    InputError
        When the matrix is not symmetric, or an eigenvalue is below ``-tolerance`` times the largest entry.

    Examples
    --------
    >>> check_positive_semidefinite([[2.0, 1.0], [1.0, 2.0]])
    1.0
    >>> check_positive_semidefinite([[1.0, 2.0], [2.0, 1.0]])
    Traceback (most recent call last):
    ...
    weft.errors.InputError: the Gram matrix has an eigenvalue of -1; need none below 0: ...
    """
    matrix = np.asarray(gram, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"a matrix of shape {matrix.shape} given; need a square one: give gram(X), not gram(X, Y).")
    if not matrix.size:
        return 0.0
    rounding = tolerance * float(np.abs(matrix).max())
    difference = np.abs(matrix - matrix.T)
    if difference.max() > rounding:
        row, column = np.unravel_index(int(difference.argmax()), matrix.shape)
        raise InputError(
            f"the Gram matrix is not symmetric: K[{row}, {column}] is {matrix[row, column]:.6g} and K[{column}, {row}] "
            f"is {matrix[column, row]:.6g}; need a kernel with K(x, y) = K(y, x)."
        )
    smallest = float(np.linalg.eigvalsh(matrix)[0])
    if smallest < -rounding:
        raise InputError(
            f"the Gram matrix has an eigenvalue of {smallest:.6g}; need none below 0: "
            "use a kernel of the form T composed with its inverse."
        )
    return smallest
