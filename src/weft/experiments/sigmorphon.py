"""Pronunciation in 21 languages: the shared task SIGMORPHON 2021, trained on the train part and tuned on dev.

The published numbers are word error rates of the task's baseline, an ensemble of neural transducers (Ashby et al.
2021): macro means over the languages of a level.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from weft.datasets import LANGUAGES, load_g2p_sigmorphon2021
from weft.estimators.rewriter import Rewriter
from weft.experiments.report import Measurement, Report
from weft.learners.crf import CRF
from weft.metrics import error_rates

__all__ = ["candidates", "run", "run_language"]

PUBLISHED = {"high": 41.94, "medium": 10.64, "low": 25.10}
QUICK_LANGUAGES = {"medium": ("geo",), "low": ("rum",)}
QUICK_PAIRS = 150


def candidates(level: str, quick: bool = False) -> dict[str, Rewriter]:
    """Settings to choose from on the development words, by the amount of data."""
    passes = 10 if quick else 60
    chunks: dict[str, Any] = {"max_chunk": (1, 3), "random_state": 0}
    few = {"CRF": Rewriter(CRF(c2=0.3, max_iter=passes), **chunks)}
    if quick:
        return few
    if level == "low":
        both_ways = Rewriter(CRF(c2=0.3, max_iter=passes), **chunks, n_models=2)
        return few | {"CRF both ways": both_ways, "four perceptrons": Rewriter(**chunks, n_models=4)}
    return {"perceptron": Rewriter(**chunks), "four models": Rewriter(**chunks, n_models=4)}


def run_language(language: str, level: str, quick: bool = False) -> tuple[float, float, str]:
    """Word and phone error on the test words, in percent, of the setting that is best on dev; and its name."""
    train, dev, test = (load_g2p_sigmorphon2021(language, part) for part in ("train", "dev", "test"))
    size = QUICK_PAIRS if quick else len(train.inputs)
    fitted: dict[str, tuple[float, Any]] = {}
    for name, rewriter in candidates(level, quick).items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # a few pairs have no alignment
            rewriter.fit(train.inputs[:size], train.outputs[:size], X_dev=dev.inputs, y_dev=dev.outputs)
            fitted[name] = error_rates(dev.outputs, rewriter.predict(dev.inputs)).word_error, rewriter
    best = min(fitted, key=lambda name: fitted[name][0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # nor did training have every symbol
        rates = error_rates(test.outputs, fitted[best][1].predict(test.inputs))
    return 100 * rates.word_error, 100 * rates.phone_error, best


def run(
    *, quick: bool = False, n_replicates: int | None = None, seed: int = 0, progress: Callable[[str], None]
) -> Report:
    """Every language of every level; the macro means stand beside the task's baseline."""
    measurements, chosen = [], {}
    for level, languages in (QUICK_LANGUAGES if quick else LANGUAGES).items():
        words, phones = [], []
        for language in languages:
            progress(f"{level}: {language}")
            word_error, phone_error, chosen[language] = run_language(language, level, quick)
            words.append(word_error)
            phones.append(phone_error)
            measurements.append(Measurement(language, "weft", (word_error,), quantity=f"{level}: words wrong, %"))
            measurements.append(Measurement(language, "weft", (phone_error,), quantity=f"{level}: phones wrong, %"))
        published = None if quick else PUBLISHED[level]
        measurements.append(Measurement(f"{level}, macro mean", "weft", (float(np.mean(words)),), published))
    return Report(
        "sigmorphon",
        "Pronunciation in 21 languages",
        "% of words wrong",
        measurements,
        notes=[
            "Published: the baseline of SIGMORPHON 2021 task 1. Settings and mixtures are chosen on the dev words.",
            f"Chosen: {', '.join(f'{language} {name}' for language, name in chosen.items())}.",
        ],
        facts={"seed": seed},
    )
