"""Semirings: what a pass computes, chosen by type so that each pass is written and cached once.

A semiring is a named tuple. Compiled passes pick its operations by type (`numba.extending.overload`), which
the disk cache can see; functions given as arguments it cannot. With the compiler off the same tables
dispatch in Python.

Values are scores or logarithms of weights: the product of two values is their sum, the neutral value is 0 and
the value of the empty set has the real part ``-inf``. What differs is the value of a part and how the values
of several sets add up. Only `Real` has weights themselves for values.

Passes over a graph add the values of all edges of a node at once (`total`). Passes over spans have the edges of a node
in several loops, so they need sums and products of single values (`plus`, `times`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, overload, type_callable

FloatArray = npt.NDArray[np.float64]
# float64, or complex128 for Dual
ValueArray = npt.NDArray[np.inexact]


class MaxPlus(NamedTuple):
    """Score of the best derivation.

    Examples
    --------
    >>> total(MaxPlus(), np.array([1.0, 3.0]), 2).item()
    3.0
    """


class Log(NamedTuple):
    """Logarithm of the summed weights ``exp(score)``.

    Examples
    --------
    >>> round(float(total(Log(), np.array([0.0, 0.0]), 2)), 4)
    0.6931
    """


class Counting(NamedTuple):
    """Logarithm of the number of derivations whose parts are all allowed; it cannot overflow.

    Examples
    --------
    >>> part_values(Counting(), np.array([7.0, -np.inf]))
    array([  0., -inf])
    """


class Draw(NamedTuple):
    """The semiring `Log`, whose choice among edges is random in proportion to weight.

    Parameters
    ----------
    generator : numpy.random.Generator

    Examples
    --------
    >>> total(Draw(np.random.default_rng(0)), np.array([2.0, -np.inf]), 2).item()
    2.0
    """

    generator: np.random.Generator


class Dual(NamedTuple):
    """Log weight of a set and the mean, over it, of a linear function of the parts.

    A dual number ``a + a' eps`` holds a weight and its derivative in the direction `projections`. It is kept
    as the complex number ``log a + i a'/a``, so that neither half overflows and a product is again a sum. The
    imaginary part is the mean of the projection; that of the empty set is never used.

    Parameters
    ----------
    projections : ndarray of float64, shape (n_parts,)
        Value of the linear function on each part.

    Examples
    --------
    >>> part_values(Dual(np.array([2.0])), np.array([0.5]))
    array([0.5+2.j])
    """

    projections: FloatArray


class Real(NamedTuple):
    """Weights themselves, real or complex: no logarithm in the inner loop, but they may overflow.

    Examples
    --------
    >>> plus(Real(), 2.0, times(Real(), 3.0, 4.0))
    14.0
    """


# ------------------------------------------------------------- sets of a node


def by_semiring(choices: dict[type, Callable[..., Any]]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a function one of several, by the type of the semiring that is its first argument, compiled or not.

    Examples
    --------
    >>> @by_semiring({MaxPlus: lambda semiring, a: "best", Log: lambda semiring, a: "sum"})
    ... def asks_for(semiring, a): ...
    >>> asks_for(Log(), 1.0)
    'sum'
    """

    def named(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def chosen(semiring: Any, *arguments: Any) -> Any:
            return choices[type(semiring)](semiring, *arguments)

        # Names of arguments are those of each choice: not strict.
        overload(chosen, strict=False)(lambda semiring, *arguments: choices.get(semiring.instance_class))
        return chosen

    return named


def part_values(semiring: Any, scores: FloatArray) -> ValueArray:
    """Value of every part.

    Parameters
    ----------
    semiring : MaxPlus, Log, Counting, Draw or Dual
    scores : ndarray of float64, shape (n_parts,)

    Returns
    -------
    ndarray of float64 or, for `Dual`, complex128, shape (n_parts,)

    Examples
    --------
    >>> part_values(MaxPlus(), np.array([7.0, -np.inf]))
    array([  7., -inf])
    """
    if isinstance(semiring, Counting):
        return np.where(scores > -np.inf, 0.0, -np.inf)
    if isinstance(semiring, Dual):
        values = np.empty(scores.shape, dtype=np.complex128)
        values.real = scores
        values.imag = semiring.projections
        return values
    return scores


def _max_total(semiring: Any, buffer: Any, count: Any) -> Any:
    best = -np.inf
    for i in range(count):
        if buffer[i] > best:
            best = buffer[i]
    return best


def _log_total(semiring: Any, buffer: Any, count: Any) -> Any:
    # One maximum and one sum per node; adding edges pairwise takes a logarithm for each.
    best = -np.inf
    for i in range(count):
        if buffer[i] > best:
            best = buffer[i]
    if count == 1 or best == -np.inf:
        return best
    weight = 0.0
    for i in range(count):
        weight += math.exp(buffer[i] - best)
    return best + math.log(weight)


def _dual_total(semiring: Any, buffer: Any, count: Any) -> Any:
    best = -np.inf
    for i in range(count):
        if buffer[i].real > best:
            best = buffer[i].real
    if best == -np.inf:
        return complex(-np.inf, 0.0)
    weight = 0.0
    mean = 0.0
    for i in range(count):
        share = math.exp(buffer[i].real - best)
        weight += share
        mean += share * buffer[i].imag
    return complex(best + math.log(weight), mean / weight)


@by_semiring(
    {
        MaxPlus: _max_total,
        Log: _log_total,
        Counting: _log_total,
        Draw: _log_total,
        Dual: _dual_total,
    }
)
def total(semiring: Any, buffer: Any, count: Any) -> Any:
    """Value of the disjoint union of sets whose values are the first `count` in `buffer`."""


def _log_total_and_shares(semiring: Any, values: Any, start: Any, stop: Any) -> Any:
    best = -np.inf
    for i in range(start, stop):
        if values[i] > best:
            best = values[i]
    if best == -np.inf or stop - start == 1:
        for i in range(start, stop):
            values[i] = 0.0 if best == -np.inf else 1.0
        return best
    weight = 0.0
    for i in range(start, stop):
        values[i] = math.exp(values[i] - best)
        weight += values[i]
    for i in range(start, stop):
        values[i] /= weight
    return best + math.log(weight)


def _dual_total_and_shares(semiring: Any, values: Any, start: Any, stop: Any) -> Any:
    best = -np.inf
    for i in range(start, stop):
        if values[i].real > best:
            best = values[i].real
    if best == -np.inf:
        for i in range(start, stop):
            values[i] = complex(0.0, 0.0)
        return complex(best, 0.0)
    weight = 0.0
    mean = 0.0
    for i in range(start, stop):
        share = math.exp(values[i].real - best)
        weight += share
        mean += share * values[i].imag
        values[i] = complex(share, values[i].imag)
    mean /= weight
    for i in range(start, stop):
        share = values[i].real / weight
        values[i] = complex(share, share * (values[i].imag - mean))
    return complex(best + math.log(weight), mean)


@by_semiring(
    {
        Log: _log_total_and_shares,
        Draw: _log_total_and_shares,
        Dual: _dual_total_and_shares,
    }
)
def total_and_shares(semiring: Any, values: Any, start: Any, stop: Any) -> Any:
    """Value of the union of sets, whose values become their shares in its weight.

    The sets are those from `start` up to `stop`. The exponential of each value is taken once, that of a lone one never.
    Shares of sets that are all empty are zero. Shares are normalised among themselves: the logarithm of the total is
    rounded, and by more than a share can bear once it exceeds about 1e8, as it does for long sequences of large scores.
    For `Dual` the imaginary part becomes the derivative of the share: d exp(l_i - l) = exp(l_i - l) (l_i' - l'), where
    the derivatives of the logarithms are means.
    """


# --------------------------------------------------------------- single values


def zero(semiring: Any) -> float:
    """Value of the empty set.

    Examples
    --------
    >>> zero(Real()), zero(MaxPlus())
    (0.0, -inf)
    """
    return 0.0 if isinstance(semiring, Real) else -np.inf


def _sum(semiring: Any, a: Any, b: Any) -> Any:
    return a + b


def larger(a: Any, b: Any) -> Any:
    """The larger one of two numbers, neither of which is NaN.

    Compiled, it is one instruction. A comparison and a choice become a store under a mask where the result goes back to
    where one of them came from, which takes three times as long.

    Examples
    --------
    >>> larger(1.0, 2.0)
    2.0
    """
    return a if a >= b else b


@type_callable(larger)
def _type_of_larger(context: Any) -> Any:
    return lambda a, b: a if a == b and isinstance(a, types.Float) else None


@lower_builtin(larger, types.Float, types.Float)  # type: ignore[untyped-decorator]
def _lower_larger(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    number = arguments[0].type
    maximum = builder.module.declare_intrinsic("llvm.maxnum", [number], ir.FunctionType(number, [number, number]))
    return builder.call(maximum, arguments, fastmath=("nnan", "nsz"))


def _max_plus(semiring: Any, a: Any, b: Any) -> Any:
    return larger(a, b)


def _log_plus(semiring: Any, a: Any, b: Any) -> Any:
    if a.real < b.real:
        a, b = b, a
    if b.real == -np.inf:
        return a
    return a + np.log(1.0 + np.exp(b - a))


def _product(semiring: Any, a: Any, b: Any) -> Any:
    return a * b


def _real_is_zero(semiring: Any, a: Any) -> Any:
    return a == 0.0


def _log_is_zero(semiring: Any, a: Any) -> Any:
    return a.real == -np.inf


def _max_exceeds(semiring: Any, a: Any, b: Any) -> Any:
    return a > b


def _real_exceeds(semiring: Any, a: Any, b: Any) -> Any:
    return a != 0.0


def _log_exceeds(semiring: Any, a: Any, b: Any) -> Any:
    return a.real > -np.inf


def _real_share(semiring: Any, part: Any, whole: Any) -> Any:
    return part / whole


def _log_share(semiring: Any, part: Any, whole: Any) -> Any:
    return np.exp(part - whole)


@by_semiring({Real: _sum, MaxPlus: _max_plus, Log: _log_plus})
def plus(semiring: Any, a: Any, b: Any) -> Any:
    """Value of the disjoint union of two sets."""


@by_semiring({Real: _product, MaxPlus: _sum, Log: _sum})
def times(semiring: Any, a: Any, b: Any) -> Any:
    """Value of the pairs of one member from each of two sets."""


@by_semiring({Real: _real_is_zero, MaxPlus: _log_is_zero, Log: _log_is_zero})
def is_zero(semiring: Any, a: Any) -> Any:
    """Whether the set is empty."""


@by_semiring({Real: _real_exceeds, MaxPlus: _max_exceeds, Log: _log_exceeds})
def exceeds(semiring: Any, a: Any, b: Any) -> Any:
    """Whether a set changes the value of its union with another one, of value b."""


@by_semiring({Real: _real_share, Log: _log_share})
def share(semiring: Any, part: Any, whole: Any) -> Any:
    """Weight of one set as a share of another."""


def _dual_product(semiring: Any, received: Any, probability: Any) -> Any:
    # (p q)' = p' q + p q'
    return complex(
        received.real * probability.real,
        received.imag * probability.real + received.real * probability.imag,
    )


@by_semiring({Log: _product, Dual: _dual_product})
def share_of(semiring: Any, received: Any, probability: Any) -> Any:
    """What an edge receives of the occurrences of its head."""
