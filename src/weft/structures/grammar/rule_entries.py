"""Which weights score each rule: a sparse matrix that needs no library to be multiplied with weights."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats, Integers


class RuleEntries:
    """Entries of a sparse matrix (n_rules, n_features), by rows and in these by columns, none twice.

    Whoever only predicts wants scores of rules, and need not wait for scipy.sparse.

    Parameters
    ----------
    rows, columns : ndarrays of int
    values : ndarray of float64
        Those of one row and column are added.
    shape : (int, int)

    Examples
    --------
    >>> entries = RuleEntries(np.array([1, 0, 1]), np.array([2, 0, 2]), np.array([1.0, 5.0, 3.0]), (3, 4))
    >>> entries.scores(np.array([1.0, 10.0, 100.0, 1000.0])), entries.matrix.toarray()[1]
    (array([  5., 400.,   0.]), array([0., 0., 4., 0.]))
    """

    def __init__(self, rows: Integers, columns: Integers, values: Floats, shape: tuple[int, int]) -> None:
        keys = rows * shape[1] + columns
        order = np.argsort(keys, kind="stable")
        firsts = np.flatnonzero(np.diff(keys[order], prepend=-1))
        self.rows: NDArray[np.int64] = rows[order][firsts]
        self.columns: NDArray[np.int64] = columns[order][firsts]
        self.values: Floats = np.add.reduceat(values[order], firsts) if len(firsts) else values
        self.shape = shape

    def scores(self, weights: Floats) -> Floats:
        """Product with weights: entries of a row are added one after the other, as scipy does."""
        found = np.bincount(self.rows, self.values * weights[self.columns], minlength=self.shape[0])
        return found.astype(np.float64, copy=False)  # integers where there are no entries

    @cached_property
    def matrix(self) -> Any:
        """The entries as an array of scipy."""
        from scipy.sparse import csr_array

        starts = np.searchsorted(self.rows, np.arange(self.shape[0] + 1))
        return csr_array((self.values, self.columns, starts), shape=self.shape)
