"""Pronunciation in 21 languages: the shared task SIGMORPHON 2021, trained on the train part and tuned on dev.

All languages of a level have the same setting. For each language the dev words choose how much chain, networks, n-gram
models and tier count; of few words also training words that models of others rewrote, which choose as well whether and
how strongly whole outputs are ordered anew. The published numbers are word error rates of the task's baseline, an
ensemble of neural transducers (Ashby et al. 2021): macro means over the languages of a level.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from weft.datasets import LANGUAGES, load_g2p_sigmorphon2021
from weft.estimators.rewrite.rewriter import Rewriter
from weft.experiments.report import Measurement, Report
from weft.learners.crf import CRF
from weft.metrics.strings import error_rates
from weft.rewriting.network.learner import RecurrentNetwork

PUBLISHED = {"high": 41.94, "medium": 10.64, "low": 25.10}
QUICK_LANGUAGES = {"high": ("eng_us",), "medium": ("geo",), "low": ("rum",)}
QUICK_PAIRS = 250


def setting(level: str, quick: bool = False) -> Rewriter:
    """How the languages of a level are learned.

    Examples
    --------
    >>> setting("low").learner
    CRF(c2=0.3, max_iter=60)
    """
    usual: dict[str, Any] = {"max_chunk": (1, 3), "random_state": 0}
    if quick:
        return Rewriter(CRF(c2=0.3, max_iter=10), rerank=2, network=RecurrentNetwork(max_iter=10), **usual)
    if level == "low":
        network = RecurrentNetwork(2, history_size=0, dropout=0.4)
        return Rewriter(CRF(c2=0.3, max_iter=60), rerank=2, n_models=2, network=network, **usual)
    if level == "medium":
        return Rewriter(effort="best", random_state=0)
    return Rewriter(effort="best", **usual)


def run_language(language: str, level: str, quick: bool = False) -> dict[str, float]:
    """Words and phones wrong, in percent, on the dev and on the test words."""
    train, dev, test = (load_g2p_sigmorphon2021(language, part) for part in ("train", "dev", "test"))
    size = QUICK_PAIRS if quick else len(train.inputs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a few pairs have no alignment, a few symbols are new
        rewriter = setting(level, quick)
        rewriter.fit(train.inputs[:size], train.outputs[:size], X_dev=dev.inputs, y_dev=dev.outputs)
        tuned, rates = (error_rates(part.outputs, rewriter.predict(part.inputs)) for part in (dev, test))
    return {"words": 100 * rates.word_error, "phones": 100 * rates.phone_error, "dev words": 100 * tuned.word_error}


def _run(levels: Sequence[str], *, quick: bool, seed: int, progress: Callable[[str], None]) -> Report:
    measurements = []
    for level in levels:
        found: dict[str, dict[str, float]] = {}
        for language in (QUICK_LANGUAGES if quick else LANGUAGES)[level]:
            progress(f"{level}: {language}")
            found[language] = run_language(language, level, quick)
            for kind, value in found[language].items():
                measurements.append(Measurement(language, "weft", (value,), quantity=f"{level}: {kind} wrong, %"))
                progress(f"{level}: {language}: {value:.2f} % of {kind} wrong")
        means = {kind: float(np.mean([each[kind] for each in found.values()])) for kind in ("words", "dev words")}
        measurements.append(Measurement(f"{level}, macro mean on dev", "weft", (means["dev words"],)))
        published = None if quick else PUBLISHED[level]
        measurements.append(Measurement(f"{level}, macro mean", "weft", (means["words"],), published))
    return Report(
        "sigmorphon" if len(levels) > 1 else f"sigmorphon-{levels[0]}",
        f"Pronunciation: {', '.join(levels)}",
        "% of words wrong",
        measurements,
        notes=[
            "Published: the baseline of SIGMORPHON 2021 task 1.",
            "One setting for all languages of a level; mixtures are chosen for each language on the dev words, and of "
            "few words also on training words, with whether and how strongly outputs are ordered anew.",
        ],
        facts={"seed": seed},
    )


def run(
    *, quick: bool = False, n_replicates: int | None = None, seed: int = 0, progress: Callable[[str], None]
) -> Report:
    """The ten languages with 800 words each and the ten with 8,000, beside the task's baseline."""
    return _run(("low", "medium"), quick=quick, seed=seed, progress=progress)


def run_low(
    *, quick: bool = False, n_replicates: int | None = None, seed: int = 0, progress: Callable[[str], None]
) -> Report:
    """The ten languages with 800 words."""
    return _run(("low",), quick=quick, seed=seed, progress=progress)


def run_medium(
    *, quick: bool = False, n_replicates: int | None = None, seed: int = 0, progress: Callable[[str], None]
) -> Report:
    """The ten languages with 8,000 words."""
    return _run(("medium",), quick=quick, seed=seed, progress=progress)


def run_high(
    *, quick: bool = False, n_replicates: int | None = None, seed: int = 0, progress: Callable[[str], None]
) -> Report:
    """American English, 33,344 words."""
    return _run(("high",), quick=quick, seed=seed, progress=progress)
