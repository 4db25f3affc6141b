"""Ridge regression with linear constraints on the weights (RG section 1.3.2).

Minimises  |X W - Y|^2 + alpha |W|^2 + sum_i <A_i, W>^2  over W, one row per feature and one column per output. The
strength eta_i of a constraint is a factor sqrt(eta_i) of A_i. With U = X'X + alpha I and W_0 = U^-1 X'Y, RG Proposition
2 has

    W = W_0 - sum_i a_i U^-1 A_i,    (G + I) a = (<A_i, W_0>)_i,    G_ij = <A_i, U^-1 A_j>.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator, eigsh

from weft.arrays import Floats
from weft.core.algebra import one_algebra_thread
from weft.core.checks import checked_number
from weft.errors import InputError
from weft.kernel_methods.ridge.path import checked_alpha, checked_problem, ridge_weights, solve_ridge

MOST_DENSE = 500
"""Constraints up to which the largest eigenvalue comes from a dense matrix."""


class ConstrainedSolution(NamedTuple):
    """What `iterated_ridge` found.

    Attributes
    ----------
    weights : ndarray of shape (n_features, n_outputs)
    largest_eigenvalue : float
        Of P in RG equation 1.34; steps below ``2 / (1 + largest_eigenvalue)`` converge.
    step : float
    n_iterations : int
    converged : bool
    """

    weights: Floats
    largest_eigenvalue: float
    step: float
    n_iterations: int
    converged: bool


class _System:
    """U, W_0 and the constraints as rows of one sparse matrix."""

    def __init__(self, features: Any, targets: Any, constraints: Any, alpha: float, strengths: Any) -> None:
        rows, Y = checked_problem(features, targets)
        if checked_alpha(alpha) == 0.0:
            raise InputError("alpha=0 given; constraints need alpha > 0, else solutions need not be unique: try 1e-6.")
        self.single_output = Y.ndim == 1
        Y = Y[:, None] if self.single_output else Y
        self.shape = (rows.shape[1], Y.shape[1])
        U = np.asarray((rows.T @ rows).toarray() if scipy.sparse.issparse(rows) else rows.T @ rows)
        U.flat[:: len(U) + 1] += alpha
        self.factor = scipy.linalg.cho_factor(U, lower=True, check_finite=False)
        self.start: Floats = self.solve(np.asarray(rows.T @ Y))
        self.A = _stacked(constraints, self.shape, strengths)

    def solve(self, columns: Floats) -> Floats:
        """``U^-1`` times columns."""
        return np.asarray(scipy.linalg.cho_solve(self.factor, columns, check_finite=False))

    def products(self, weights: Floats) -> Floats:
        """``<A_i, W>`` for each constraint."""
        return np.asarray(self.A @ weights.ravel())

    def combined(self, multipliers: Floats) -> Floats:
        """``sum_i a_i A_i``."""
        return np.asarray(self.A.T @ multipliers).reshape(self.shape)

    def interactions(self) -> Floats:
        """The matrix G, through L^-1 A_i with U = L L'."""
        n_features, width, n = *self.shape, self.A.shape[0]
        blocks = self.A.toarray().reshape(n, n_features, width).transpose(1, 0, 2).reshape(n_features, n * width)
        half = scipy.linalg.solve_triangular(self.factor[0], blocks, lower=True, check_finite=False)
        half = half.reshape(n_features, n, width).transpose(1, 0, 2).reshape(n, n_features * width)
        return np.asarray(half @ half.T)

    def largest_eigenvalue(self) -> float:
        """Largest eigenvalue of P, which is that of G: the nonzero eigenvalues of both are the same."""
        n = self.A.shape[0]
        if n == 0:
            return 0.0
        if n <= MOST_DENSE:
            return max(float(np.linalg.eigvalsh(self.interactions())[-1]), 0.0)
        G = LinearOperator((n, n), matvec=lambda a: self.products(self.solve(self.combined(a.ravel()))), dtype=float)
        start = np.random.default_rng(0).random(n)
        return max(float(eigsh(G, k=1, v0=start, return_eigenvectors=False)[0]), 0.0)

    def given(self, weights: Floats) -> Floats:
        """Weights in the shape of the targets that came."""
        return weights[:, 0] if self.single_output else weights


