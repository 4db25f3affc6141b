"""Derivatives by a complex step: f(x + i h) = f(x) + i h f'(x), exact to rounding because h^2 vanishes.

The covariance of what is counted with the score of a direction is the derivative of the expected counts along it, so
that the pass which computes expected counts gives covariances too when it runs over complex numbers. Whatever such a
pass decides (scales, maxima, whether numbers were lost) looks at real parts only.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.extending import overload
from numpy.typing import NDArray

EXPONENT = 66
"""Binary digits between a direction and its step: the square is far below rounding even for a sum of 2^33 of its
elements, and the step of the smallest number that scaled passes keep is still a number."""


def step_along(*directions: NDArray[np.float64]) -> float:
    """Length h of a step along a direction, by its largest element; a power of two, so that h itself does not round.

    Examples
    --------
    >>> step_along(np.array([3.0, -8.0])) == 2.0**-70
    True
    """
    size = max(float(np.abs(each).max(initial=0.0)) for each in directions)
    return math.ldexp(1.0, -EXPONENT - math.frexp(size)[1])


def exponential(value: Any) -> Any:
    """exp(value); of complex numbers whose imaginary parts are steps, to first order and without sine and cosine.

    Examples
    --------
    >>> exponential(0.0), exponential(complex(-np.inf, 1e-20))
    (np.float64(1.0), np.complex128(0j))
    """
    weight = np.exp(np.real(value))
    return weight * (1.0 + 1j * np.imag(value)) if np.iscomplexobj(value) else weight


def _of_real(value: Any) -> Any:
    return np.exp(value)


def _of_complex(value: Any) -> Any:
    weight = np.exp(value.real)
    return complex(weight, weight * value.imag)


def _type_exponential(value: Any) -> Callable[[Any], Any]:
    return _of_complex if isinstance(value, types.Complex) else _of_real


overload(exponential)(_type_exponential)
