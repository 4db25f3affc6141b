"""Support vector machines on rows that lie in blocks, one of which is in memory at a time.

Block minimisation of the dual (Yu, Hsieh, Chang and Lin 2010): the dual variables of one block move while all others
stay, and what the others have added to w is the `base` of `solve_svm`. A pass takes the blocks in random order, a few
passes of coordinate descent over each. After it the objectives are known exactly, and passes end when the duality gap
is at most `tol` times the objective: a certificate, where one process with all rows looks at projected gradients.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from weft.arrays import Floats
from weft.core.threads import effective_jobs, in_threads
from weft.core.vectors import product
from weft.kernel_methods.svm.descent import Loss, SVMSolution, duality_gap, solve_svm
from weft.kernel_methods.svm.loops.descent import weighted_sum
from weft.kernel_methods.svm.sparse_rows import SparseRows

PASSES_IN_BLOCK = 3
"""Passes over a block while it is there: reading it takes as long as one."""

Block = Callable[[], SparseRows]
"""Opens the rows of a block."""


def solve_blocks(
    blocks: Sequence[Block],
    signs: Sequence[Floats],
    costs: Sequence[Floats],
    n_columns: int,
    *,
    loss: Loss = "hinge",
    tol: float = 1e-3,
    max_passes: int = 1000,
    n_jobs: int | None = 1,
    random: np.random.Generator | None = None,
    report: Callable[[int, float], Any] | None = None,
) -> list[SVMSolution]:
    """Train binary SVMs without offset on rows in blocks.

    Parameters
    ----------
    blocks : list of callables
    signs : list of ndarray of shape (n_problems, n_rows of the block)
    costs : list of ndarray of shape (n_rows of the block,)
    n_columns : int
    loss, tol, max_passes
        As in `solve_svm`, but `tol` is the duality gap as a share of the objective.
    n_jobs : int
        Problems that are solved at once.
    random : Generator, optional
    report : callable, optional
        Called after each pass with its number and the sum of the objectives.

    Returns
    -------
    list of SVMSolution
        Of each problem.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> halves = [SparseRows.from_matrix(csr_array([row])) for row in ([1.0, 0.0], [0.0, 2.0])]
    >>> blocks = [lambda: halves[0], lambda: halves[1]]
    >>> [solution] = solve_blocks(blocks, [np.array([[1.0]]), np.array([[-1.0]])], [np.ones(1)] * 2, 2, tol=1e-9)
    >>> solution.weights, solution.alpha
    (array([ 1. , -0.5]), array([1.  , 0.25]))
    """
    source = np.random.default_rng(0) if random is None else random
    n_problems = len(signs[0])
    weights = [np.zeros(n_columns) for _ in range(n_problems)]
    alpha = [[np.zeros(len(own)) for own in costs] for _ in range(n_problems)]
    everyone = np.concatenate(costs)
    solutions: list[SVMSolution] = []
    open_problems = list(range(n_problems))
    n_passes = 0
    while n_passes < max_passes and open_problems:
        for number in source.permutation(len(blocks)).tolist():
            rows = blocks[number]()
            seeds = dict(zip(open_problems, source.integers(2**31, size=len(open_problems)).tolist(), strict=True))

            def move(k: int, rows: SparseRows = rows, number: int = number, seeds: dict[int, int] = seeds) -> None:
                y = signs[number][k]
                base = weights[k]  # a buffer of its own: without what this block has added before
                weighted_sum(rows.indptr, rows.columns, rows.values, -alpha[k][number] * y, base)
                found = solve_svm(
                    rows, y, costs[number], loss=loss, tol=0.1 * tol, max_passes=PASSES_IN_BLOCK,
                    alpha=alpha[k][number], base=base, random=np.random.default_rng(seeds[k]),
                )  # fmt: skip
                weights[k], alpha[k][number] = found.weights, found.alpha

            in_threads(move, open_problems, effective_jobs(n_jobs))
        n_passes += 1
        margins = _margins(blocks, signs, weights, n_jobs)
        found = []
        for k in range(n_problems):
            duals = np.concatenate(alpha[k])
            primal, gap = duality_gap(margins[k], product(weights[k], weights[k]), duals, everyone, loss)
            found.append(SVMSolution(weights[k], duals, primal, gap, n_passes, gap <= tol * primal))
        solutions = found
        open_problems = [k for k, solution in enumerate(solutions) if not solution.converged]
        if report is not None:
            report(n_passes, sum(solution.objective for solution in solutions))
    return solutions


def _margins(
    blocks: Sequence[Block], signs: Sequence[Floats], weights: list[Floats], n_jobs: int | None
) -> list[Floats]:
    """y_i w.x_i of all rows, for each problem."""

    def of_block(number: int) -> list[Floats]:
        rows = blocks[number]()
        return [signs[number][k] * (rows @ own) for k, own in enumerate(weights)]

    found = in_threads(of_block, range(len(blocks)), effective_jobs(n_jobs))
    return [np.concatenate([own[k] for own in found]) for k in range(len(weights))]
