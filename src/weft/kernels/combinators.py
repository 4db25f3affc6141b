"""Kernels made of other kernels: normalised, and Gaussian in feature space."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Any

import numpy as np
import scipy  # which loads its sparse at first use: not to predict
from numpy.typing import NDArray

from weft.errors import InputError
from weft.kernels.base import Floats, Kernel, kernel_within, read_sides
from weft.kernels.feature_map import FeatureMap, MapState, Spans
from weft.kernels.gram_matrix import scale_rows, squared_norms
from weft.parameters.rules import is_number
from weft.state_rules import LARGEST


class Normalized(Kernel):
    """Cosine in feature space: ``K(x, y) / sqrt(K(x, x) K(y, y))``.

    A sequence without any feature, such as one that is too short, keeps the zero vector: its similarity to every
    sequence, itself included, is 0.

    Parameters
    ----------
    kernel : Kernel

    Examples
    --------
    >>> from weft import NGramKernel
    >>> Normalized(NGramKernel(1)).gram(["ab", "aab"]).round(3)
    array([[1.   , 0.949],
           [0.949, 1.   ]])
    """

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel

    @property
    def learns_weights(self) -> bool:
        """Whether the kernel inside does."""
        return kernel_within(self).learns_weights

    @property
    def has_features(self) -> bool:
        """Whether the kernel inside has explicit features."""
        return kernel_within(self).has_features

    def feature_map(self, X: Sequence[Any]) -> tuple[FeatureMap, scipy.sparse.csr_array]:
        """Learn the columns from `X`, and give its rows, each of length 1."""
        mapped, rows = kernel_within(self).feature_map(X)
        return NormalizedFeatureMap(mapped), scale_rows(rows, inverse_roots(squared_norms(rows)))

    def restore_feature_map(self, state: MapState) -> FeatureMap:
        """Make the map again that `FeatureMap.to_state` described."""
        return NormalizedFeatureMap(kernel_within(self).restore_feature_map(state))

    def gram(self, X: Sequence[Any], Y: Sequence[Any] | None = None) -> Floats:
        """Matrix of cosines."""
        if self.has_features:
            return super().gram(X, Y)
        X, Y = read_sides(X, Y)
        left = inverse_roots(kernel_within(self).diagonal(X))
        right = left if Y is None else inverse_roots(kernel_within(self).diagonal(Y))
        return kernel_within(self).gram(X, Y) * left[:, None] * right

    def diagonal(self, X: Sequence[Any]) -> Floats:
        """1 for each sequence that has features, else 0."""
        return np.asarray(kernel_within(self).diagonal(X) > 0, dtype=np.float64)


class NormalizedFeatureMap(FeatureMap):
    """Rows of another map, divided by their lengths, to which features that are dropped contribute."""

    def __init__(self, inner: FeatureMap) -> None:
        self.inner = inner
        self.n_features = inner.n_features

    def transform_with_norms(self, X: Sequence[Any]) -> tuple[scipy.sparse.csr_array, Floats]:
        """Rows of `X`, and the squared lengths, 1 or 0."""
        rows, norms = self.inner.transform_with_norms(X)
        return scale_rows(rows, inverse_roots(norms)), np.asarray(norms > 0, dtype=np.float64)

    def one_row(self, x: Any) -> tuple[Floats, NDArray[np.int32], float] | None:
        """Values and columns of the row of one sequence."""
        row = self.inner.one_row(x)
        if row is None:
            return None
        values, columns, norm = row
        factor = inverse_roots(np.array([norm]))[0]
        values *= factor
        return values, columns, float(norm > 0)

    def grown(self, X: Sequence[Any]) -> tuple[FeatureMap, NDArray[np.int64]]:
        """The map inside grown."""
        inner, places = self.inner.grown(X)
        return NormalizedFeatureMap(inner), places

    def selected(self, columns: NDArray[np.int64]) -> FeatureMap:
        """Some columns of the map inside."""
        return NormalizedFeatureMap(self.inner.selected(columns))

    def symbols(self) -> Set[Any] | None:
        """Those of the map inside."""
        return self.inner.symbols()

    def names(self) -> list[str]:
        """Names of the columns."""
        return self.inner.names()

    def spans(self, sequence: Any) -> Spans:
        """Where the known features occur."""
        return self.inner.spans(sequence)

    def to_state(self) -> MapState:
        """State of the map inside."""
        return self.inner.to_state()


def inverse_roots(norms: Floats) -> Floats:
    """``1 / sqrt(norm)``, and 0 for 0."""
    roots = np.sqrt(np.maximum(norms, 0.0))
    return np.divide(1.0, roots, out=np.zeros_like(roots), where=roots > 0)


class RBFOver(Kernel):
    """Gaussian of the distance in feature space: ``exp(-gamma (K(x, x) + K(y, y) - 2 K(x, y)))``.

    Parameters
    ----------
    kernel : Kernel
    gamma : float

    Examples
    --------
    >>> from weft import NGramKernel
    >>> RBFOver(NGramKernel(1), gamma=0.5).gram(["ab"], ["ab", "abb"]).round(3)
    array([[1.   , 0.607]])
    """

    def __init__(self, kernel: Kernel, gamma: float = 1.0) -> None:
        self.kernel = kernel
        self.gamma = gamma

    @property
    def learns_weights(self) -> bool:
        """Whether the kernel inside does."""
        return kernel_within(self).learns_weights

    def gram(self, X: Sequence[Any], Y: Sequence[Any] | None = None) -> Floats:
        """Matrix of Gaussians."""
        if not is_number(self.gamma, LARGEST) or self.gamma == 0:
            raise InputError(f"gamma={self.gamma!r:.60} given; need a number above 0: try 1 / mean of the diagonal.")
        X, Y = read_sides(X, Y)
        left = kernel_within(self).diagonal(X)
        right = left if Y is None else kernel_within(self).diagonal(Y)
        squared = left[:, None] + right - 2.0 * kernel_within(self).gram(X, Y)
        # Rounding must not make a similarity larger than 1.
        return np.exp(-self.gamma * np.maximum(squared, 0.0))

    def diagonal(self, X: Sequence[Any]) -> Floats:
        """1 for each sequence."""
        return np.ones(len(read_sides(X)[0]))
