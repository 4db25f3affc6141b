"""What every kernel offers, and sums and products of kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy  # which loads its sparse at first use: not to predict

from weft.arrays import Floats
from weft.errors import InputError
from weft.kernels.feature_map import FeatureMap, MapState, UnionFeatureMap, part_state
from weft.kernels.gram_matrix import product_with_transpose, squared_norms
from weft.parameters import Parameters
from weft.sequences.checks import as_list

__all__ = ["LEARNED", "Floats", "Kernel", "KernelProduct", "KernelSum", "read_sides"]


def read_sides(X: Any, Y: Any = None) -> tuple[Any, Any]:
    """Both sides of a Gram matrix, read once: kernels that are made of others hand them on several times.

    Examples
    --------
    >>> read_sides(iter(["ab", "c"]))
    (['ab', 'c'], None)
    """
    return _read_side(X, "X"), None if Y is None else _read_side(Y, "Y")


def _read_side(X: Any, name: str) -> Any:
    return X if isinstance(X, np.ndarray) and X.ndim > 1 else as_list(X, name)


LEARNED = (
    "idf=True learns its weights from training data, which values of other sequences need; use SequenceSVC, or the "
    "transform of kernel.feature_map(X)[0]."
)


class Kernel(Parameters):
    """A similarity that is an inner product of feature vectors.

    A kernel with explicit features needs only `feature_map`, one without them `gram` and `diagonal`. Kernels add and
    multiply: ``NGramKernel(3) + GappyKernel(2, 0.5)``.
    """

    @property
    def has_features(self) -> bool:
        """Whether explicit sparse features exist."""
        return False

    @property
    def learns_weights(self) -> bool:
        """Whether values depend on training data, so that only a feature map can give those of other sequences."""
        return False

    def _check_sides(self, Y: Any) -> None:
        """Raise for a second side if it is not clear which side is the training data."""
        if Y is not None and self.learns_weights:
            raise InputError(LEARNED)

    def feature_map(self, X: Sequence[Any]) -> tuple[FeatureMap, scipy.sparse.csr_array]:
        """Learn the columns from `X`, and give its rows."""
        raise InputError(
            f"{type(self).__name__} has no explicit features; use gram(X, Y), or a kernel that has them, "
            "such as NGramKernel."
        )

    def restore_feature_map(self, state: MapState) -> FeatureMap:
        """Make the map again that `FeatureMap.to_state` described."""
        raise InputError(f"{type(self).__name__} has no explicit features, so no feature map can be restored.")

    def features(self, X: Sequence[Any]) -> scipy.sparse.csr_array:
        """Rows of `X`; the columns are the features seen in it, sorted."""
        return self.feature_map(X)[1]

    def gram(self, X: Sequence[Any], Y: Sequence[Any] | None = None) -> Floats:
        """Matrix of ``K(x, y)`` for all x of `X` and y of `Y`; None stands for `X`."""
        self._check_sides(Y)
        X, Y = read_sides(X, Y)
        mapped, rows = self.feature_map(X)
        others = rows if Y is None else mapped.transform(Y)
        return product_with_transpose(rows, others, getattr(self, "n_jobs", -1))

    def diagonal(self, X: Sequence[Any]) -> Floats:
        """``K(x, x)`` for all x of `X`."""
        return squared_norms(self.features(X))

    def __add__(self, other: Any) -> KernelSum:
        if not isinstance(other, Kernel):
            return NotImplemented
        return KernelSum(self, other)

    def __mul__(self, other: Any) -> KernelProduct:
        if not isinstance(other, Kernel):
            return NotImplemented
        return KernelProduct(self, other)


class KernelSum(Kernel):
    """``left + right``: the union of their features.

    Parameters
    ----------
    left, right : Kernel

    Examples
    --------
    >>> from weft import NGramKernel
    >>> kernel = NGramKernel(1) + NGramKernel(2)
    >>> kernel.gram(["aba"], ["ab"])
    array([[4.]])
    """

    def __init__(self, left: Kernel, right: Kernel) -> None:
        self.left = left
        self.right = right

    @property
    def learns_weights(self) -> bool:
        """Whether one of both does."""
        return self.left.learns_weights or self.right.learns_weights

    @property
    def has_features(self) -> bool:
        """Whether both terms have explicit features."""
        return self.left.has_features and self.right.has_features

    def feature_map(self, X: Sequence[Any]) -> tuple[FeatureMap, scipy.sparse.csr_array]:
        """Columns of the left term, then those of the right."""
        if not self.has_features:
            return super().feature_map(X)
        X, _ = read_sides(X)
        maps, rows = zip(*(term.feature_map(X) for term in (self.left, self.right)), strict=True)
        return UnionFeatureMap(maps), scipy.sparse.hstack(rows, format="csr")

    def restore_feature_map(self, state: MapState) -> FeatureMap:
        """Make the map again that `FeatureMap.to_state` described."""
        terms = (self.left, self.right)
        return UnionFeatureMap([term.restore_feature_map(part_state(state, i)) for i, term in enumerate(terms)])

    def gram(self, X: Sequence[Any], Y: Sequence[Any] | None = None) -> Floats:
        """Sum of the terms' matrices."""
        X, Y = read_sides(X, Y)
        return self.left.gram(X, Y) + self.right.gram(X, Y)

    def diagonal(self, X: Sequence[Any]) -> Floats:
        """Sum of the terms' diagonals."""
        X, _ = read_sides(X)
        return self.left.diagonal(X) + self.right.diagonal(X)


class KernelProduct(Kernel):
    """``left * right``: an inner product of pairs of features, which are never written out.

    Parameters
    ----------
    left, right : Kernel

    Examples
    --------
    >>> from weft import NGramKernel
    >>> kernel = NGramKernel(1) * NGramKernel(2)
    >>> kernel.gram(["aba"], ["ab"])
    array([[3.]])
    """

    def __init__(self, left: Kernel, right: Kernel) -> None:
        self.left = left
        self.right = right

    @property
    def learns_weights(self) -> bool:
        """Whether one of both does."""
        return self.left.learns_weights or self.right.learns_weights

    def gram(self, X: Sequence[Any], Y: Sequence[Any] | None = None) -> Floats:
        """Product of the factors' matrices, entry by entry (Schur: positive semidefinite)."""
        X, Y = read_sides(X, Y)
        return self.left.gram(X, Y) * self.right.gram(X, Y)

    def diagonal(self, X: Sequence[Any]) -> Floats:
        """Product of the factors' diagonals."""
        X, _ = read_sides(X)
        return self.left.diagonal(X) * self.right.diagonal(X)


def kernel_within(owner: Kernel, name: str = "kernel") -> Kernel:
    """The kernel that another one is made of."""
    inner = getattr(owner, name)
    if not isinstance(inner, Kernel):
        raise InputError(
            f"{name} of {type(owner).__name__} is {inner!r:.60}; a kernel such as weft.NGramKernel(3) is needed."
        )
    return inner
