"""Hyper-parameters by cross-validation or on other data: a small grid for each command and its parts."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from weft.apps.resampling import Task, fit_quietly, folds_of, mean_scores, trial_scores
from weft.apps.scoring import rank
from weft.errors import InputError

if TYPE_CHECKING:
    from weft.checkpoint import Journal

__all__ = ["GRIDS", "describe_grids", "tune"]

Grid = Mapping[str, Sequence[Any]]

N_FOLDS = 3
"""Folds of a tuning without --dev."""

LEARNERS: Mapping[str, Grid] = {
    "CRF": {"c2": (1.0, 0.01, 0.1, 10.0)},
    "Perceptron": {"max_iter": (10, 5, 20)},
    "StructuredSVM": {"C": (1.0, 0.01, 0.1, 10.0)},
    "ZScore": {"alpha": (0.01, 0.001, 0.1, 1.0)},
    "SODA": {"alpha": (0.01, 0.001, 0.1, 1.0)},
    "MarginRegression": {"alpha": (0.01, 0.001, 0.1, 1.0)},
    "LossRegression": {"alpha": (0.01, 0.001, 0.1, 1.0)},
    "MomentSteps": {"c2": (1.0, 0.01, 0.1, 10.0)},
    "ExpectedLoss": {"c2": (1.0, 0.1, 10.0, 100.0)},
    "Generative": {"smoothing": (1.0, 0.1, 10.0)},
}

NAMES = {
    "CRF": "crf",
    "Perceptron": "perceptron",
    "StructuredSVM": "svm",
    "ZScore": "zscore",
    "SODA": "soda",
    "MarginRegression": "margin",
    "LossRegression": "loss",
    "MomentSteps": "steps",
    "ExpectedLoss": "expected",
    "Generative": "generative",
    "NGramKernel": "ngram",
}
"""What users call the parts that they choose."""


def _without(*parts: str) -> Mapping[str, Grid]:
    return {part: grid for part, grid in LEARNERS.items() if part not in parts}


GRIDS: Mapping[str, Mapping[str, Grid]] = {
    "tag": _without("ExpectedLoss", "Generative"),
    "align": _without("MarginRegression", "MomentSteps"),
    "fold": _without("MarginRegression", "MomentSteps"),
    "parse": _without("MarginRegression", "MomentSteps"),
    "rewrite": {
        "Rewriter": {"context": (5, 3)},
        "Perceptron": {"max_iter": (8, 16)},
        "CRF": {"c2": (0.3, 0.1, 1.0)},
        "StructuredSVM": {"C": (0.1, 0.01, 1.0)},
    },
    "classify": {"SequenceSVC": {"C": (1.0, 0.1, 10.0)}, "NGramKernel": {"n": (4, 3, 5)}},
    "regress": {"StringRegressor": {"alpha": (0.01, 0.001, 0.1, 1.0)}},
}
"""Options to try for each command, by the class of the part that has them; of equal scores the first value wins."""


def describe_grids(command: str) -> str:
    """The grids of a command, for its help.

    Examples
    --------
    >>> describe_grids("classify")
    'C 1, 0.1, 10; n 4, 3, 5 (ngram)'
    """
    parts: dict[str, list[str]] = {}
    for part, grid in GRIDS[command].items():
        for option, values in grid.items():
            tried = f"{option.replace('_', '-')} {', '.join(f'{value:g}' for value in values)}"
            parts.setdefault(tried, []).extend([NAMES[part]] if part in NAMES else [])
    return "; ".join(f"{tried} ({', '.join(names)})" if names else tried for tried, names in parts.items())


def grid_of(command: str, estimator: Any, given: Collection[str]) -> dict[str, tuple[str, Sequence[Any]]]:
    """Options to try with their values, each by its path in the parameters; those that the user gave stay as they are.

    Examples
    --------
    >>> import weft
    >>> grid_of("align", weft.Aligner(learner=weft.CRF()), given=())
    {'learner__c2': ('c2', (1.0, 0.01, 0.1, 10.0))}
    """
    parameters = estimator.get_params(deep=True)
    owners = {"": estimator, **{f"{path}__": value for path, value in parameters.items()}}
    found = {}
    for prefix, owner in owners.items():
        for option, values in GRIDS[command].get(type(owner).__name__, {}).items():
            if f"{prefix}{option}" in parameters and option.replace("_", "-") not in given:
                found[f"{prefix}{option}"] = (option.replace("_", "-"), values)
    return found


def tune(
    task: Task,
    command: str,
    given: Collection[str],
    seed: int,
    *,
    numbers: Sequence[int] | None = None,
    name: str = "tuning",
    journal: Journal | None = None,
    progress: Callable[[str], None] = lambda text: None,
) -> tuple[Any, dict[str, Any]]:
    """An estimator with the best values, not fitted, and what was tried.

    Parameters
    ----------
    task : Task
    command : str
    given : set of str
        Options that the user chose.
    seed : int
    numbers : sequence of int, optional
        Examples to use; all if not given.
    name : str
        Marks this tuning in the journal.
    journal : Journal, optional
    progress : callable

    Returns
    -------
    estimator
    report : dict
        "chosen" has options and values, "tried" each point with the mean of its scores.
    """
    from sklearn.base import clone
    from sklearn.model_selection import ParameterGrid

    grid = grid_of(command, task.estimator, given)
    if not grid:
        tried = ", ".join(sorted({f"--{option}" for part in GRIDS[command].values() for option in part}))
        raise InputError(
            f"--tune has nothing to choose: of {tried} this learner has none that you did not set; leave one open, or "
            "--tune out."
        )
    chosen_numbers = range(len(task.examples)) if numbers is None else numbers
    points = list(ParameterGrid({path: list(values) for path, (_, values) in grid.items()}))
    found: list[dict[str, Any]] = []
    for k, point in enumerate(points, start=1):
        options = {grid[path][0]: value for path, value in point.items()}
        progress(f"tuning: {_shown(options)} ({k} of {len(points)})")
        candidate = clone(task.estimator).set_params(**point)
        found.append(
            {**options, "scores": _scores(task, candidate, chosen_numbers, seed, f"{name} {options}", journal)}
        )
    best = max(range(len(points)), key=lambda k: (rank(found[k]["scores"]), -_place(points[k], grid)))
    names = list(found[0]["scores"])
    report = {
        "chosen": {key: value for key, value in found[best].items() if key != "scores"},
        "metric": names[0],
        "on": f"{N_FOLDS} folds" if task.dev is None else "--dev",
        "tried": found,
    }
    return clone(task.estimator).set_params(**points[best]), report


def _place(point: Mapping[str, Any], grid: Mapping[str, tuple[str, Sequence[Any]]]) -> int:
    """How far a point is from the first values."""
    return sum(list(grid[path][1]).index(value) for path, value in point.items())


def _shown(options: Mapping[str, Any]) -> str:
    return ", ".join(f"{option} {json.dumps(value)}" for option, value in options.items())


def _scores(
    task: Task, candidate: Any, numbers: Sequence[int], seed: int, name: str, journal: Journal | None
) -> dict[str, float]:
    """Scores on the other data, or the mean over folds."""
    if task.dev is not None:
        dev = task.dev
        return trial_scores(journal, name, lambda: task.scores(fit_quietly(task, candidate, numbers), dev))
    found = []
    for k, (train, test) in enumerate(folds_of(task, numbers, N_FOLDS, seed), start=1):

        def work(train: list[int] = train, test: list[int] = test) -> dict[str, float]:
            return task.scores(fit_quietly(task, candidate, train), [task.examples[i] for i in test])

        found.append(trial_scores(journal, f"{name} fold {k}", work))
    return mean_scores(found)["mean"]
