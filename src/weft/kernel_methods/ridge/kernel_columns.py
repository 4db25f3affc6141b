"""Columns of a kernel matrix, computed when they are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from weft.arrays import Floats
from weft.errors import InputError
from weft.kernels.base import Kernel


def taken(X: Any, indices: Any) -> Any:
    """Some examples of an array or a list, in the form that they have.

    Examples
    --------
    >>> taken(["a", "b", "c"], [2, 0])
    ['c', 'a']
    """
    return X[np.asarray(indices)] if isinstance(X, np.ndarray) else [X[int(i)] for i in indices]


class KernelColumns:
    """A kernel matrix of which single columns can be had.

    Parameters
    ----------
    kernel : Kernel
    X : sequence
        Examples; features of kernels that have them are computed once.

    Examples
    --------
    >>> from weft import NGramKernel
    >>> KernelColumns(NGramKernel(1), ["ab", "b"]).take([1])
    array([[1.],
           [1.]])
    """

    def __init__(self, kernel: Kernel | None, X: Any) -> None:
        self.kernel = kernel
        self.X = X
        self._rows: scipy.sparse.csr_array | None = None
        if kernel is not None and kernel.has_features:
            self._rows = kernel.features(X)
        self.n = len(X)

    @staticmethod
    def of(gram: Any) -> KernelColumns:
        """Columns of a matrix that is there; columns stay what they are."""
        if isinstance(gram, KernelColumns):
            return gram
        matrix = np.asarray(gram, dtype=np.float64)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise InputError(f"a matrix of shape {matrix.shape} given; need a square kernel matrix.")
        if not np.isfinite(matrix).all():
            raise InputError("the kernel matrix holds a number that is not finite; need finite ones: check the kernel.")
        return KernelColumns(None, matrix)

    def take(self, indices: Sequence[int] | NDArray[Any], rows: Any = None) -> Floats:
        """Columns of these examples, as the columns of a matrix; some of its rows (numbers or a slice), or all."""
        some = slice(None) if rows is None else rows
        if self.kernel is None:
            return np.asarray(self.X[some][:, np.asarray(indices)])
        if self._rows is not None:
            return np.asarray((self._rows[some] @ self._rows[np.asarray(indices)].T).toarray())
        examples = self.X[some] if isinstance(some, slice) else taken(self.X, some)
        return self.kernel.gram(examples, taken(self.X, indices))

    def diagonal(self) -> Floats:
        """The diagonal."""
        return np.diag(self.X).copy() if self.kernel is None else self.kernel.diagonal(self.X)
