"""Exponentials by a polynomial, against those of the C library."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.core.jit import jit
from weft.structures.chain.loops.exponentials import LOWEST, exponentiate


@jit
def in_place(rows):
    exponentiate(rows)


@given(st.lists(st.floats(LOWEST, 0.0), min_size=1, max_size=40))
def test_reals_are_exact_to_their_last_digits(values):
    rows = np.array([values])
    in_place(rows)
    np.testing.assert_allclose(rows[0], [math.exp(value) for value in values], rtol=1e-15)


@pytest.mark.parametrize("value", [-np.inf, -1e300, np.nextafter(LOWEST, -np.inf)])
def test_what_doubles_cannot_hold_is_zero(value):
    rows = np.array([[0.0, value, -1.0, value]])
    in_place(rows)
    assert rows.tolist() == [[1.0, 0.0, math.exp(-1.0), 0.0]]


def test_steps_of_complex_numbers_are_derivatives():
    rows = np.array([[complex(-0.5, 2.0**-70), complex(-np.inf, 2.0**-70)]])
    in_place(rows)
    assert rows[0, 0] == pytest.approx(complex(math.exp(-0.5), math.exp(-0.5) * 2.0**-70), rel=1e-15)
    assert rows[0, 1] == 0.0


@pytest.mark.nojit
def test_compiled_and_plain_agree():
    rows = np.linspace(-40.0, 0.0, 50).reshape(5, 10)
    compiled = rows.copy()
    in_place(compiled)
    exponentiate(rows)
    np.testing.assert_allclose(compiled, rows, rtol=1e-15)
