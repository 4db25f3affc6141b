"""Kernel ridge regression with few basis functions (RG section 1.5).

All solutions have the form  g(x) = sum over i in S of k(x, x_i) c_i. Four ways lead to S and c:

* ``cholesky``: pivots of the incomplete Cholesky factorisation K ~ L L', and the ridge of L (equation 1.56);
* ``greedy``: the example with the largest residual comes next (equation 1.58), c minimises the ridge objective over
  all examples. RG prints K_S^-1 K_S* Y, which does not; it is (K_S* K_*S + alpha K_S)^-1 K_S* Y;
* ``nystroem``: a random S, and the same c;
* ``random``: a random S, trained on itself alone.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import scipy  # which loads its linalg at first use: not to predict

from weft.arrays import Floats, Integers
from weft.core.algebra import one_algebra_thread
from weft.core.checks import checked_number
from weft.errors import InputError
from weft.kernel_methods.ridge.kernel_columns import KernelColumns
from weft.kernel_methods.ridge.path import checked_alpha, solve_ridge

Approximation = Literal["cholesky", "greedy", "nystroem", "random"]

TINY = 64 * np.finfo(np.float64).eps

BLOCK_CELLS = 1 << 22
"""Kernel values that are in memory at once, where sums over examples are enough."""


class IncompleteCholesky(NamedTuple):
    """Factor of a kernel matrix, ``K ~ factor @ factor.T``.

    Attributes
    ----------
    factor : ndarray of shape (n, n_columns)
    pivots : ndarray of int64 of shape (n_columns,)
        Examples in the order in which they were taken; their rows of `factor` form a lower triangle.
    residual : float
        Trace of what is not explained.
    """

    factor: Floats
    pivots: Integers
    residual: float


@one_algebra_thread(scipy=True)
def incomplete_cholesky(gram: Any, n_columns: int | None = None, tol: float = 1e-12) -> IncompleteCholesky:
    """Pivoted incomplete Cholesky factorisation, which computes only the columns of its pivots.

    Parameters
    ----------
    gram : ndarray of shape (n, n) or KernelColumns
    n_columns : int, optional
        None means as many as the rank.
    tol : float
        Ends when no diagonal entry of the rest is above this share of the largest one at the start.

    Returns
    -------
    IncompleteCholesky

    Examples
    --------
    >>> found = incomplete_cholesky(np.array([[4.0, 2.0, 2.0], [2.0, 2.0, 1.0], [2.0, 1.0, 3.0]]))
    >>> found.pivots
    array([0, 2, 1])
    >>> found.factor.round(3)
    array([[2.   , 0.   , 0.   ],
           [1.   , 0.   , 1.   ],
           [1.   , 1.414, 0.   ]])
    """
    columns = KernelColumns.of(gram)
    rest = columns.diagonal().copy()
    size = columns.n if n_columns is None else min(checked_number("n_columns", n_columns), columns.n)
    factor = np.zeros((columns.n, size), order="F")
    pivots: list[int] = []
    least = max(tol, TINY) * float(rest.max(initial=0.0))
    for step in range(size):
        pivot = int(np.argmax(rest))
        if not rest[pivot] > least:
            break
        column = columns.take([pivot])[:, 0] - factor[:, :step] @ factor[pivot, :step]
        column /= np.sqrt(rest[pivot])
        column[pivots] = 0.0
        factor[:, step] = column
        rest -= column * column
        pivots.append(pivot)
        rest[pivots] = 0.0
    if rest.min(initial=0.0) < -1e-6 * float(columns.diagonal().max(initial=0.0)):
        raise InputError(
            f"the kernel matrix is not positive semidefinite: a pivot came out as {rest.min():.6g}; "
            "need an inner product: check the kernel."
        )
    return IncompleteCholesky(factor[:, : len(pivots)], np.array(pivots, dtype=np.int64), float(rest.sum()))


@one_algebra_thread(scipy=True)
def woodbury(factor: Any, targets: Any, alpha: float) -> Floats:
    """``(L L' + alpha I)^-1 Y`` with a matrix of the size of L's columns only (RG equation 1.56).

    Examples
    --------
    >>> woodbury(np.array([[1.0], [1.0]]), np.array([1.0, 0.0]), 1.0).round(4)
    array([ 0.6667, -0.3333])
    """
    L, Y, strength = np.asarray(factor), np.asarray(targets, dtype=np.float64), checked_alpha(alpha)
    if strength == 0.0:
        raise InputError("alpha=0 given; an approximation of low rank needs alpha > 0: try 1e-6.")
    return np.asarray((Y - L @ solve_ridge(L.T @ L, L.T @ Y, strength)) / strength)


class LowRankPath:
    """Solutions for each number of basis functions of one selection, in the order of their choice.

    Attributes
    ----------
    indices : ndarray of int64
        Examples that are basis functions, in the order of selection.
    """

    def __init__(self, indices: Integers, triangle: Floats, projected: Floats) -> None:
        self.indices = indices
        # c = triangle^-1 projected, upper triangular: leading parts are the solutions of leading selections.
        self._triangle = triangle
        self._projected = projected

    @one_algebra_thread(scipy=True)
    def coefficients(self, n_basis: int | None = None) -> Floats:
        """Coefficients of the first `n_basis` basis functions; all of them by default."""
        n = len(self.indices) if n_basis is None else min(checked_number("n_basis", n_basis), len(self.indices))
        return np.asarray(
            scipy.linalg.solve_triangular(self._triangle[:n, :n], self._projected[:n], check_finite=False)
        )

    @staticmethod
    @one_algebra_thread(scipy=True)
    def cholesky(gram: Any, targets: Any, alpha: float, n_basis: int) -> LowRankPath:
        """Pivots of the incomplete Cholesky factorisation, and the ridge of its factor (RG equation 1.56).

        With ``L'L + alpha I = R'R`` and the rows T of the pivots in L, coefficients are ``(R T')^-1 R'^-1 L'Y``.

        Examples
        --------
        >>> path = LowRankPath.cholesky(np.diag([1.0, 3.0]), [1.0, 2.0], 1.0, 2)
        >>> path.indices, path.coefficients(1), path.coefficients(2)
        (array([1, 0]), array([0.5]), array([0.5, 0.5]))
        """
        columns, Y, size = _prepared(gram, targets, n_basis)
        found = incomplete_cholesky(columns, size)
        squares = found.factor.T @ found.factor
        squares.flat[:: len(squares) + 1] += checked_alpha(alpha)
        R = scipy.linalg.cholesky(squares, check_finite=False)
        projected = scipy.linalg.solve_triangular(R, found.factor.T @ Y, trans=1, check_finite=False)
        shaped = projected if np.ndim(targets) == 2 else projected[:, 0]
        return LowRankPath(found.pivots, np.triu(R @ found.factor[found.pivots].T), shaped)

    @staticmethod
    @one_algebra_thread(scipy=True)
    def greedy(
        gram: Any, targets: Any, alpha: float, n_basis: int, *, candidates: Any = None, tol: float = 0.0
    ) -> LowRankPath:
        """Take the example of the largest residual, fit again on all examples, and repeat.

        A QR factorisation of ``[K_*S; sqrt(alpha) R]`` with ``R'R = K_S`` grows by a column, so a step costs
        ``n |S|`` for the basis and ``n`` per output for the residuals.

        Parameters
        ----------
        gram : ndarray of shape (n, n) or KernelColumns
        targets : ndarray of shape (n,) or (n, n_outputs)
        alpha : float
        n_basis : int
        candidates : array of int, optional
            Examples that may become basis functions; all by default.
        tol : float
            Ends when the mean squared residual per example is at most this.

        Examples
        --------
        >>> K = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 1.0], [0.0, 1.0, 2.0]])
        >>> path = LowRankPath.greedy(K, [1.0, 0.0, 2.0], 0.0, 2)
        >>> path.indices, path.coefficients(1).round(6), path.coefficients(2).round(6)
        (array([2, 0]), array([0.8]), array([0.75, 0.25]))
        """
        # Products of a matrix and a vector gain little from threads, and lose much where these wait for each other.
        return _greedy(gram, targets, alpha, n_basis, candidates, tol)


def _greedy(gram: Any, targets: Any, alpha: float, n_basis: int, candidates: Any, tol: float) -> LowRankPath:
    """What `LowRankPath.greedy` promises."""
    columns, Y, size = _prepared(gram, targets, n_basis)
    n, root = columns.n, float(np.sqrt(checked_alpha(alpha)))
    residual = Y.copy()
    open_ = np.zeros(n, dtype=bool)
    open_[slice(None) if candidates is None else np.asarray(candidates)] = True
    Q = np.zeros((n + size, size), order="F")
    R, inner, projected = np.zeros((size, size)), np.zeros((size, size)), np.zeros((size, Y.shape[1]))
    chosen: list[int] = []
    while len(chosen) < size and open_.any():
        step = len(chosen)
        squares = np.einsum("ij,ij->i", residual, residual)
        if squares.mean() <= tol:
            break
        j = int(np.argmax(np.where(open_, squares, -1.0)))
        open_[j] = False
        column = columns.take([j])[:, 0]
        # The next column of R with R'R = K_S.
        head = scipy.linalg.solve_triangular(inner[:step, :step], column[chosen], trans=1, check_finite=False)
        tail = float(column[j] - head @ head)
        if not tail > TINY * max(float(column[j]), 0.0):
            continue  # a combination of basis functions that are there
        added = np.zeros(n + step + 1)
        added[:n] = column
        added[n : n + step], added[n + step] = root * head, root * np.sqrt(tail)
        length = np.sqrt(added @ added)
        basis = Q[: n + step + 1, :step]
        coordinates = basis.T @ added
        added -= basis @ coordinates
        rest = float(np.sqrt(added @ added))
        if rest < 0.1 * length:
            # A Gram-Schmidt step leaves rounding of the size of the old vector; twice is enough.
            again = basis.T @ added
            added -= basis @ again
            coordinates += again
            rest = float(np.sqrt(added @ added))
        if not rest > TINY * length:
            continue
        Q[: n + step + 1, step] = added / rest
        R[:step, step], R[step, step] = coordinates, rest
        inner[:step, step], inner[step, step] = head, np.sqrt(tail)
        q = Q[:n, step]
        # Targets are zero below the examples, so only the upper part of q meets them.
        projected[step] = q @ Y
        residual -= np.outer(q, projected[step])
        chosen.append(j)
    found = len(chosen)
    shaped = projected[:found] if np.ndim(targets) == 2 else projected[:found, 0]
    return LowRankPath(np.array(chosen, dtype=np.int64), R[:found, :found], shaped)


@one_algebra_thread(scipy=True)
def fit_low_rank(
    gram: Any,
    targets: Any,
    alpha: float = 1.0,
    approximation: Approximation = "greedy",
    n_basis: int = 500,
    random_state: Any = None,
) -> tuple[Integers, Floats]:
    """Basis functions and their coefficients.

    Parameters
    ----------
    gram : ndarray of shape (n, n) or KernelColumns
        Of `KernelColumns` only the columns that are needed are computed.
    targets : ndarray of shape (n,) or (n, n_outputs)
    alpha : float
    approximation : {"greedy", "cholesky", "nystroem", "random"}
    n_basis : int
        At most so many; fewer if more would not add anything.
    random_state : int, optional
        Chooses the examples of ``nystroem`` and ``random``.

    Returns
    -------
    indices : ndarray of int64 of shape (n_basis,)
    coefficients : ndarray of shape (n_basis,) or (n_basis, n_outputs)
        A prediction is ``k(x, X[indices]) @ coefficients``.

    Examples
    --------
    >>> K = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 1.0], [0.0, 1.0, 2.0]])
    >>> fit_low_rank(K, [1.0, 0.0, 2.0], 0.0, "greedy", 1)
    (array([2]), array([0.8]))
    """
    if approximation not in get_args(Approximation):
        wanted = ", ".join(map(repr, get_args(Approximation)))
        raise InputError(f"approximation={approximation!r} given; need one of {wanted}, or None for all examples.")
    columns, _, size = _prepared(gram, targets, n_basis)
    strength, Y = checked_alpha(alpha), np.asarray(targets, dtype=np.float64)
    if approximation == "greedy":
        path = LowRankPath.greedy(columns, Y, strength, size)
        return path.indices, path.coefficients()
    if approximation == "cholesky":
        path = LowRankPath.cholesky(columns, Y, strength, size)
        return path.indices, path.coefficients()
    chosen = np.sort(np.random.default_rng(random_state).permutation(columns.n)[:size])
    if approximation == "random":
        return chosen, solve_ridge(columns.take(chosen, chosen), Y[chosen], strength)
    return chosen, _refitted(columns, chosen, Y, strength)


def _refitted(columns: KernelColumns, chosen: Integers, targets: Floats, alpha: float) -> Floats:
    """``(K_S* K_*S + alpha K_S)^-1 K_S* Y`` by ridge regression on features of which K_S is the inner product.

    Features of all examples are never there at once: their products are sums over blocks of examples.
    """
    to_features = features_of_basis(columns.take(chosen, chosen))
    size = to_features.shape[1]
    squares, products = np.zeros((size, size)), np.zeros((size, *targets.shape[1:]))
    height = max(1, BLOCK_CELLS // len(chosen))
    for begin in range(0, columns.n, height):
        rows = slice(begin, begin + height)
        features = columns.take(chosen, rows) @ to_features
        squares += features.T @ features
        products += features.T @ targets[rows]
    return np.asarray(to_features @ solve_ridge(squares, products, alpha, overwrite=True))


@one_algebra_thread(scipy=True)
def features_of_basis(corner: Floats) -> Floats:
    """What makes features of kernel values with a basis, such that products of features are kernel values.

    Examples
    --------
    >>> K = np.array([[4.0, 2.0], [2.0, 5.0]])
    >>> features = K @ features_of_basis(K)
    >>> (features @ features.T).round(6)
    array([[4., 2.],
           [2., 5.]])
    """
    factor, info = scipy.linalg.lapack.dpotrf(corner.T, lower=0)
    pivots = np.diag(factor)
    if info == 0 and float(pivots.min() / pivots.max()) ** 2 > TINY * len(corner):
        return np.asarray(scipy.linalg.solve_triangular(factor, np.eye(len(corner)), check_finite=False))
    # Examples that repeat: directions of no size are dropped.
    values, vectors = scipy.linalg.eigh(corner, check_finite=False)
    kept = values > TINY * len(values) * max(float(values[-1]), 0.0)
    return np.asarray(vectors[:, kept] / np.sqrt(values[kept]))


def _prepared(gram: Any, targets: Any, n_basis: int) -> tuple[KernelColumns, Floats, int]:
    columns = KernelColumns.of(gram)
    Y = np.asarray(targets, dtype=np.float64)
    if Y.ndim not in (1, 2) or len(Y) != columns.n:
        raise InputError(f"{columns.n} examples but targets of shape {Y.shape} given; need one target per example.")
    if not np.isfinite(Y).all():
        raise InputError("targets hold a number that is not finite; need finite ones: drop or fill it.")
    return columns, Y.reshape(len(Y), -1), min(checked_number("n_basis", n_basis), columns.n)
