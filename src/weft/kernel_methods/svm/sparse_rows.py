"""Feature vectors in the form that compiled loops read fastest."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weft.core.array_checks import checked_floats, checked_offsets
from weft.errors import InputError
from weft.kernel_methods.svm.loops.descent import row_products

CURE = "make the matrix with scipy.sparse.csr_array, and check it with check_format()"


def check_columns(columns: NDArray[np.uint32], values: NDArray[Any], n_columns: int) -> None:
    """Refuse columns that a vector of weights does not have, or other numbers of values than of columns.

    Examples
    --------
    >>> check_columns(np.array([3], dtype=np.uint32), np.ones(1), 3)
    Traceback (most recent call last):
    ...
    weft.errors.InputError: column 3 given; need 0 to 2: make the matrix with scipy.sparse.csr_array, and check...
    """
    if columns.dtype != np.uint32 or columns.ndim != 1 or columns.shape != values.shape:
        raise InputError(f"{columns.shape} {columns.dtype} columns of {values.shape} values given; need uint32: {CURE}")
    if len(columns) and columns.max() >= n_columns:
        raise InputError(f"column {columns.max()} given; need 0 to {n_columns - 1}: {CURE}")


class SparseRows(NamedTuple):
    """Feature vectors as compiled loops read them fastest.

    Attributes
    ----------
    indptr : ndarray of int64 of shape (n_rows + 1,)
    columns : ndarray of uint32
        Unsigned, so that no loop asks whether a number is negative.
    values : ndarray of float32 or float64
        32 bits when they hold every value exactly, as they do for counts.
    n_columns : int

    Examples
    --------
    >>> from scipy.sparse import csr_matrix
    >>> rows = SparseRows.from_matrix(csr_matrix([[1.0, 0.0, 2.0]]))
    >>> rows.columns, rows.values.dtype
    (array([0, 2], dtype=uint32), dtype('float32'))
    >>> rows @ np.array([1.0, 1.0, 3.0])
    array([7.])
    """

    indptr: NDArray[np.int64]
    columns: NDArray[np.uint32]
    values: NDArray[Any]
    n_columns: int

    @staticmethod
    def from_matrix(matrix: Any) -> SparseRows:
        """Take a CSR matrix whose rows name no column twice."""
        values = matrix.data.astype(np.float32, copy=False)
        if values is not matrix.data and not np.array_equal(values, matrix.data):
            values = matrix.data.astype(np.float64)
        # Column numbers are never negative, so their bits mean the same without a sign.
        columns = np.ascontiguousarray(matrix.indices)
        columns = columns.view(np.uint32) if columns.dtype == np.int32 else columns.astype(np.uint32)
        indptr = checked_offsets("indptr", matrix.indptr, len(columns), CURE, int(matrix.shape[0]))
        check_columns(columns, values, int(matrix.shape[1]))
        return SparseRows(indptr, columns, values, int(matrix.shape[1]))

    def __matmul__(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Product of each row and a vector."""
        weights = checked_floats("weights", weights, (self.n_columns,), "give one weight per column")
        products: NDArray[np.float64] = row_products(self.indptr, self.columns, self.values, weights)
        return products

    @property
    def n_rows(self) -> int:
        """Number of examples."""
        return len(self.indptr) - 1
