"""The binary problems of a classifier on its examples or on some of them: with features, or with a kernel matrix."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from threading import Lock
from typing import Any, Protocol

import numpy as np

from weft.arrays import Floats, Integers
from weft.core.algebra import one_algebra_thread
from weft.errors import InputError
from weft.kernel_methods.svm.calibration import fit_sigmoid
from weft.kernel_methods.svm.descent import SVMSolution
from weft.kernel_methods.svm.one_vs_rest import Settings, Task, problem_signs, solve_features, solve_kernel
from weft.kernel_methods.svm.smo import KernelRows
from weft.kernel_methods.svm.storages.size import StorageSize
from weft.learners.monitor import Monitor

FOLDS = 5
"""Parts into which calibration cuts the examples, at the most."""


class Problems(Protocol):
    """Binary problems over the same examples."""

    def solve(self, tasks: Sequence[Task]) -> tuple[list[SVMSolution], list[StorageSize]]:
        """Train on all examples."""
        ...

    def held_out_decisions(self, tasks: Sequence[Task], kept: Integers, held_out: Integers) -> Floats:
        """Train on the examples `kept`, and decide about others: an array (n_problems, n_held_out)."""
        ...


class FeatureProblems:
    """Problems on explicit features.

    Parameters
    ----------
    matrix : CSR array of shape (n_examples, n_columns)
    settings : Settings
    storage : {"array", "trie", "minimal", "naive", "hash"}
    names : callable
        Names of the columns, asked for only if the storage walks them.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> problems = FeatureProblems(csr_array([[1.0, 0.0], [0.0, 2.0]]), Settings())
    >>> tasks = binary_tasks(np.array([1, 0]), 2, np.ones(2), np.random.default_rng(0))
    >>> problems.solve(tasks)[0][0].weights
    array([ 1. , -0.5])
    """

    def __init__(
        self, matrix: Any, settings: Settings, storage: str = "array", names: Callable[[], list[str]] | None = None
    ) -> None:
        self._matrix = matrix
        self._settings = settings
        self._storage = storage
        self._names: list[str] = []
        if storage == "naive":  # it walks no names, so any that are sorted will do
            self._names = [f"{column:012d}" for column in range(matrix.shape[1])]
        elif storage != "array" and names is not None:
            self._names = names()

    def solve(self, tasks: Sequence[Task]) -> tuple[list[SVMSolution], list[StorageSize]]:
        """Train on all examples."""
        return solve_features(self._matrix, tasks, self._settings, self._storage, self._names)

    def held_out_decisions(self, tasks: Sequence[Task], kept: Integers, held_out: Integers) -> Floats:
        """Train on some examples, and decide about others."""
        solutions, _ = solve_features(self._matrix[kept], tasks, self._settings)
        others = self._matrix[held_out]
        return np.array([others @ solution.weights for solution in solutions])


class KernelProblems:
    """Problems on a kernel matrix; the weights of their solutions are signed dual variables.

    Parameters
    ----------
    rows : KernelRows
    settings : Settings

    Examples
    --------
    >>> problems = KernelProblems(KernelRows(lambda i: np.eye(2)[i], np.ones(2)), Settings())
    >>> tasks = binary_tasks(np.array([1, 0]), 2, np.ones(2), np.random.default_rng(0))
    >>> problems.solve(tasks)[0][0].weights
    array([ 1., -1.])
    """

    def __init__(self, rows: KernelRows, settings: Settings) -> None:
        self._rows = rows
        self._settings = settings

    def solve(self, tasks: Sequence[Task]) -> tuple[list[SVMSolution], list[StorageSize]]:
        """Train on all examples."""
        return solve_kernel(self._rows, tasks, self._settings), []

    def held_out_decisions(self, tasks: Sequence[Task], kept: Integers, held_out: Integers) -> Floats:
        """Train on some examples, and decide about others."""
        rows = self._rows
        part = KernelRows(lambda i: rows[int(kept[i])][kept], rows.diagonal[kept], 0)
        solutions = solve_kernel(part, tasks, self._settings)
        block = np.array([rows[i][kept] for i in held_out.tolist()])
        with one_algebra_thread():
            return np.array([block @ solution.weights for solution in solutions])


def binary_tasks(
    targets: Integers,
    n_classes: int,
    costs: Floats,
    random: np.random.Generator,
    start: Floats | None = None,
    base: Floats | None = None,
    monitor: Monitor | None = None,
    max_iter: int = 1,
    scored: Sequence[Monitor] = (),
) -> list[Task]:
    """The problem of two classes, or one for each of several classes.

    Parameters
    ----------
    targets : ndarray of int
        Class of each example.
    n_classes : int
    costs : ndarray of shape (n_examples,)
    random : Generator
    start, base : ndarray of shape (n_problems, ...), optional
        See `Task`.
    monitor : Monitor, optional
        Told about the passes of a single problem, or about each of several that is solved.
    max_iter : int
        What the monitor shows as the largest number of passes.
    scored : list of Monitor
        One for each problem, which scores its weights after every pass, and may stop it.
    """
    signs = problem_signs(targets, n_classes)
    reports: list[Callable[..., bool] | None] = [partial(_each_pass, each) for each in scored] or [None] * len(signs)
    done: list[Callable[[SVMSolution], None] | None] = [None] * len(signs)
    if monitor is not None:
        watch = monitor
        solved: dict[int, float] = {}
        finished: list[float] = []
        lock = Lock()

        def each_class(number: int, solution: SVMSolution) -> None:
            with lock:
                solved[number] = solution.gap - solution.objective
                while len(finished) in solved:  # noted in the order of the classes, whichever thread was first
                    finished.append(solved[len(finished)])
                    watch.record(len(finished), float(np.nansum(finished)), np.empty(0))
                    if scored:
                        watch.history[-1]["score"] = scored[len(finished) - 1].kept_score

        if len(signs) == 1:
            reports = [partial(_each_pass, monitor)]
            monitor.start("passes", max_iter)
        else:
            done = [partial(each_class, number) for number in range(len(signs))]
            monitor.start("classes", len(signs))
    seeds = random.integers(2**31, size=len(signs)).tolist()
    starts = [None] * len(signs) if start is None else list(start)
    bases = [None] * len(signs) if base is None else list(base)
    often = {"passes_per_report": 1} if scored else {}
    return [
        Task(signs[k], costs, seeds[k], starts[k], bases[k], reports[k], done=done[k], **often)
        for k in range(len(signs))
    ]


def _each_pass(monitor: Monitor, n_passes: int, objective: float, weights: Callable[[], Floats] | None = None) -> bool:
    return monitor.record(n_passes, objective, np.empty(0) if weights is None else weights())


COSTS = (1.0, 0.3, 3.0, 10.0)
"""Costs of an error that are tried, the usual one first, which wins ties."""
COST_FOLDS, COST_EXAMPLES = 3, 3000
"""So that choosing takes at most as long as eight fits on so many examples."""


def folds_of(targets: Integers, n_classes: int) -> Integers:
    """Fold of each example, of each class about as many in each; -1 for the only one of a class, always learned from.

    Examples
    --------
    >>> folds_of(np.array([0, 0, 1, 1, 0, 0, 2]), 3)
    array([ 0,  1,  0,  1,  2,  0, -1])
    """
    fold = np.full(len(targets), -1, dtype=np.int64)
    for label in range(n_classes):
        members = np.flatnonzero(targets == label)
        if len(members) > 1:
            fold[members] = np.arange(len(members)) % COST_FOLDS
    return fold


def evenly_taken(targets: Integers, n_classes: int, costs: Floats, most: int) -> Integers:
    """Numbers of about `most` examples of a cost above 0, of each class its share, evenly along the data.

    Examples
    --------
    >>> evenly_taken(np.array([0, 1, 0, 1, 0, 1, 0, 1]), 2, np.ones(8), 4)
    array([0, 1, 4, 5])
    """
    counted = np.flatnonzero(costs > 0.0)
    step = max(1, -(-len(counted) // most))
    return np.sort(np.concatenate([counted[targets[counted] == label][::step] for label in range(n_classes)]))


def choose_cost(problems: Problems, targets: Integers, n_classes: int, costs: Floats) -> float:
    """The cost of an error with which models that did not see an example decide most examples rightly.

    Three folds, and at most 3,000 examples, evenly taken; 1 where no class has two examples. The order is always the
    same, so that what is chosen follows from the data.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> problems = FeatureProblems(csr_array([[1.0], [2.0], [-1.0], [-2.0]]), Settings())
    >>> choose_cost(problems, np.array([1, 1, 0, 0]), 2, np.ones(4))
    1.0
    """
    some = evenly_taken(targets, n_classes, costs, COST_EXAMPLES)
    here = targets[some]
    fold = folds_of(here, n_classes)
    right = np.zeros(len(COSTS))
    for number, cost in enumerate(COSTS):
        for k in range(int(fold.max()) + 1):
            kept, held_out = some[fold != k], some[fold == k]
            tasks = binary_tasks(targets[kept], n_classes, cost * costs[kept], np.random.default_rng(0))
            decisions = problems.held_out_decisions(tasks, kept, held_out)
            chosen = decisions.argmax(axis=0) if n_classes > 2 else (decisions[0] > 0.0).astype(np.int64)
            right[number] += costs[held_out] @ (chosen == targets[held_out])
    return COSTS[int(np.argmax(right >= right.max() * (1.0 - 1e-9)))]


def calibrate(
    problems: Problems, targets: Integers, n_classes: int, costs: Floats, random: np.random.Generator
) -> Floats:
    """Slope and constant of a sigmoid for each problem, from decisions about held-out folds.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> problems = FeatureProblems(csr_array([[1.0], [2.0], [-1.0], [-2.0]]), Settings())
    >>> sigmoids = calibrate(problems, np.array([1, 1, 0, 0]), 2, np.ones(4), np.random.default_rng(0))
    >>> sigmoids.shape, bool(sigmoids[0, 0] > 0)
    ((1, 2), True)
    """
    n_folds = min(FOLDS, int(np.bincount(targets, minlength=n_classes).min()))
    if n_folds < 2:
        raise InputError("probability=True needs two examples of each class to hold one out; add examples.")
    signs = problem_signs(targets, n_classes)
    decisions = np.zeros(signs.shape)
    from sklearn.model_selection import StratifiedKFold  # only fitting needs it, and it loads slowly

    folds = StratifiedKFold(n_folds, shuffle=True, random_state=int(random.integers(2**31)))
    for kept, held_out in folds.split(targets, targets):
        tasks = binary_tasks(targets[kept], n_classes, costs[kept], random)
        decisions[:, held_out] = problems.held_out_decisions(tasks, kept, held_out)
    sample_weight = costs / costs.mean()
    return np.array([fit_sigmoid(decisions[k], signs[k], sample_weight) for k in range(len(signs))])
