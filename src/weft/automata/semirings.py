"""What adding and multiplying weights means: real numbers with a sign, log costs, tropical costs."""

from __future__ import annotations

import math

import numpy as np

from weft.arrays import Floats
from weft.core.jit import jit
from weft.errors import InputError

# Compiled loops get the semiring as one of these numbers, so each is compiled once for all three.
REAL, LOG, TROPICAL = 0, 1, 2
SEMIRINGS = {"real": REAL, "log": LOG, "tropical": TROPICAL}

# A sum that is smaller than this, relative to the largest of its terms, is what rounding leaves of 0.
TOLERANCE = 1e-11


def semiring_code(name: object) -> int:
    """Number of a semiring.

    Examples
    --------
    >>> semiring_code("log")
    1
    """
    code = SEMIRINGS.get(name) if isinstance(name, str) else None
    if code is None:
        raise InputError(f"semiring={name!r} given; need 'real', 'log' or 'tropical': choose one of them")
    return code


def zero_of(semiring: str) -> float:
    """Weight of what is not accepted.

    Examples
    --------
    >>> zero_of("real"), zero_of("log"), zero_of("tropical")
    (0.0, inf, inf)
    """
    return 0.0 if semiring_code(semiring) == REAL else math.inf


def one_of(semiring: str) -> float:
    """Weight that changes nothing when multiplied.

    Examples
    --------
    >>> one_of("real"), one_of("log"), one_of("tropical")
    (1.0, 0.0, 0.0)
    """
    return 1.0 if semiring_code(semiring) == REAL else 0.0


def check_weights(weights: Floats, semiring: str, what: str) -> None:
    """Refuse NaN, and infinities that the semiring does not hold."""
    if semiring == "real":
        good, wanted = np.isfinite(weights), "a finite number"
    else:
        good, wanted = weights > -np.inf, "a number above -inf (costs: smaller is better, inf is never)"
    if not good.all():
        index = int(np.argmin(good))
        raise InputError(
            f"{what} {index} has weight {float(weights[index])}; semiring {semiring!r} needs {wanted}: "
            "correct the weight or choose another semiring"
        )


@jit
def plus(semiring: int, left: float, right: float) -> float:
    """Sum of two weights.

    Examples
    --------
    >>> plus(REAL, 2.0, -0.5), plus(TROPICAL, 2.0, 3.0), round(plus(LOG, 0.0, 0.0), 6)
    (1.5, 2.0, -0.693147)
    """
    if semiring == REAL:
        return left + right
    if left > right:
        left, right = right, left
    if semiring == TROPICAL or right == np.inf:
        return left
    return left - math.log1p(math.exp(left - right))


@jit
def times(semiring: int, left: float, right: float) -> float:
    """Product of two weights.

    Examples
    --------
    >>> times(REAL, 2.0, -0.5), times(TROPICAL, 2.0, 3.0)
    (-1.0, 5.0)
    """
    if semiring == REAL:
        return left * right
    return left + right


@jit
def cancels(semiring: int, total: float, size: float) -> bool:
    """Whether a sum of terms up to `size` is 0 but for rounding; costs never cancel.

    Examples
    --------
    >>> cancels(REAL, 0.1 + 0.2 - 0.3, 0.3), cancels(REAL, 0.1, 0.3), cancels(LOG, 0.0, 5.0)
    (True, False, False)
    """
    return semiring == REAL and abs(total) <= TOLERANCE * size