@one_algebra_thread(scipy=True)
def constrained_ridge(
    features: Any, targets: Any, constraints: Any, alpha: float = 1.0, strengths: Any = 1.0
) -> Floats:
    """Weights under linear constraints, in closed form (RG Proposition 2).

    Parameters
    ----------
    features : array of shape (n, n_features)
    targets : ndarray of shape (n,) or (n, n_outputs)
    constraints : sequence of arrays of shape (n_features, n_outputs), or sparse matrix
        Each A_i asks for ``<A_i, W> = 0``. A sparse matrix has one constraint per row, its weights row by row.
    alpha : float
    strengths : float or sequence of float
        How much a violation costs, eta_i.

    Returns
    -------
    ndarray of shape (n_features,) or (n_features, n_outputs)

    Examples
    --------
    >>> constrained_ridge(np.eye(2), [1.0, 2.0], [[1.0, -1.0]])
    array([0.625, 0.875])
    """
    system = _System(features, targets, constraints, alpha, strengths)
    G = system.interactions()
    G.flat[:: len(G) + 1] += 1.0
    multipliers = scipy.linalg.solve(G, system.products(system.start), assume_a="pos") if len(G) else np.zeros(0)
    return system.given(system.start - system.solve(system.combined(multipliers)))


@one_algebra_thread(scipy=True)
def iterated_ridge(
    features: Any,
    targets: Any,
    constraints: Any,
    alpha: float = 1.0,
    strengths: Any = 1.0,
    *,
    step: float | None = None,
    tol: float = 1e-10,
    max_iterations: int = 10_000,
) -> ConstrainedSolution:
    """Weights under many linear constraints, by the iteration of RG equation 1.33.

    Parameters
    ----------
    features, targets, constraints, alpha, strengths
        As in `constrained_ridge`.
    step : float, optional
        None means the best one, ``2 / (2 + lambda)`` for the largest eigenvalue lambda of P: the error then shrinks by
        ``lambda / (2 + lambda)`` per iteration. RG equation 1.51 has a rate that holds for smaller steps only.
    tol : float
        Ends when no weight moves by more than this share of the largest one.
    max_iterations : int

    Returns
    -------
    ConstrainedSolution

    Examples
    --------
    >>> found = iterated_ridge(np.eye(2), [1.0, 2.0], [[1.0, -1.0]])
    >>> found.weights.round(6), round(found.largest_eigenvalue, 6)
    (array([0.625, 0.875]), 1.0)
    """
    system = _System(features, targets, constraints, alpha, strengths)
    largest = system.largest_eigenvalue()
    taken = 2.0 / (2.0 + largest) if step is None else float(step)
    if not 0.0 < taken < 2.0 / (1.0 + largest):
        raise InputError(
            f"step={step!r} given; need one between 0 and {2.0 / (1.0 + largest):.6g} = 2 / (1 + largest eigenvalue), "
            "else the iteration diverges: use step=None for the best one."
        )
    weights, iteration, moved = system.start, 0, np.inf
    while iteration < max_iterations and moved > tol:
        target = system.start - system.solve(system.combined(system.products(weights)))
        following = (1.0 - taken) * weights + taken * target
        moved = float(np.abs(following - weights).max(initial=0.0)) / max(
            float(np.abs(weights).max(initial=0.0)), 1e-300
        )
        weights, iteration = following, iteration + 1
    return ConstrainedSolution(system.given(weights), largest, taken, iteration, moved <= tol)


@one_algebra_thread(scipy=True)
def greedy_constrained_ridge(
    features: Any, targets: Any, constraints: Any, alpha: float = 1.0, strengths: Any = 1.0, n_basis: int = 100
) -> tuple[NDArray[np.int64], Floats]:
    """Weights under linear constraints that are sums of few examples, chosen one by one (RG 1.5.2, last paragraph).

    The example of the largest residual joins, and weights in the span of all that joined are found anew. RG runs some
    iterations for that; here it is the closed form, in an orthonormal basis Q of the span: ``<A_i, Q w> = <Q'A_i, w>``.

    Parameters
    ----------
    features, targets, constraints, alpha, strengths
        As in `constrained_ridge`.
    n_basis : int
        At most so many examples; fewer if more would not add anything.

    Returns
    -------
    indices : ndarray of int64
        Examples in the order in which they were taken.
    weights : ndarray of shape (n_features,) or (n_features, n_outputs)

    Examples
    --------
    >>> indices, weights = greedy_constrained_ridge(np.eye(2), [1.0, 2.0], [[1.0, -1.0]], n_basis=1)
    >>> indices, weights.round(6)
    (array([1]), array([0.      , 0.666667]))
    """
    system = _System(features, targets, constraints, alpha, strengths)
    rows, Y = checked_problem(features, targets)
    rows, Y = rows.toarray() if scipy.sparse.issparse(rows) else rows, Y.reshape(len(Y), -1)
    A = system.A.toarray().reshape(-1, *system.shape)
    size = min(checked_number("n_basis", n_basis), len(rows))
    Q, weights = np.zeros((rows.shape[1], 0)), np.zeros(system.shape)
    chosen: list[int] = []
    is_open = np.ones(len(rows), dtype=bool)
    while len(chosen) < size and is_open.any():
        residuals = np.sum((Y - rows @ weights) ** 2, axis=1)
        j = int(np.argmax(np.where(is_open, residuals, -1.0)))
        is_open[j] = False
        added = rows[j] - Q @ (Q.T @ rows[j])
        added -= Q @ (Q.T @ added)  # twice is enough
        length = float(np.linalg.norm(added))
        if not length > 1e-10 * float(np.linalg.norm(rows[j])):
            continue  # a sum of examples that are there
        Q = np.column_stack([Q, added / length])
        chosen.append(j)
        weights = Q @ constrained_ridge(rows @ Q, Y, [Q.T @ each for each in A], alpha)
    return np.array(chosen, dtype=np.int64), system.given(weights)


