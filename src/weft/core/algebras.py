"""Sums and products of single values, for passes that visit spans without a graph.

The passes of a graph add the values of all edges of a node at once (`weft.core.semirings`). Passes over spans have the
edges of a node in several loops, so they need the sum of two values, and may use weights instead of logarithms.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba.extending import overload

from weft.core.semirings import Log, MaxPlus

__all__ = ["Real", "is_zero", "plus", "share", "times", "zero"]


class Real(NamedTuple):
    """Weights themselves, real or complex: no logarithm in the inner loop, but they may overflow.

    Examples
    --------
    >>> plus(Real(), 2.0, times(Real(), 3.0, 4.0))
    14.0
    """


def zero(algebra: Any) -> float:
    """Value of the empty set.

    Examples
    --------
    >>> zero(Real()), zero(MaxPlus())
    (0.0, -inf)
    """
    return 0.0 if isinstance(algebra, Real) else -np.inf


def plus(algebra: Any, a: Any, b: Any) -> Any:
    """Value of the disjoint union of two sets."""
    return _PLUS[type(algebra)](algebra, a, b)


def times(algebra: Any, a: Any, b: Any) -> Any:
    """Value of the pairs of one member from each of two sets."""
    return _TIMES[type(algebra)](algebra, a, b)


def is_zero(algebra: Any, a: Any) -> Any:
    """Whether the set is empty."""
    return _IS_ZERO[type(algebra)](algebra, a)


def share(algebra: Any, part: Any, whole: Any) -> Any:
    """Weight of one set as a share of another."""
    return _SHARE[type(algebra)](algebra, part, whole)


def _real_plus(algebra: Any, a: Any, b: Any) -> Any:
    return a + b


def _max_plus(algebra: Any, a: Any, b: Any) -> Any:
    return a if a >= b else b


def _log_plus(algebra: Any, a: Any, b: Any) -> Any:
    if a.real < b.real:
        a, b = b, a
    if b.real == -np.inf:
        return a
    return a + np.log(1.0 + np.exp(b - a))


def _product(algebra: Any, a: Any, b: Any) -> Any:
    return a * b


def _sum(algebra: Any, a: Any, b: Any) -> Any:
    return a + b


def _real_is_zero(algebra: Any, a: Any) -> Any:
    return a == 0.0


def _log_is_zero(algebra: Any, a: Any) -> Any:
    return a.real == -np.inf


def _real_share(algebra: Any, part: Any, whole: Any) -> Any:
    return part / whole


def _log_share(algebra: Any, part: Any, whole: Any) -> Any:
    return np.exp(part - whole)


_PLUS: dict[type, Callable[..., Any]] = {Real: _real_plus, MaxPlus: _max_plus, Log: _log_plus}
_TIMES: dict[type, Callable[..., Any]] = {Real: _product, MaxPlus: _sum, Log: _sum}
_IS_ZERO: dict[type, Callable[..., Any]] = {Real: _real_is_zero, MaxPlus: _log_is_zero, Log: _log_is_zero}
_SHARE: dict[type, Callable[..., Any]] = {Real: _real_share, Log: _log_share}


def _type_plus(algebra: Any, a: Any, b: Any) -> Any:
    return _PLUS.get(algebra.instance_class)


def _type_times(algebra: Any, a: Any, b: Any) -> Any:
    return _TIMES.get(algebra.instance_class)


def _type_is_zero(algebra: Any, a: Any) -> Any:
    return _IS_ZERO.get(algebra.instance_class)


def _type_share(algebra: Any, part: Any, whole: Any) -> Any:
    return _SHARE.get(algebra.instance_class)


overload(plus)(_type_plus)
overload(times)(_type_times)
overload(is_zero)(_type_is_zero)
overload(share)(_type_share)
