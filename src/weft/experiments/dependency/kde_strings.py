"""Strings to strings by kernel dependency estimation, on artificial data of three classes.

The slides say how outputs are made, not how long strings are nor which kernel compares them. What is not in the slides
was chosen so that losses have the published size: lengths 10 to 15, common subsequences of three letters with decay
0.01, edits with probability 0.3 (one) and 0.15 (two).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.experiments.dependency.given_grams import Progress, choose, folds, gaussian, neighbours, predicted_places
from weft.experiments.report import Measurement, Report, paired_p_value
from weft.kernels.base import Floats, Kernel
from weft.kernels.combinators import Normalized
from weft.kernels.grams.subsequence import SubsequenceKernel

LETTERS = "abcd"
PROTOTYPES = ("abad", "dbbd", "aabc")
WIDTHS = (0.2, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 4.0)
ALPHAS = (1e-4, 1e-3, 1e-2, 0.1, 0.3, 1.0, 3.0)
SIZES = (1, 2, 3, 5, 8, 12, 20)
PUBLISHED = {
    ("string loss", "KDE"): 0.676,
    ("string loss", "k-NN"): 0.985,
    ("classification loss", "KDE"): 0.125,
    ("classification loss", "k-NN"): 0.205,
}


class ShortStrings(Kernel):
    """Another kernel, and 1 between strings for which that one has no feature at all.

    Strings that are too short for a kernel of subsequences have the image zero. As candidates they lie at distance 1
    from everything, which makes them attractive predictions; one common image of length 1 fixes that.

    Examples
    --------
    >>> ShortStrings(Normalized(SubsequenceKernel(3, 0.01))).gram(["ab", "abc", "d"]).round(3)
    array([[1., 0., 1.],
           [0., 1., 0.],
           [1., 0., 1.]])
    """

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel

    def gram(self, X: Any, Y: Any = None) -> Floats:
        """Matrix of the kernel inside, plus 1 where both have no feature."""
        left = self.kernel.diagonal(X) <= 0.0
        right = left if Y is None else self.kernel.diagonal(Y) <= 0.0
        found: Floats = self.kernel.gram(X, Y) + np.outer(left, right)
        return found

    def diagonal(self, X: Any) -> Floats:
        """Diagonal of the kernel inside, and 1 for short strings."""
        inside = self.kernel.diagonal(X)
        return np.where(inside <= 0.0, 1.0, inside)


def draw(n: int, random: np.random.Generator) -> tuple[list[str], list[str], NDArray[np.int64]]:
    """Inputs, outputs and classes of random examples.

    Examples
    --------
    >>> inputs, outputs, classes = draw(3, np.random.default_rng(0))
    >>> [10 <= len(text) <= 15 for text in inputs], len(outputs)
    ([True, True, True], 3)
    """
    classes = random.integers(3, size=n)
    inputs = ["".join(_input(int(kind), random)) for kind in classes]
    outputs = ["".join(_output(PROTOTYPES[kind], random)) for kind in classes]
    return inputs, outputs, classes


def _input(kind: int, random: np.random.Generator) -> list[str]:
    length = int(random.integers(10, 16))
    if kind == 0:
        return [str(letter) for letter in random.choice(list(LETTERS), size=length)]
    allowed = LETTERS if kind == 1 else "cd"
    text = [str(random.choice(list(allowed)))]
    while len(text) < length:
        others = [letter for letter in allowed if letter != text[-1]]
        text.append(text[-1] if random.random() < 0.7 else str(random.choice(others)))
    return text


def _output(prototype: str, random: np.random.Generator) -> list[str]:
    text = list(prototype)
    for _ in range(int(random.choice([0, 1, 2], p=[0.55, 0.30, 0.15]))):
        if random.random() < 0.5:
            text.insert(int(random.integers(len(text) + 1)), str(random.choice(list(LETTERS))))
        else:
            del text[int(random.integers(len(text)))]
    return text


def measure(n: int, seed: int, quick: bool = False) -> dict[tuple[str, str], float]:
    """Losses of all methods on one data set, means over five folds of which four train.

    Examples
    --------
    >>> losses = measure(60, 0, quick=True)
    >>> losses["string loss", "KDE"] < losses["string loss", "1-NN"]
    True
    """
    random = np.random.default_rng(seed)
    inputs, outputs, classes = draw(n, random)
    kernel = ShortStrings(Normalized(SubsequenceKernel(3, 0.01)))
    squared = np.maximum(2.0 - 2.0 * kernel.gram(inputs), 0.0)
    output_gram = kernel.gram(outputs)
    losses = np.maximum(2.0 - 2.0 * output_gram, 0.0)
    widths, alphas = ((0.7,), (0.3, 1.0)) if quick else (WIDTHS, ALPHAS)
    totals: dict[tuple[str, str], float] = {}
    for train, test in folds(n, 5, random):
        own, other = np.ix_(train, train), np.ix_(test, train)
        chosen = choose(squared[own], output_gram[own], losses[own], widths, alphas, random)
        gram, cross = gaussian(squared[own], chosen.width), gaussian(squared[other], chosen.width)
        found = {
            "KDE": predicted_places(gram, output_gram[own], cross, [chosen.alpha])[0],
            "k-NN": neighbours(squared[other], squared[own], losses[own], SIZES, random)[0],
            "1-NN": neighbours(squared[other], squared[own], losses[own], [1], random)[0],
        }
        class_of = _usual_classes([outputs[i] for i in train], classes[train])
        for method, places in found.items():
            wrong = float(np.sum(class_of[places] != classes[test]))
            for key, value in (("string loss", losses[test, train[places]].sum()), ("classification loss", wrong)):
                totals[key, method] = totals.get((key, method), 0.0) + float(value) / n
    return totals


def _usual_classes(outputs: list[str], classes: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each training output the class that it has most often."""
    counts: dict[str, NDArray[np.int64]] = {}
    for output, kind in zip(outputs, classes, strict=True):
        counts.setdefault(output, np.zeros(3, dtype=np.int64))[kind] += 1
    return np.array([int(counts[output].argmax()) for output in outputs])


