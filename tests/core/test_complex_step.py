"""Derivatives by a complex step."""

import numpy as np
import pytest

from weft.core.complex_step import exponential, step_along
from weft.core.jit import jit


@jit
def compiled(value):
    return exponential(value)


@pytest.mark.nojit
@pytest.mark.parametrize("size", [0.0, 1e-300, 3.0, 1e300])
def test_a_step_is_a_power_of_two_far_below_the_direction(size):
    step = step_along(np.array([-size, size / 2]), np.empty(0))
    assert np.frexp(step)[0] == 0.5
    assert 2.0**-67 <= step * size <= 2.0**-66 or size == 0.0


@pytest.mark.nojit
@pytest.mark.parametrize("score", [-np.inf, -700.0, -1.5, 0.0, 3.0])
def test_exponential_has_value_and_derivative(score):
    step = step_along(np.array([5.0]))
    assert compiled(score) == pytest.approx(np.exp(score), rel=1e-15)
    for found in (compiled(complex(score, 5.0 * step)), exponential(np.array([complex(score, 5.0 * step)]))[0]):
        assert found.real == pytest.approx(np.exp(score), rel=1e-15)
        assert found.imag / step == pytest.approx(5.0 * np.exp(score), rel=1e-15)
