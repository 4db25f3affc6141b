"""Ridge regression on few basis functions, from sums over the examples: these may lie anywhere.

With features phi(x) = T' k(S, x), of which K_S is the inner product, the coefficients of the kernel values with the
basis S are T (Phi'Phi + alpha I)^-1 Phi'Y (`weft.kernel_methods.ridge.low_rank`). Phi'Phi and Phi'Y are sums.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weft.arrays import Floats, Integers
from weft.core.algebra import one_algebra_thread
from weft.core.array_checks import checked_numbers
from weft.kernel_methods.ridge.low_rank import features_of_basis
from weft.kernel_methods.ridge.path import checked_alpha, solve_ridge
from weft.kernel_methods.ridge.regressor import KernelRidge
from weft.kernels.base import Kernel

__all__ = ["NystroemSums"]

HEIGHT = 1 << 12
"""Examples whose kernel values are in memory at once; it decides on the order of sums, so that it is fixed."""


class NystroemSums:
    """What sums over examples a regression on a basis needs, and the regression that they give.

    Sums are made by one thread, so that they are the same on any number of cores.

    Parameters
    ----------
    kernel : Kernel
    basis : sequence
        Examples.

    Examples
    --------
    >>> from weft import RBFKernel
    >>> X, Y = [[0.0], [1.0], [2.0]], np.array([[1.0], [3.0], [2.0]])
    >>> sums = NystroemSums(RBFKernel(1.0), X)
    >>> squares, products = sums.of(X, Y)
    >>> sums.regression(squares.sum(axis=0), products.sum(axis=0), 1e-9).predict(X).round(3).ravel()
    array([1., 3., 2.])
    """

    def __init__(self, kernel: Kernel, basis: Any) -> None:
        self.kernel, self.basis = kernel, basis
        with one_algebra_thread(scipy=True):
            # In one layout: what is sent to another process loses its own, and products then round otherwise.
            self._to_features = np.ascontiguousarray(features_of_basis(kernel.gram(basis)))
        self._bound = self._ridge(1.0, np.zeros((len(basis), 1)))

    def _ridge(self, alpha: float, coefficients: Floats) -> KernelRidge:
        return KernelRidge(
            self.kernel, alpha, approximation="nystroem", n_basis=len(self.basis)
        ).set_basis(self.basis, coefficients)  # fmt: skip

    def of(self, X: Any, targets: Any, folds: Integers | None = None, n_folds: int = 1) -> tuple[Floats, Floats]:
        """Phi'Phi and Phi'Y of some examples, for each fold of them.

        Parameters
        ----------
        X : sequence of examples
        targets : array or sparse array of shape (n, n_outputs)
        folds : ndarray of shape (n,), optional
            Number of the fold of each example.
        n_folds : int

        Returns
        -------
        squares : ndarray of shape (n_folds, size, size)
        products : ndarray of shape (n_folds, size, n_outputs)
        """
        size = self._to_features.shape[1]
        owners = np.zeros(len(X), dtype=np.int64) if folds is None else folds
        owners = checked_numbers("folds", owners, n_folds, "number the folds from 0", size=len(X), dtype=np.int64)
        squares, products = np.zeros((n_folds, size, size)), np.zeros((n_folds, size, targets.shape[1]))
        with one_algebra_thread(scipy=True):
            for begin in range(0, len(X), HEIGHT):
                rows = slice(begin, begin + HEIGHT)
                features = self._bound.values(X[rows]) @ self._to_features
                for fold in range(n_folds):
                    own = np.flatnonzero(owners[rows] == fold)
                    squares[fold] += features[own].T @ features[own]
                    products[fold] += np.asarray((targets[rows][own].T @ features[own]).T)
        return squares, products

    def regression(self, squares: Floats, products: Floats, alpha: float) -> KernelRidge:
        """The regression on examples with these sums."""
        with one_algebra_thread(scipy=True):
            strength = checked_alpha(alpha)
            solved = solve_ridge(squares.copy(), products, strength, overwrite=True)
            return self._ridge(strength, np.asarray(self._to_features @ solved))
