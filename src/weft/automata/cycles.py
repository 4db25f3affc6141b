"""Sums over the paths of machines with cycles: a linear system, or least costs."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy  # which loads its sparse at first use: not to predict

from weft.automata.arc_arrays import FloatArray, IntArray
from weft.automata.loops.distances import least_costs
from weft.errors import InputError

# Sums around a cycle are refused when they exceed this: the spectral radius is then 1 up to rounding.
LARGEST_SUM = 1e12


def cyclic_distances(
    sources: IntArray,
    targets: IntArray,
    weights: FloatArray,
    ends: FloatArray,
    semiring: str,
    names: IntArray | None = None,
) -> FloatArray:
    """Weights ``x`` with ``x[p] = ends[p] + sum of weight * x[q]`` over the arcs from p to q.

    Swap sources and targets for sums over the paths from a start. Messages call the states by `names`.

    Examples
    --------
    A loop of weight 1/2, and an end:

    >>> zero = np.zeros(1, dtype=np.int32)
    >>> cyclic_distances(zero, zero, np.array([0.5]), np.array([1.0]), "real")
    array([2.])
    >>> cyclic_distances(zero, zero, np.array([0.5]), np.array([1.0]), "tropical")
    array([1.])
    """
    if names is None:
        names = np.arange(len(ends), dtype=np.int32)
    if semiring == "real":
        lives = (weights != 0.0) & _leads_to_an_end(sources, targets, weights, ends)[targets]
        return _solve(sources[lives], targets[lives], weights[lives], ends, names)
    is_real = weights < np.inf
    sources, targets, weights = sources[is_real], targets[is_real], weights[is_real]
    costs = ends.copy()
    state = least_costs(targets, sources, weights, costs)
    if state >= 0:
        raise InputError(
            f"a cycle near state {names[state]} has a negative cost, so paths around it have no least cost; "
            "need cycles of cost 0 or more: raise the weights of its arcs"
        )
    if semiring == "tropical":
        return costs
    # Costs relative to the least ones are at least 0, so that their exponentials neither overflow nor all vanish.
    lives = (costs[sources] < np.inf) & (costs[targets] < np.inf)
    sources, targets, weights = sources[lives], targets[lives], weights[lives]
    relative = np.exp(np.minimum(costs[sources] - weights - costs[targets], 0.0))
    with np.errstate(invalid="ignore"):
        relative_ends = np.where(np.isinf(ends), 0.0, np.exp(costs - ends))
    sums = _solve(sources, targets, relative, relative_ends, names)
    with np.errstate(divide="ignore"):
        return costs - np.log(np.where(np.isinf(costs), 1.0, np.maximum(sums, 0.0)))


def check_convergence(sources: IntArray, targets: IntArray, weights: FloatArray, names: IntArray, what: str) -> None:
    """Refuse weights whose sum over paths has no value of its own: a spectral radius of 1 or more.

    With signs the sum must converge absolutely, or its value would depend on the order of paths. For a matrix A of
    absolute weights the radius is below 1 exactly if ``(I - A) x = 1`` has a solution that is nowhere negative.

    Examples
    --------
    >>> zero = np.zeros(1, dtype=np.int32)
    >>> check_convergence(zero, zero, np.array([-1.25]), zero, "paths")
    Traceback (most recent call last):
    ...
    weft.errors.InputError: paths around a cycle of states [0] have no finite sum: ... spectral radius 1.25; ...
    """
    n_states = len(names)
    matrix = scipy.sparse.csr_array((np.abs(weights), (sources, targets)), shape=(n_states, n_states))
    from scipy.sparse.csgraph import connected_components  # few have cycles

    part_of = connected_components(matrix, connection="strong")[1]
    # Arcs between strong components lie on no cycle.
    within = part_of[sources] == part_of[targets]
    if not within.any():
        return
    sources, targets = sources[within], targets[within]
    size = np.abs(weights[within])
    matrix = scipy.sparse.csr_array((size, (sources, targets)), shape=(n_states, n_states))
    sums = _linear_solution(matrix, np.ones(n_states))
    if sums is not None and np.isfinite(sums).all() and sums.min() >= 0.5 and sums.max() <= LARGEST_SUM:
        return
    parts = np.unique(part_of[sources])
    radii = [_spectral_radius(matrix[part_of == part][:, part_of == part]) for part in parts]
    worst = int(np.argmax(radii))
    states = np.flatnonzero(part_of == parts[worst])
    shown = ", ".join(map(str, names[states[:8]])) + (", ..." if len(states) > 8 else "")
    raise InputError(
        f"{what} around a cycle of states [{shown}] have no finite sum: its absolute weights have spectral radius "
        f"{radii[worst]:.6g}; need below 1: lower the weights on the cycle or cut it"
    )


def _leads_to_an_end(
    sources: IntArray, targets: IntArray, weights: FloatArray, ends: FloatArray
) -> npt.NDArray[np.bool_]:
    """Flag of every state whose sum has a term: no other may diverge."""
    n_states = len(ends)
    last = np.flatnonzero(ends)
    used = weights != 0.0
    # Backwards from a state behind all ends.
    heads = np.concatenate([targets[used], np.full(len(last), n_states)])
    tails = np.concatenate([sources[used], last])
    backwards = scipy.sparse.csr_array((np.ones(len(heads)), (heads, tails)), shape=(n_states + 1, n_states + 1))
    found = np.zeros(n_states + 1, dtype=np.bool_)
    from scipy.sparse.csgraph import breadth_first_order

    found[breadth_first_order(backwards, n_states, return_predecessors=False)] = True
    return found[:-1]


def _solve(sources: IntArray, targets: IntArray, weights: FloatArray, ends: FloatArray, names: IntArray) -> FloatArray:
    n_states = len(ends)
    check_convergence(sources, targets, weights, names, "paths")
    matrix = scipy.sparse.csr_array((weights, (sources, targets)), shape=(n_states, n_states))
    solution = _linear_solution(matrix, ends)
    if solution is None:  # the check of absolute weights has passed, so the matrix is regular
        raise InputError("the sum over paths cannot be computed: weights are too uneven; rescale them")
    return solution


def _linear_solution(matrix: Any, right: FloatArray) -> FloatArray | None:
    """Solution of ``(I - matrix) x = right``; None if there is none."""
    from scipy.sparse.linalg import splu

    system = (scipy.sparse.eye_array(matrix.shape[0], format="csc") - matrix).tocsc()
    try:
        solution: FloatArray = splu(system).solve(right)
    except RuntimeError:  # exactly singular
        return None
    return solution


def _spectral_radius(matrix: Any) -> float:
    """Largest eigenvalue of an irreducible matrix without negative entries."""
    if matrix.shape[0] <= 200:
        return float(np.abs(np.linalg.eigvals(matrix.toarray())).max())
    # Adding the identity makes the matrix primitive, so that power iteration settles.
    vector = np.ones(matrix.shape[0])
    growth = 1.0
    for _ in range(200):
        following = vector + matrix @ vector
        growth = float(following.max())
        vector = following / growth
    return growth - 1.0
