"""`--tune auto`: settings of the search space of an estimator, by successive halving within a budget of time.

Every documented change is tried alone, and some at random together. All of them are scored on as many examples as the
time allows, the better third on three times as many, and so on (Jamieson and Talwalkar 2016); the best changes are also
put together. Only what was compared with the settings as given on the examples of the last round, or of the last one
that had the time to compare any, can be chosen: of those within a standard error of the best, over folds, the one with
the fewest changes (Breiman et al. 1984). So the defaults stay where nothing is clearly better, and a plain change is
preferred to what many random draws have found by chance. A fifth of the examples takes no part: the score on it is of
data that no choice has seen.
"""

from __future__ import annotations

import json
import math
import random
import re
import statistics
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from weft.errors import InputError
from weft.kinds.resampling import Scores, fit_quietly, folds_of, mean_scores, rank, trial_scores
from weft.kinds.settings import AS_GIVEN, Setting, documented, is_slow, merged, settings_to_try
from weft.kinds.tuning import N_FOLDS, scores_of_folds

if TYPE_CHECKING:
    from weft.checkpoint import Journal
    from weft.kinds.base import Kind

N_SETTINGS = 27
"""Settings of the first round, if there are so few single changes."""
KEPT = 3
"""One in so many goes on to the next round, which has so many times the examples."""
N_LAST = 4
"""Settings of the last round at least."""
N_BEST = 3
"""Changes alone, and others, that are compared on further folds."""
N_REPEATS = 5
"""Times that the last ones are compared, each on folds of its own."""
LEAST = 60
"""Examples of the first round at least."""
FOR_PACES, FOR_FIRST, FOR_LAST = 0.2, 0.4, 0.4
"""Shares of the budget for taking times, the first round and the last one, as far as can be foreseen."""
SLOW = 4
"""Settings that take more than so many times as long as those given come last."""
N_OUTER = 5
"""One in so many examples is put aside for the score that is printed."""
DEFAULT_BUDGET = "10m"


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


def first_size(n_examples: int) -> int:
    """Examples that the pace is taken on.

    Examples
    --------
    >>> first_size(9000), first_size(300), first_size(40)
    (1000, 60, 40)
    """
    return min(n_examples, max(LEAST, math.ceil(n_examples / KEPT**2)))


def rounds_of(n_examples: int, n_settings: int, pace: float, budget: float) -> list[int]:
    """Examples of each round: as many as the budget allows, at a pace in seconds for each example and setting.

    Examples
    --------
    >>> rounds_of(9000, 27, pace=0.0, budget=60.0)
    [9000]
    >>> rounds_of(9000, 27, pace=0.0005, budget=60.0)
    [1000, 3000, 9000]
    >>> rounds_of(9000, 27, pace=0.005, budget=60.0)
    [1200]
    """
    least = first_size(n_examples)
    room = FOR_LAST * budget / (N_LAST * pace) if pace > 0 else math.inf
    sizes = [n_examples if room >= n_examples else max(least, int(room))]
    # A round that is hardly larger than the one before would say little more.
    while sizes[0] >= 2 * least and n_settings * pace * sizes[0] > FOR_FIRST * budget:
        sizes.insert(0, max(least, math.ceil(sizes[0] / KEPT)))
    return sizes


def gain(own: Sequence[Scores], usual: Sequence[Scores]) -> float:
    """How much better one setting is than another on the same folds, less the standard error of that.

    Examples
    --------
    >>> usual = [{"accuracy": 0.5}, {"accuracy": 0.7}]
    >>> round(gain([{"accuracy": 0.6}, {"accuracy": 0.8}], usual), 6), gain(usual, usual)
    (0.1, 0.0)
    >>> gain([{"accuracy": 0.8}, {"accuracy": 0.5}], usual) < 0
    True
    """
    differences = [rank(one)[0] - rank(other)[0] for one, other in zip(own, usual, strict=True)]
    error = statistics.stdev(differences) / math.sqrt(len(differences)) if len(differences) > 1 else 0.0
    return statistics.fmean(differences) - error


