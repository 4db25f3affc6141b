"""Inflection in nine languages: the shared task CoNLL-SIGMORPHON 2017, by default settings, with tags.

The published numbers are those of the task's own baseline, rules for prefixes and suffixes, measured with its program
on the same training parts.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence

import numpy as np

from weft.datasets.inflection import INFLECTION_LANGUAGES, load_inflection_sigmorphon2017
from weft.estimators.rewrite.rewriter import Rewriter
from weft.experiments.report import Measurement, Report

BASELINE = {
    "medium": dict(zip(INFLECTION_LANGUAGES, (42.1, 72.5, 92.0, 85.9, 42.3, 37.6, 33.5, 74.0, 75.9), strict=True)),
    "low": dict(zip(INFLECTION_LANGUAGES, (21.8, 61.8, 70.5, 29.1, 21.0, 16.0, 19.0, 41.3, 45.6), strict=True)),
}


def share_right(language: str, level: str, quick: bool = False) -> float:
    """Forms right, in percent, on the test part."""
    train = load_inflection_sigmorphon2017(language, f"train-{level}")  # type: ignore[arg-type]
    test = load_inflection_sigmorphon2017(language, "test")
    size, n_test = (60, 50) if quick else (len(train.lemmas), len(test.lemmas))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # letters and tags unseen in training
        rewriter = Rewriter(random_state=0).fit(train.lemmas[:size], train.forms[:size], tags=train.tags[:size])
        predicted = rewriter.predict(test.lemmas[:n_test], test.tags[:n_test])
    return 100.0 * float(np.mean([a == b for a, b in zip(predicted, test.forms[:n_test], strict=True)]))


def _run(levels: Sequence[str], *, quick: bool, seed: int, progress: Callable[[str], None]) -> Report:
    measurements = []
    for level in levels:
        found = []
        for language in INFLECTION_LANGUAGES[1:2] if quick else INFLECTION_LANGUAGES:
            progress(f"{level}: {language}")
            found.append(share_right(language, level, quick))
            published = None if quick else BASELINE[level][language]
            measurements.append(Measurement(f"{level}: {language}", "weft", (found[-1],), published))
            progress(f"{level}: {language}: {found[-1]:.1f} % right")
        mean = None if quick else float(np.mean(list(BASELINE[level].values())))
        measurements.append(Measurement(f"{level}, mean", "weft", (float(np.mean(found)),), mean))
    return Report(
        "inflection" if len(levels) > 1 else f"inflection-{levels[0]}",
        f"Inflection: {', '.join(levels)}",
        "% of forms right",
        measurements,
        notes=["Published: the rule baseline of CoNLL-SIGMORPHON 2017 task 1.", "weft: Rewriter(random_state=0)."],
        facts={"seed": seed},
    )


def run(
    *, quick: bool = False, n_replicates: int | None = None, seed: int = 0, progress: Callable[[str], None]
) -> Report:
    """Both amounts of data."""
    return _run(("low", "medium"), quick=quick, seed=seed, progress=progress)


def run_low(
    *, quick: bool = False, n_replicates: int | None = None, seed: int = 0, progress: Callable[[str], None]
) -> Report:
    """100 forms to train."""
    return _run(("low",), quick=quick, seed=seed, progress=progress)


def run_medium(
    *, quick: bool = False, n_replicates: int | None = None, seed: int = 0, progress: Callable[[str], None]
) -> Report:
    """1,000 forms to train."""
    return _run(("medium",), quick=quick, seed=seed, progress=progress)
