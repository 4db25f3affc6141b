"""Kernel principal components of outputs (KDE), centred.

With l the kernel of m outputs and L' = (I - 11'/m) L (I - 11'/m), components are a = u / sqrt(m lambda) for unit
eigenvectors u of L'/m. The slides project by sum_i a_i l(y_i, y), which differs from the centred projection by a
constant per component: harmless between candidates, but not for a regression without intercept.
"""

from __future__ import annotations

import warnings
from typing import Any, Literal

import numpy as np
import scipy  # which loads its linalg at first use: not to predict

from weft.arrays import Floats
from weft.core.algebra import one_algebra_thread
from weft.errors import InputError
from weft.state_rules import check_arrays, floats

TINY = 1e-10
"""Eigenvalues below this share of the largest one are dropped."""


@one_algebra_thread()
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
        raise InputError(f"distances of shape {D.shape} given; need a square matrix: one row and column per output.")
    # The root of a rounded zero is large, so the diagonal may be off by as much.
    rounding = 1e-6 * float(D.max(initial=0.0))
    if not (np.isfinite(D).all() and (D >= 0.0).all() and np.allclose(D, D.T) and (np.diag(D) <= rounding).all()):
        raise InputError("distances are negative, not finite, not symmetric or not 0 on the diagonal; need distances.")
    c = np.full(len(D), 1.0 / max(len(D), 1)) if weights is None else np.asarray(weights, dtype=np.float64)
    if c.shape != (len(D),) or (len(D) and not np.isclose(c.sum(), 1.0)):
        raise InputError(f"weights of shape {c.shape} and sum {c.sum():g} given; need one per output, of sum 1.")
    squared = D * D
    means = squared @ c
    found: Floats = -0.5 * (squared - means[:, None] - means + c @ means)
    return found


