"""One example at a time: what a call of predict costs above its share of a batch of 1,000, CPU time at the median.

The peer is weft itself, asked for all at once; `PYTHONPATH=OTHER/src` measures another version of it.
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

N_BATCH, N_SINGLE, N_TRAIN = 1000, 2000, 1000
REPEATS = 5
STEM = (6, 9)
"""Least and most pairs of the stems of made RNA."""


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
    return {
        "Tagger": Case(
            lambda: weft.Tagger(weft.CRF(c2=1.0, max_iter=20)), (attributes[0], sentences[0]), attributes[1]
        ),
        "SequenceSVC": Case(lambda: weft.SequenceSVC(weft.NGramKernel(4), C=1.0), (texts[0], questions), texts[1]),
        "Rewriter": Case(
            lambda: weft.Rewriter(max_chunk=2, random_state=0),
            ([word for word, _ in lexicon.train[:n_train]], [phones for _, phones in lexicon.train[:n_train]]),
            (words * (n_asked // len(words) + 1))[:n_asked],
        ),
        "Folder, g6": Case(lambda: weft.Folder("g6"), (rna[:50], structures[:50]), rna[:n_asked]),
        "Folder, loops": Case(lambda: weft.Folder("loops"), (rna[:50], structures[:50]), rna[:n_asked]),
    }


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
                shares = [seconds(model.predict, case.asked) / len(case.asked) for _ in range(REPEATS)]
                share = 1000 * min(shares)
                if one_by_one:
                    calls = [[each] for each in case.asked]
                    found = [model.predict(each)[0] for each in calls]
                    taken = [seconds(model.predict, calls[i % len(calls)]) for i in range(N_SINGLE)]
                    scores[f"{name}: p50 ms above the share"] = 1000 * median(taken) - share
                    if list(map(str, found)) != list(map(str, wanted)):
                        raise AssertionError(f"{name} answers otherwise one by one")
            scores[f"{name}: share of the batch, ms"] = share
    return scores


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
