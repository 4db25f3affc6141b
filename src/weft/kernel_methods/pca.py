"""Kernel principal components of outputs (KDE), centred.

With l the kernel of m outputs and L' = (I - 11'/m) L (I - 11'/m), components are a = u / sqrt(m lambda) for unit
eigenvectors u of L'/m. The slides project by sum_i a_i l(y_i, y), which differs from the centred projection by a
constant per component: harmless between candidates, but not for a regression without intercept.
"""

from __future__ import annotations

import warnings
from typing import Any, Literal

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from weft.errors import InputError
from weft.state_rules import check_arrays, floats

__all__ = ["KernelComponents", "gram_from_distances"]

Floats = NDArray[np.float64]

TINY = 1e-10
"""Eigenvalues below this share of the largest one are dropped."""


def gram_from_distances(distances: Any, weights: Any = None) -> Floats:
    """Gram matrix of points that have given distances.

    ``l_ij = -(D_ij^2 - sum_p c_p D_ip^2 - sum_q c_q D_qj^2 + sum_pq c_p c_q D_pq^2) / 2``; the slides lost the minus.

    Parameters
    ----------
    distances : ndarray of shape (n, n)
        Not squared.
    weights : array of shape (n,), optional
        c: the origin is put at the weighted mean of all points; equal weights by default, the plain mean.

    Returns
    -------
    ndarray of shape (n, n)

    Examples
    --------
    >>> gram_from_distances([[0.0, 2.0], [2.0, 0.0]])
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    D = np.asarray(distances, dtype=np.float64)
    if D.ndim != 2 or D.shape[0] != D.shape[1]:
        raise InputError(f"distances of shape {D.shape} came; want a square matrix: one row and column per output.")
    # The root of a rounded zero is large, so the diagonal may be off by as much.
    rounding = 1e-6 * float(D.max(initial=0.0))
    if not (np.isfinite(D).all() and (D >= 0.0).all() and np.allclose(D, D.T) and (np.diag(D) <= rounding).all()):
        raise InputError("distances are negative, not finite, not symmetric or not 0 on the diagonal; want distances.")
    c = np.full(len(D), 1.0 / max(len(D), 1)) if weights is None else np.asarray(weights, dtype=np.float64)
    if c.shape != (len(D),) or (len(D) and not np.isclose(c.sum(), 1.0)):
        raise InputError(f"weights of shape {c.shape} and sum {c.sum():g} came; want one per output, of sum 1.")
    squared = D * D
    means = squared @ c
    found: Floats = -0.5 * (squared - means[:, None] - means + c @ means)
    return found


ARRAYS = {
    "axes": floats("n_outputs", "n_components"),
    "coordinates": floats("n_outputs", "n_components"),
    "eigenvalues": floats("n_components"),
    "means": floats("n_outputs+2"),
}
"""What each array of a model file must be."""


class KernelComponents:
    """Principal components of a kernel.

    Parameters
    ----------
    n_components : int or float, optional
        How many; a number between 0 and 1 is the share of the variance to keep; None keeps all.
    negative : {"clip", "shift", "raise"}
        What to do with a kernel that is no inner product: leave out directions of negative eigenvalues, add enough to
        all of them (the same distances plus a constant), or refuse it. Either way the most negative one is reported.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,)
        Of L'/m, largest first.
    lowest_eigenvalue_ : float
        Of L'/m; below zero if the kernel is no inner product.
    axes_ : ndarray of shape (n, n_components)
        The vectors a.
    coordinates_ : ndarray of shape (n, n_components)
        Projections of the training outputs.

    Examples
    --------
    >>> L = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 1.0], [0.0, 1.0, 2.0]])
    >>> found = KernelComponents().fit(L)
    >>> found.eigenvalues_.round(4)
    array([0.6667, 0.2222])
    >>> np.abs(found.project([[1.0, 1.0, 2.0]])).round(4)
    array([[0.5   , 0.8333]])
    """

    def __init__(
        self, n_components: int | float | None = None, negative: Literal["clip", "shift", "raise"] = "clip"
    ) -> None:
        self.n_components = n_components
        self.negative = negative

    def fit(self, gram: Any) -> KernelComponents:
        """Find the components of a Gram matrix, or of ``-D * D / 2`` for distances D: centring makes them equal."""
        L = np.asarray(gram, dtype=np.float64)
        if L.ndim != 2 or L.shape[0] != L.shape[1] or not len(L):
            raise InputError(f"a matrix of shape {L.shape} came; want a square kernel matrix of at least one output.")
        if not np.isfinite(L).all():
            raise InputError("the kernel of outputs is not finite everywhere; want finite numbers: check the kernel.")
        m = len(L)
        self._means, self._mean = L.mean(axis=0), float(L.mean())
        centred = L - self._means - self._means[:, None] + self._mean
        values, vectors = scipy.linalg.eigh(0.5 * (centred + centred.T) / m, check_finite=False)
        values, vectors = values[::-1], vectors[:, ::-1]
        self.lowest_eigenvalue_ = float(values[-1])
        largest = float(np.abs(values).max())
        # Centring subtracts numbers of the size of L's entries, and leaves their rounding.
        rounding = 64 * np.finfo(np.float64).eps * float(np.abs(L).max())
        if self.lowest_eigenvalue_ < -max(1e-8 * largest, rounding):
            self._report()
            if self.negative == "shift":
                # Adding to all directions but the constant one lengthens all distances by the same.
                ones = np.abs(vectors.T @ np.full(m, m**-0.5)) > 0.5
                values = np.where(ones, 0.0, values - self.lowest_eigenvalue_)
                order = np.argsort(-values, kind="stable")
                values, vectors = values[order], vectors[:, order]
                largest = float(values[0])
        n_kept = self._n_kept(values, int((values > max(TINY * largest, rounding)).sum()), m)
        self.eigenvalues_, kept = values[:n_kept].copy(), vectors[:, :n_kept]
        roots = np.sqrt(m * self.eigenvalues_)
        self.axes_, self.coordinates_ = kept / roots, kept * roots
        return self

    def _report(self) -> None:
        text = (
            "the kernel of outputs is not positive semidefinite: the most negative eigenvalue of its centred matrix "
            f"over the number of outputs is {self.lowest_eigenvalue_:.6g}"
        )
        if self.negative == "raise":
            raise InputError(f"{text}; want an inner product: check the kernel, or let negative be 'clip' or 'shift'.")
        done = "such directions are left out" if self.negative == "clip" else "that much is added to all of them"
        warnings.warn(f"{text}; {done}.", stacklevel=3)

    def _n_kept(self, values: Floats, n_positive: int, m: int) -> int:
        wanted = self.n_components
        if self.negative not in ("clip", "shift", "raise"):
            raise InputError(f"negative={self.negative!r} came; want 'clip', 'shift' or 'raise'.")
        if wanted is None:
            return n_positive
        if isinstance(wanted, float) and 0.0 < wanted < 1.0:
            share = np.cumsum(values[:n_positive]) / max(float(values[:n_positive].sum()), np.finfo(float).tiny)
            return min(int(np.searchsorted(share, wanted)) + 1, n_positive)
        if not isinstance(wanted, int | np.integer) or isinstance(wanted, bool) or wanted < 1:
            raise InputError(
                f"n_components={wanted!r} came; want an integer above 0, a share between 0 and 1, or None for all."
            )
        if wanted > m - 1:
            raise InputError(
                f"n_components={wanted} with {m} outputs came; centred outputs span at most {m - 1} directions: "
                "give more examples, or n_components=None for all there are."
            )
        # Outputs that repeat span fewer directions still; there is nothing to find in the others.
        return min(int(wanted), n_positive)

    def project(self, block: Any) -> Floats:
        """Coordinates of outputs y, given ``l(y, y_i)`` for all training outputs, one row per y."""
        return np.asarray(self._centred(block) @ self.axes_)

    def residuals(self, block: Any, diagonal: Any) -> Floats:
        """Squared distance of outputs from the span of the components, given also ``l(y, y)``."""
        rows = np.asarray(block, dtype=np.float64)
        lengths = np.asarray(diagonal) - 2.0 * rows.mean(axis=1) + self._mean
        found: Floats = np.maximum(lengths - np.sum(self.project(rows) ** 2, axis=1), 0.0)
        return found

    def expansion(self, coordinates: Any) -> Floats:
        """Weights of the training outputs of which points of given coordinates are the sums, one row per point.

        The mean of all outputs, which is the origin of coordinates, is part of the sums.
        """
        weights = np.asarray(coordinates, dtype=np.float64) @ self.axes_.T
        found: Floats = weights - weights.mean(axis=1, keepdims=True) + 1.0 / len(self.axes_)
        return found

    def _centred(self, block: Any) -> Floats:
        rows = np.asarray(block, dtype=np.float64)
        if rows.ndim != 2 or rows.shape[1] != len(self._means):
            raise InputError(f"a block of shape {rows.shape} came; want (n, {len(self._means)}): all l(y, y_i).")
        found: Floats = rows - rows.mean(axis=1, keepdims=True) - self._means + self._mean
        return found

    def to_arrays(self) -> dict[str, Any]:
        """What a model file keeps."""
        return {
            "eigenvalues": self.eigenvalues_,
            "axes": self.axes_,
            "coordinates": self.coordinates_,
            "means": np.append(self._means, [self._mean, self.lowest_eigenvalue_]),
        }

    def from_arrays(self, arrays: dict[str, Any]) -> KernelComponents:
        """Set what `to_arrays` gave."""
        check_arrays("components", arrays, ARRAYS)
        self.eigenvalues_, self.axes_ = arrays["eigenvalues"], arrays["axes"]
        self.coordinates_, means = arrays["coordinates"], arrays["means"]
        self._means, self._mean, self.lowest_eigenvalue_ = means[:-2], float(means[-2]), float(means[-1])
        return self
