"""Sums of rows of a sparse matrix, as a sparse matrix: features of outputs from features of their parts."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy  # which loads its sparse at first use: not to predict
from numpy.typing import NDArray


def summed_rows(
    starts: NDArray[np.integer],
    columns: NDArray[np.integer],
    values: NDArray[np.float64],
    rows: NDArray[np.integer],
    ends: Any,
    n_columns: int,
    factors: NDArray[np.float64] | None = None,
) -> scipy.sparse.csr_array:
    """Sum of each group of rows: what a product with a matrix of counts gives, at a third of its overhead.

    Parameters
    ----------
    starts, columns, values : ndarrays
        A matrix in CSR form.
    rows : ndarray of int
        Rows of the matrix, one group after the other.
    ends : list of int
        Where each group ends among them.
    n_columns : int
    factors : ndarray of shape (len(rows),), optional
        A factor for each row.

    Returns
    -------
    csr_array of shape (len(ends), n_columns)
        No entry stands twice, and columns are sorted.

    Examples
    --------
    >>> matrix = scipy.sparse.csr_array([[1.0, 0.0, 2.0], [0.0, 3.0, 1.0]])
    >>> summed_rows(matrix.indptr, matrix.indices, matrix.data, np.array([0, 1, 0, 1]), [3, 4], 3).toarray()
    array([[2., 3., 5.],
           [0., 3., 1.]])
    """
    counts = (starts[rows + 1] - starts[rows]).astype(np.int64)
    bounds = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum(counts, out=bounds[1:])
    places = np.repeat(starts[rows] - bounds[:-1], counts) + np.arange(bounds[-1])
    entries = values[places] if factors is None else values[places] * np.repeat(factors, counts)
    found = scipy.sparse.csr_array((entries, columns[places], bounds[[0, *ends]]), shape=(len(ends), n_columns))
    found.sum_duplicates()
    return found
