"""Z-score with the references as constraints: MM problem (9), by constraint generation (Algorithm 3).

The problem ``min theta' C theta`` subject to ``theta' b >= 1`` and ``theta' a_k >= 0``, with a_k the features of a
reference minus those of a better-scored output, is the same up to the length of theta as
``min theta' C theta / 2 - theta' b`` subject to ``theta' a_k >= 0``. Its solution is
``theta = C^-1 (b + sum_k lambda_k a_k)``, so that a linear solve per constraint leaves a small quadratic programme in
lambda. A margin e for an output at distance d asks for ``theta' a_k >= e d``, which with theta' b = 1 is the constraint
``a_k - e d b``. A slack belongs to a sequence and is the largest violation of all its outputs, so that all there is to
pay for is among what constraint generation finds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.arrays import Floats
from weft.core.algebra import one_algebra_thread
from weft.errors import InputError

NOTHING_LEFT = 1e-4
"""Share of the unconstrained theta' b below which the constraints leave only theta = 0: (9) is infeasible."""
STIFF = 1e4
"""Price of a violation where hard constraints are wanted but contradict each other."""


@dataclass(frozen=True)
class ConstrainedSolution:
    """Weights of problem (9), with theta' b = 1, and how they came about.

    Attributes
    ----------
    weights : ndarray of shape (d,)
    objective : float
        theta' C theta.
    n_constraints : int
    n_rounds : int
        Passes over the data.
    n_products : int
        Products with C in all solves.
    feasible : bool
        Whether all constraints hold, with their margins.
    converged : bool
        Whether the last pass found no new constraint.
    """

    weights: Floats
    objective: float
    n_constraints: int
    n_rounds: int
    n_products: int
    feasible: bool
    converged: bool


def _multipliers(gram: Floats, linear: Floats) -> Floats | None:
    """Minimise ``x' G x / 2 + g' x`` over ``x >= 0``; None if the solver finds no minimum."""
    import clarabel
    from scipy import sparse

    n = len(linear)
    size = max(float(np.abs(np.diag(gram)).max()), 1e-300)
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    solution = clarabel.DefaultSolver(
        sparse.csc_matrix(np.triu(gram / size)),
        linear / size,
        sparse.csc_matrix(-np.eye(n)),
        np.zeros(n),
        [clarabel.NonnegativeConeT(n)],
        settings,
    ).solve()
    if solution.status not in (clarabel.SolverStatus.Solved, clarabel.SolverStatus.AlmostSolved):
        return None
    return np.asarray(np.maximum(solution.x, 0.0), dtype=np.float64)


@one_algebra_thread()
def constrained_direction(
    solved_b: Floats, b: Floats, constraints: Floats, solved_constraints: Floats, slack: float, shared: Floats
) -> tuple[Floats, bool]:
    """Solution of (9) with theta' b = 1 in the span of solved vectors, and whether it needed no slack.

    Parameters
    ----------
    solved_b : ndarray of shape (d,)
        C^-1 b.
    b : ndarray of shape (d,)
    constraints : ndarray of shape (k, d)
        Rows a_k.
    solved_constraints : ndarray of shape (k, d)
        Rows C^-1 a_k.
    slack : float
        Price of a violation, ``slack * weight * violation^2`` for each sequence; infinite for hard constraints, which
        fall back to a stiff price if not all can hold.
    shared : ndarray of shape (k, k)
        For two constraints of one sequence, which share a slack, one over its weight; otherwise 0.

    Examples
    --------
    >>> C, b, a = np.diag([1.0, 4.0]), np.ones(2), np.array([[-0.5, 1.0]])
    >>> solved_b, solved_a = np.linalg.solve(C, b), np.linalg.solve(C, a.T).T
    >>> theta, feasible = constrained_direction(solved_b, b, a, solved_a, np.inf, np.eye(1))
    >>> theta.round(6), feasible
    (array([0.666667, 0.333333]), True)
    """
    if not len(constraints):
        return solved_b / (solved_b @ b), True
    gram = constraints @ solved_constraints.T
    gram = (gram + gram.T) / 2
    linear = solved_constraints @ b
    best = float(solved_b @ b)
    if np.isinf(slack):
        multipliers = _multipliers(gram, linear)
        if multipliers is not None:
            theta = solved_b + multipliers @ solved_constraints
            # A share above one can only be rounding of multipliers that grow without bound.
            if NOTHING_LEFT < float(theta @ b) / best < 1.0 + NOTHING_LEFT:
                return theta / (theta @ b), True
        slack = STIFF
    # The slacks of all sequences are as many more weights, with the price as their covariance.
    multipliers = _multipliers(gram + shared / slack, linear)
    if multipliers is None:
        raise InputError("the quadratic programme of the constraints failed; lower slack or raise alpha.")
    theta = solved_b + multipliers @ solved_constraints
    theta /= theta @ b
    smallest = float((constraints @ theta).min())
    return theta, smallest >= -NOTHING_LEFT * float(np.abs(constraints @ theta).max())


