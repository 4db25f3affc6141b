"""What reports on all kinds of models share: facts, scores with intervals, the learning curve."""

from __future__ import annotations

import os
import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone

from weft.errors import InputError
from weft.metrics import ratio_interval, wilson_interval
from weft.model_file import read_header
from weft.reports import Case, ClassScore, Curve, FeatureGroup, Report, Score
from weft.reports.curves import history_curves
from weft.reports.markup import count
from weft.sequences.formats.text import name_of

__all__ = [
    "BOOTSTRAP",
    "N_CASES",
    "Reporter",
    "class_scores",
    "length_facts",
    "ratio_score",
    "share_score",
    "strongest",
    "worst",
]

N_CASES = 12
N_CLASSES = 30
BOOTSTRAP = "by bootstrap over examples"
WILSON = "after Wilson where examples count one by one, or all of them are right"

PARTS = (8, 4, 2, 1)
"""Halves, quarters and eighths of the training data make a learning curve."""

HIDDEN = frozenset({"n_jobs", "verbose", "warm_start", "cache_size", "learner", "random_state"})
"""Parameters that say nothing about a model, or stand apart."""


NAMES = {
    "score": "last held-out score",
    "objective": "last objective",
    "input": "training data",
    "n_examples": "training examples",
    "run": "trained with",
    "tuning": "tuned",
}
"""Facts of a model file that need a longer name."""


