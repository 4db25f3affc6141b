"""Dense Gram matrices of sparse rows."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import scipy  # which loads its sparse at first use: not to predict
from numpy.typing import NDArray

from weft.core.jit import jit
from weft.core.memory import require_memory
from weft.core.threads import effective_jobs, in_threads


@jit
def _add_squares(indptr: Any, data: Any, norms: Any) -> None:
    for i in range(len(norms)):
        total = 0.0
        for entry in range(indptr[i], indptr[i + 1]):
            total += np.float64(data[entry]) * np.float64(data[entry])
        norms[i] = total


@jit
def _scale(indptr: Any, data: Any, factors: Any) -> None:
    for i in range(len(factors)):
        for entry in range(indptr[i], indptr[i + 1]):
            data[entry] *= factors[i]


def squared_norms(rows: scipy.sparse.csr_array) -> NDArray[np.float64]:
    """Squared length of each row, without a copy of the data.

    Examples
    --------
    >>> squared_norms(scipy.sparse.csr_array([[1.0, 2.0], [0.0, 0.0]]))
    array([5., 0.])
    """
    norms = np.empty(rows.shape[0])
    _add_squares(rows.indptr, rows.data, norms)
    return norms


def scale_rows(rows: scipy.sparse.csr_array, factors: NDArray[np.float64]) -> scipy.sparse.csr_array:
    """Multiply each row by its factor, in place.

    Examples
    --------
    >>> scale_rows(scipy.sparse.csr_array([[1.0, 2.0], [0.0, 1.0]]), np.array([3.0, 0.5])).toarray()
    array([[3. , 6. ],
           [0. , 0.5]])
    """
    _scale(rows.indptr, rows.data, factors)
    return rows


@jit
def _multiply(
    indptr: Any, indices: Any, data: Any, pointers: Any, others: Any, values: Any, first: Any, last: Any, gram: Any
) -> None:
    """Rows `first` to ``last - 1`` of a product with a matrix given by columns."""
    for i in range(first, last):
        row = gram[i]
        for entry in range(indptr[i], indptr[i + 1]):
            column, value = indices[entry], np.float64(data[entry])
            for other in range(pointers[column], pointers[column + 1]):
                row[others[other]] += value * values[other]


def empty_gram(n_rows: int, n_columns: int) -> NDArray[np.float64]:
    """A kernel matrix of zeros, unless it would not fit into memory.

    Examples
    --------
    >>> empty_gram(2, 1).tolist()
    [[0.0], [0.0]]
    """
    require_memory(
        8.0 * n_rows * n_columns,
        f"kernel values of all pairs of {n_rows:,} and {n_columns:,} examples",
        "take fewer examples, landmarks, or a method on explicit features",
    )
    return np.zeros((n_rows, n_columns))


def mirror_upper(gram: NDArray[np.float64], block: int = 512) -> NDArray[np.float64]:
    """Make a matrix symmetric, in place: what is below the diagonal is taken from above.

    Examples
    --------
    >>> mirror_upper(np.array([[1.0, 2.0], [0.0, 3.0]])).tolist()
    [[1.0, 2.0], [2.0, 3.0]]
    """
    for first in range(0, len(gram), block):
        last = first + block
        gram[first:last, :first] = gram[:first, first:last].T
        square = np.triu(gram[first:last, first:last])
        gram[first:last, first:last] = square + np.triu(square, 1).T
    return gram


def product_with_transpose(
    rows: scipy.sparse.csr_array, others: scipy.sparse.csr_array | scipy.sparse.csc_array, n_jobs: int | None = -1
) -> NDArray[np.float64]:
    """Dense ``rows @ others.T``: only the result is dense, and threads share its rows.

    Parameters
    ----------
    rows : csr_array
    others : csr_array or csc_array
    n_jobs : int

    Returns
    -------
    ndarray of float64

    Examples
    --------
    >>> product_with_transpose(scipy.sparse.csr_array([[1.0, 2.0]]), scipy.sparse.csr_array([[0.0, 3.0], [1.0, 0.0]]))
    array([[6., 1.]])
    """
    gram = empty_gram(rows.shape[0], others.shape[0])
    by_column = others.tocsc()
    # Work of a row: the lengths of its columns.
    lengths = np.diff(by_column.indptr)
    work = np.concatenate([[0], np.cumsum(lengths[rows.indices], dtype=np.int64)])[rows.indptr]
    inner = np.searchsorted(work, np.linspace(0, work[-1], effective_jobs(n_jobs) + 1)[1:-1]).tolist()

    def multiply(part: tuple[int, int]) -> None:
        own = (rows.indptr, rows.indices, rows.data)
        _multiply(*own, by_column.indptr, by_column.indices, by_column.data, *part, gram)

    in_threads(multiply, [part for part in pairwise([0, *inner, rows.shape[0]]) if part[0] < part[1]])
    return gram