def _most_violating(batch: Any, theta: Floats, margin: float) -> tuple[Any, Floats]:
    """Features by which the references exceed the outputs that come nearest to them or win, and losses of these.

    Outputs with the features of the reference tie with it under all weights. If one of them is the worst because of the
    margin that it can never have, the best output is looked at instead.
    """
    reference = batch.reference()
    wanted = batch.features_of(reference)
    found = batch.argmax(theta, loss=margin)[0]
    differences = (wanted - batch.features_of(found)).tocsr()
    differences.eliminate_zeros()
    ties = np.diff(differences.indptr) == 0
    if margin and ties.any():
        best = batch.split(batch.argmax(theta)[0])
        found = batch.join([best[i] if ties[i] else own for i, own in enumerate(batch.split(found))])
        differences = (wanted - batch.features_of(found)).tocsr()
    return differences, np.asarray(batch.losses(found))


@one_algebra_thread()
def generate_constraints(
    batch: Any,
    solve: Callable[[Floats], tuple[Floats, int]],
    product: Callable[[Floats], Floats],
    b: Floats,
    *,
    slack: float = 1.0,
    margin: float = 0.0,
    tol: float = 1e-6,
    max_rounds: int = 25,
    max_constraints: int = 1000,
    on_round: Callable[[int, float, Floats], bool] | None = None,
) -> ConstrainedSolution:
    """Solve (9): decode, add the constraint of each sequence that another output wins, solve again.

    Parameters
    ----------
    batch
        Answers `argmax`, `losses`, `features_of`, `join`, `split` and `reference`.
    solve : callable
        Gives C^-1 v and the number of products with C that it took.
    product : callable
        Gives C v.
    b : ndarray of shape (d,)
    slack, margin, max_rounds, max_constraints
        As in `ZScore`.
    tol : float
        Violations below this share of a sequence's standard deviation are rounding: at the optimum references tie.
    on_round : callable, optional
        Called with round, objective and weights; stops by returning True.

    Returns
    -------
    ConstrainedSolution
    """
    solved_b, n_products = solve(b)
    if solved_b @ b <= 0:
        raise InputError("the references score like the mean of all outputs, so no Z-score exists; check the labels.")
    weights = batch.sample_weight
    deviation = 1.0 / np.sqrt(solved_b @ b * weights.sum())  # of the scores of an average sequence, unconstrained
    margin *= deviation
    rows: list[Floats] = []
    solved_rows: list[Floats] = []
    owners: list[int] = []
    seen: set[Any] = set()
    slacks = np.zeros(len(weights))
    theta, feasible, converged = solved_b / (solved_b @ b), True, False
    objective = float(theta @ product(theta))
    n_rounds = 0
    while n_rounds < max_rounds and not converged:
        n_rounds += 1
        differences, losses = _most_violating(batch, theta, margin)
        violations = np.where(weights > 0, margin * losses - differences @ theta - slacks, 0.0)
        fresh = 0
        worst_first = np.argsort(-violations, kind="stable")
        for i in worst_first[violations[worst_first] > tol * deviation].tolist():
            if len(rows) >= max_constraints:
                break
            own = differences[[i]].toarray()[0]
            # Hard constraints of two sequences may be one; + 0.0 makes -0.0 the same as 0.0.
            key = ((np.round(own, 9) + 0.0).tobytes(), losses[i] if margin else 0.0, None if np.isinf(slack) else i)
            if key in seen or not own.any():
                continue
            seen.add(key)
            solved, n_more = solve(own)
            n_products += n_more
            rows.append(own - margin * losses[i] * b)
            solved_rows.append(solved - margin * losses[i] * solved_b)
            owners.append(i)
            fresh += 1
        converged = fresh == 0 and len(rows) < max_constraints
        if fresh:
            A, owner = np.array(rows), np.array(owners)
            shared = (owner[:, None] == owner) / weights[owner]
            theta, feasible = constrained_direction(solved_b, b, A, np.array(solved_rows), slack, shared)
            slacks[:] = 0.0
            np.maximum.at(slacks, owner, -(A @ theta))
            objective = float(theta @ product(theta))
        if on_round is not None and on_round(n_rounds, objective, theta):
            break
        if not fresh:
            break
    return ConstrainedSolution(theta, objective, len(rows), n_rounds, n_products, feasible, converged)
