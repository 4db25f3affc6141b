"""The one rule for ties: which output is taken where several score alike.

The last digit of a sum depends on the order of its terms, and that on the processor: on the width of its registers and
on the kernel that a library of linear algebra picks for it. A decision must not hang on that digit. So scores count as
equal if they differ by at most `TIE_TOLERANCE` times their size, and of equal ones the first in a fixed order is taken:
the order of states, moves, edges, rules or candidates.

* Forward passes keep plain maxima. The walk back takes, at each step, the first choice whose score is within the
  tolerance of the best one, so that an output of n steps is worse than the best one by at most n tolerances.
* Lists of the k best are sorted by score; of equal scores the one that was met first comes first, and the first of all
  is the best output. Scores are reported so that they never rise.
* Where a fit chooses by a held-out score, among iterations or settings, a later one must be better by more than the
  tolerance (`is_better`, `ordered`).
* The size is the largest absolute value of a partial score on the way to a best output, and at least that of a usual
  weight (`mean_size`) or of a usual part (`usual_size`), since a sum may cancel and its rounding stays. It scales with
  the weights, and a few parts with a large penalty do not change it.

Rounding moves a score by about 1e-16 of its size for each term of the sum, so that the tolerance leaves room for a
million terms. Scores that differ by just about the tolerance are decided by rounding all the same: it has to be
somewhere, and there no two models or data sets with simple numbers meet.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np

from weft.arrays import Floats, Integers
from weft.core.jit import jit, jit_fast

TIE_TOLERANCE = 1e-9
"""Scores that differ by at most this share of their size are equal."""

LEAST_DEVIATION = 1e-7
"""A standard deviation below this share of the scores' size is rounding, and all scores are equal: its square is a sum,
which is known to about 1e-16 of its terms."""


FEW = 12
"""So many scores are ordered one by one."""

N_LOOKED_AT = 1000
"""So many parts tell the usual size of all."""


@jit
def larger_size(size: Any, value: Any) -> Any:
    """The size of scores once one more is known; forbidden ones have none.

    Examples
    --------
    >>> larger_size(1.0, -3.0), larger_size(1.0, -np.inf)
    (3.0, 1.0)
    """
    absolute = abs(value)
    return absolute if size < absolute < np.inf else size


@jit_fast
def mean_size(weights: Any) -> Any:
    """Mean of the absolute values of finite weights.

    Examples
    --------
    >>> mean_size(np.array([1.0, -2.0, 0.0, -np.inf]))
    0.75
    """
    total = 0.0
    for i in range(len(weights)):
        absolute = abs(weights[i])
        total += absolute if absolute < np.inf else 0.0
    return total / max(len(weights), 1)


@jit
def first_best(values: Any, count: Any, tolerance: Any) -> Any:
    """Place of the first of `count` values that is within the tolerance of the largest.

    Examples
    --------
    >>> first_best(np.array([0.3, 0.1 + 0.2, 0.0]), 3, 1e-9), first_best(np.array([0.3, 0.5]), 2, 1e-9)
    (0, 1)
    """
    best = values[0]
    for i in range(1, count):
        best = values[i] if values[i] > best else best
    floor = best - tolerance
    for i in range(count):
        if values[i] >= floor:
            return i
    return 0


@jit
def insert_ranked(values: Any, places: Any, value: Any, place: Any, tolerance: Any) -> None:
    """Put (value, place) into lists from best to worst, dropping the last; of equal values the earlier stays first."""
    i = len(values) - 1
    while i > 0 and value > values[i - 1] + tolerance:
        values[i] = values[i - 1]
        places[i] = places[i - 1]
        i -= 1
    values[i] = value
    places[i] = place


@jit
def sort_ties(order: Any, values: Any, keys: Any, tolerance: Any) -> None:
    """Sort, in an order from best to worst, each run of equal values by their keys; in place.

    Examples
    --------
    >>> order, values = np.array([2, 0, 1]), np.array([0.3, 0.1, 0.1 + 0.2])
    >>> sort_ties(order, values, np.arange(3), 1e-9)
    >>> order
    array([0, 2, 1])
    """
    begin = 0
    while begin < len(order):
        end = begin + 1
        while end < len(order) and values[order[end - 1]] - values[order[end]] <= tolerance:
            end += 1
        for i in range(begin + 1, end):
            moved = order[i]
            j = i
            while j > begin and keys[order[j - 1]] > keys[moved]:
                order[j] = order[j - 1]
                j -= 1
            order[j] = moved
        begin = end


def is_better(score: float, best: float) -> bool:
    """Whether a score is larger than the best one so far by more than the tolerance.

    Examples
    --------
    >>> is_better(0.1 + 0.2, 0.3), is_better(0.31, 0.3), is_better(0.3, -np.inf)
    (False, True, True)
    """
    return score > best + TIE_TOLERANCE * abs(score)


def usual_size(scores: Any) -> float:
    """Median of the absolute values of scores that are finite and not zero; of many, some are looked at.

    Examples
    --------
    >>> usual_size(np.array([0.0, 0.1, 0.2, -0.3, -1e6, -np.inf])), usual_size(np.zeros(3))
    (0.25, 0.0)
    """
    sizes = np.abs(scores[:: 1 + len(scores) // N_LOOKED_AT])
    sizes = sizes[(sizes > 0.0) & (sizes < np.inf)]
    return float(np.median(sizes)) if len(sizes) else 0.0


def tolerance_of(values: Any) -> float:
    """Tolerance for given scores: `TIE_TOLERANCE` times the largest finite one in absolute value.

    Examples
    --------
    >>> tolerance_of([1.0, -20.0, -np.inf])
    2e-08
    """
    sizes = np.abs(np.asarray(values, dtype=np.float64))
    return TIE_TOLERANCE * float(sizes[np.isfinite(sizes)].max(initial=0.0))


def ordered(values: Any, tolerance: float | Floats | None = None) -> Integers:
    """Places from the best value of each row to the worst; equal ones in the order in which they stand.

    Parameters
    ----------
    values : array-like of shape (..., n)
    tolerance : float or array of shape (..., 1), optional
        By default that of these values (`tolerance_of`).

    Examples
    --------
    >>> ordered([0.3, 0.5, 0.1 + 0.2])
    array([1, 0, 2])
    """
    scores = np.asarray(values, dtype=np.float64)
    if 0 < scores.size <= FEW and scores.shape[-1] == scores.size and isinstance(tolerance, float | None):
        found = ordered_list(scores.reshape(-1).tolist(), tolerance)
        return np.array(found, dtype=np.int64).reshape(scores.shape)
    within = tolerance_of(scores) if tolerance is None else tolerance
    order = np.argsort(-scores, axis=-1, kind="stable")
    ranked = np.take_along_axis(scores, order, axis=-1)
    levels = np.zeros(order.shape, dtype=np.int64)
    # A difference of two forbidden scores is not a number, hence equal.
    with np.errstate(invalid="ignore"):
        levels[..., 1:] = np.cumsum(ranked[..., :-1] - ranked[..., 1:] > within, axis=-1)
    within_levels = np.argsort(levels * scores.shape[-1] + order, axis=-1)
    return np.take_along_axis(order, within_levels, axis=-1)


def ordered_list(values: list[float], within: float | None = None) -> list[int]:
    """As `ordered`, of one row: for few values a tenth of the time of as many calls of NumPy.

    Examples
    --------
    >>> ordered_list([0.3, 0.5, 0.1 + 0.2])
    [1, 0, 2]
    """
    if len(values) > FEW:
        found: list[int] = ordered(values, within).tolist()
        return found
    if within is None:
        within = TIE_TOLERANCE * max((abs(value) for value in values if math.isfinite(value)), default=0.0)
    if all(before - after > within for before, after in pairwise(values)):
        return list(range(len(values)))
    order = sorted(range(len(values)), key=lambda place: (values[place] != values[place], -values[place], place))
    level, levels = 0, [(0, order[0])]
    for before, place in pairwise(order):
        level += values[before] - values[place] > within
        levels.append((level, place))
    return [place for _, place in sorted(levels)]


class TieLevels:
    """One number for all scores that are equal, so that heaps of tuples go on to compare what comes after the score.

    Parameters
    ----------
    tolerance : float

    Examples
    --------
    >>> level = TieLevels(1e-9)
    >>> level(0.3) == level(0.1 + 0.2), level(0.3) == level(0.31)
    (True, False)
    """

    def __init__(self, tolerance: float) -> None:
        self.tolerance = tolerance
        self._known: dict[int, float] = {}

    def __call__(self, score: float) -> float:
        """The first score that was met within the tolerance of this one, or itself."""
        if self.tolerance == 0.0:
            return score
        cell = int(score // self.tolerance)
        for near in (cell, cell - 1, cell + 1):
            known = self._known.get(near)
            if known is not None and abs(known - score) <= self.tolerance:
                return known
        self._known[cell] = score
        return score
