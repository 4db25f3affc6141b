"""How sure to be of an output: probabilities of lists, set right on held-out words.

What a model holds for impossible may be the truth, and words that were learned from look easier than others are. So
the probability of the best output is mapped to how often such outputs were right: a logistic curve over its log-odds
(Platt 1999, "Probabilistic outputs for support vector machines").

Some hundred words tell little about such a curve, and new words are not quite like them. So the curve has a normal
prior around the identity: it bends as far as there are words that say so.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from weft.arrays import Floats

FEWEST = 100
"""With fewer words probabilities stay as they are."""
MOST_ODDS = 12.0
"""Log-odds beyond this are the same: no held-out words tell them apart."""
MAX_ITER, STEADY = 100, 1e-9
SLOPE_PULL, INTERCEPT_PULL = 100.0, 10.0
"""Precisions of the prior: before words are seen, slopes are within about 0.1 of 1 and intercepts within 0.3 of 0.

Chosen on dev words and held-out training words of 42 fits in 17 languages; up to 300, and 3, do about as well.
"""
LEAST_SLOPE = 0.05
"""The order of words by how sure one is of them stays."""

Found = list[tuple[Any, float]]


@dataclass(frozen=True)
class Calibration:
    """A logistic curve that probabilities of best outputs go through.

    Attributes
    ----------
    slope, intercept : float
        The new log-odds are ``slope * old + intercept``; the slope is above 0.

    Examples
    --------
    >>> found = Calibration(1.0, -1.0).apply([("a", 0.8), ("b", 0.1)])
    >>> [(output, round(probability, 3)) for output, probability in found]
    [('a', 0.595), ('b', 0.074)]
    """

    slope: float
    intercept: float

    def of_best(self, probability: float) -> float:
        """How probable it is that a best output of some probability is right."""
        return 1.0 / (1.0 + math.exp(-(self.slope * float(_log_odds(probability)) + self.intercept)))

    def apply(self, found: Found) -> Found:
        """The same outputs, in the same order.

        If the best one becomes less probable, so do the others by the same factor, and outputs that are not in the
        list take what is left. If it becomes more probable, all else shares what remains. Either way no probability
        hangs on the length of the list.
        """
        if not found:
            return found
        old = found[0][1]
        new = self.of_best(old)
        factor = new / old if new <= old else (1.0 - new) / (1.0 - old)
        return [(found[0][0], new), *((output, factor * probability) for output, probability in found[1:])]


def calibrate(probabilities: ArrayLike, right: ArrayLike) -> Calibration | None:
    """The curve for best outputs of held-out words, of which some are right; None if there are too few words.

    The most probable one: its likelihood is that of Platt's targets, which lie a little within 0 and 1, so that the
    curve is finite even where all outputs are right; its prior is normal around the identity.

    Examples
    --------
    >>> sure, right = [0.9] * 400, [True, True, True, False] * 100
    >>> [round(calibrate(n * sure, n * right).of_best(0.9), 2) for n in (1, 10)]
    [0.77, 0.75]
    """
    hits = np.asarray(right, dtype=bool)
    if len(hits) < FEWEST:
        return None
    n_right = int(hits.sum())
    high, low = (n_right + 1.0) / (n_right + 2.0), 1.0 / (len(hits) - n_right + 2.0)
    targets = np.where(hits, high, low)
    odds = _log_odds(probabilities)
    slope, intercept = _fitted(odds, targets)
    if slope < LEAST_SLOPE:
        slope, intercept = _fitted(odds, targets, LEAST_SLOPE)
    return Calibration(slope, intercept)


def _fitted(odds: Floats, targets: Floats, fixed: float | None = None) -> tuple[float, float]:
    """The most probable slope and intercept of such targets, by Newton steps; or the intercept of a fixed slope."""
    slope, intercept = 1.0 if fixed is None else fixed, 0.0
    for _ in range(MAX_ITER):
        sure = 1.0 / (1.0 + np.exp(-(slope * odds + intercept)))
        surplus, spread = sure - targets, sure * (1.0 - sure)
        pulls = SLOPE_PULL * (slope - 1.0), INTERCEPT_PULL * intercept
        first = float((surplus * odds).sum()) + pulls[0], float(surplus.sum()) + pulls[1]
        second = (
            float((spread * odds**2).sum()) + SLOPE_PULL,
            float((spread * odds).sum()),
            float(spread.sum()) + INTERCEPT_PULL,
        )
        if fixed is None:
            determinant = second[0] * second[2] - second[1] ** 2
            steps = (
                (second[2] * first[0] - second[1] * first[1]) / determinant,
                (second[0] * first[1] - second[1] * first[0]) / determinant,
            )
        else:
            steps = (0.0, first[1] / second[2])
        slope -= min(max(steps[0], -1.0), 1.0)
        intercept -= min(max(steps[1], -1.0), 1.0)
        if max(map(abs, steps)) < STEADY:
            break
    return slope, intercept


def calibrate_on(ranked: Sequence[Found], references: Sequence[set[Any]]) -> Calibration | None:
    """The curve for lists of outputs of held-out words, each with all that is right."""
    pairs = [(found[0][1], found[0][0] in wanted) for found, wanted in zip(ranked, references, strict=True) if found]
    return calibrate([sure for sure, _ in pairs], [right for _, right in pairs])


def _log_odds(probabilities: ArrayLike) -> Floats:
    """Of probabilities, none of them infinite."""
    least = 1.0 / (1.0 + math.exp(MOST_ODDS))
    inside = np.clip(np.asarray(probabilities, dtype=np.float64), least, 1.0 - least)
    return np.asarray(np.log(inside) - np.log1p(-inside))
