"""Cross-validation of a training: the same folds for the same seed, classes spread evenly over them."""

from __future__ import annotations

import statistics
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from weft.apps.interrupts import check_interrupt
from weft.apps.locations import located
from weft.errors import InputError

if TYPE_CHECKING:
    from weft.checkpoint import Journal

__all__ = ["Task", "cross_validate", "fit_quietly", "folds_of", "mean_scores", "trial_scores"]

Scores = dict[str, float]


@dataclass(frozen=True)
class Task:
    """What a train command has read and built; fitting, checking, tuning, saving and telling are the same for all.

    Attributes
    ----------
    estimator : estimator that is not fitted yet
    examples : list
        What folds are made of.
    fit : callable
        ``fit(estimator, examples, dev)``.
    scores : callable
        ``scores(estimator, examples)``, see `weft.apps.scoring`.
    facts : callable
        What to tell about the fitted estimator.
    notes : dict
        What the model file is to keep.
    file, what, name
        Name of the data, what an example is called, and how to name one.
    dev : list, optional
        Examples of other data, to tune and stop on.
    strata, group : callable, optional
        Class of an example; what examples of one fold share.
    write : callable, optional
        Writes more files once the model is saved.
    """

    estimator: Any
    examples: list[Any]
    fit: Callable[[Any, list[Any], list[Any] | None], Any]
    scores: Callable[[Any, list[Any]], Scores]
    facts: Callable[[Any], dict[str, Any]]
    notes: dict[str, Any]
    file: str
    what: str = "sequence"
    name: Callable[[Any], str] = lambda example: ""
    dev: list[Any] | None = None
    strata: Callable[[Any], Any] | None = None
    group: Callable[[Any], Any] | None = None
    write: Callable[[Any], None] | None = None

    def fit_located(self, estimator: Any, numbers: Sequence[int]) -> Any:
        """Fit to the examples of these numbers; errors say where in the file they are."""
        chosen = [self.examples[i] for i in numbers]
        with located(self.file, self.what, [self.name(example) for example in chosen], numbers):
            self.fit(estimator, chosen, self.dev)
        check_interrupt()
        return estimator


def folds_of(task: Task, numbers: Sequence[int], n_folds: int, seed: int) -> Iterator[tuple[list[int], list[int]]]:
    """Numbers of the examples to learn from and to score on, fold by fold."""
    import numpy as np
    from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold

    examples = [task.examples[i] for i in numbers]
    options: dict[str, Any] = {"n_splits": n_folds, "shuffle": True, "random_state": seed}
    strata = groups = None
    if task.strata is not None:
        strata = list(map(str, map(task.strata, examples)))
    if task.group is not None:
        known: dict[Any, int] = {}
        groups = [known.setdefault(task.group(example), len(known)) for example in examples]
    n_units = len(examples) if groups is None else len(set(groups))
    if n_units < n_folds:
        raise InputError(
            f"{task.file} has {n_units} {task.what}s to tell apart, too few for {n_folds} folds; give more, or --cv "
            "with a smaller number."
        )
    if groups is not None:
        splits = GroupKFold(**options).split(examples, groups=groups)
    elif strata is not None and max(Counter(strata).values()) >= n_folds:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # rare classes are spread as far as they go
            splits = iter(list(StratifiedKFold(**options).split(examples, strata)))
    else:
        splits = KFold(**options).split(examples)
    places = np.asarray(numbers)
    for train, test in splits:
        yield places[train].tolist(), places[test].tolist()


def fit_quietly(task: Task, estimator: Any, numbers: Sequence[int]) -> Any:
    """Fit a copy without progress bars, warnings and checkpoints of its own."""
    from sklearn.base import clone

    from weft.checkpoint import journal_kept

    with journal_kept(None), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return task.fit_located(clone(estimator), numbers)


def trial_scores(journal: Journal | None, name: str, work: Callable[[], Scores]) -> Scores:
    """Scores of one fit, or what the journal of an interrupted run knows of them."""
    if journal is not None and name in journal.facts:
        return dict(journal.facts[name])
    scores = work()
    if journal is not None:
        journal.note(name, scores)
    return scores


def cross_validate(
    task: Task,
    n_folds: int,
    seed: int,
    fit: Callable[[Sequence[int], str], Any],
    journal: Journal | None = None,
    progress: Callable[[str], None] = lambda text: None,
) -> dict[str, Any]:
    """Scores of each fold, their mean and their standard deviation.

    Parameters
    ----------
    task : Task
    n_folds, seed : int
    fit : callable
        Gets numbers of examples and the name of the fold, and returns a fitted estimator.
    journal : Journal, optional
    progress : callable
    """
    found = []
    for k, (train, test) in enumerate(folds_of(task, range(len(task.examples)), n_folds, seed), start=1):
        progress(f"cross-validation: fold {k} of {n_folds}")
        name = f"fold {k}"

        def work(name: str = name, train: list[int] = train, test: list[int] = test) -> Scores:
            estimator = fit(train, name)
            with located(task.file, task.what, [], test):
                return task.scores(estimator, [task.examples[i] for i in test])

        found.append(trial_scores(journal, name, work))
    return {"n_folds": n_folds, "seed": seed, **mean_scores(found), "folds": found}


def mean_scores(found: Sequence[Mapping[str, float]]) -> dict[str, Scores]:
    """Mean and standard deviation of each score over folds; a score that a fold lacks is left out.

    Examples
    --------
    >>> mean_scores([{"accuracy": 0.5}, {"accuracy": 1.0}])["mean"]
    {'accuracy': 0.75}
    """
    names = [name for name in found[0] if all(name in scores for scores in found)]
    return {
        "mean": {name: statistics.fmean(scores[name] for scores in found) for name in names},
        "deviation": {
            name: statistics.stdev(scores[name] for scores in found) if len(found) > 1 else 0.0 for name in names
        },
    }
