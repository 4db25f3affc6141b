import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from weft import InputError, RBFKernel
from weft.preimages.fixed_point import fixed_points


@given(seed=st.integers(0, 1000))
@settings(max_examples=25)
def test_results_are_never_farther_than_starts(seed):
    random = np.random.default_rng(seed)
    Y, weights = random.normal(size=(6, 2)), random.normal(size=(3, 6))
    starts = Y[:3]
    found = fixed_points(weights, Y, 0.4, starts, max_iterations=3000, tol=1e-12)
    value = np.einsum("ij,ij->i", weights, RBFKernel(0.4).gram(found, Y))
    before = np.einsum("ij,ij->i", weights, RBFKernel(0.4).gram(starts, Y))
    assert (value >= before).all()


def test_positive_weights_lead_to_a_maximum():
    random = np.random.default_rng(0)
    Y, weights = random.normal(size=(6, 2)), random.random((1, 6))
    found = fixed_points(weights, Y, 0.3, Y[:1])[0]

    def distance(y):
        return -float(weights[0] @ np.exp(-0.3 * np.sum((Y - y) ** 2, axis=1)))

    best = minimize(distance, found, tol=1e-12)
    np.testing.assert_allclose(found, best.x, atol=1e-4)


def test_a_point_that_nothing_pulls_stays():
    np.testing.assert_array_equal(fixed_points([[-1.0]], [[0.0]], 1.0, [[2.0]]), [[2.0]])
    assert fixed_points(np.zeros((0, 2)), [[0.0], [1.0]], 1.0, np.zeros((0, 1))).shape == (0, 1)


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match=r"need \(n, m\), \(m, d\) and \(n, d\)"):
        fixed_points([[1.0, 2.0]], [[0.0]], 1.0, [[0.0]])
