"""Spectral taggers: beside window features against CRFsuite with the same ones, and the price of one pass."""

from __future__ import annotations

import time
from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING, Any

from benchmarks import crfsuite, data, templates
from benchmarks.harness import Entry, Side
from benchmarks.tagging import TaggingData

if TYPE_CHECKING:
    from benchmarks.measure import Meter

TEST_FROM = 16_034
"""After 15,000 training and 1,034 development words, on which the settings of the tagger were chosen."""

PASSES = 10
TAU, C2 = 1.0, 0.05
PEER_C2 = 0.03
"""All chosen on the development words of the first split of 2,000; CRFsuite's default of 1 is 0.8 points worse."""


def prepare(n_words: int, seeds: tuple[int, ...], template: templates.Template, quick: bool) -> list[TaggingData]:
    """For each random order of all words its first ones, and those after the development part."""
    import numpy as np

    words = data.nettalk_words()
    splits = []
    for seed in seeds:
        order = np.random.default_rng(seed).permutation(len(words))
        train = [words[i] for i in order[: 200 if quick else n_words]]
        test = [words[i] for i in order[TEST_FROM : TEST_FROM + 200 if quick else None]]
        splits.append(
            TaggingData(
                [template(word) for word in train],
                [[row[1] for row in word] for word in train],
                [template(word) for word in test],
                [[row[1] for row in word] for word in test],
                chunks=False,
            )
        )
    return splits


def average(scores: list[dict[str, float]]) -> dict[str, float]:
    """Mean over the splits, and the share of right letters of each."""
    mean = {name: fmean(each[name] for each in scores) for name in scores[0]}
    if len(scores) == 1:
        return mean
    return {**mean, **{f"token accuracy, split {i}": each["token accuracy"] for i, each in enumerate(scores)}}


def peer_joint(splits: list[TaggingData], meter: Meter) -> dict[str, float]:
    """CRFsuite's L-BFGS on each split."""
    return average([crfsuite.run(each, meter, "lbfgs", c2=PEER_C2) for each in splits])


def weft_joint(splits: list[TaggingData], meter: Meter) -> dict[str, float]:
    """The Hankel matrix and the window features, learned together."""
    import weft

    scores = []
    for each in splits:
        tagger = weft.Tagger(weft.Spectral(tau=TAU, c2=C2), random_state=0)
        with meter.phase("fit", tokens=each.train_tokens):
            tagger.fit(each.train_X, each.train_y)
        with meter.phase("decode from lists", tokens=each.test_tokens):
            predicted = [list(labels) for labels in tagger.predict(each.test_X)]
        scores.append({"features": float(tagger.weights_.size), **each.scores(predicted)})
    return average(scores)


def warm_up() -> None:
    """Compile joint learning and decoding."""
    import weft

    words, labels = ["abab", "ba", "bb"] * 4, [list("xyxy"), list("zx"), list("xx")] * 4
    windows = [templates.wide_letters([(letter,) for letter in word]) for word in words]
    weft.Tagger(weft.Spectral(tau=1.0)).fit(windows, labels).predict(windows)
    weft.Tagger(weft.Spectral(tau=1.0, step=0.1, max_iter=2)).fit(list(map(list, words)), labels)


def peer_pass(splits: list[TaggingData], meter: Meter) -> dict[str, float]:
    """CPU seconds of an iteration of L-BFGS: of twelve minus of two, so that reading the data is not counted."""
    taken = []
    for iterations in (2, PASSES + 2):
        trainer = crfsuite.append_all(splits[0], "lbfgs")
        trainer.set("max_iterations", iterations)
        began = time.process_time()
        with meter.phase(f"{iterations} iterations", tokens=splits[0].train_tokens):
            trainer.train("")
        taken.append(time.process_time() - began)
    return {"CPU seconds of a pass": (taken[1] - taken[0]) / PASSES}


def centres(word: templates.Attributes) -> list[list[str]]:
    """The attribute of each letter that names the letter itself."""
    return [[name for name in token if name.startswith("+0=")] for token in word]


def weft_pass(splits: list[TaggingData], meter: Meter) -> dict[str, float]:
    """CPU seconds of a pass: of twelve minus of two, likewise. Decoding, the step and singular value thresholding."""
    import weft

    words = [[name[0][-1] for name in centres(word)] for word in splits[0].train_X]
    taken = []
    for iterations in (2, PASSES + 2):
        tagger = weft.Tagger(weft.Spectral(tau=8.0, step=0.1, max_iter=iterations), random_state=0)
        began = time.process_time()
        with meter.phase(f"{iterations} iterations", tokens=splits[0].train_tokens):
            tagger.fit(words, splits[0].train_y)
        taken.append(time.process_time() - began)
    return {"CPU seconds of a pass": (taken[1] - taken[0]) / PASSES}


def entry(name: str, description: str, n_words: int, seeds: tuple[int, ...], template: Any, sides: Any) -> Entry:
    """An entry with CRFsuite as the peer."""
    peer, ours = sides
    return Entry(
        name=name,
        description=description,
        prepare=partial(prepare, n_words, seeds, template),
        peer=Side("CRFsuite", peer),
        weft=Side("weft", ours, warm_up),
    )


WINDOW = "letters -3..+3 and their n-grams with the centre, up to 7"
JOINT = (peer_joint, weft_joint)

ENTRIES = [
    entry(
        "spectral-joint-2000",
        f"NETtalk, three splits of 2,000 words, {WINDOW}; Spectral beside them",
        2_000,
        (0, 1, 2),
        templates.wide_letters,
        JOINT,
    ),
    entry(
        "spectral-joint-15000",
        f"NETtalk, 15,000 words, {WINDOW}; Spectral beside them",
        15_000,
        (0,),
        templates.wide_letters,
        JOINT,
    ),
    entry(
        "spectral-pass",
        "a pass of Spectral over 15,000 words against an iteration of L-BFGS with letters -4..+4",
        15_000,
        (0,),
        templates.letters,
        (peer_pass, weft_pass),
    ),
]
