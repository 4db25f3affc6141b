"""Spelling to pronunciation against Phonetisaurus: the CMU Pronouncing Dictionary, split g014b2b."""

from __future__ import annotations

import gzip
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.data import data_file
from benchmarks.harness import Entry, Side
from benchmarks.measure import peak_memory_mb

if TYPE_CHECKING:
    from benchmarks.measure import Meter

QUICK = 2000
N_TEST_QUICK = 500


@dataclass
class Lexicon:
    """Words and phones to train on; test words with all their pronunciations."""

    train: list[tuple[str, list[str]]]
    test: list[tuple[str, list[list[str]]]]


def cmudict(quick: bool, n_train: int | None = None) -> Lexicon:
    """The dictionary; with `n_train` so many of its training words, evenly spread over the alphabet."""
    parts = []
    for part in ("train", "test"):
        with gzip.open(data_file("g2p_cmudict", f"cmudict_g014b2b.{part}.tsv.gz"), "rt", encoding="utf-8") as lines:
            parts.append([line.rstrip("\n").split("\t") for line in lines])
    train = [(row[0], row[1].split()) for row in parts[0]]
    test = [(row[0], [phones.split() for phones in row[1:]]) for row in parts[1]]
    if n_train is not None:
        train = [train[i * len(train) // n_train] for i in range(n_train)]
    if quick:
        train, test = train[:: len(train) // QUICK], test[:: len(test) // N_TEST_QUICK]
    return Lexicon(train, test)


def error_rates(test: list[tuple[str, list[list[str]]]], predicted: list[list[str]]) -> dict[str, float]:
    """Word and phone error in percent against the nearest pronunciation; both sides are scored by this."""
    from weft.metrics import phone_error_rate, word_error_rate

    references = [outputs for _, outputs in test]
    return {
        "word error %": 100 * word_error_rate(references, predicted, several=True),
        "phone error %": 100 * phone_error_rate(references, predicted, several=True),
    }


def phonetisaurus(data: Lexicon, meter: Meter) -> dict[str, float]:
    """The package's own command with its defaults; its programs run as children of this process."""
    command = [str(Path(sys.executable).with_name("phonetisaurus"))]
    with tempfile.TemporaryDirectory() as folder:
        lexicon, model = Path(folder, "lexicon.txt"), Path(folder, "model.fst")
        lexicon.write_text("".join(f"{word} {' '.join(phones)}\n" for word, phones in data.train))
        with meter.phase("train", tokens=len(data.train)):
            subprocess.run([*command, "train", "--model", str(model), str(lexicon)], check=True, capture_output=True)
        memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**10
        words = "".join(f"{word}\n" for word, _ in data.test)
        with meter.phase("predict", tokens=len(data.test)):
            result = subprocess.run(
                [*command, "predict", "--model", str(model)], input=words, check=True, capture_output=True, text=True
            )
    found: dict[str, list[str]] = {}
    for line in result.stdout.splitlines():
        word, *phones = line.split()
        found.setdefault(word, phones)
    predicted = [found.get(word, []) for word, _ in data.test]
    return {**error_rates(data.test, predicted), "peak MB of training": memory}


def weft_rewriter(data: Lexicon, meter: Meter, **parameters: Any) -> dict[str, float]:
    import warnings

    import weft

    rewriter = weft.Rewriter(random_state=0, **parameters)
    with meter.phase("train", tokens=len(data.train)), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # pairs without an alignment are counted below
        rewriter.fit([word for word, _ in data.train], [phones for _, phones in data.train])
    memory = peak_memory_mb()
    with meter.phase("predict", tokens=len(data.test)):
        predicted = rewriter.predict([word for word, _ in data.test])
    loss = rewriter.beam_loss([word for word, _ in data.test[:500]])
    return {
        **error_rates(data.test, predicted),
        "peak MB of training": memory,
        "pairs left out": float(len(rewriter.skipped_)),
        "% of outputs that a beam of 200 changes": 100 * loss["changed"],
    }


def warm_up() -> None:
    """Compile all that is measured."""
    import weft

    words = [a + b + c for a in "abc" for b in "xyz" for c in "pqrst"] * 6
    phones = [[c.upper() for c in word] for word in words]
    for extra in ({}, {"language_model": weft.NGramLanguageModel(3)}):
        weft.Rewriter(random_state=0, **extra).fit(words, phones).predict(words[:20])


def best_setting() -> dict[str, Any]:
    """What is most accurate, whatever it costs."""
    import weft

    return {"language_model": weft.NGramLanguageModel(6), "n_models": 8, "max_chunk": (2, 3)}


def weft_best(data: Lexicon, meter: Meter) -> dict[str, float]:
    return weft_rewriter(data, meter, **best_setting())


ENTRIES = [
    Entry(
        "g2p-cmudict",
        "letters to phones, 113,438 pairs, 12,000 test words; rates are pairs and words per second",
        cmudict,
        Side("Phonetisaurus", phonetisaurus),
        Side("weft", weft_rewriter, warm_up),
    ),
    Entry(
        "g2p-5000",
        "a small lexicon: 5,000 of the training words, all test words",
        partial(cmudict, n_train=5_000),
        Side("Phonetisaurus", phonetisaurus),
        Side("weft", weft_rewriter, warm_up),
    ),
    Entry(
        "g2p-best",
        "the same with eight models that vote and a language model",
        cmudict,
        Side("Phonetisaurus", phonetisaurus),
        Side("weft", weft_best, warm_up),
    ),
]
