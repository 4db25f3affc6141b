"""Short and long vectors, which go different ways, against sums written out."""

import numpy as np
import pytest

from weft.core import vectors
from weft.errors import InputError

LENGTHS = [0, 1, 7, vectors.SHORT - 1, vectors.SHORT, 2 * vectors.SHORT + 3]


@pytest.fixture(params=LENGTHS)
def four(request):
    return np.random.default_rng(request.param).normal(size=(4, request.param))


def test_products(four):
    left, right, diagonal, _ = four
    diagonal = 1.0 + diagonal**2
    assert vectors.dot(left, right) == pytest.approx(float(np.sum(left * right)), rel=1e-9, abs=1e-12)
    expected = float(np.sum(left**2 / diagonal))
    assert vectors.weighted_square(left, diagonal) == pytest.approx(expected, rel=1e-12)
    total = 0.0
    for term in (left * right).tolist():
        total += term
    assert vectors.dot_in_order(left, right) == total  # to the last digit


def test_sums(four):
    target, source, diagonal, _ = four
    diagonal = 1.0 + diagonal**2
    moved, mixed = target.copy(), target.copy()
    vectors.add_scaled(moved, 0.3, source)
    np.testing.assert_allclose(moved, target + 0.3 * source, rtol=1e-12, atol=1e-12)
    vectors.scale_and_add_ratio(mixed, 0.3, source, diagonal)
    np.testing.assert_allclose(mixed, 0.3 * target + source / diagonal, rtol=1e-12, atol=1e-12)


def test_penalties(four):
    gradient, observed, weights, away = four
    changed = gradient.copy()
    score, square = vectors.penalise(changed, observed, weights, away, 0.7)
    np.testing.assert_allclose(changed, gradient + 1.4 * away - observed, rtol=1e-12, atol=1e-12)
    assert score == pytest.approx(float(np.sum(observed * weights)), rel=1e-9, abs=1e-12)
    assert square == pytest.approx(float(np.sum(away**2)), rel=1e-12)


@pytest.mark.parametrize("length", [5, 2 * vectors.SHORT])
def test_vectors_of_two_lengths_are_refused(length):
    one, other = np.zeros(length), np.zeros(length + 1)
    calls = {
        "dot": lambda: vectors.dot(one, other),
        "dot_in_order": lambda: vectors.dot_in_order(one, other),
        "add_scaled": lambda: vectors.add_scaled(one, 1.0, other),
        "weighted_square": lambda: vectors.weighted_square(one, other),
        "scale_and_add_ratio": lambda: vectors.scale_and_add_ratio(one, 1.0, one, other),
        "penalise": lambda: vectors.penalise(one, one, one, other, 1.0),
    }
    for call in calls.values():
        with pytest.raises(InputError, match="one length"):
            call()
