"""One SVM for two classes, one for each class against the rest for more; in threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.arrays import Floats, Integers
from weft.core.memory import require_memory
from weft.core.threads import effective_jobs, in_threads
from weft.kernel_methods.svm.descent import PASSES_PER_REPORT, Loss, Report, SVMSolution, solve_svm
from weft.kernel_methods.svm.merged_columns import merge_columns, worth_merging
from weft.kernel_methods.svm.smo import KernelRows, solve_smo
from weft.kernel_methods.svm.sparse_rows import SparseRows
from weft.kernel_methods.svm.storages.descent import solve_with_storage
from weft.kernel_methods.svm.storages.keys import KeySet
from weft.kernel_methods.svm.storages.kinds import new_storage, sorted_rows
from weft.kernel_methods.svm.storages.size import StorageSize


@dataclass(frozen=True)
class Settings:
    """What all problems share."""

    loss: Loss = "hinge"
    tol: float = 1e-3
    max_iter: int = 1000
    n_jobs: int | None = 1


@dataclass(frozen=True)
class Task:
    """One binary problem.

    Attributes
    ----------
    signs, costs : ndarray of shape (n_examples,)
    seed : int
    alpha, base : ndarray, optional
        Where to start, see `solve_svm`.
    report : callable, optional
    passes_per_report : int
        See `solve_svm`.
    done : callable, optional
        Called with the solution.
    """

    signs: Floats
    costs: Floats
    seed: int
    alpha: Floats | None = None
    base: Floats | None = None
    report: Report | None = None
    passes_per_report: int = PASSES_PER_REPORT
    done: Callable[[SVMSolution], None] | None = None


def problem_signs(targets: Integers, n_classes: int) -> Floats:
    """Signs of the examples in each problem, in rows: the second of two classes, or each class, is +1.

    Examples
    --------
    >>> problem_signs(np.array([0, 1]), 2)
    array([[-1.,  1.]])
    >>> problem_signs(np.array([0, 2]), 3)
    array([[ 1., -1.],
           [-1., -1.],
           [-1.,  1.]])
    """
    n_problems = n_classes if n_classes > 2 else 1
    require_memory(
        8.0 * n_problems * len(targets),
        f"signs of {len(targets):,} examples in {n_problems:,} classes",
        "merge classes; are they classes, and not texts or numbers?",
    )
    wanted = np.array([1]) if n_classes == 2 else np.arange(n_classes)
    return np.where(targets[None, :] == wanted[:, None], 1.0, -1.0)


def solve_features(
    matrix: Any, tasks: Sequence[Task], settings: Settings, storage: str = "array", names: Sequence[str] = ()
) -> tuple[list[SVMSolution], list[StorageSize]]:
    """Solve problems on explicit features.

    Parameters
    ----------
    matrix : CSR array of shape (n_examples, n_columns)
    tasks : list of Task
    settings : Settings
    storage : {"array", "trie", "minimal", "naive", "hash"}
        How W' is kept.
    names : list of str
        Names of the columns, for storages that walk them.

    Returns
    -------
    solutions : list of SVMSolution
    sizes : list of StorageSize
        Of each storage at the end; empty for "array".

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> task = Task(np.array([1.0, -1.0]), np.ones(2), seed=0)
    >>> solutions, sizes = solve_features(csr_array([[1.0, 0.0], [0.0, 2.0]]), [task], Settings(), "trie", ["a", "b"])
    >>> solutions[0].weights, sizes[0].states
    (array([ 1. , -0.5]), 3)
    """
    options: dict[str, Any] = {"loss": settings.loss, "tol": settings.tol, "max_passes": settings.max_iter}
    if storage == "array":
        rows: Any = SparseRows.from_matrix(matrix)
        if worth_merging(rows) and any(task.base is None for task in tasks):
            rows = merge_columns(rows)

        def solve(task: Task) -> SVMSolution:
            random = np.random.default_rng(task.seed)
            start: dict[str, Any] = {"alpha": task.alpha, "base": task.base}
            told: Any = {"report": task.report, "passes_per_report": task.passes_per_report}
            found = solve_svm(rows, task.signs, task.costs, random=random, **told, **start, **options)
            return _told(task, found)

        return in_threads(solve, tasks, effective_jobs(settings.n_jobs)), []
    keys = KeySet.from_names(names)
    rows = sorted_rows(matrix, keys)

    def solve_stored(task: Task) -> tuple[SVMSolution, StorageSize]:
        kept = new_storage(storage, keys, rows)
        random = np.random.default_rng(task.seed)
        start: dict[str, Any] = {
            "alpha": task.alpha,
            "base": None if task.base is None else task.base[np.argsort(keys.rank)],
        }
        found = solve_with_storage(
            kept, rows, task.signs, task.costs, random=random, report=task.report, **start, **options
        )
        return _told(task, found._replace(weights=found.weights[keys.rank])), kept.size()

    solved = in_threads(solve_stored, tasks, effective_jobs(settings.n_jobs))
    return [solution for solution, _ in solved], [size for _, size in solved]


def solve_kernel(rows: KernelRows, tasks: Sequence[Task], settings: Settings) -> list[SVMSolution]:
    """Solve problems on a kernel matrix; the weights of a solution are the signed dual variables.

    Examples
    --------
    >>> rows = KernelRows(lambda i: np.eye(2)[i], np.ones(2))
    >>> solve_kernel(rows, [Task(np.array([1.0, -1.0]), np.ones(2), seed=0)], Settings())[0].weights
    array([ 1., -1.])
    """
    solutions = []
    for task in tasks:  # they share the cache of rows, so one after the other
        found = solve_smo(
            rows,
            task.signs,
            task.costs,
            loss=settings.loss,
            tol=settings.tol,
            max_steps=settings.max_iter * len(rows),
            alpha=task.alpha,
            report=task.report,
        )
        signed, n_passes = found.alpha * task.signs, -(-found.n_steps // len(rows))
        solution = SVMSolution(signed, found.alpha, -found.objective, float("nan"), n_passes, found.converged)
        solutions.append(_told(task, solution))
    return solutions


def _told(task: Task, solution: SVMSolution) -> SVMSolution:
    if task.done is not None:
        task.done(solution)
    return solution
