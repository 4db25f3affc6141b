"""Feature vectors in the form that compiled loops read fastest."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weft.kernel_methods.coordinate_descent import row_products

__all__ = ["SparseRows"]


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
        return SparseRows(matrix.indptr.astype(np.int64), columns, values, int(matrix.shape[1]))

    def __matmul__(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Product of each row and a vector."""
        products: NDArray[np.float64] = row_products(self.indptr, self.columns, self.values, weights)
        return products

    @property
    def n_rows(self) -> int:
        """Number of examples."""
        return len(self.indptr) - 1