ARRAYS = {
    "axes": floats("n_anchors", "n_components"),
    "coordinates": floats("n_outputs", "n_components"),
    "eigenvalues": floats("n_components"),
    "mean": floats("n_anchors"),
    "origin": floats("n_components"),
    "numbers": floats(3),
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
        all of them (the same distances plus a constant: ``l(y, y') + shift [y = y']`` is an inner product), or refuse
        it. Either way the most negative one is reported.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,)
        Of L'/m, largest first.
    lowest_eigenvalue_ : float
        Of L'/m; below zero if the kernel is no inner product.
    axes_ : ndarray of shape (n, n_components)
        The vectors a; after `fit_landmarks` one row for each landmark.
    coordinates_ : ndarray of shape (n, n_components)
        Projections of the training outputs.
    shift_ : float
        What was added to the kernel of an output with itself.

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

    @one_algebra_thread(scipy=True)
    def fit(self, gram: Any, numbers: Any = None) -> KernelComponents:
        """Find the components of a Gram matrix, or of ``-D * D / 2`` for distances D: centring makes them equal.

        Parameters
        ----------
        gram : array of shape (n, n)
        numbers : array of int of shape (n,), optional
            Equal for outputs that are equal; None if all differ. Only "shift" asks for it.
        """
        L = _checked(gram)
        m = len(L)
        self.shift_ = 0.0
        values, vectors, rounding = _centred_eigen(L)
        self.lowest_eigenvalue_ = float(values[-1])
        if self.lowest_eigenvalue_ < -max(1e-8 * float(np.abs(values).max()), rounding):
            self._report()
            if self.negative == "shift":
                # On sums to zero over different outputs L + shift I must not be negative; then nor is this on all.
                ids = np.arange(m) if numbers is None else np.asarray(numbers)
                first = np.unique(ids, return_index=True)[1]
                self.shift_ = -float(_centred_eigen(L[np.ix_(first, first)])[0][-1]) * len(first)
                L = L + self.shift_ * (ids[:, None] == ids)
                values, vectors, rounding = _centred_eigen(L)
        n_positive = int((values > max(TINY * float(np.abs(values).max()), rounding)).sum())
        n_kept = self._n_kept(values, n_positive, m)
        self.eigenvalues_, kept = values[:n_kept].copy(), vectors[:, :n_kept]
        roots = np.sqrt(m * self.eigenvalues_)
        self.axes_, self.coordinates_ = kept / roots, kept * roots
        # Axes sum to zero, so that of centring a block only the means of columns remain.
        self._mean, self._origin = np.full(m, 1.0 / m), L.mean(axis=0) @ self.axes_
        self._mean_square = float(L.mean())
        return self

    @one_algebra_thread(scipy=True)
    def fit_landmarks(self, corner: Any, cross: Any) -> KernelComponents:
        """Find the components within the span of some outputs, the landmarks: no larger matrix than `cross` is made.

        All outputs count, by their projections onto that span. If all are landmarks, components are those of `fit`.

        Parameters
        ----------
        corner : array of shape (n_landmarks, n_landmarks)
            Gram matrix of the landmarks.
        cross : array of shape (n, n_landmarks)
            Kernel of all outputs with the landmarks.

        Examples
        --------
        >>> L = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 1.0], [0.0, 1.0, 2.0]])
        >>> KernelComponents().fit_landmarks(L, L).eigenvalues_.round(4)
        array([0.6667, 0.2222])
        """
        L, K = _checked(corner), np.asarray(cross, dtype=np.float64)
        if K.ndim != 2 or K.shape[1] != len(L) or not np.isfinite(K).all():
            raise InputError(f"a block of shape {K.shape} given; need finite numbers of shape (n, {len(L)}).")
        self.fit_sums(L, K.sum(axis=0), K.T @ K, len(K))
        self.coordinates_ = K @ self.axes_ - self._origin
        return self

    @one_algebra_thread(scipy=True)
    def fit_sums(self, corner: Any, total: Any, squares: Any, n: int) -> KernelComponents:
        """As `fit_landmarks`, from sums over all outputs; coordinates of these are left to who has them.

        Parameters
        ----------
        corner : array of shape (n_landmarks, n_landmarks)
        total, squares : arrays of shapes (n_landmarks,) and (n_landmarks, n_landmarks)
            Sums over the rows k of `cross`: of k, and of their outer products.
        n : int
            Number of outputs.
        """
        L = _checked(corner)
        values, vectors, rounding = _centred_eigen(L)
        self.lowest_eigenvalue_, self.shift_ = float(values[-1]), 0.0
        if self.lowest_eigenvalue_ < -max(1e-8 * float(np.abs(values).max()), rounding):
            if self.negative == "shift":
                raise InputError("negative='shift' given with landmarks, which cannot tell by how much; use 'clip'.")
            self._report()
        kept = values > max(TINY * float(np.abs(values).max()), rounding)
        # Features of which the centred kernel of landmarks is the inner product: (k(y, .) - means) whiten.
        whiten = vectors[:, kept] / np.sqrt(len(L) * values[kept])
        offset = L.mean(axis=0) @ whiten
        mean = np.asarray(total) / n @ whiten - offset
        covariance = whiten.T @ np.asarray(squares) @ whiten / n - np.outer(mean + offset, mean + offset)
        values, vectors = scipy.linalg.eigh(covariance, check_finite=False)
        values, vectors = values[::-1], vectors[:, ::-1]
        n_kept = self._n_kept(values, int((values > TINY * float(np.abs(values).max(initial=0.0))).sum()), n)
        self.eigenvalues_, turn = values[:n_kept].copy(), vectors[:, :n_kept]
        self.axes_, self._origin = whiten @ turn, (offset + mean) @ turn
        self._mean = whiten @ mean + 1.0 / len(L)
        self._mean_square = float(self._mean @ L @ self._mean)
        return self

    def _report(self) -> None:
        text = (
            "the kernel of outputs is not positive semidefinite: the most negative eigenvalue of its centred matrix "
            f"over the number of outputs is {self.lowest_eigenvalue_:.6g}"
        )
        if self.negative == "raise":
            raise InputError(f"{text}; need an inner product: check the kernel, or let negative be 'clip' or 'shift'.")
        done = "such directions are left out" if self.negative == "clip" else "that much is added to all of them"
        warnings.warn(f"{text}; {done}.", stacklevel=4)

    def _n_kept(self, values: Floats, n_positive: int, m: int) -> int:
        wanted = self.n_components
        if self.negative not in ("clip", "shift", "raise"):
            raise InputError(f"negative={self.negative!r} given; need 'clip', 'shift' or 'raise'.")
        if wanted is None:
            return n_positive
        if isinstance(wanted, float) and 0.0 < wanted < 1.0:
            share = np.cumsum(values[:n_positive]) / max(float(values[:n_positive].sum()), np.finfo(float).tiny)
            return min(int(np.searchsorted(share, wanted)) + 1, n_positive)
        if not isinstance(wanted, int | np.integer) or isinstance(wanted, bool) or wanted < 1:
            raise InputError(
                f"n_components={wanted!r} given; need an integer above 0, a share between 0 and 1, or None for all."
            )
        if wanted > m - 1:
            raise InputError(
                f"n_components={wanted} with {m} outputs given; centred outputs span at most {m - 1} directions: "
                "give more examples, or n_components=None for all there are."
            )
        # Outputs that repeat span fewer directions still; there is nothing to find in the others.
        return min(int(wanted), n_positive)

    @one_algebra_thread()
    def project(self, block: Any, equal: Any = None) -> Floats:
        """Coordinates of outputs y, given ``l(y, y_i)`` for all training outputs (or landmarks), one row per y.

        Parameters
        ----------
        block : array of shape (n, n_outputs)
        equal : array of shape (n, n_outputs), optional
            1 where y is the training output y_i, else 0; None if there are none such. It matters after a shift.
        """
        return np.asarray(self._shifted(block, equal) @ self.axes_ - self._origin)

    @one_algebra_thread()
    def residuals(self, block: Any, diagonal: Any, equal: Any = None) -> Floats:
        """Squared distance of outputs from the span of the components, given also ``l(y, y)``."""
        rows = self._shifted(block, equal)
        lengths = np.asarray(diagonal) + self.shift_ - 2.0 * rows @ self._mean + self._mean_square
        found: Floats = np.maximum(lengths - np.sum((rows @ self.axes_ - self._origin) ** 2, axis=1), 0.0)
        return found

    @one_algebra_thread()
    def expansion(self, coordinates: Any) -> Floats:
        """Weights of the training outputs of which points of given coordinates are the sums, one row per point.

        The mean of all outputs, which is the origin of coordinates, is part of the sums.
        """
        return np.asarray(np.asarray(coordinates, dtype=np.float64) @ self.axes_.T + self._mean)

    def _shifted(self, block: Any, equal: Any) -> Floats:
        rows = np.asarray(block, dtype=np.float64)
        if rows.ndim != 2 or rows.shape[1] != len(self._mean):
            raise InputError(f"a block of shape {rows.shape} given; need (n, {len(self._mean)}): all l(y, y_i).")
        return rows if equal is None or self.shift_ == 0.0 else np.asarray(rows + self.shift_ * equal)

    def to_arrays(self) -> dict[str, Any]:
        """What a model file keeps."""
        return {
            "eigenvalues": self.eigenvalues_,
            "axes": self.axes_,
            "coordinates": self.coordinates_,
            "mean": self._mean,
            "origin": self._origin,
            "numbers": np.array([self._mean_square, self.lowest_eigenvalue_, self.shift_]),
        }

    def from_arrays(self, arrays: dict[str, Any]) -> KernelComponents:
        """Set what `to_arrays` gave."""
        check_arrays("components", arrays, ARRAYS)
        self.eigenvalues_, self.axes_, self.coordinates_ = (arrays[k] for k in ("eigenvalues", "axes", "coordinates"))
        self._mean, self._origin = arrays["mean"], arrays["origin"]
        self._mean_square, self.lowest_eigenvalue_, self.shift_ = arrays["numbers"].tolist()
        return self


def _checked(gram: Any) -> Floats:
    L = np.asarray(gram, dtype=np.float64)
    if L.ndim != 2 or L.shape[0] != L.shape[1] or not len(L):
        raise InputError(f"a matrix of shape {L.shape} given; need a square kernel matrix of at least one output.")
    if not np.isfinite(L).all():
        raise InputError("the kernel of outputs is not finite everywhere; need finite numbers: check the kernel.")
    return L


def _centred_eigen(L: Floats) -> tuple[Floats, Floats, float]:
    """Eigenvalues of L'/m, largest first, with their vectors, and the size of what is rounding."""
    means = L.mean(axis=0)
    centred = L - means - means[:, None] + L.mean()
    values, vectors = scipy.linalg.eigh(0.5 * (centred + centred.T) / len(L), check_finite=False)
    # Centring subtracts numbers of the size of L's entries, and leaves their rounding.
    rounding = 64 * np.finfo(np.float64).eps * float(np.abs(L).max())
    return values[::-1], vectors[:, ::-1], rounding