class _Search:
    """Scores of settings on beginnings of the examples, each worked out once.

    Parameters
    ----------
    kind : Kind
    order : list of int
        Numbers of the examples, in the order in which rounds take them.
    seed : int
    name : str
    journal : Journal or None
    """

    def __init__(self, kind: Kind, order: list[int], seed: int, name: str, journal: Journal | None) -> None:
        self.kind, self.order, self.seed, self.name, self.journal = kind, order, seed, name, journal
        self.tried: dict[str, dict[str, Any]] = {}
        self.folds: dict[str, list[Scores]] = {}
        self.found: dict[str, list[Scores]] = {}
        self.paces: dict[str, float] = {}
        self.usual_pace = 0.0

    def score(self, setting: Setting, n_examples: int, repeat: int = 0) -> list[Scores]:
        """Scores on each fold; those of another `repeat` are other folds."""
        shown = dict(setting.options)
        label = f"{self.name} {json.dumps(shown, sort_keys=True)} of {n_examples}"
        key = f"{label} again {repeat}" if repeat else label
        if key not in self.folds:
            numbers = sorted(self.order[:n_examples])
            candidate = setting.of(self.kind.estimator)
            self.folds[key] = scores_of_folds(self.kind, candidate, numbers, self.seed + repeat, key, self.journal)
            self.found.setdefault(label, []).extend(self.folds[key])
            means = mean_scores(self.found[label])["mean"]
            self.tried[label] = {**shown, "examples": n_examples, "scores": means}
        return self.folds[key]

    def ranked(self, settings: Sequence[Setting], n_examples: int) -> list[Setting]:
        """The best ones first; of equal ones, those that came first."""
        means = [rank(mean_scores(self.score(each, n_examples))["mean"]) for each in settings]
        return [settings[k] for k in sorted(range(len(settings)), key=lambda k: means[k], reverse=True)]

    def round(
        self, settings: Sequence[Setting], n_examples: int, stop: float, said: str, progress: Callable[[str], None]
    ) -> list[Setting]:
        """Score settings as long as there is time, the settings as given in any case; which ones were scored."""
        self.score(AS_GIVEN, n_examples)
        scored = [AS_GIVEN]
        # One that is much slower than others waits until they are done.
        later = sorted(settings, key=lambda each: self.pace_of(each) > SLOW * self.usual_pace)
        for place, setting in enumerate(each for each in later if each.options):
            left = stop - time.monotonic()
            if left < 0:
                break
            if n_examples * self.pace_of(setting) > left:
                continue
            progress(f"{said}, {place + 1} of {len(settings)} settings")
            self.score(setting, n_examples)
            scored.append(setting)
        return scored

    def all_folds(self, setting: Setting, n_examples: int, n_repeats: int) -> list[Scores]:
        """Scores on the folds of all repeats so far."""
        return [scores for repeat in range(n_repeats) for scores in self.score(setting, n_examples, repeat)]

    def finalists(self, settings: Sequence[Setting], n_examples: int) -> list[Setting]:
        """The settings as given, the best changes alone and the best ones of any kind."""
        ranked = [each for each in self.ranked(settings, n_examples) if each.options]
        alone = [each for each in ranked if len(each.options) == 1][:N_BEST]
        return [AS_GIVEN, *alone, *[each for each in ranked if each not in alone][:N_BEST]]

    def choose(self, settings: Sequence[Setting], n_examples: int, n_repeats: int) -> Setting:
        """The one with the fewest changes of those that are within a standard error of the best."""
        folds = [self.all_folds(each, n_examples, n_repeats) for each in settings]
        means = [rank(mean_scores(each)["mean"])[0] for each in folds]
        best = folds[max(range(len(settings)), key=lambda k: (means[k], -len(settings[k].options)))]
        near = [k for k in range(len(settings)) if gain(best, folds[k]) <= 0]
        return settings[min(near, key=lambda k: (len(settings[k].options), -means[k]))]

    def pace(self, setting: Setting, n_examples: int) -> float:
        """Seconds that a setting takes for each example."""
        seconds = []
        candidate, numbers = setting.of(self.kind.estimator), sorted(self.order[:n_examples])
        # The first fold may compile, the second one does not.
        for train, test in islice(folds_of(self.kind, numbers, N_FOLDS, self.seed), 2):
            began = time.monotonic()
            self.kind.scores(fit_quietly(self.kind, candidate, train), [self.kind.examples[i] for i in test])
            seconds.append(time.monotonic() - began)
        return (1 if self.kind.dev is not None else N_FOLDS) * min(seconds) / n_examples

    def take_paces(self, settings: Sequence[Setting], stop: float) -> None:
        """Time the settings as given, and until it is time to stop also those that have another part."""
        n_examples = first_size(len(self.order))
        for setting in [AS_GIVEN, *(each for each in settings if is_slow(each))]:
            changes = [*_changes(setting)]
            if setting.options and (time.monotonic() > stop or all(change in self.paces for change in changes)):
                continue
            found = trial_scores(
                self.journal,
                f"{self.name} pace {json.dumps(dict(setting.options), sort_keys=True)}",
                lambda setting=setting: {"pace": self.pace(setting, n_examples)},  # type: ignore[misc]
            )["pace"]
            if not setting.options:
                self.usual_pace = found
            self.paces |= {change: max(found, self.paces.get(change, 0.0)) for change in changes}

    def pace_of(self, setting: Setting) -> float:
        """What was taken of the slowest of its changes."""
        return max([self.usual_pace, *(self.paces.get(change, 0.0) for change in _changes(setting))])


