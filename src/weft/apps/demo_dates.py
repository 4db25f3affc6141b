"""The demo of dates: eight handwritten digits DDMMYYYY, read one by one and as a sequence."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from weft.apps.demo_parts import percents, print_table, trained
from weft.apps.demo_pictures import date_picture
from weft.datasets.dates import FIRST_DAY, LAST_DAY, DateData, make_dates
from weft.estimators.tag.tagger import Tagger
from weft.kinds.terminal import line_writer
from weft.learners.crf import CRF
from weft.metrics.tokens import sequence_accuracy, token_accuracy

N_TRAIN, N_TEST, N_SAMPLE = 600, 500, 50
NOISE = 0.3
C2 = 1.0
K = 10
"""Readings of a date among which the calendar chooses."""


class Reading(NamedTuple):
    """What weft reads in the images of one date."""

    best: list[str]
    confidence: float
    in_calendar: list[str]


class Readers(NamedTuple):
    """The model, what it reads in the test images, and what is read in each digit by itself."""

    tagger: Tagger
    readings: list[Reading]
    alone: list[list[str]]


def make_data(seed: int) -> DateData:
    """Training and test dates, from different images."""
    return make_dates(N_TRAIN, N_TEST, random_state=seed, noise=NOISE)


def read_alone(data: DateData) -> list[list[str]]:
    """Read each digit for itself: same pixels, same training digits, same penalty as weft's."""
    # scikit-learn minimises C loss + |w|^2 / 2, weft loss + c2 |w|^2: equal for C = 1 / (2 c2).
    classifier = LogisticRegression(C=1.0 / (2.0 * C2), max_iter=500)
    with threadpool_limits(1):  # such small products only wait for each other on several cores
        classifier.fit(np.concatenate(data.X_train), np.concatenate(data.y_train))
        return [classifier.predict(images).tolist() for images in data.X_test]


def train(data: DateData) -> tuple[Readers, float]:
    """Train a chain over the digits in which each one sees the two before it; seconds that took.

    It reads dates as a whole: the best reading, and the best one that is in the calendar.
    """
    tagger = Tagger(CRF(c2=C2), order=2, boundary=True, random_state=0)
    models, seconds = trained(lambda model: model.fit(data.X_train, data.y_train), {"weft": tagger})
    readings = [
        Reading(*best[0], next((labels for labels, _ in best if _is_date(labels)), best[0][0]))
        for best in models["weft"].predict_kbest(data.X_test, K)
    ]
    return Readers(models["weft"], readings, read_alone(data)), seconds


def _is_date(digits: list[str]) -> bool:
    text = "".join(digits)
    try:
        return FIRST_DAY <= date(int(text[4:]), int(text[2:4]), int(text[:2])) <= LAST_DAY
    except ValueError:
        return False


def figures(data: DateData, readers: Readers) -> dict[str, Any]:
    """Digit error and whole-date accuracy of each way to read."""
    ways = {
        "alone": readers.alone,
        "weft": [reading.best for reading in readers.readings],
        "weft_in_calendar": [reading.in_calendar for reading in readers.readings],
    }
    return {
        "train_dates": len(data.X_train),
        "test_dates": len(data.X_test),
        **{
            way: {
                "digit_error": 1.0 - token_accuracy(data.y_test, read),
                "date_accuracy": sequence_accuracy(data.y_test, read),
            }
            for way, read in ways.items()
        },
    }


def write_sample(data: DateData, path: Path) -> None:
    """Write some test dates."""
    with line_writer(str(path)) as write:
        write(
            json.dumps({"tokens": images.round(3).tolist(), "labels": labels})
            for images, labels in zip(data.X_test[:N_SAMPLE], data.y_test, strict=False)
        )


# ------------------------------------------------------------------ printing


def introduce(data: DateData) -> None:
    """Say what is going to happen."""
    print(
        f"Handwritten dates, {FIRST_DAY.year} to {LAST_DAY.year}, noise added: {len(data.X_train)} to learn from, "
        f"{len(data.X_test)} to read.\n"
        "alone: each digit is classified by itself   weft: eight digits are one sequence\n"
    )


def show(data: DateData, readers: Readers) -> None:
    """Show two dates that only weft reads right, and one that weft misreads."""
    console = Console(highlight=False)
    _, readings, alone = readers
    right = [reading.best == truth for reading, truth in zip(readings, data.y_test, strict=True)]
    gained = [i for i, ok in enumerate(right) if ok and alone[i] != data.y_test[i]]
    lost = [i for i, ok in enumerate(right) if not ok]
    for title, chosen in (("weft helps", gained[:2]), ("weft errs too", lost[:1])):
        for i in chosen:
            console.print(f"{title} (it is {100 * readings[i].confidence:.0f} % sure)", style="bold")
            ways = {"alone": alone[i], "weft": readings[i].best}
            console.print(date_picture(console, data.X_test[i], data.y_test[i], ways))
            console.print()


def report(facts: dict[str, Any], seconds: float) -> None:
    """Print the figures side by side, and the gain."""
    names = {
        "alone": "each digit alone",
        "weft": "weft, best reading",
        "weft_in_calendar": f"weft, best date among {K} readings",
    }
    rows = [[name, *percents(*facts[way].values())] for way, name in names.items()]
    print_table([f"{facts['test_dates']} test dates", "wrong digits", "whole dates right"], rows, n_best=2)
    print("Gain over each digit alone:")
    for way, reason in {
        "weft": "reading eight digits as one",
        "weft_in_calendar": "and looking into the calendar",
    }.items():
        fewer = 1.0 - facts[way]["digit_error"] / facts["alone"]["digit_error"]
        more = facts[way]["date_accuracy"] - facts["alone"]["date_accuracy"]
        print(f"  {reason}: {100 * fewer:.0f} % fewer wrong digits, {100 * more:+.1f} points of dates")
    print(f"Training took {seconds:.1f} s, compilation included.\n")
