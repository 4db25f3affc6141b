"""Ridge regression from whatever a kernel compares to vectors, exact or with few basis functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from weft.arrays import Floats
from weft.core.algebra import one_algebra_thread
from weft.errors import InputError
from weft.kernel_methods.ridge.banded_path import ridge_path
from weft.kernel_methods.ridge.kernel_columns import KernelColumns, taken
from weft.kernel_methods.ridge.low_rank import fit_low_rank
from weft.kernel_methods.ridge.path import RidgePath, checked_alpha, ridge_weights, solve_ridge
from weft.kernels.base import LEARNED, Kernel
from weft.kernels.combinators import Normalized
from weft.kernels.feature_map import FeatureMap
from weft.kernels.gram_matrix import product_with_transpose
from weft.kernels.precomputed import PrecomputedKernel
from weft.kernels.vectors.products import LinearKernel, as_rows
from weft.parameters import Parameters, clone

ENTRIES = 1 << 23
"""Kernel values that a prediction holds at once."""


def as_kernel(kernel: Any, name: str = "kernel") -> Kernel:
    """A copy of a kernel, or one for values that are there already.

    Examples
    --------
    >>> as_kernel("precomputed")
    PrecomputedKernel()
    """
    if isinstance(kernel, str) and kernel == "precomputed":
        return PrecomputedKernel()
    if not isinstance(kernel, Kernel):
        raise InputError(
            f"{name} is {kernel!r}; a kernel such as weft.NGramKernel(3) is needed, 'precomputed', or None."
        )
    if kernel.learns_weights:
        raise InputError(f"{name}: {LEARNED}")
    copy: Kernel = clone(kernel)
    return copy


class KernelRidge(Parameters):
    """Kernel ridge regression with any kernel of weft and any number of outputs.

    The primal system is solved where a kernel has explicit features, and fewer of them than there are examples.

    Parameters
    ----------
    kernel : Kernel or "precomputed", optional
        None means `LinearKernel`. If precomputed, examples are rows of kernel values, one for each training example.
    alpha : float or sequence of float
        Of several strengths the one with the smallest leave-one-out error is taken.
    approximation : {"greedy", "cholesky", "nystroem", "random"}, optional
        How to choose basis functions; None takes all examples.
    n_basis : int, optional
        How many; None means a third of the examples. Only for approximations.
    leave_one_out : bool
        Keep the leave-one-out predictions for the training examples.
    random_state : int, optional
        Chooses the basis of ``nystroem`` and ``random``.

    Attributes
    ----------
    alpha_ : float
    basis_ : sequence or None
        Examples whose kernel values a prediction needs.
    coefficients_ : ndarray of shape (n_basis, n_outputs) or (n_features, n_outputs)
    leave_one_out_ : ndarray of the shape of the targets, or None

    Examples
    --------
    >>> from weft import RBFKernel
    >>> model = KernelRidge(RBFKernel(1.0), alpha=1e-6).fit([[0.0], [1.0]], [1.0, 3.0])
    >>> model.predict([[0.0], [1.0]]).round(3)
    array([1., 3.])
    """

    _bound: tuple[Any, FeatureMap, Any] | None = None

    def __init__(
        self,
        kernel: Kernel | str | None = None,
        alpha: float | Sequence[float] = 1.0,
        *,
        approximation: str | None = None,
        n_basis: int | None = None,
        leave_one_out: bool = False,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.alpha = alpha
        self.approximation = approximation
        self.n_basis = n_basis
        self.leave_one_out = leave_one_out
        self.random_state = random_state

    @one_algebra_thread(scipy=True)
    def fit(self, X: Any, y: Any) -> KernelRidge:
        """Fit to targets of shape (n,) or (n, n_outputs)."""
        targets = np.asarray(y, dtype=np.float64)
        if len(X) != len(targets):
            raise InputError(f"{len(X)} examples but {len(targets)} targets given; need one target per example.")
        if not len(X):
            raise InputError("no examples given; need at least one.")
        if self.n_basis is not None and self.approximation is None:
            raise InputError(
                f"n_basis={self.n_basis} given without an approximation, which alone uses it; drop it, or name one."
            )
        self.kernel_: Kernel = LinearKernel() if self.kernel is None else as_kernel(self.kernel)
        self.features_: FeatureMap | None = None
        self.basis_: Any = None
        self.leave_one_out_: Floats | None = None
        if self.approximation is not None:
            return self._fit_basis(X, targets)
        return self._fit_all(X, targets)

    def _fit_all(self, X: Any, targets: Floats) -> KernelRidge:
        rows = self._rows(X)
        several = _are_several(self.alpha)
        if several or self.leave_one_out:
            path = ridge_path(self.kernel_.gram(X), targets) if rows is None else RidgePath.from_features(rows, targets)
            alphas: Any = self.alpha
            self.alpha_ = path.best(alphas) if several else checked_alpha(alphas)
            self.coefficients_ = path.coefficients(self.alpha_)
            self.leave_one_out_ = path.leave_one_out(self.alpha_) if self.leave_one_out else None
        else:
            self.alpha_ = checked_alpha(self.alpha)
            if rows is None:
                self.coefficients_ = solve_ridge(self.kernel_.gram(X), targets, self.alpha_, overwrite=True)
            else:
                self.coefficients_ = ridge_weights(rows, targets, self.alpha_)
        if rows is None:
            self.basis_ = X if isinstance(X, np.ndarray) else list(X)
            if isinstance(self.kernel_, PrecomputedKernel):
                self.basis_ = np.arange(len(X))
        return self

    def _fit_basis(self, X: Any, targets: Floats) -> KernelRidge:
        if _are_several(self.alpha) or self.leave_one_out:
            raise InputError(
                "an approximation with several alphas, or with leave_one_out=True, given; need one alpha: "
                "choose it with approximation=None on fewer examples."
            )
        n_basis = max(1, len(X) // 3) if self.n_basis is None else self.n_basis
        kind: Any = self.approximation
        self.alpha_ = checked_alpha(self.alpha)
        is_given = isinstance(self.kernel_, PrecomputedKernel)
        columns = KernelColumns.of(self.kernel_.gram(X)) if is_given else KernelColumns(self.kernel_, X)
        indices, self.coefficients_ = fit_low_rank(columns, targets, self.alpha_, kind, n_basis, self.random_state)
        self.basis_ = indices if is_given else taken(X, indices)
        return self

    def set_basis(self, basis: Any, coefficients: Floats) -> KernelRidge:
        """Take these basis functions and their coefficients, found elsewhere, for a fit."""
        self.kernel_ = LinearKernel() if self.kernel is None else as_kernel(self.kernel)
        self.features_, self.leave_one_out_ = None, None
        self.alpha_, self.basis_, self.coefficients_ = checked_alpha(self.alpha), basis, coefficients
        return self

    def _rows(self, X: Any) -> Any:
        """Explicit features, if the primal system is the smaller one."""
        if isinstance(self.kernel_, LinearKernel):
            rows = as_rows(X)
            return rows if rows.shape[1] <= len(rows) else None
        if not self.kernel_.has_features:
            return None
        features, sparse = self.kernel_.feature_map(X)
        if sparse.shape[1] > sparse.shape[0]:
            return None
        self.features_ = features
        return sparse

    @one_algebra_thread()
    def predict(self, X: Any) -> Floats:
        """Predicted targets, of shape (n,) or (n, n_outputs)."""
        if self.basis_ is None:
            rows = as_rows(X) if self.features_ is None else self.features_.transform(X)
            if rows.shape[1] != len(self.coefficients_):
                raise InputError(f"vectors of {rows.shape[1]} numbers given; need {len(self.coefficients_)} as in fit.")
            return np.asarray(rows @ self.coefficients_)
        height = max(1, ENTRIES // max(1, len(self.basis_)))
        starts = range(0, len(X), height)
        parts = [self.values(X[start : start + height]) @ self.coefficients_ for start in starts]
        return np.concatenate([np.zeros((0, *self.coefficients_.shape[1:])), *parts])

    def values(self, X: Any) -> Floats:
        """Kernel values with the basis; where they are products of features, those of the basis are made once."""
        if not _is_product(self.kernel_):
            return self.kernel_.gram(X, self.basis_)
        if self._bound is None or self._bound[0] is not self.basis_:
            features, rows = self.kernel_.feature_map(self.basis_)
            self._bound = self.basis_, features, rows.tocsc()
        _, features, columns = self._bound
        return product_with_transpose(features.transform(X), columns, getattr(self.kernel_, "n_jobs", -1))


def _is_product(kernel: Kernel) -> bool:
    """Whether values of two sides are products of features that each side has whatever the other one is."""
    if isinstance(kernel, Normalized):
        return _is_product(kernel.kernel)
    return kernel.has_features and not kernel.learns_weights and type(kernel).gram is Kernel.gram


def _are_several(alpha: Any) -> bool:
    """Whether strengths to choose from are given, instead of one."""
    return np.iterable(alpha) and not isinstance(alpha, str | bytes)
