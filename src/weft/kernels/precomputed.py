"""Kernel values that are there already."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft.errors import InputError
from weft.kernels.base import Floats, Kernel
from weft.kernels.vectors.products import as_rows


def check_symmetric(matrix: Floats, name: str = "a Gram matrix") -> None:
    """Refuse a matrix that no kernel has.

    Examples
    --------
    >>> check_symmetric(np.array([[1.0, 0.5], [0.2, 1.0]]))
    Traceback (most recent call last):
    weft.errors.InputError: a Gram matrix is not symmetric: it has 0.5 in row 1, column 2, but 0.2 in row 2, ...
    """
    away = np.abs(matrix - matrix.T)
    # Values that were summed in another order differ by rounding.
    if away.size and away.max() > 1e-6 * np.abs(matrix).max():
        i, j = (int(each) for each in np.unravel_index(away.argmax(), away.shape))
        raise InputError(
            f"{name} is not symmetric: it has {matrix[i, j]:.6g} in row {i + 1}, column {j + 1}, but "
            f"{matrix[j, i]:.6g} in row {j + 1}, column {i + 1}; need the values of one kernel."
        )


class PrecomputedKernel(Kernel):
    """Examples are rows of a Gram matrix, with a column for each training example; those are known by their numbers.

    Estimators take it for ``input_kernel="precomputed"``.

    Examples
    --------
    >>> PrecomputedKernel().gram([[1.0, 0.5, 0.2]], [0, 2])
    array([[1. , 0.2]])
    """

    def gram(self, X: Any, Y: Any = None) -> Floats:
        """The matrix itself, or its columns `Y`."""
        rows = as_rows(X)
        if Y is None:
            if rows.shape[0] != rows.shape[1]:
                raise InputError(f"a Gram matrix of shape {rows.shape} given; need a square one to learn from.")
            check_symmetric(rows)
            return rows.copy()
        columns = np.asarray(Y).astype(np.int64)
        if len(columns) and not 0 <= columns.min() <= columns.max() < rows.shape[1]:
            wanted = int(columns.max()) + 1
            raise InputError(f"rows of {rows.shape[1]} kernel values given; need {wanted}: one per training example.")
        return np.asarray(rows[:, columns])

    def diagonal(self, X: Any) -> Floats:
        """Diagonal of a square matrix."""
        return np.diag(self.gram(X)).copy()
