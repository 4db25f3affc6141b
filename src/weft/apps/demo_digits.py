"""The demo of strings from pictures: codes of digits read without ever being told where a digit is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from sklearn.datasets import load_digits

from weft.apps.demo_parts import percents, print_table, trained
from weft.arrays import Floats
from weft.estimators.regress.string_regressor import StringRegressor
from weft.kernels.combinators import Normalized
from weft.kernels.vectors.products import RBFKernel
from weft.kernels.vectors.sums import SumKernel
from weft.kinds.terminal import line_writer
from weft.metrics.strings import phone_error_rate

N_CODES, N_TRAIN, N_TEST, N_SAMPLE = 40, 400, 200, 50
WINDOW = 14
"""Columns that are compared at once: about two digits."""
SHADES = " ░▒▓█"
SETTINGS = {"euler": ("euler", 2), "candidates": ("candidates", 3), "nearest": ("nearest", 3)}
"""Pre-image and order of the output features."""


class CodeData(NamedTuple):
    """Pictures as sequences of columns, and the codes written in them; `X_new` has codes unseen in training."""

    X_train: list[Floats]
    y_train: list[str]
    X_test: list[Floats]
    y_test: list[str]
    X_new: list[Floats]
    y_new: list[str]


def make_data(seed: int) -> CodeData:
    """Codes of three to five digits in scikit-learn's handwriting, side by side with gaps of zero to two pixels."""
    random = np.random.default_rng(seed)
    images, digits = load_digits(return_X_y=True)
    images = images.reshape(-1, 8, 8) / 16.0
    order = random.permutation(len(images))
    # Digits of test pictures are never digits of training pictures.
    hands = order[: len(order) // 2], order[len(order) // 2 :]

    def codes(n: int) -> list[str]:
        return ["".join(random.choice(list("0123456789"), size=random.integers(3, 6))) for _ in range(n)]

    def written(code: str, hand: NDArray[Any]) -> Floats:
        parts = []
        for digit in code:
            image = images[random.choice(hand[digits[hand] == int(digit)])]
            ink = np.flatnonzero(image.sum(axis=0) > 0.5)
            parts += [np.zeros((8, int(random.integers(0, 3)))), image[:, ink[0] : ink[-1] + 1]]
        return np.concatenate(parts, axis=1).T

    known = codes(N_CODES)
    new = [code for code in codes(N_CODES) if code not in known]
    y_train, y_test = (random.choice(known, n).tolist() for n in (N_TRAIN, N_TEST))
    y_new = random.choice(new, N_TEST // 2).tolist()
    X_train = [written(code, hands[0]) for code in y_train]
    X_test, X_new = ([written(code, hands[1]) for code in each] for each in (y_test, y_new))
    return CodeData(X_train, y_train, X_test, y_test, X_new, y_new)


def train(data: CodeData) -> tuple[dict[str, StringRegressor], float]:
    """Train with three pre-images; seconds that the last one took."""
    kernel = Normalized(SumKernel(RBFKernel(0.9 / WINDOW), pairs="all", n=WINDOW))

    def learn(setting: tuple[str, int]) -> StringRegressor:
        model = StringRegressor(kernel, output_order=setting[1], preimage=setting[0])
        return model.fit(data.X_train, data.y_train)

    return trained(learn, SETTINGS)


def figures(data: CodeData, models: dict[str, StringRegressor]) -> dict[str, Any]:
    """Codes and digits that are right, for pictures of known codes and of new ones."""
    facts: dict[str, Any] = {"train_pictures": len(data.X_train), "test_pictures": len(data.X_test)}
    for name, model in models.items():
        read = model.predict(data.X_test)
        facts[name] = {
            "codes_right": float(np.mean([a == b for a, b in zip(read, data.y_test, strict=True)])),
            "digits_right": 1.0 - phone_error_rate(data.y_test, read),
        }
    facts["digits_right_in_new_codes"] = 1.0 - phone_error_rate(data.y_new, models["nearest"].predict(data.X_new))
    return facts


def write_sample(data: CodeData, path: Path) -> None:
    """Write some test pictures."""
    with line_writer(str(path)) as write:
        write(
            json.dumps({"input": x.round(4).tolist(), "output": code})
            for x, code in zip(data.X_test[:N_SAMPLE], data.y_test, strict=False)
        )


# ------------------------------------------------------------------ printing


def introduce(data: CodeData) -> None:
    """Say what is going to happen."""
    print(
        f"{len(data.X_train)} pictures of handwritten codes, {N_CODES} different ones of 3 to 5 digits. The\n"
        "model is told the code of each picture, but neither where a digit begins nor\nhow many there are.\n"
    )


def show(data: CodeData, model: StringRegressor) -> None:
    """Show three pictures and their readings."""
    console = Console(highlight=False)
    for x, code, ranked in zip(data.X_test, data.y_test, model.predict_kbest(data.X_test[:3], 2), strict=False):
        levels = np.rint((x.T[0::2] + x.T[1::2]) / 2.0 * (len(SHADES) - 1)).astype(np.int64)
        for row in levels.tolist():
            console.print("  " + "".join(SHADES[level] for level in row), markup=False)
        readings = ", ".join(f"{string} ({100 * p:.0f} %)" for string, p in ranked)
        console.print(f"  truth {code}; read {readings}\n", markup=False)


def report(facts: dict[str, Any], seconds: float) -> None:
    """Print the figures side by side."""
    names = {
        "euler": "Euler path through predicted pairs",
        "candidates": "nearest of the known codes",
        "nearest": "nearest string of all",
    }
    titles = [f"{facts['test_pictures']} other pictures of known codes", "codes right", "digits right"]
    print_table(titles, [[title, *percents(*facts[name].values())] for name, title in names.items()])
    print(
        f"In codes unseen in training, {100 * facts['digits_right_in_new_codes']:.0f} % of the digits are "
        "right: the rest is recall.\n"
        f"Training took {seconds:.1f} s, compilation included.\n"
    )
