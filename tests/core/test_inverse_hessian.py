import numpy as np
import pytest

from weft.core import inverse_hessian
from weft.core.inverse_hessian import BLOCK, InverseHessian, pair_products
from weft.errors import InputError


def two_loops(pairs, vector):
    """The recursion as it is usually written (Nocedal 1980), over whole vectors."""
    direction, shares = vector.copy(), []
    for step, change in reversed(pairs):
        shares.append(step @ direction / (step @ change))
        direction = direction - shares[-1] * change
    step, change = pairs[-1]
    direction = direction * (step @ change) / (change @ change)
    for (step, change), share in zip(pairs, reversed(shares), strict=True):
        direction = direction + (share - change @ direction / (step @ change)) * step
    return direction


def learned(size, n_pairs, memory=4, seed=0):
    """An inverse that learned from steps along a quadratic function, and the pairs that it should have."""
    random = np.random.default_rng(seed)
    half = random.normal(size=(size, 5))
    inverse, pairs, point = InverseHessian(memory, size), [], random.normal(size=size)
    gradient = half @ (half.T @ point) + point
    for _ in range(n_pairs):
        following = point + random.normal(size=size)
        next_gradient = half @ (half.T @ following) + following
        inverse.update(point, following, gradient, next_gradient)
        pairs.append((following - point, next_gradient - gradient))
        inverse.descend(gradient)  # notes the products of the newest pair
        point, gradient = following, next_gradient
    return inverse, pairs[-memory:], random.normal(size=size)


@pytest.mark.parametrize("n_pairs", [1, 3, 4, 11])
@pytest.mark.parametrize("size", [6, BLOCK, 2 * BLOCK + 7])
def test_products_are_those_of_two_loops(n_pairs, size):
    inverse, pairs, vector = learned(size, n_pairs)
    direction, slope = inverse.descend(vector)
    np.testing.assert_allclose(direction, -two_loops(pairs, vector), rtol=1e-9, atol=1e-9)
    assert slope == pytest.approx(direction @ vector)


def test_single_precision_keeps_six_digits(monkeypatch):
    monkeypatch.setattr(inverse_hessian, "MANY_WEIGHTS", 100)
    monkeypatch.setattr(inverse_hessian, "SHORT", 100)
    inverse, pairs, vector = learned(500, 7)
    assert inverse.rows.dtype == np.float32
    expected = two_loops(pairs, vector)
    assert np.linalg.norm(inverse.descend(vector)[0] + expected) <= 1e-5 * np.linalg.norm(expected)


def test_the_newest_pair_is_met_exactly():
    inverse, pairs, _ = learned(50, 6)
    np.testing.assert_allclose(inverse.descend(pairs[-1][1])[0], -pairs[-1][0], rtol=1e-9)  # the secant equation


def test_a_step_without_curvature_teaches_nothing():
    inverse, _, vector = learned(6, 3)
    before = inverse.descend(vector)[0]
    point = np.ones(6)
    inverse.update(point, point, point, point)
    inverse.update(point, 2 * point, point, np.zeros(6))  # the gradient fell along the step: not convex
    inverse.update(point, 2 * point, point, np.full(6, np.nan))
    np.testing.assert_array_equal(inverse.descend(vector)[0], before)
    inverse.forget()
    np.testing.assert_array_equal(inverse.descend(vector)[0], -vector)


@pytest.mark.parametrize("is_asked", [False, True])
def test_a_restored_inverse_is_the_same(is_asked):
    inverse, _, vector = learned(8, 6)
    inverse.update(np.zeros(8), vector, np.zeros(8), 2 * vector)
    if is_asked:
        inverse.descend(vector)
    arrays, facts = inverse.state()
    other = InverseHessian(4, 8)
    other.restore({name: array.copy() for name, array in arrays.items()}, facts)
    np.testing.assert_array_equal(other.descend(vector)[0], inverse.descend(vector)[0])
    assert len(other) == len(inverse) == 4


def test_wrong_lengths_are_refused():
    inverse, _, _ = learned(6, 2)
    with pytest.raises(InputError, match="one number per weight"):
        inverse.descend(np.zeros(7))
    with pytest.raises(InputError, match="one length"):
        inverse.update(np.zeros(6), np.zeros(6), np.zeros(6), np.zeros(7))
    with pytest.raises(InputError, match="one length"):
        pair_products(np.zeros(6), np.zeros(6), np.zeros(6), np.zeros(7))
