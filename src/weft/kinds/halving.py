"""`--tune auto`: settings drawn from the search space of an estimator, by successive halving within a budget of time.

All settings are scored on few examples, the better third on three times as many, and so on (Jamieson and Talwalkar
2016). The settings as they were given are among them to the end, so that what is chosen scores at least as well as
they do. A fifth of the examples takes no part: the score on it is of data that no choice has seen.
"""

from __future__ import annotations

import json
import math
import random
import re
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from weft.errors import InputError
from weft.estimators.search_space import search_space
from weft.kinds.resampling import fit_quietly, folds_of, rank, trial_scores
from weft.kinds.tuning import mean_of_folds
from weft.parameters import clone

if TYPE_CHECKING:
    from weft.checkpoint import Journal
    from weft.kinds.base import Kind

N_SETTINGS = 27
"""Settings of the first round."""
KEPT = 3
"""One in so many goes on to the next round, which has so many times the examples."""
LEAST = 60
"""Examples of the first round at least."""
N_OUTER = 5
"""One in so many examples is put aside for the score that is printed."""
DEFAULT_BUDGET = "10m"

Point = dict[str, Any]


def seconds_of(budget: str) -> float:
    """A time such as ``90s``, ``10m`` or ``1.5h``.

    Examples
    --------
    >>> seconds_of("90s"), seconds_of("1.5h")
    (90.0, 5400.0)
    """
    found = re.fullmatch(r"(\d{1,9}(?:\.\d{1,3})?)([smh])", budget.strip())
    if found is None or float(found[1]) <= 0:
        raise InputError(f"--budget is {budget!r}; give a time such as 90s, 10m or 2h.")
    return float(found[1]) * {"s": 1, "m": 60, "h": 3600}[found[2]]


def space_of(kind: Kind, options: Collection[str], given: Collection[str]) -> dict[str, tuple[str, list[Any]]]:
    """Parameters to try with the option that sets each of them, and values; what the user gave stays as it is.

    The value that the estimator has comes first.
    """
    parameters = kind.estimator.get_params(deep=True)
    found = {}
    for path, values in search_space(kind.estimator).items():
        option = path.rsplit("__", 1)[-1].replace("_", "-")
        if option in options and option not in given:
            now = parameters[path]
            plain = [value for value in values if value is None or isinstance(value, bool | int | float | str)]
            found[path] = (option, [now, *(value for value in plain if value != now)])
    return found


def settings_to_try(space: Mapping[str, tuple[str, Sequence[Any]]], seed: int, number: int = N_SETTINGS) -> list[Point]:
    """Different settings, the given one first: all of them, or some at random.

    Examples
    --------
    >>> settings_to_try({"c2": ("c2", [1.0, 0.1]), "order": ("order", [1, 2])}, seed=0)[:2]
    [{'c2': 1.0, 'order': 1}, {'c2': 1.0, 'order': 2}]
    """
    from sklearn.model_selection import ParameterGrid

    grid = ParameterGrid({path: list(values) for path, (_, values) in space.items()})
    usual = {path: values[0] for path, (_, values) in space.items()}
    numbers = range(len(grid)) if len(grid) <= number else random.Random(seed).sample(range(len(grid)), number)
    points = ({path: grid[k][path] for path in space} for k in numbers)
    return [usual, *(point for point in points if point != usual)]


def rounds_of(n_examples: int, n_settings: int) -> list[tuple[int, int]]:
    """Examples and settings of each round; the last one has all examples.

    Examples
    --------
    >>> rounds_of(9000, 27), rounds_of(100, 27)
    ([(1000, 27), (3000, 9), (9000, 3)], [(100, 27)])
    """
    most = max(0, min(int(math.log(n_examples / LEAST, KEPT)) if n_examples > LEAST else 0, 2))
    return [
        (math.ceil(n_examples / KEPT ** (most - k)), max(2, math.ceil(n_settings / KEPT**k))) for k in range(most + 1)
    ]


def tune_within(
    kind: Kind,
    options: Collection[str],
    given: Collection[str],
    seed: int,
    budget: float,
    *,
    numbers: Sequence[int] | None = None,
    name: str = "tuning",
    journal: Journal | None = None,
    progress: Callable[[str], None] = lambda text: None,
) -> tuple[Any, dict[str, Any]]:
    """An estimator with the best settings found in time, not fitted, and what was tried.

    Parameters
    ----------
    kind : Kind
    options : set of str
        Options of the command: only what they can say is tried.
    given : set of str
        Options that the user chose.
    seed : int
    budget : float
        Seconds after which no further setting is tried; the settings as given are scored in any case.
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
        As that of `tune`, and "held_out": scores of the chosen settings on examples that were put aside.
    """
    end = time.monotonic() + budget
    space = space_of(kind, options, given)
    if not space:
        raise InputError("--tune auto has nothing to choose: you set all that it tries; leave an option open.")
    everything = range(len(kind.examples)) if numbers is None else numbers
    inside, outside = next(folds_of(kind, everything, N_OUTER, seed))
    order = random.Random(seed).sample(inside, len(inside))
    points = settings_to_try(space, seed)
    rounds = rounds_of(len(order), len(points))
    names = {path: option for path, (option, _) in space.items()}
    tried: dict[str, dict[str, Any]] = {}
    places = list(range(len(points)))
    out_of_time = False
    for k, (n_examples, n_settings) in enumerate(rounds, start=1):
        places = [*places[:1], *([] if places[0] == 0 else [0]), *(place for place in places[1:] if place)][:n_settings]
        scored: dict[int, dict[str, float]] = {}
        for place in places:
            out_of_time = out_of_time or time.monotonic() > end
            if out_of_time and scored:
                break
            shown = {names[path]: value for path, value in points[place].items()}
            progress(f"tuning, round {k} of {len(rounds)}: {len(scored) + 1} of {len(places)} settings")
            candidate = clone(kind.estimator).set_params(**points[place])
            label = f"{name} {json.dumps(shown, sort_keys=True)} of {n_examples}"
            scored[place] = mean_of_folds(kind, candidate, sorted(order[:n_examples]), seed, label, journal)
            tried[label] = {**shown, "examples": n_examples, "scores": scored[place]}
        if k == 1 or len(scored) > 1:  # else there is nothing to compare with in this round
            places = sorted(scored, key=lambda place: rank(scored[place]), reverse=True)
        if out_of_time:
            break
    best = places[0]
    estimator = clone(kind.estimator).set_params(**points[best])
    progress("tuning: scoring what was chosen on examples that were put aside")
    aside = [kind.examples[i] for i in outside]
    held_out = trial_scores(
        journal, f"{name} aside", lambda: kind.scores(fit_quietly(kind, estimator, sorted(inside)), aside)
    )
    report = {
        "chosen": {names[path]: value for path, value in points[best].items() if value is not None},
        "metric": next(iter(held_out)),
        "on": "--dev" if kind.dev is not None else "folds",
        "out_of_time": out_of_time,
        "held_out": held_out,
        "n_aside": len(outside),
        "tried": list(tried.values()),
    }
    return estimator, report