def _changes(setting: Setting) -> Iterator[str]:
    return (json.dumps([option, value]) for option, value in setting.options.items())


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
        As that of `tune`, and "held_out": scores of the chosen settings on examples that were put aside. "chosen" has
        what differs from the settings as they were given.
    """
    end = time.monotonic() + budget
    settings = settings_to_try(kind, options, given, seed, N_SETTINGS)
    if len(settings) == 1:
        raise InputError("--tune auto has nothing to choose: you set all that it tries; leave an option open.")
    everything = range(len(kind.examples)) if numbers is None else numbers
    inside, outside = next(folds_of(kind, everything, N_OUTER, seed))
    search = _Search(kind, random.Random(seed).sample(inside, len(inside)), seed, name, journal)
    progress("tuning: taking the time of some settings")
    search.take_paces(documented(kind, options, given), end - (1 - FOR_PACES) * budget)
    pace = search.usual_pace
    # What is so slow that it would take the time of many others is not counted on.
    quick = [each for each in map(search.pace_of, settings) if each <= SLOW * pace]
    sizes = rounds_of(len(inside), len(quick), statistics.fmean(quick), budget)
    n_last, out_of_time = sizes[-1], False
    compared, n_compared = [AS_GIVEN], n_last
    for k, n_examples in enumerate(sizes, start=1):
        # Before the last round, time is left for two settings of it.
        stop = end if k == len(sizes) else end - min(FOR_LAST * budget, 2 * pace * n_last)
        scored = search.round(settings, n_examples, stop, f"tuning, round {k} of {len(sizes)}", progress)
        out_of_time = out_of_time or len(scored) < len(settings)
        if len(scored) > 1:
            compared, n_compared = scored, n_examples
        ranked = search.ranked(scored, n_examples)
        together = merged(kind.estimator, ranked[: ranked.index(AS_GIVEN)])
        best = [each for each in ranked if each.options][: max(N_LAST - 1, math.ceil(len(ranked) / KEPT))]
        settings = [AS_GIVEN, *best[:1], *together, *best[1:]]
    together = [each for each in together if each not in scored]
    finalists = [*scored, *search.round(together, n_last, end, "tuning: changes together", progress)[1:]]
    if len(finalists) == 1:
        finalists, n_last = compared, n_compared
    finalists, n_repeats = search.finalists(finalists, n_last), 1
    again = n_last * sum(map(search.pace_of, finalists))
    while kind.dev is None and n_repeats < N_REPEATS and time.monotonic() + again < end:
        progress("tuning: comparing the best settings on other folds")
        for setting in finalists:
            search.score(setting, n_last, n_repeats)
        n_repeats += 1
    best_of_all = search.choose(finalists, n_last, n_repeats)
    estimator = best_of_all.of(kind.estimator)
    progress("tuning: scoring what was chosen on examples that were put aside")
    aside = [kind.examples[i] for i in outside]
    held_out = trial_scores(
        journal, f"{name} aside", lambda: kind.scores(fit_quietly(kind, estimator, sorted(inside)), aside)
    )
    report = {
        "chosen": dict(best_of_all.options),
        "metric": next(iter(held_out)),
        "on": "--dev" if kind.dev is not None else "folds",
        "out_of_time": out_of_time,
        "held_out": held_out,
        "n_aside": len(outside),
        "tried": list(search.tried.values()),
    }
    return estimator, report