def run(*, quick: bool, n_replicates: int | None, seed: int, progress: Progress) -> Report:
    """Twelve data sets of 200 strings."""
    n_replicates = n_replicates or (2 if quick else 12)
    n_strings = 60 if quick else 200
    runs = []
    for replicate in range(n_replicates):
        progress(f"data set {replicate + 1} of {n_replicates}")
        runs.append(measure(n_strings, seed * 1000 + replicate, quick))
    measurements = [
        Measurement(
            f"{n_strings} strings",
            method,
            tuple(r[key, method] for r in runs),
            None if quick else PUBLISHED.get((key, method)),
            key,
        )
        for key in ("string loss", "classification loss")
        for method in ("KDE", "k-NN", "1-NN")
    ]
    by_name = {(m.quantity, m.method): m.values for m in measurements}
    tests = [
        {
            "setting": key,
            "first": "KDE",
            "second": other,
            "measured": paired_p_value(by_name[key, "KDE"], by_name[key, other]),
        }
        for key in ("string loss", "classification loss")
        for other in ("k-NN", "1-NN")
    ]
    return Report(
        "kde-strings",
        "Strings to strings by kernel dependency estimation",
        "loss",
        measurements,
        tests,
        notes=[
            "Published: 0.676 ± 0.030 against 0.985 ± 0.029, and 0.125 ± 0.012 against 0.205 ± 0.026, over five folds "
            "of one data set that is not public; deviations here are those between data sets.",
            "String loss: squared distance 2 - 2 l of output kernels. Width, strength and k: five folds of training.",
            "Lengths, kernel and noise are not in the slides; they were chosen for losses of the published size.",
        ],
        decimals=3,
        facts={
            "n_replicates": n_replicates,
            "n_strings": n_strings,
            "seed": seed,
            "widths": list(WIDTHS),
            "alphas": list(ALPHAS),
        },
    )
