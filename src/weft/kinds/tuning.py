"""Hyper-parameters by cross-validation or on other data: a small grid for each command and its parts."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from weft.errors import InputError
from weft.kinds.options import LEARNERS
from weft.kinds.resampling import fit_quietly, folds_of, mean_scores, rank, trial_scores
from weft.parameters import clone

if TYPE_CHECKING:
    from weft.checkpoint import Journal
    from weft.kinds.base import Kind

N_FOLDS = 3
"""Folds of a tuning without --dev."""

NAMES = {**LEARNERS, "blended": "BlendedSpectrumKernel", "ngram": "NGramKernel"}
"""What users call the parts that they choose."""


def describe_grids(kind: type[Kind]) -> str:
    """The grids of a kind, for the help of its command.

    Examples
    --------
    >>> from weft.kinds import kind_of_command
    >>> describe_grids(kind_of_command("classify"))
    'C 1, 0.1, 10; n 5, 4, 6 (blended); n 4, 3, 5 (ngram)'
    """
    parts: dict[str, list[str]] = {}
    for part, grid in kind.recipe().grids.items():
        for option, values in grid.items():
            tried = f"{option.replace('_', '-')} {', '.join(f'{value:g}' for value in values)}"
            parts.setdefault(tried, []).extend([name for name, each in NAMES.items() if each == part])
    return "; ".join(f"{tried} ({', '.join(names)})" if names else tried for tried, names in parts.items())


def grid_of(kind: type[Kind], estimator: Any, given: Collection[str]) -> dict[str, tuple[str, Sequence[Any]]]:
    """Options to try with their values, each by its path in the parameters; those that the user gave stay as they are.

    Examples
    --------
    >>> import weft
    >>> from weft.kinds import kind_of_command
    >>> grid_of(kind_of_command("align"), weft.Aligner(learner=weft.CRF()), given=())
    {'learner__c2': ('c2', (1.0, 0.01, 0.1, 10.0))}
    """
    parameters = estimator.get_params(deep=True)
    owners = {"": estimator, **{f"{path}__": value for path, value in parameters.items()}}
    found = {}
    for prefix, owner in owners.items():
        for option, values in kind.recipe().grids.get(type(owner).__name__, {}).items():
            if f"{prefix}{option}" in parameters and option.replace("_", "-") not in given:
                found[f"{prefix}{option}"] = (option.replace("_", "-"), values)
    return found


def tune(
    kind: Kind,
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
    kind : Kind
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
    from sklearn.model_selection import ParameterGrid

    grid = grid_of(type(kind), kind.estimator, given)
    if not grid:
        tried = ", ".join(sorted({f"--{option}" for part in kind.recipe().grids.values() for option in part}))
        raise InputError(
            f"--tune has nothing to choose: of {tried} this learner has none that you did not set; leave one open, or "
            "--tune out."
        )
    chosen_numbers = range(len(kind.examples)) if numbers is None else numbers
    points = list(ParameterGrid({path: list(values) for path, (_, values) in grid.items()}))
    found: list[dict[str, Any]] = []
    for k, point in enumerate(points, start=1):
        options = {grid[path][0]: value for path, value in point.items()}
        progress(f"tuning: {_shown(options)} ({k} of {len(points)})")
        candidate = clone(kind.estimator).set_params(**point)
        found.append(
            {**options, "scores": mean_of_folds(kind, candidate, chosen_numbers, seed, f"{name} {options}", journal)}
        )
    best = max(range(len(points)), key=lambda k: (rank(found[k]["scores"]), -_place(points[k], grid)))
    names = list(found[0]["scores"])
    report = {
        "chosen": {key: value for key, value in found[best].items() if key != "scores"},
        "metric": names[0],
        "on": f"{N_FOLDS} folds" if kind.dev is None else "--dev",
        "tried": found,
    }
    return clone(kind.estimator).set_params(**points[best]), report


def _place(point: Mapping[str, Any], grid: Mapping[str, tuple[str, Sequence[Any]]]) -> int:
    """How far a point is from the first values."""
    return sum(list(grid[path][1]).index(value) for path, value in point.items())


def _shown(options: Mapping[str, Any]) -> str:
    return ", ".join(f"{option} {json.dumps(value)}" for option, value in options.items())


def mean_of_folds(
    kind: Kind, candidate: Any, numbers: Sequence[int], seed: int, name: str, journal: Journal | None
) -> dict[str, float]:
    """Scores of a candidate on the other data, or their mean over folds of these examples."""
    return mean_scores(scores_of_folds(kind, candidate, numbers, seed, name, journal))["mean"]


def scores_of_folds(
    kind: Kind, candidate: Any, numbers: Sequence[int], seed: int, name: str, journal: Journal | None
) -> list[dict[str, float]]:
    """Scores of a candidate on the other data, or on each fold of these examples."""
    if kind.dev is not None:
        dev = kind.dev
        return [trial_scores(journal, name, lambda: kind.scores(fit_quietly(kind, candidate, numbers), dev))]
    found = []
    for k, (train, test) in enumerate(folds_of(kind, numbers, N_FOLDS, seed), start=1):

        def work(train: list[int] = train, test: list[int] = test) -> dict[str, float]:
            return kind.scores(fit_quietly(kind, candidate, train), [kind.examples[i] for i in test])

        found.append(trial_scores(journal, f"{name} fold {k}", work))
    return found
