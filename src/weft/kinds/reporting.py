"""What reports on all kinds of models share: facts, scores with intervals, the learning curve."""

from __future__ import annotations

import inspect
import os
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

from weft.errors import InputError
from weft.kinds.base import Kind
from weft.kinds.locations import located
from weft.kinds.measures import Measure
from weft.reports import Case, ClassScore, Curve, FeatureGroup, Report, Score
from weft.reports.curves import history_curves
from weft.reports.numbers import count
from weft.sequences.formats.text import name_of

N_CASES = 12
N_CLASSES = 30

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


def make_report(kind: Kind, examples: list[Any], file_format: Any = None, train: str | None = None) -> Report:
    """Everything that a page about a model shows.

    Parameters
    ----------
    kind : Kind
        Opened from a file.
    examples : list
        To score it on.
    file_format : member of the kind's formats, optional
    train : str, optional
        Training data: how the score grows with their number.
    """
    one = kind.shown or kind.one
    with located(kind, examples):
        predicted = kind.predict(kind.estimator, examples)
    scores = _scores(kind, examples, predicted)
    fields = kind.sections(examples, predicted)
    missing: dict[str, str] = dict(fields.pop("missing", {}))
    curves = history_curves(kind.history(), "held-out score")
    if train is not None:
        curve, missing["learning"] = _learning_curve(kind, train, file_format, examples)
        curves.insert(0, curve)
    elif not curves:
        missing["learning"] = (
            "The model file keeps no history of its training; give --learning-curve TRAIN to fit the model again "
            "on growing parts of its training data."
        )
    if not fields.get("cases"):
        missing.setdefault("errors", f"Every {one} is right: there is no error to show.")
    if not fields.get("features"):
        missing.setdefault("features", "No feature has a weight other than zero.")
    file, name = name_of(kind.file), type(kind.estimator).__name__
    return Report(
        title=f"Report on {Path(str(kind.model)).name}",
        lead=f"This {name} {kind.task}. It is tested here on {count(len(examples), one)} of {Path(file).name}.",
        model=_model_facts(kind),
        data=[("file", file), (f"{one}s", f"{len(examples):,}"), *fields.pop("data", [])],
        scores=scores,
        curves=curves,
        missing=missing,
        **fields,
    )


def _scores(kind: Kind, examples: list[Any], predicted: list[Any]) -> list[Score]:
    measures = kind.measures(examples, predicted)
    return [measures[name].score() for name in kind.reported if name in measures]


def _model_facts(kind: Kind) -> list[tuple[str, str]]:
    header, model, estimator = kind.header, kind.model, kind.estimator
    if header is None or model is None:
        return [("task", kind.task), ("estimator", type(estimator).__name__)]
    facts = [("task", kind.task), ("estimator", header.class_name)]
    learner = getattr(estimator, "learner_", None)
    if learner is not None:
        facts.append(("learner", _one_line(learner)))
    defaults = {name: each.default for name, each in inspect.signature(type(estimator)).parameters.items()}
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
    size = model.stat().st_size
    facts.append(("file", f"{size / 1e6:,.1f} MB" if size >= 1e5 else f"{size / 1e3:,.1f} kB"))
    facts.append(("written by", f"weft {header.library_version}"))
    return facts


def _learning_curve(kind: Kind, train: str, file_format: Any, examples: list[Any]) -> tuple[Curve, str]:
    """The first score after fits on growing parts of the training data, with the model's settings."""
    training = kind.read(train, file_format)
    one = kind.shown or kind.one
    order = np.random.default_rng(0).permutation(len(training)).tolist()
    sizes, scores, failures = [], [], []
    for size in sorted({max(1, len(training) // part) for part in PARTS}):
        estimator = clone(kind.estimator)
        off = {key: None for key in estimator.get_params() if key.split("__")[-1] == "checkpoint"}
        estimator.set_params(**off)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                fitted = kind.fit(estimator, [training[i] for i in order[:size]])
                scores.append(_scores(kind, examples, kind.predict(fitted, examples))[0])
        except InputError as error:
            failures.append(f"{count(size, one)}: {error}")
            continue
        sizes.append(float(size))
    if not sizes:
        raise InputError(f"--learning-curve {train}: no fit succeeded; {failures[-1]}")
    note = f"Fitted again with the model's settings on random parts of {Path(name_of(train)).name}."
    if failures:
        note += f" No point for {'; '.join(failures)}"
    values, intervals = [each.value for each in scores], [(each.low, each.high) for each in scores]
    name = scores[0].name
    return Curve("Learning curve", f"training {one}s", name, sizes, values, intervals, is_share=True), note


# ------------------------------------------------------------------ numbers


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
        f1 = Measure(name, [2 * n for n in hits], both)
        rows.append(ClassScore(name, precision, recall, f1.value, *f1.interval, support[name]))
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
