"""Solvers that several learners share.

`minimize_lbfgs` is written here rather than taken from SciPy because that has no L1 term (orthant-wise steps) and its
inner products start threads that fight with those of the compiled loops (`weft.core.vectors`). Preconditioning by
feature counts or by the Hessian's diagonal was tried on CRFs and saved too little to keep.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from weft.arrays import Floats
from weft.checkpoint import FitState
from weft.core.inverse_hessian import InverseHessian
from weft.core.lent_vectors import LentVectors
from weft.core.memory import require_memory
from weft.core.vectors import add_scaled, dot, scale_and_add_ratio, weighted_square

Objective = Callable[[Floats], tuple[float, Floats]]
Callback = Callable[[int, float, Floats], bool | None]
Keep = Callable[..., None]
"""Takes the state of a solver after each iteration: arrays, whether it is done, and plain values by name."""

ARMIJO = 1e-4
"""Share of the predicted decrease that a step must deliver."""
MAX_HALVINGS = 30
ROUNDING = 1e-12
FLAT = 0.2
"""A line search stops where the slope is at most this share of the first."""
MOST_TRIALS = 4
"""Trials after which the best one of a line search is taken, if it lowers the value."""


@dataclass(frozen=True)
class SolverResult:
    """Where a solver stopped and why."""

    point: Floats
    value: float
    n_iterations: int
    n_evaluations: int
    converged: bool
    message: str


class LinearSolution(NamedTuple):
    """Solution of a linear system.

    Attributes
    ----------
    point : ndarray
    n_products : int
        Products with the matrix that it took.
    converged : bool
        Whether it stopped by itself.
    residual : float
        What is left of the right side, as a share of it.
    """

    point: Floats
    n_products: int
    converged: bool
    residual: float


class _StoppingRule:
    """Stop when `period` iterations together improved the value by less than ``tol`` (CRFsuite's rule)."""

    def __init__(self, tol: float, period: int) -> None:
        self.tol = tol
        self.period = period
        self.values: list[float] = []

    def __call__(self, value: float) -> bool:
        self.values.append(value)
        if len(self.values) <= self.period:
            return False
        improvement = self.values[-1 - self.period] - value
        return improvement <= self.tol * max(abs(value), 1e-300)


def _pseudo_gradient(point: Floats, gradient: Floats, l1: float) -> Floats:
    """Steepest descent subgradient of ``f + l1 |w|_1`` (Andrew and Gao 2007, equation 4)."""
    if l1 == 0.0:
        return gradient
    at_zero = np.sign(gradient) * np.maximum(np.abs(gradient) - l1, 0.0)
    return np.where(point == 0.0, at_zero, gradient + l1 * np.sign(point))


def minimize_lbfgs(
    objective: Objective,
    initial: Floats,
    *,
    l1: float = 0.0,
    max_iter: int = 1000,
    tol: float = 1e-5,
    period: int = 10,
    memory: int = 10,
    callback: Callback | None = None,
    resume: FitState | None = None,
    keep: Keep | None = None,
) -> SolverResult:
    """Minimise a smooth convex function plus ``l1 |w|_1``.

    Parameters
    ----------
    objective : callable
        Gives value and gradient of the smooth part at a point.
    initial : ndarray of shape (d,)
    l1 : float
        Weight of the L1 norm; orthant-wise steps (OWL-QN) when positive.
    max_iter : int
    tol : float
        Stop when `period` iterations together improve the value by less than ``tol`` times the value.
    period : int
    memory : int
        Number of past steps that model the curvature.
    callback : callable, optional
        Called with iteration, value and point; stops the solver by returning True.
    resume : FitState, optional
        What `keep` was given last: the solver goes on from there, bit for bit, and `initial` is not used.
    keep : callable, optional
        Called after each iteration with arrays (which go on changing: ``copy=True``), `done` and plain values by name.

    Returns
    -------
    SolverResult

    Examples
    --------
    >>> result = minimize_lbfgs(lambda w: (float((w - 3) @ (w - 3)), 2 * (w - 3)), np.zeros(2), l1=2.0)
    >>> result.point
    array([2., 2.])
    """
    require_memory(
        (memory + 8) * 8 * len(initial),
        f"vectors of L-BFGS over {len(initial):,} weights",
        "use fewer labels, or min_count to leave out rare attributes, or a Perceptron, which needs fewer",
    )
    inverse_hessian, candidates = InverseHessian(memory, len(initial)), LentVectors()
    should_stop = _StoppingRule(tol, period)
    if resume is None:
        first, point = 1, np.array(initial, dtype=np.float64)
        value, gradient = objective(point)
        value += l1 * float(np.abs(point).sum()) if l1 else 0.0
        should_stop(value)
        n_evaluations = 1
    else:
        if resume.done:
            return _result(resume)
        inverse_hessian.restore(resume.arrays, resume.facts)
        first, should_stop.values = resume.facts["iteration"] + 1, resume.facts["values"]
        point, value, gradient = resume.arrays["point"], should_stop.values[-1], resume.arrays["gradient"]
        n_evaluations = resume.facts["n_evaluations"]
    for iteration in range(first, max_iter + 1):
        slope_vector = _pseudo_gradient(point, gradient, l1)
        size = float(np.sqrt(dot(slope_vector, slope_vector)))
        if size <= 1e-10 * max(1.0, float(np.sqrt(dot(point, point)))):
            return SolverResult(point, value, iteration - 1, n_evaluations, True, "the gradient vanished")
        direction, slope = inverse_hessian.descend(slope_vector)
        if l1:
            direction[direction * slope_vector >= 0.0] = 0.0
            slope = dot(direction, slope_vector)
        step = 1.0 if len(inverse_hessian) else 1.0 / float(np.sqrt(dot(direction, direction)))
        orthant = np.where(point == 0.0, -np.sign(slope_vector), np.sign(point)) if l1 else None
        for _ in range(MAX_HALVINGS):
            candidate = _moved(point, step, direction, candidates)
            if orthant is not None:
                candidate[candidate * orthant <= 0.0] = 0.0
                slope = dot(candidate - point, slope_vector) / step
            new_value, new_gradient = objective(candidate)
            new_value += l1 * float(np.abs(candidate).sum()) if l1 else 0.0
            n_evaluations += 1
            if new_value <= value + ARMIJO * step * slope:
                break
            # The minimum of the parabola through both values and the slope, kept within (0.1, 0.5).
            curvature = new_value - value - step * slope
            shrink = -step * slope / (2.0 * curvature) if np.isfinite(curvature) and curvature > 0 else 0.5
            step *= min(max(shrink, 0.1), 0.5)
            candidate, new_gradient = point, gradient  # two vectors fewer while the next trial is computed
        else:
            if len(inverse_hessian):  # the model of the curvature misled us: forget it and try steepest descent
                inverse_hessian.forget()
                continue
            return SolverResult(point, value, iteration - 1, n_evaluations, False, "no step lowers the value")
        del direction  # so that the next one has its memory
        inverse_hessian.update(point, candidate, gradient, new_gradient)
        point, value, gradient = candidate, new_value, new_gradient
        stopped = bool(callback is not None and callback(iteration, value, point))
        ended = _ended(stopped, should_stop(value), iteration, max_iter)
        if keep is not None:
            arrays, facts = inverse_hessian.state()
            arrays |= {"point": point, "gradient": gradient}
            values = should_stop.values[-period - 1 :]
            facts |= {"iteration": iteration, "n_evaluations": n_evaluations, "values": values}
            keep(arrays, done=ended is not None, copy=True, **facts, ended=ended)
        if ended is not None:
            return SolverResult(point, value, iteration, n_evaluations, *ended)
    return SolverResult(point, value, max_iter, n_evaluations, False, f"stopped after max_iter={max_iter}")


def _ended(stopped: bool, stalled: bool, iteration: int, max_iter: int) -> tuple[bool, str] | None:
    """Whether a solver has converged, and why it ends; None while it goes on."""
    if stopped:
        return False, "stopped by the callback"
    if stalled:
        return True, "the value stopped falling"
    return (False, f"stopped after max_iter={max_iter}") if iteration == max_iter else None


def _result(state: FitState) -> SolverResult:
    """What a solver returned that had ended when it was interrupted."""
    facts = state.facts
    return SolverResult(
        state.arrays["point"], facts["values"][-1], facts["iteration"], facts["n_evaluations"], *facts["ended"]
    )


def solve_conjugate_gradient(
    product: Callable[[Floats], Floats],
    right: Floats,
    *,
    diagonal: Floats | None = None,
    inverse: Callable[[Floats], Floats] | None = None,
    tol: float = 1e-8,
    max_iter: int = 1000,
    resume: FitState | None = None,
    keep: Keep | None = None,
) -> LinearSolution:
    """Solve ``A x = b`` for a positive semidefinite A given by its product; minimum norm if singular.

    Started at zero, so that for a consistent singular system the result is the minimum-norm solution
    (in the norm of the preconditioner). The preconditioner is a `diagonal` to divide by, or an approximate `inverse`
    of A given by its product. `resume` and `keep` are those of `minimize_lbfgs`, but that the arrays go on changing.

    Returns
    -------
    LinearSolution

    Examples
    --------
    >>> solve_conjugate_gradient(lambda v: np.array([2.0, 0.0]) * v, np.array([4.0, 0.0])).point
    array([2., 0.])
    """
    solution = np.zeros_like(right)
    residual = right.copy()
    direction = np.zeros_like(right)
    size = float(np.sqrt(dot(right, right)))
    target = tol * size

    def turn(previous: float) -> float:
        """Turn to the next direction; return the energy of the residual.

        Systems of many weights should not need many vectors: a diagonal is divided by on the way.
        """
        if inverse is None and diagonal is not None:
            energy = weighted_square(residual, diagonal)
            scale_and_add_ratio(direction, energy / previous, residual, diagonal)
            return energy
        conditioned = residual if inverse is None else inverse(residual)
        energy = dot(residual, conditioned)
        np.multiply(direction, energy / previous, out=direction)
        add_scaled(direction, 1.0, conditioned)
        return energy

    if resume is None:
        first, energy = 0, turn(1.0)
    else:
        first, energy = resume.facts["iteration"], resume.facts["energy"]
        solution, residual, direction = (resume.arrays[name].copy() for name in ("solution", "residual", "direction"))
    for iteration in range(first, max_iter):
        if float(np.sqrt(dot(residual, residual))) <= target:
            return LinearSolution(solution, iteration, True, tol)
        image = product(direction)
        curvature = dot(direction, image)
        if curvature <= 1e-300:  # what is left of the right side lies where A is zero
            return LinearSolution(solution, iteration, True, float(np.sqrt(dot(residual, residual))) / (size or 1.0))
        step = energy / curvature
        add_scaled(solution, step, direction)
        add_scaled(residual, -step, image)
        del image
        energy = turn(energy)
        if keep is not None:
            arrays = {"solution": solution, "residual": residual, "direction": direction}
            keep(arrays, copy=True, iteration=iteration + 1, energy=energy)
    left = float(np.sqrt(dot(residual, residual)))
    return LinearSolution(solution, max_iter, left <= target, left / (size or 1.0))


def _line_search(
    objective: Objective, point: Floats, value: float, gradient: Floats, direction: Floats
) -> tuple[tuple[float, float, Floats] | None, int]:
    """The best step tried along a direction, with value and gradient, and how many were tried.

    First the whole step, then nearer to where the slope is 0: far from the optimum a whole Newton step goes much too
    far although it lowers the value.
    """
    first = dot(direction, gradient)
    below, slope_below = 0.0, first  # the slope is negative here
    above, slope_above = 1.0, -first
    step, best, best_value = 1.0, None, np.inf
    for trial in range(1, MAX_HALVINGS + 1):
        new_value, new_gradient = objective(_moved(point, step, direction))
        slope = dot(direction, new_gradient)
        if new_value <= value + ARMIJO * step * first and new_value < best_value:
            best, best_value = (step, new_value, new_gradient), new_value
        del new_gradient  # systems of many weights should not need many vectors
        if best is not None and (abs(slope) <= FLAT * abs(first) or trial >= MOST_TRIALS):
            return best, trial
        if not np.isfinite(slope):
            step = 0.5 * (below + step)
        elif slope > 0.0:
            above, slope_above = step, slope
            step = _zero_between(below, slope_below, above, slope_above)
        elif step == 1.0:
            return best, trial
        else:
            below, slope_below = step, slope
            step = _zero_between(below, slope_below, above, slope_above)
    return best, MAX_HALVINGS


def _moved(point: Floats, step: float, direction: Floats, lender: LentVectors | None = None) -> Floats:
    moved = point.copy() if lender is None else lender.copy(point)
    add_scaled(moved, step, direction)
    return moved


def _zero_between(below: float, slope_below: float, above: float, slope_above: float) -> float:
    """Where a line through two slopes of unlike sign is zero, kept off the ends."""
    share = slope_below / (slope_below - slope_above)
    return below + (above - below) * min(max(share, 0.1), 0.9)


def minimize_newton(
    objective: Objective,
    hessian_product: Callable[[Floats, Floats], Floats],
    initial: Floats,
    *,
    max_iter: int = 100,
    tol: float = 1e-5,
    diagonal: Floats | None = None,
    forcing: float | None = None,
    max_products: int = 100,
    callback: Callback | None = None,
    resume: FitState | None = None,
    keep: Keep | None = None,
) -> SolverResult:
    """Minimise a smooth convex function by Newton steps solved with conjugate gradients.

    Parameters
    ----------
    objective : callable
        Gives value and gradient at a point.
    hessian_product : callable
        Gives the Hessian at a point (first argument) times a vector (second).
    initial : ndarray of shape (d,)
    max_iter, tol, callback, resume, keep
        As in `minimize_lbfgs`; one iteration is one Newton step, and `tol` is about a single one.
    diagonal : ndarray of shape (d,), optional
        Preconditioner of the conjugate gradients, about the diagonal of the Hessian.
    forcing : float, optional
        Relative residual at which a step is solved; by default it shrinks with the gradient.
    max_products : int
        Hessian products per step at the most.

    Returns
    -------
    SolverResult

    Examples
    --------
    >>> result = minimize_newton(lambda w: (float(w @ w - 2 * w[0]), 2 * w - np.array([2.0, 0.0])),
    ...                          lambda w, v: 2 * v, np.zeros(2))
    >>> result.point, result.n_iterations
    (array([1., 0.]), 1)
    """
    if resume is None:
        point = np.asarray(initial, dtype=np.float64)  # steps make new points, so no copy is needed
        value, gradient = objective(point)
        first, n_evaluations, first_size = 1, 1, float(np.sqrt(dot(gradient, gradient)))
    else:
        if resume.done:
            return _result(resume)
        point, gradient, facts = resume.arrays["point"], resume.arrays["gradient"], resume.facts
        first, n_evaluations, first_size = facts["iteration"] + 1, facts["n_evaluations"], facts["first_size"]
        value = facts["values"][-1]
    for iteration in range(first, max_iter + 1):
        size = float(np.sqrt(dot(gradient, gradient)))
        if size <= 1e-10 * max(1.0, first_size):
            return SolverResult(point, value, iteration - 1, n_evaluations, True, "the gradient vanished")
        at = point
        direction, n_products, _, _ = solve_conjugate_gradient(
            lambda vector, at=at: hessian_product(at, vector),  # type: ignore[misc]
            gradient,
            diagonal=diagonal,
            tol=min(0.5, float(np.sqrt(size / first_size))) if forcing is None else forcing,
            max_iter=max_products,
        )
        np.negative(direction, out=direction)
        n_evaluations += n_products
        found, n_trials = _line_search(objective, point, value, gradient, direction)
        n_evaluations += n_trials
        if found is None:
            # Nothing is left to gain where the promised decrease is below the rounding of the value.
            arrived = abs(dot(direction, gradient)) <= ROUNDING * max(1.0, abs(value))
            message = "the value stopped falling" if arrived else "no step lowers the value"
            return SolverResult(point, value, iteration - 1, n_evaluations, arrived, message)
        step, new_value, gradient = found
        point = _moved(point, step, direction)
        improvement, value = value - new_value, new_value
        stopped = bool(callback is not None and callback(iteration, value, point))
        ended = _ended(stopped, improvement <= tol * abs(value), iteration, max_iter)
        if keep is not None:
            facts = {"iteration": iteration, "n_evaluations": n_evaluations, "first_size": first_size}
            arrays = {"point": point, "gradient": gradient}
            keep(arrays, done=ended is not None, **facts, values=[value], ended=ended)
        if ended is not None:
            return SolverResult(point, value, iteration, n_evaluations, *ended)
    return SolverResult(point, value, max_iter, n_evaluations, False, f"stopped after max_iter={max_iter}")
