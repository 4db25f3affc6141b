"""LK Algorithm 2 for any storage of W': the passes of `svm.descent`, one example at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats
from weft.core.vectors import product
from weft.kernel_methods.svm.descent import Loss, Report, SVMSolution, dual_bounds, duality_gap
from weft.kernel_methods.svm.loops.descent import INNER, NEGLIGIBLE, RESTING, row_norms
from weft.kernel_methods.svm.sparse_rows import SparseRows
from weft.kernel_methods.svm.storages.kinds import BASE, WeightStorage

WORD = 0xFFFFFFFFFFFFFFFF


def solve_with_storage(
    storage: WeightStorage,
    rows: SparseRows,
    signs: Floats,
    costs: Floats,
    *,
    loss: Loss = "hinge",
    tol: float = 1e-3,
    max_passes: int = 1000,
    alpha: Floats | None = None,
    base: Floats | None = None,
    random: np.random.Generator | None = None,
    shuffle: bool = True,
    report: Report | None = None,
) -> SVMSolution:
    """Train a binary SVM whose W' lies in `storage`; visits the examples in the order that `solve_svm` takes.

    Parameters
    ----------
    storage : WeightStorage
        Empty at first.
    rows : SparseRows
        Examples in the order of the storage's keys.
    signs, costs : ndarray of shape (n_examples,)
    loss, tol, max_passes, alpha, base, random, report
        As in `solve_svm`; `base` in the order of the storage's keys.
    shuffle : bool
        Whether a pass takes the examples in random order.

    Returns
    -------
    SVMSolution

    Examples
    --------
    One pass over ababa, abbab and abaca with bigrams: the worked example of LK, Tables 1 and 2.

    >>> from scipy.sparse import csr_matrix
    >>> from weft.kernel_methods.svm.storages.keys import KeySet
    >>> from weft.kernel_methods.svm.storages.kinds import new_storage, sorted_rows
    >>> keys = KeySet.from_names(["ab", "ac", "ba", "bb", "ca"])
    >>> rows = sorted_rows(csr_matrix([[2, 0, 2, 0, 0], [2, 0, 1, 1, 0], [1, 1, 1, 0, 1]]), keys)
    >>> solution = solve_with_storage(
    ...     new_storage("trie", keys, rows), rows, np.array([1.0, 1, -1]), np.full(3, 9.0), max_passes=1, shuffle=False
    ... )
    >>> solution.alpha * [8, 24, 32]
    array([ 1.,  1., 13.])
    """
    upper, diagonal = dual_bounds(costs, loss)
    curvature = row_norms(rows.indptr, rows.values, rows.values) + diagonal
    dual, value = np.zeros(rows.n_rows), 0.0
    taken = np.flatnonzero(costs > 0.0)
    examples = [
        (rows.columns[rows.indptr[i] : rows.indptr[i + 1]], rows.values[rows.indptr[i] : rows.indptr[i + 1]])
        for i in range(rows.n_rows)
    ]
    if alpha is not None:
        dual[taken] = np.clip(alpha, 0.0, upper)[taken]
        begun = _filled(storage, examples, signs * dual)
        value = 0.5 * product(begun, begun) + 0.5 * product(diagonal[taken], dual[taken] ** 2) - float(dual.sum())
    if base is not None:
        used = np.flatnonzero(base).astype(np.uint32)
        storage.add(BASE, used, base[used], 1.0)
    source = np.random.default_rng(0) if random is None else random
    state = int(source.integers(1, np.iinfo(np.uint64).max, size=1, dtype=np.uint64)[0])
    order: list[int] = taken.tolist()
    active, n_passes, converged = len(order), 0, False
    largest_before, smallest_before, scale = np.inf, -np.inf, 0.0

    def look(active: int, awake: int, rest_below: float) -> tuple[float, float, int, int]:
        nonlocal state, value
        largest, smallest = -np.inf, np.inf
        place = 0
        while place < awake:
            if shuffle:
                state ^= state << 13 & WORD
                state ^= state >> 7
                state ^= state << 17 & WORD
                other = place + ((state >> 32) * (awake - place) >> 32)
                order[place], order[other] = order[other], order[place]
            i = order[place]
            columns, values = examples[i]
            old = dual[i]
            gradient = signs[i] * storage.dot(columns, values) - 1.0 + diagonal[i] * old
            if (old <= 0.0 and gradient > largest_before) or (old >= upper[i] and gradient < smallest_before):
                awake, active = awake - 1, active - 1
                order[place], order[awake], order[active] = order[awake], order[active], i
                continue
            projected = _projected(gradient, old, upper[i])
            largest, smallest = max(largest, projected), min(smallest, projected)
            if abs(projected) > NEGLIGIBLE:
                dual[i] = min(max(old - gradient / curvature[i], 0.0), upper[i]) if curvature[i] > 0.0 else upper[i]
                step = dual[i] - old
                if step != 0.0:
                    storage.add(i, columns, values, step * signs[i])
                    value += step * (gradient + 0.5 * curvature[i] * step)  # F is quadratic along a coordinate
            if abs(projected) < rest_below:
                awake -= 1
                order[place], order[awake] = order[awake], i
            else:
                place += 1
        return largest, smallest, active, awake

    while n_passes < max_passes and not converged:
        largest, smallest, active, awake = look(active, active, RESTING * scale)
        n_passes += 1
        if largest - smallest <= tol and active == len(order):
            converged = True
        elif largest - smallest <= INNER * tol:
            active, largest_before, smallest_before, scale = len(order), np.inf, -np.inf, 0.0
        else:
            largest_before = largest if largest > 0.0 else np.inf
            smallest_before = smallest if smallest < 0.0 else -np.inf
            scale = max(largest, -smallest)
            enough = max(INNER * tol, RESTING * scale)
            visits = active if awake < active else 0
            while visits > 0 and awake > 0 and largest - smallest > enough:
                visits -= awake
                largest, smallest, active, awake = look(active, awake, 0.0)
        if report is not None and report(n_passes, float(value)):
            break
    weights = storage.weights()
    start = np.zeros(rows.n_columns) if base is None else base
    added = weights - start
    objective, gap = duality_gap(signs * (rows @ weights), product(added, added), dual, costs, loss)
    gap += product(dual * signs, rows @ start)  # a linear term that the dual has beside a base
    return SVMSolution(weights, dual, objective, gap, n_passes, converged)


def _filled(storage: WeightStorage, examples: list[tuple[NDArray[np.uint32], NDArray[Any]]], steps: Floats) -> Floats:
    """Take the first step of each example; the weights after them."""
    for i in np.flatnonzero(steps).tolist():
        storage.add(i, *examples[i], steps[i])
    return storage.weights()


def _projected(gradient: float, old: float, upper: float) -> float:
    """The gradient, as far as the bounds let a variable follow it."""
    if old <= 0.0:
        return min(gradient, 0.0)
    return max(gradient, 0.0) if old >= upper else gradient
