"""One example at a time: what a call of predict costs above its share of a batch of 1,000, CPU time at the median.

The peer is weft itself, asked for all at once; `benchmarks.beside` sets another version of it beside this one.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks import data, templates
from benchmarks.harness import Entry, Side
from benchmarks.rewriting import cmudict

if TYPE_CHECKING:
    from benchmarks.measure import Meter

N_BATCH, N_SINGLE, N_TRAIN = 1000, 200, 1000
N_SWEEPS, REPEATS = 10, 10
STEM = (6, 9)
"""Least and most pairs of the stems of made RNA."""
NAMES = ("Tagger", "SequenceSVC", "Rewriter", "Folder, g6", "Folder, loops", "Folder, as it comes")
"""Of the cases, known before any data are read."""


@dataclass
class Case:
    """An estimator with what it learns from, and what it is asked."""

    make: Callable[[], Any]
    train: tuple[list[Any], list[Any]]
    asked: list[Any]


def prepare(quick: bool) -> dict[str, Case]:
    """Sentences, their words as text, words with sounds, and made RNA."""
    import weft

    n_train, n_asked = (100, 50) if quick else (N_TRAIN, N_BATCH)
    train, test = data.conll2000()
    sentences = [[[row[-1] for row in each] for each in part[:n]] for part, n in ((train, n_train), (test, n_asked))]
    attributes = [[templates.chunking(each) for each in part[:n]] for part, n in ((train, n_train), (test, n_asked))]
    texts = [[" ".join(row[0] for row in each) for each in part[:n]] for part, n in ((train, n_train), (test, n_asked))]
    lexicon = cmudict(quick=True)
    words = [word for word, _ in lexicon.test]
    rna, structures = _hairpins(n_train)
    questions = ["?" if len(text) % 2 else "." for text in texts[0]]
    cases = (
        Case(lambda: weft.Tagger(weft.CRF(c2=1.0, max_iter=20)), (attributes[0], sentences[0]), attributes[1]),
        Case(lambda: weft.SequenceSVC(weft.NGramKernel(4), C=1.0), (texts[0], questions), texts[1]),
        Case(
            lambda: weft.Rewriter(max_chunk=2, random_state=0),
            ([word for word, _ in lexicon.train[:n_train]], [phones for _, phones in lexicon.train[:n_train]]),
            (words * (n_asked // len(words) + 1))[:n_asked],
        ),
        Case(lambda: _best_folder("g6"), (rna[:50], structures[:50]), rna[:n_asked]),
        Case(lambda: _best_folder("loops"), (rna[:50], structures[:50]), rna[:n_asked]),
        Case(lambda: weft.Folder(), (rna[:50], structures[:50]), rna[:n_asked]),
    )
    return dict(zip(NAMES, cases, strict=True))


def _best_folder(grammar: str) -> Any:
    """A folder that predicts the most probable structure, which older versions always do."""
    import inspect

    import weft

    chosen = {"decode": "best"} if "decode" in inspect.signature(weft.Folder).parameters else {}
    return weft.Folder(grammar, **chosen)


def _hairpins(n: int) -> tuple[list[str], list[str]]:
    """RNA of one stem each, with loose ends."""
    import numpy as np

    random = np.random.default_rng(0)
    found, structures = [], []
    for _ in range(n):
        stem = "".join(random.choice(list("ACGU"), random.integers(*STEM)))
        ends = ["".join(random.choice(list("ACGU"), random.integers(3, 8))) for _ in range(2)]
        other = stem[::-1].translate(str.maketrans("ACGU", "UGCA"))
        found.append(f"{ends[0]}{stem}GAAA{other}{ends[1]}")
        structures.append(f"{'.' * len(ends[0])}{'(' * len(stem)}....{')' * len(stem)}{'.' * len(ends[1])}")
    return found, structures


def run(cases: dict[str, Case], meter: Meter, one_by_one: bool) -> dict[str, float]:
    """Fit each, ask once for everything, then measure batches or single calls."""
    import warnings

    scores = {}
    for name, case in cases.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = case.make().fit(*case.train)
            wanted = list(model.predict(case.asked))
            with meter.phase(name, tokens=len(case.asked)):
                share = share_of_batch(model, case.asked)
                if one_by_one:
                    found = [model.predict([each])[0] for each in case.asked]
                    scores[f"{name}: p50 ms above the share"] = median_of_calls(model, case.asked) - share
                    if list(map(str, found)) != list(map(str, wanted)):
                        raise AssertionError(f"{name} answers otherwise one by one")
            scores[f"{name}: share of the batch, ms"] = share
    return scores


def share_of_batch(model: Any, asked: list[Any]) -> float:
    """Milliseconds for each, all at once: the least of some runs."""
    return 1000 * min(seconds(model.predict, asked) for _ in range(REPEATS)) / len(asked)


def median_of_calls(model: Any, asked: list[Any]) -> float:
    """Milliseconds of a call for one, the median over inputs.

    Of each input the least of some calls counts, all inputs in turn: what other processes do to the caches of a
    processor is no part of it, what the other inputs do is.
    """
    calls = [[each] for each in asked[:N_SINGLE]]
    sweeps = [[seconds(model.predict, call) for call in calls] for _ in range(N_SWEEPS)]
    return 1000 * median(map(min, zip(*sweeps, strict=True)))


def seconds(call: Callable[[Any], Any], argument: Any) -> float:
    """CPU time of a call, all threads."""
    began = time.process_time()
    call(argument)
    return time.process_time() - began


ENTRIES = [
    Entry(
        name="single-predict",
        description="predict one by one, beside all at once",
        prepare=prepare,
        peer=Side("weft, at once", partial(run, one_by_one=False)),
        weft=Side("weft, one by one", partial(run, one_by_one=True)),
    )
]