class Reporter(ABC):
    """Makes the report on a model of one kind.

    Parameters
    ----------
    model : Path
    file : str
        Data with references.
    file_format : member of the kind's formats, optional
    allow_unseen : bool
        Count labels unseen in training as errors.
    """

    task: ClassVar[str]
    """What a model of this kind does, after "It ..."."""

    one: ClassVar[str]
    """What an example is called."""

    estimator: Any

    def __init__(self, model: Path, file: str, file_format: Any = None, allow_unseen: bool = False) -> None:
        self.model, self.file, self.file_format, self.allow_unseen = model, file, file_format, allow_unseen
        self.load()

    @abstractmethod
    def load(self) -> None:
        """Set `estimator`, and what reading needs."""

    @abstractmethod
    def read(self, file: str) -> list[Any]:
        """Examples of a file, with their references."""

    @abstractmethod
    def fit(self, estimator: Any, examples: list[Any]) -> Any:
        """Train an estimator on examples."""

    @abstractmethod
    def predict(self, estimator: Any, examples: list[Any]) -> list[Any]:
        """The prediction for each example."""

    @abstractmethod
    def scores(self, examples: list[Any], predicted: list[Any]) -> list[Score]:
        """Scores, the most telling first."""

    @abstractmethod
    def sections(self, examples: list[Any], predicted: list[Any]) -> dict[str, Any]:
        """Fields of `Report` that differ from kind to kind."""

    def history(self) -> list[dict[str, Any]]:
        """What each iteration of the training reported."""
        return list(getattr(self.estimator, "history_", []))

    # ------------------------------------------------------------- the report

    def report(self, train: str | None = None) -> Report:
        """The report; with training data, also how the score grows with their number."""
        examples = self.read(self.file)
        if not examples:
            raise InputError(f"{name_of(self.file)} holds no {self.one}s; give a file with at least one.")
        predicted = self.predict(self.estimator, examples)
        scores = self.scores(examples, predicted)
        fields = self.sections(examples, predicted)
        missing: dict[str, str] = dict(fields.pop("missing", {}))
        curves = history_curves(self.history(), "held-out score")
        if train is not None:
            curve, note = self._learning_curve(train, examples)
            curves.insert(0, curve)
            if note:
                missing["learning"] = note
        elif not curves:
            missing["learning"] = (
                "The model file keeps no history of its training; give --learning-curve TRAIN to fit the model again "
                "on growing parts of its training data."
            )
        if not fields.get("cases"):
            missing.setdefault("errors", f"Every {self.one} is right: there is no error to show.")
        if not fields.get("features"):
            missing.setdefault("features", "No feature has a weight other than zero.")
        data = [("file", name_of(self.file)), (f"{self.one}s", f"{len(examples):,}"), *fields.pop("data", [])]
        name = type(self.estimator).__name__
        return Report(
            title=f"Report on {self.model.name}",
            lead=f"This {name} {self.task}. It is tested here on {count(len(examples), self.one)} of "
            f"{Path(name_of(self.file)).name}.",
            model=self._model_facts(),
            data=data,
            scores=scores,
            curves=curves,
            missing=missing,
            **fields,
        )

    def _model_facts(self) -> list[tuple[str, str]]:
        header = read_header(self.model)
        estimator = self.estimator
        facts = [("task", self.task), ("estimator", header.class_name)]
        learner = getattr(estimator, "learner_", None)
        if learner is not None:
            facts.append(("learner", _one_line(learner)))
        defaults = _defaults(estimator)
        for key, value in estimator.get_params(deep=False).items():
            if key not in HIDDEN and value is not None and repr(value) != repr(defaults.get(key)):
                facts.append((key.replace("_", " "), _one_line(value)))
        for key, value in header.summary.items():
            if key in defaults:
                continue
            if isinstance(value, dict):
                facts.append((NAMES.get(key, key.replace("_", " ")), _listed(value)))
            elif isinstance(value, list):
                facts.append((key.replace("_", " "), ", ".join(map(str, value[:12])) + (" …" if value[12:] else "")))
            else:
                shown = f"{value:,}" if isinstance(value, int) else _number(value)
                facts.append((NAMES.get(key, key.removeprefix("n_").replace("_", " ")), shown))
        size = self.model.stat().st_size
        facts.append(("file", f"{size / 1e6:,.1f} MB" if size >= 1e5 else f"{size / 1e3:,.1f} kB"))
        facts.append(("written by", f"weft {header.library_version}"))
        return facts

    # ------------------------------------------------------ the learning curve

    def _learning_curve(self, train: str, examples: list[Any]) -> tuple[Curve, str]:
        """The first score after fits on growing parts of the training data, with the model's settings."""
        training = self.read(train)
        order = np.random.default_rng(0).permutation(len(training)).tolist()
        sizes, values, intervals, failures = [], [], [], []
        name = ""
        for size in sorted({max(1, len(training) // part) for part in PARTS}):
            estimator = clone(self.estimator)
            off = {key: None for key in estimator.get_params() if key.split("__")[-1] == "checkpoint"}
            estimator.set_params(**off)
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    fitted = self.fit(estimator, [training[i] for i in order[:size]])
                    score = self.scores(examples, self.predict(fitted, examples))[0]
            except InputError as error:
                failures.append(f"{count(size, self.one)}: {error}")
                continue
            name = score.name
            sizes.append(float(size))
            values.append(score.value)
            intervals.append((score.low, score.high))
        if not sizes:
            raise InputError(f"--learning-curve {train}: no fit succeeded; {failures[-1]}")
        note = f"Fitted again with the model's settings on random parts of {Path(name_of(train)).name}."
        if failures:
            note += f" No point for {'; '.join(failures)}"
        curve = Curve("Learning curve", f"training {self.one}s", name, sizes, values, intervals, is_share=True)
        return curve, note


# ------------------------------------------------------------------ numbers


def ratio_score(
    name: str, numerators: Sequence[float], denominators: Sequence[float], meaning: str, is_error: bool = False
) -> Score:
    """Sum over sum with its bootstrap interval; where nothing varies, Wilson's of as many examples.

    Examples
    --------
    >>> score = ratio_score("accuracy", [2, 2], [2, 2], "of tokens")
    >>> score.value, round(score.low, 2), score.high
    (1.0, 0.34, 1.0)
    """
    total = sum(denominators)
    value = sum(numerators) / total if total else 1.0
    if 0.0 < value < 1.0 or value > 1.0:
        low, high = ratio_interval(numerators, denominators)
        return Score(name, value, low, high, BOOTSTRAP, is_error, meaning)
    n = sum(1 for each in denominators if each)
    low, high = wilson_interval(n if value == 1.0 else 0, n)
    return Score(name, value, low, high, WILSON, is_error, meaning)


def share_score(name: str, right: Sequence[bool | int], meaning: str, is_error: bool = False) -> Score:
    """Share of examples with Wilson's interval.

    Examples
    --------
    >>> share_score("accuracy", [1, 0], "of texts").value
    0.5
    """
    n_right = sum(map(int, right))
    low, high = wilson_interval(n_right, len(right))
    return Score(name, n_right / len(right), low, high, WILSON, is_error, meaning)


def class_scores(
    wanted: Sequence[dict[str, int]], found: Sequence[dict[str, int]], right: Sequence[dict[str, int]]
) -> tuple[list[ClassScore], int]:
    """Precision, recall and F1 of the most frequent names, from counts of each example; and how many names there are.

    Examples
    --------
    >>> [np_score], _ = class_scores([{"NP": 2}], [{"NP": 2}], [{"NP": 1}])
    >>> np_score.f1
    0.5
    """
    support: dict[str, int] = {}
    for each in [*wanted, *found]:
        for name in each:
            support.setdefault(name, 0)
    for each in wanted:
        for name, n in each.items():
            support[name] += n
    rows = []
    for name in sorted(support, key=lambda name: (-support[name], name))[:N_CLASSES]:
        hits = [each.get(name, 0) for each in right]
        n_wanted, n_found = ([each.get(name, 0) for each in side] for side in (wanted, found))
        precision = sum(hits) / (sum(n_found) or 1)
        recall = sum(hits) / (sum(n_wanted) or 1)
        # F1 = 2 right / (wanted + found): a ratio of sums over examples.
        both = [a + b for a, b in zip(n_wanted, n_found, strict=True)]
        f1 = ratio_score(name, [2 * n for n in hits], both, "")
        rows.append(ClassScore(name, precision, recall, f1.value, f1.low, f1.high, support[name]))
    return rows, len(support)


def strongest(title: str, items: Sequence[tuple[str, float]], most: int = 8, least: int = 4) -> FeatureGroup:
    """The largest weights above zero, and the smallest below it.

    Examples
    --------
    >>> strongest("N", [("a", 1.0), ("b", -2.0), ("c", 3.0)], 1, 1).items
    [('c', 3.0), ('b', -2.0)]
    """
    ranked = sorted(items, key=lambda item: (-item[1], item[0]))
    above = [item for item in ranked[:most] if item[1] > 0]
    below = [item for item in ranked[-least:] if item[1] < 0] if least else []
    return FeatureGroup(title, above + below if most else below[::-1])


def worst(cases: Sequence[Case]) -> list[Case]:
    """Cases of the highest cost."""
    return sorted(cases, key=lambda case: -case.cost)[:N_CASES]


def length_facts(what: str, lengths: Sequence[int]) -> list[tuple[str, str]]:
    """How many symbols there are, and how long sequences are.

    Examples
    --------
    >>> length_facts("tokens", [1, 2, 6])
    [('tokens', '9'), ('length', '1 to 6, median 2')]
    """
    middle = float(np.median(lengths))
    return [
        (what, f"{sum(lengths):,}"),
        ("length", f"{min(lengths):,} to {max(lengths):,}, median {middle:,.0f}"),
    ]


def _defaults(estimator: Any) -> dict[str, Any]:
    import inspect

    return {name: each.default for name, each in inspect.signature(type(estimator)).parameters.items()}


def _one_line(value: Any) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= 300 else text[:299] + "…"


def _listed(facts: Mapping[str, Any]) -> str:
    """Names and values in words; what is longer than a value, such as all that a tuning tried, stays in the file."""
    parts = [
        f"{name} {_listed(value)}" if isinstance(value, dict) else f"{name} {_said(value)}"
        for name, value in facts.items()
        if value is not None and not (isinstance(value, list) and any(isinstance(each, dict) for each in value))
    ]
    return ", ".join(parts)


def _said(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def _number(value: Any) -> str:
    return f"{value:,.4g}" if isinstance(value, float) else os.fspath(str(value))
