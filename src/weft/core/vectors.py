"""Inner products and scaled sums of vectors, in the calling thread.

Libraries of linear algebra start threads of their own for these, which then fight with the threads of the compiled
loops: measured on two cores, a two-loop recursion over 456,468 weights took 96 ms with them and 5 ms without.

Long vectors go through compiled loops. Short ones, as those of a first trial, of aligners and of folders, go through
NumPy (`einsum`, which calls no such library): they take microseconds there too, and nothing has to be compiled first.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weft.arrays import Floats
from weft.core.jit import jit, jit_fast
from weft.errors import InputError

SHORT = 2**12
"""Vectors of fewer numbers are short."""


def is_short(*vectors: Floats) -> bool:
    """Whether vectors, which must have one length, are short.

    Examples
    --------
    >>> is_short(np.zeros(3)), is_short(np.zeros(10_000), np.zeros(10_000))
    (True, False)
    """
    if any(len(vector) != len(vectors[0]) for vector in vectors):
        raise InputError("vectors of different lengths given; need one length: give one number per feature")
    return len(vectors[0]) < SHORT


def product(left: Floats, right: Floats) -> float:
    """Inner product in NumPy's own order: the same for any number of threads, and nothing has to be compiled.

    Examples
    --------
    >>> product(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    11.0
    """
    return float(np.einsum("i,i->", left, right))


def dot(left: Floats, right: Floats) -> float:
    """Inner product of two vectors.

    Examples
    --------
    >>> dot(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    11.0
    """
    return product(left, right) if is_short(left, right) else _dot(left, right)


@jit_fast
def _dot(left: Any, right: Any) -> float:
    total = 0.0
    for i in range(len(left)):
        total += left[i] * right[i]
    return total


def dot_in_order(left: Floats, right: Floats) -> float:
    """Inner product whose terms are added one after the other: the same to the last digit on every processor.

    Examples
    --------
    >>> dot_in_order(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    11.0
    """
    if is_short(left, right):
        return float(np.add.accumulate(left * right)[-1]) if len(left) else 0.0
    return _dot_in_order(left, right)


@jit
def _dot_in_order(left: Any, right: Any) -> float:
    total = 0.0
    for i in range(len(left)):
        total += left[i] * right[i]
    return total


def add_scaled(target: Floats, factor: float, source: Floats) -> None:
    """Add ``factor * source`` to `target` in place.

    Examples
    --------
    >>> target = np.array([1.0, 1.0])
    >>> add_scaled(target, 2.0, np.array([1.0, 3.0]))
    >>> target
    array([3., 7.])
    """
    if is_short(target, source):
        target += factor * source
    else:
        _add_scaled(target, factor, source)


@jit_fast
def _add_scaled(target: Any, factor: float, source: Any) -> None:
    for i in range(len(target)):
        target[i] += factor * source[i]


def weighted_square(vector: Floats, diagonal: Floats) -> float:
    """``v' D^-1 v`` for a diagonal matrix D, without a long vector in between.

    Examples
    --------
    >>> weighted_square(np.array([1.0, 2.0]), np.array([1.0, 4.0]))
    2.0
    """
    if is_short(vector, diagonal):
        return product(vector / diagonal, vector)
    return _weighted_square(vector, diagonal)


@jit_fast
def _weighted_square(vector: Any, diagonal: Any) -> float:
    total = 0.0
    for i in range(len(vector)):
        total += vector[i] * vector[i] / diagonal[i]
    return total


def scale_and_add_ratio(target: Floats, factor: float, vector: Floats, diagonal: Floats) -> None:
    """Make `target` ``factor * target + D^-1 v`` in place, for a diagonal matrix D.

    Examples
    --------
    >>> target = np.array([1.0, 1.0])
    >>> scale_and_add_ratio(target, 3.0, np.array([1.0, 2.0]), np.array([1.0, 4.0]))
    >>> target
    array([4. , 3.5])
    """
    if is_short(target, vector, diagonal):
        target *= factor
        target += vector / diagonal
    else:
        _scale_and_add_ratio(target, factor, vector, diagonal)


@jit_fast
def _scale_and_add_ratio(target: Any, factor: float, vector: Any, diagonal: Any) -> None:
    for i in range(len(target)):
        target[i] = factor * target[i] + vector[i] / diagonal[i]


def penalise(gradient: Floats, observed: Floats, weights: Floats, away: Floats, c2: float) -> tuple[float, float]:
    """Make expected features the gradient of a penalised likelihood, in place and in one pass.

    Takes off the `observed` features and adds ``2 c2 away``. Returns ``observed . weights`` and ``away . away``.

    Examples
    --------
    >>> gradient, weights = np.array([3.0, 4.0]), np.array([1.0, 2.0])
    >>> penalise(gradient, np.array([1.0, 1.0]), weights, weights, 0.5)
    (3.0, 5.0)
    >>> gradient
    array([3., 5.])
    """
    if is_short(gradient, observed, weights, away):
        gradient += 2.0 * c2 * away - observed
        return product(observed, weights), product(away, away)
    return _penalise(gradient, observed, weights, away, c2)


@jit_fast
def _penalise(gradient: Any, observed: Any, weights: Any, away: Any, c2: float) -> tuple[float, float]:
    score, square = 0.0, 0.0
    for i in range(len(gradient)):
        score += observed[i] * weights[i]
        square += away[i] * away[i]
        gradient[i] += 2.0 * c2 * away[i] - observed[i]
    return score, square