@one_algebra_thread(scipy=True)
def penalized_ridge(features: Any, targets: Any, penalties: Any, alpha: float = 1.0) -> Floats:
    """Weights with a penalty of their own for single coefficients: constraints that name one coefficient each.

    Outputs do not interact: ``W_r = (X'X + alpha I + D_r)^-1 X'y_r`` with the penalties of column r on the diagonal of
    D_r. Outputs of equal penalties share a factorisation, and the smaller of primal and dual is solved.

    Parameters
    ----------
    features : array of shape (n, n_features)
    targets : ndarray of shape (n, n_outputs)
    penalties : array of shape (n_features, n_outputs)
        What ``W[f, r]**2`` costs on top of alpha; 0 or more.
    alpha : float

    Returns
    -------
    ndarray of shape (n_features, n_outputs)

    Examples
    --------
    >>> penalized_ridge(np.eye(2), [[1.0], [2.0]], [[0.0], [2.0]])
    array([[0.5],
           [0.5]])
    """
    rows, Y = checked_problem(features, targets)
    rows = rows.toarray() if scipy.sparse.issparse(rows) else rows
    eta = np.asarray(penalties, dtype=np.float64)
    if Y.ndim != 2 or eta.shape != (rows.shape[1], Y.shape[1]):
        wanted = (rows.shape[1], *Y.shape[1:])
        raise InputError(f"penalties of shape {eta.shape} given; need {wanted}: one number per feature and output.")
    if not (np.isfinite(eta).all() and (eta >= 0.0).all()):
        raise InputError("penalties hold negative or non-finite numbers; need 0 or more: 0 leaves a weight alone.")
    strength = checked_alpha(alpha)
    weights = np.zeros(eta.shape)
    patterns, pattern_of = np.unique(eta.T, axis=0, return_inverse=True)
    members = [np.flatnonzero(pattern_of.ravel() == i) for i in range(len(patterns))]
    if rows.shape[1] <= rows.shape[0] or strength == 0.0:
        U, products = rows.T @ rows, rows.T @ Y
        for pattern, outputs in zip(patterns, members, strict=True):
            weights[:, outputs] = solve_ridge(U + np.diag(pattern), products[:, outputs], strength)
        return weights
    # Dual: features of equal penalties everywhere form one block, whose Gram matrix is computed once.
    _, block_of = np.unique(eta, axis=0, return_inverse=True)
    blocks = [np.flatnonzero(block_of.ravel() == i) for i in range(int(block_of.max(initial=-1)) + 1)]
    grams = [rows[:, block] @ rows[:, block].T for block in blocks]
    for pattern, outputs in zip(patterns, members, strict=True):
        scales = 1.0 / (strength + pattern)
        gram = np.zeros((len(rows), len(rows)))
        for block, part in zip(blocks, grams, strict=True):
            gram += scales[block[0]] * part
        dual = solve_ridge(gram, Y[:, outputs], 1.0, overwrite=True)
        weights[:, outputs] = scales[:, None] * (rows.T @ dual)
    return weights


