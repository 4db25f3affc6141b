"""Outputs of the largest expected F1, from the probabilities of their marks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats
from weft.core.ties import TIE_TOLERANCE
from weft.errors import InputError
from weft.structures.grammar.loops.accuracy import pairs_of_largest_gain

Marks = tuple[NDArray[np.integer], ...]
Some = TypeVar("Some")


def largest_f1(probabilities: Floats, best: Callable[[Floats], tuple[Some, Marks]]) -> tuple[Some, float]:
    """Output of the largest ``2 sum p / (n + t)``, and that number.

    The sum is over the n marks of the output, and t is the expected number of marks of the truth: the number of marks
    that are right on average over the mean of both numbers, which is F1. The largest ratio f is where the largest
    ``sum (2 p - f)`` over all outputs equals ``f t``; each output of such a sum has a ratio that is no smaller than the
    one before, until it is the largest (Dinkelbach 1967). A few rounds do.

    Parameters
    ----------
    probabilities : ndarray of shape (n_kinds, n, n)
    best : callable
        Takes the gain of each mark, to the output of the largest sum of gains and its marks, as places in the array.

    Examples
    --------
    >>> probabilities = np.zeros((1, 9, 9))
    >>> probabilities[0, [0, 1, 2], [8, 7, 6]] = 0.9, 0.6, 0.2
    >>> pairs, f1 = largest_f1(probabilities, nested_marks)
    >>> pairs.tolist(), round(f1, 3)
    ([[0, 8], [1, 7]], 0.811)
    """
    expected = float(probabilities.sum())
    if not np.isfinite(expected):
        raise InputError(
            "weights are too large for probabilities of pairs, some of which are no numbers; predict with "
            "decode='best', or train with a stronger penalty."
        )
    # Pairs that are more probable than not do not cross, so that most often they are an output and their ratio is none
    # too large: a start that leaves few pairs to look at. The second round begins with the ratio of an output, and from
    # there on they rise.
    probable = probabilities[probabilities > 0.5]
    ratio = max(_ratio(probable, expected), _ratio(probabilities.max(keepdims=True), expected))
    is_reached = False
    while True:
        output, marks = best(2.0 * probabilities - ratio)
        reached = _ratio(probabilities[marks], expected)
        if abs(reached - ratio) <= TIE_TOLERANCE or (is_reached and not reached > ratio):
            return output, reached
        ratio, is_reached = reached, True


def _ratio(found: Floats, expected: float) -> float:
    return 2.0 * float(found.sum()) / (found.size + expected) if found.size else 0.0


def nested_marks(gains: Floats) -> tuple[NDArray[np.int32], Marks]:
    """Pairs that do not cross, of any length, with the largest sum of gains; and their places in the array."""
    pairs = pairs_of_largest_gain(np.ascontiguousarray(gains[0]), 2.0 * TIE_TOLERANCE)
    return pairs, (np.zeros(len(pairs), dtype=np.int64), pairs[:, 0], pairs[:, 1])
