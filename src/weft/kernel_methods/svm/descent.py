"""Support vector machines without offset by dual coordinate descent (LK Algorithm 2) on explicit features.

Minimises over w

    |w|^2 / 2 + sum_i C_i max(0, 1 - y_i w.x_i)        (hinge; its square for the squared hinge)

through its dual, min over alpha of  F(alpha) = alpha' (Q + D) alpha / 2 - sum_i alpha_i  with 0 <= alpha_i <= U_i:
U = C and D = 0 for the hinge, U infinite and D_ii = 1 / (2 C_i) for its square. The vector W' = w of LK is kept as one
array over the columns, so a gradient costs as much as one example has features, however long the n-grams are. Where
there are very many columns, equal ones are joined first (`merge_columns`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np

from weft.arrays import Floats
from weft.core.vectors import product
from weft.errors import InputError
from weft.kernel_methods.svm.loops.descent import CONVERGED, PROGRESS_SIZE, passes, weighted_sum
from weft.kernel_methods.svm.merged_columns import MergedRows, merge_columns, worth_merging
from weft.kernel_methods.svm.sparse_rows import SparseRows

__all__ = ["SVMSolution", "SparseRows", "dual_bounds", "duality_gap", "solve_svm"]

Loss = Literal["hinge", "squared_hinge"]
Report = Callable[..., bool]

PASSES_PER_REPORT = 10


class SVMSolution(NamedTuple):
    """Where coordinate descent stopped.

    Attributes
    ----------
    weights : ndarray of shape (n_columns,)
    alpha : ndarray of shape (n_rows,)
        Dual variables.
    objective : float
        Primal value.
    gap : float
        Primal minus dual value: how far the objective is from its minimum, at most.
    n_passes : int
    converged : bool
    """

    weights: Floats
    alpha: Floats
    objective: float
    gap: float
    n_passes: int
    converged: bool


def dual_bounds(costs: Floats, loss: Loss) -> tuple[Floats, Floats]:
    """Upper bounds U and diagonal D of the dual for costs C_i.

    Examples
    --------
    >>> dual_bounds(np.array([2.0]), "hinge"), dual_bounds(np.array([2.0]), "squared_hinge")
    ((array([2.]), array([0.])), (array([inf]), array([0.25])))
    """
    if loss == "hinge":
        return costs, np.zeros_like(costs)
    if loss == "squared_hinge":
        with np.errstate(divide="ignore"):  # an example of cost 0 takes no part
            return np.full_like(costs, np.inf), 0.5 / costs
    raise InputError(f"loss is {loss!r}; use 'hinge' or 'squared_hinge'.")


def duality_gap(margins: Floats, squared_norm: float, alpha: Floats, costs: Floats, loss: Loss) -> tuple[float, float]:
    """Primal objective, and primal minus dual, at w = sum_i alpha_i y_i x_i.

    Parameters
    ----------
    margins : ndarray of y_i w.x_i
    squared_norm : float
        |w|^2.
    alpha, costs : ndarray
    loss : {"hinge", "squared_hinge"}

    Examples
    --------
    >>> duality_gap(np.array([1.0]), 1.0, np.array([1.0]), np.array([10.0]), "hinge")
    (0.5, 0.0)
    """
    slack = np.maximum(0.0, 1.0 - margins)
    primal = 0.5 * squared_norm + product(costs, slack if loss == "hinge" else slack**2)
    _, diagonal = dual_bounds(costs, loss)
    taken = costs > 0.0
    dual = float(alpha.sum()) - 0.5 * squared_norm - 0.5 * product(diagonal[taken], alpha[taken] ** 2)
    return primal, primal - dual


def solve_svm(
    rows: Any,
    signs: Any,
    C: Any = 1.0,
    *,
    loss: Loss = "hinge",
    tol: float = 1e-3,
    max_passes: int = 1000,
    alpha: Floats | None = None,
    base: Floats | None = None,
    random: np.random.Generator | None = None,
    report: Report | None = None,
    passes_per_report: int = PASSES_PER_REPORT,
) -> SVMSolution:
    """Train a binary SVM without offset by dual coordinate descent.

    Each pass visits the active examples in random order, and then again those that still move much.
    Examples at a bound whose gradient keeps them there leave the active part; when that part has converged, all come
    back for a last look. Passes end when the largest and the smallest projected gradient differ by at most `tol`: the
    rule of LIBLINEAR, so that a tolerance means the same.

    Parameters
    ----------
    rows : CSR matrix, SparseRows or MergedRows of shape (n_examples, n_columns)
        No row may name a column twice.
    signs : array of +1 and -1
    C : float or array of shape (n_examples,)
        Cost of an error; examples of cost 0 take no part.
    loss : {"hinge", "squared_hinge"}
    tol : float
    max_passes : int
    alpha : ndarray of shape (n_examples,), optional
        Dual variables to start from; they are cut to their bounds.
    base : ndarray of shape (n_columns,), optional
        What examples of an earlier day have added to w, and keeps: ``|w - base|^2 / 2`` takes the place of
        ``|w|^2 / 2``.
    random : Generator, optional
        Chooses the order of examples; a fixed one by default.
    report : callable, optional
        Called with the number of passes, the dual objective F and a function that gives the weights; True stops.
    passes_per_report : int

    Returns
    -------
    SVMSolution

    Examples
    --------
    >>> from scipy.sparse import csr_matrix
    >>> solution = solve_svm(csr_matrix([[1.0, 0.0], [0.0, 2.0]]), [1, -1], tol=1e-9)
    >>> solution.weights, solution.alpha
    (array([ 1. , -0.5]), array([1.  , 0.25]))
    """
    merged = _prepared(rows, base)
    rows = merged.rows
    y = np.asarray(signs, dtype=np.float64)
    costs = np.ascontiguousarray(np.broadcast_to(np.asarray(C, dtype=np.float64), y.shape))
    _check_problem(rows, y, costs)
    upper, diagonal = dual_bounds(costs, loss)
    for name, given, size in (("base", base, rows.n_columns), ("alpha", alpha, rows.n_rows)):
        if given is not None and np.shape(given) != (size,):
            raise InputError(f"{name} of shape {np.shape(given)} given; need ({size},): give that of the same problem.")
    weights = np.zeros(len(merged.sizes)) if base is None else np.array(base, dtype=np.float64)
    dual = np.zeros(len(y)) if alpha is None else np.where(costs > 0.0, np.clip(alpha, 0.0, upper), 0.0)
    if alpha is not None:
        weighted_sum(merged.indptr, merged.columns, merged.values, dual * y, weights)
    order = np.flatnonzero(costs > 0.0).astype(np.int32)
    progress = np.array([len(order), np.inf, -np.inf] + [0.0] * (PROGRESS_SIZE - 3))
    source = np.random.default_rng(0) if random is None else random
    state = source.integers(1, np.iinfo(np.uint64).max, size=1, dtype=np.uint64)
    n_passes = 0
    while n_passes < max_passes and not progress[CONVERGED]:
        chunk = max_passes if report is None else min(passes_per_report, max_passes - n_passes)
        n_passes += passes(
            merged.indptr,
            merged.columns,
            merged.values,
            merged.products,
            y,
            upper,
            diagonal + merged.own,
            merged.norms + diagonal,
            dual,
            weights,
            order,
            state,
            progress,
            tol,
            chunk,
        )
        if report is not None and report(
            n_passes,
            -_dual_value(merged, y, weights, base, dual, costs, loss),
            lambda: merged.all_weights(weights, dual * y),
        ):
            break
    margins = y * merged.decisions(weights, dual * y)
    squared_norm = _squared_norm(merged, weights, base, dual * y)
    objective = duality_gap(margins, squared_norm, dual, costs, loss)[0]
    gap = objective - _dual_value(merged, y, weights, base, dual, costs, loss)
    every = merged.all_weights(weights, dual * y)
    return SVMSolution(every, dual, objective, gap, n_passes, bool(progress[CONVERGED]))


def _prepared(rows: Any, base: Floats | None) -> MergedRows:
    """Rows to pass over; a base has weights of all columns, so that none may be missing."""
    if isinstance(rows, MergedRows):
        return rows if base is None else MergedRows.unmerged(rows.rows)
    rows = rows if isinstance(rows, SparseRows) else SparseRows.from_matrix(rows)
    return merge_columns(rows) if base is None and worth_merging(rows) else MergedRows.unmerged(rows)


def _squared_norm(merged: MergedRows, weights: Floats, base: Floats | None, signed: Floats) -> float:
    return merged.squared_norm(weights if base is None else weights - base, signed)


def _dual_value(
    merged: MergedRows, y: Floats, weights: Floats, base: Floats | None, alpha: Floats, costs: Floats, loss: Loss
) -> float:
    taken = costs > 0.0
    diagonal = dual_bounds(costs[taken], loss)[1]
    value = float(alpha.sum()) - 0.5 * product(diagonal, alpha[taken] ** 2)
    value -= 0.5 * _squared_norm(merged, weights, base, alpha * y)
    return value if base is None else value - product(alpha * y, merged.rows @ base)


def _check_problem(rows: SparseRows, signs: Floats, costs: Floats) -> None:
    if signs.shape != (rows.n_rows,):
        raise InputError(f"there are {rows.n_rows} rows but signs of shape {signs.shape}; one sign per row is needed.")
    if not np.isin(signs, (-1.0, 1.0)).all():
        raise InputError("signs hold other numbers than +1 and -1; code the two classes so.")
    if not (np.isfinite(costs).all() and (costs >= 0.0).all() and costs.any()):
        raise InputError("C holds negative or non-finite numbers, or only zeros; positive costs are needed.")