def sharing_constraints(pairs: Sequence[tuple[tuple[int, int], tuple[int, int]]], shape: tuple[int, int]) -> Any:
    """Constraints that two coefficients be equal, one row for each pair (RG equation 1.17).

    Parameters
    ----------
    pairs : sequence of ((feature, output), (feature, output))
    shape : (int, int)
        Features and outputs.

    Returns
    -------
    sparse matrix of shape (n_pairs, n_features * n_outputs), for `constrained_ridge`

    Examples
    --------
    >>> sharing_constraints([((0, 0), (1, 0))], (2, 1)).toarray()
    array([[ 1., -1.]])
    """
    places = np.array([[first, second] for first, second in pairs], dtype=np.int64).reshape(-1, 2, 2)
    if places.size and not ((places >= 0) & (places < shape)).all():
        raise InputError(f"a pair names a coefficient outside of shape {shape}; need (feature, output) below that.")
    columns = places[:, :, 0] * shape[1] + places[:, :, 1]
    values = np.tile([1.0, -1.0], len(places))
    rows = np.repeat(np.arange(len(places)), 2)
    return scipy.sparse.csr_array((values, (rows, columns.ravel())), shape=(len(places), shape[0] * shape[1]))


@one_algebra_thread(scipy=True)
def shared_ridge(features: Any, targets: Any, groups: Any, alpha: float = 1.0) -> Floats:
    """Weights of which those of one group are equal: the limit of infinitely strong sharing constraints.

    Parameters
    ----------
    features : array of shape (n, n_features)
    targets : ndarray of shape (n, n_outputs)
    groups : array of int of shape (n_features, n_outputs)
        Coefficients of the same number are one weight; -1 keeps a coefficient at zero.
    alpha : float

    Returns
    -------
    ndarray of shape (n_features, n_outputs)

    Examples
    --------
    >>> shared_ridge(np.eye(2), [[1.0], [2.0]], [[0], [0]])
    array([[0.75],
           [0.75]])
    """
    rows, Y = checked_problem(features, targets)
    rows = rows.toarray() if scipy.sparse.issparse(rows) else rows
    ids = np.asarray(groups)
    if Y.ndim != 2 or ids.shape != (rows.shape[1], Y.shape[1]) or ids.dtype.kind not in "iu":
        wanted = (rows.shape[1], *Y.shape[1:])
        raise InputError(f"groups of shape {ids.shape} given; need integers, of shape {wanted}, -1 for zero weights.")
    names, group_of = np.unique(ids, return_inverse=True)
    group_of = group_of.reshape(ids.shape)
    first = int(len(names) > 0 and names[0] < 0)  # all negative numbers sort before the groups
    if len(names) > 1 and names[1] < 0:
        raise InputError(f"groups hold {names[1]}; need numbers of at least 0, or -1 for zero weights.")
    # One column per group: the sum of its features for each output, examples of all outputs below each other.
    columns = []
    for output in range(ids.shape[1]):
        belongs = (np.arange(ids.shape[0]), group_of[:, output])
        sums = scipy.sparse.csr_array((np.ones(ids.shape[0]), belongs), shape=(ids.shape[0], len(names)))
        columns.append(rows @ sums.toarray()[:, first:])
    design = np.concatenate(columns) if columns else np.zeros((0, len(names) - first))
    # |W|^2 counts a weight as often as its group has members: scaled columns make that a plain ridge.
    sizes = np.sqrt(np.bincount(group_of.ravel(), minlength=len(names))[first:])
    solved = ridge_weights(design / sizes, Y.T.ravel(), alpha) / sizes
    return np.asarray(np.concatenate([np.zeros(first), solved])[group_of])


def _stacked(constraints: Any, shape: tuple[int, int], strengths: Any) -> Any:
    """Constraints as rows of a sparse matrix, times the roots of their strengths."""
    size = shape[0] * shape[1]
    if scipy.sparse.issparse(constraints):
        A = scipy.sparse.csr_array(constraints, dtype=np.float64)
    else:
        dense = [np.asarray(each, dtype=np.float64) for each in constraints]
        for index, each in enumerate(dense):
            if each.size != size or (each.ndim == 2 and each.shape != shape) or each.ndim > 2:
                raise InputError(f"constraint {index} has shape {each.shape}; need {shape}: one number per weight.")
        A = scipy.sparse.csr_array(np.array([each.ravel() for each in dense]).reshape(len(dense), size))
    if A.shape[1] != size:
        raise InputError(f"constraints of shape {A.shape} given; need one row of {size} numbers for each.")
    eta = np.broadcast_to(np.asarray(strengths, dtype=np.float64), (A.shape[0],))
    if not (np.isfinite(eta).all() and (eta >= 0.0).all()):
        raise InputError("strengths hold negative or non-finite numbers; need 0 or more: 0 leaves a constraint out.")
    return scipy.sparse.csr_array(scipy.sparse.diags_array(np.sqrt(eta)) @ A) if A.shape[0] else A
