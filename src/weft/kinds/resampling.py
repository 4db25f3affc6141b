"""Cross-validation of a training: the same folds for the same seed, classes spread evenly over them."""

from __future__ import annotations

import statistics
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from weft.errors import InputError
from weft.kinds.interrupts import check_interrupt
from weft.kinds.locations import located
from weft.parameters import clone
from weft.sequences.formats.text import name_of

if TYPE_CHECKING:
    from weft.checkpoint import Journal
    from weft.kinds.base import Kind

Scores = dict[str, float]


def fit_located(kind: Kind, estimator: Any, numbers: Sequence[int]) -> Any:
    """Fit to the examples of these numbers; errors say where in the file they are."""
    chosen = [kind.examples[i] for i in numbers]
    entries = kind.entries(chosen)
    is_fold = len(numbers) < len(kind.examples)
    with located(kind, [chosen[i] for i in entries], [numbers[i] for i in entries], command="", is_fold=is_fold):
        kind.fit(estimator, chosen, kind.dev)
    check_interrupt()
    return estimator


def folds_of(kind: Kind, numbers: Sequence[int], n_folds: int, seed: int) -> Iterator[tuple[list[int], list[int]]]:
    """Numbers of the examples to learn from and to score on, fold by fold."""
    import numpy as np
    from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold

    examples = [kind.examples[i] for i in numbers]
    options: dict[str, Any] = {"n_splits": n_folds, "shuffle": True, "random_state": seed}
    strata = [str(kind.stratum(example)) for example in examples]
    known: dict[Any, int] = {}
    groups = [known.setdefault(kind.group(example), len(known)) for example in examples]
    grouped = None not in known
    n_units = len(known) if grouped else len(examples)
    if n_units < n_folds:
        raise InputError(
            f"{name_of(kind.file)} has {n_units} {kind.one}s to tell apart, too few for {n_folds} folds; give more, or "
            "--cv with a smaller number."
        )
    if grouped:
        splits = GroupKFold(**options).split(examples, groups=groups)
    elif len(set(strata)) > 1 and max(Counter(strata).values()) >= n_folds:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # rare classes are spread as far as they go
            splits = iter(list(StratifiedKFold(**options).split(examples, strata)))
    else:
        splits = KFold(**options).split(examples)
    places = np.asarray(numbers)
    for train, test in splits:
        yield places[train].tolist(), places[test].tolist()


def fit_quietly(kind: Kind, estimator: Any, numbers: Sequence[int]) -> Any:
    """Fit a copy without progress bars, warnings and checkpoints of its own."""
    from weft.checkpoint import journal_kept

    with journal_kept(None), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return fit_located(kind, clone(estimator), numbers)


def trial_scores(journal: Journal | None, name: str, work: Callable[[], Scores]) -> Scores:
    """Scores of one fit, or what the journal of an interrupted run knows of them."""
    if journal is not None and name in journal.facts:
        return dict(journal.facts[name])
    scores = work()
    if journal is not None:
        journal.note(name, scores)
    return scores


def cross_validate(
    kind: Kind,
    n_folds: int,
    seed: int,
    fit: Callable[[Sequence[int], str], Any],
    journal: Journal | None = None,
    progress: Callable[[str], None] = lambda text: None,
) -> dict[str, Any]:
    """Scores of each fold, their mean and their standard deviation.

    Parameters
    ----------
    kind : Kind
    n_folds, seed : int
    fit : callable
        Gets numbers of examples and the name of the fold, and returns a fitted estimator.
    journal : Journal, optional
    progress : callable
    """
    found = []
    for k, (train, test) in enumerate(folds_of(kind, range(len(kind.examples)), n_folds, seed), start=1):
        progress(f"cross-validation: fold {k} of {n_folds}")
        name = f"fold {k}"

        def work(name: str = name, train: list[int] = train, test: list[int] = test) -> Scores:
            estimator = fit(train, name)
            tested = [kind.examples[i] for i in test]
            with located(kind, tested, test, command=""):
                return kind.scores(estimator, tested)

        found.append(trial_scores(journal, name, work))
    return {"n_folds": n_folds, "seed": seed, **mean_scores(found), "folds": found}


def rank(scores: Mapping[str, float]) -> tuple[float, ...]:
    """Larger is better, compared one by one; what is called an error is better when it is small.

    Examples
    --------
    >>> rank({"accuracy": 0.5}) > rank({"accuracy": 0.4}), rank({"word_error": 0.5}) > rank({"word_error": 0.4})
    (True, False)
    """
    return tuple(-value if name.endswith("error") else value for name, value in scores.items())


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
