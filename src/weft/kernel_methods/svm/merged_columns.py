"""Fewer columns, the same kernel matrix: what makes a gradient cost as much for 10-grams as for 4-grams.

Long n-grams are rare, and many have the same entries: all of a passage that two texts share. m equal columns add to
the gradient what one of them adds, times m, and get equal weights; so one stands for all. A column of a single row i
adds to one entry of the kernel matrix, Q_ii, only: no gradient has to read it, it belongs to the diagonal. Neither
changes the dual problem, and W' of the columns that were there follows from the dual variables (LK section 5.1).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats, Integers
from weft.core.vectors import product
from weft.kernel_methods.svm.loops.descent import row_norms, row_products, weighted_sum
from weft.kernel_methods.svm.loops.merging import column_counts, column_marks, equal_columns, joined_rows
from weft.kernel_methods.svm.sparse_rows import SparseRows

RARE = 16
"""Columns of more rows are not compared: hardly any are equal, and most of the entries are theirs."""
MANY = 1 << 18
"""Weights of so many columns do not fit the cache of a core, so that a pass waits for memory."""
SHARED = 32
"""Columns of more rows than this, on average, are too common to be equal."""


class MergedRows(NamedTuple):
    """Rows whose columns may stand for several, with a share of the kernel's diagonal apart.

    Attributes
    ----------
    rows : SparseRows
        The rows as they came.
    indptr, columns, values
        Rows of the columns that are left, as in `SparseRows`.
    products : ndarray
        Values times the number of columns they stand for.
    sizes : ndarray of shape (n_columns_left,)
        How many columns each one stands for.
    own : ndarray of shape (n_rows,)
        Squared values in columns that no other row has.
    norms : ndarray of shape (n_rows,)
        Squared norms of the rows: the diagonal of the kernel matrix.
    """

    rows: SparseRows
    indptr: Integers
    columns: NDArray[np.uint32]
    values: NDArray[Any]
    products: NDArray[Any]
    sizes: Floats
    own: Floats
    norms: Floats

    @staticmethod
    def unmerged(rows: SparseRows) -> MergedRows:
        """Rows as they are."""
        norms = row_norms(rows.indptr, rows.values, rows.values)
        sizes, own = np.ones(rows.n_columns), np.zeros(rows.n_rows)
        return MergedRows(rows, rows.indptr, rows.columns, rows.values, rows.values, sizes, own, norms)

    def decisions(self, weights: Floats, signed: Floats) -> Floats:
        """w.x of each row: from weights of the columns that are left, and signed dual variables for the others."""
        shared: Floats = row_products(self.indptr, self.columns, self.products, weights)
        return shared + self.own * signed

    def squared_norm(self, weights: Floats, signed: Floats) -> float:
        """|w|^2, from the same."""
        return product(self.sizes * weights, weights) + product(self.own, signed**2)

    def all_weights(self, weights: Floats, signed: Floats) -> Floats:
        """Weights of the columns that came: sum_i alpha_i y_i x_i."""
        if self.columns is self.rows.columns:
            return weights
        found = np.zeros(self.rows.n_columns)
        weighted_sum(self.rows.indptr, self.rows.columns, self.rows.values, signed, found)
        return found


def worth_merging(rows: SparseRows) -> bool:
    """Whether there are so many columns, and so rare ones, that merging saves more time than it takes.

    Examples
    --------
    >>> from scipy.sparse import csr_matrix
    >>> worth_merging(SparseRows.from_matrix(csr_matrix((3, 1_000_000))))
    True
    """
    return rows.n_columns >= MANY and len(rows.columns) < SHARED * rows.n_columns


def merge_columns(rows: SparseRows) -> MergedRows:
    """Let one column stand for equal ones, and fold columns of a single row into the diagonal.

    Equal columns are found by hashing; that no others were joined is checked on the norms of all rows, and if a
    collision ever mixed two columns up, the rows stay as they are.

    Examples
    --------
    >>> from scipy.sparse import csr_matrix
    >>> merged = merge_columns(SparseRows.from_matrix(csr_matrix([[1.0, 2.0, 2.0, 0.0], [0.0, 1.0, 1.0, 5.0]])))
    >>> merged.columns, merged.products, merged.sizes, merged.own
    (array([0, 0], dtype=uint32), array([4., 2.], dtype=float32), array([2.]), array([ 1., 25.]))
    """
    counts = column_counts(rows.columns, rows.n_columns)
    marks = column_marks(rows.indptr, rows.columns, rows.values, counts, RARE)
    stands_for = equal_columns(marks, counts, RARE)
    *joined, exact = joined_rows(rows.indptr, rows.columns, rows.values, counts, stands_for)
    indptr, columns, values, products, sizes, own = joined
    if not exact:  # 32 bits hold multiples of counts, but not of all numbers
        values = values.astype(np.float64)
        products = values * sizes[columns]
    norms = row_norms(indptr, values, products) + own
    if np.allclose(norms, row_norms(rows.indptr, rows.values, rows.values), 1e-9, 0.0):
        return MergedRows(rows, indptr, columns, values, products, sizes, own, norms)
    return MergedRows.unmerged(rows)
