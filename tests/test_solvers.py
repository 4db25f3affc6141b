from itertools import pairwise

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.solvers import minimize_lbfgs, minimize_newton, solve_conjugate_gradient


def quadratic(seed, size, spread=2.0):
    """A random positive definite problem: matrix, right side, objective."""
    rng = np.random.default_rng(seed)
    basis, _ = np.linalg.qr(rng.normal(size=(size, size)))
    matrix = (basis * 10.0 ** rng.uniform(-spread / 2, spread / 2, size=size)) @ basis.T
    right = rng.normal(size=size)
    return matrix, right, lambda w: (float(0.5 * w @ matrix @ w - right @ w), matrix @ w - right)


def logistic(seed=0, size=6, c2=0.1):
    """L2-penalised logistic regression: value, gradient and Hessian product."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(60, size))
    signs = np.sign(rows @ rng.normal(size=size) + rng.normal(size=60))

    def objective(w):
        margins = signs * (rows @ w)
        slopes = -signs / (1 + np.exp(margins))
        return float(np.logaddexp(0, -margins).sum() + c2 * w @ w), rows.T @ slopes + 2 * c2 * w

    def product(w, vector):
        shares = 1 / (1 + np.exp(-(rows @ w)))
        return rows.T @ (shares * (1 - shares) * (rows @ vector)) + 2 * c2 * vector

    return objective, product, size


@given(st.integers(0, 2**32 - 1), st.integers(1, 8))
@settings(max_examples=40)
def test_lbfgs_solves_quadratics(seed, size):
    matrix, right, objective = quadratic(seed, size)
    result = minimize_lbfgs(objective, np.zeros(size), tol=1e-15)
    assert result.converged
    np.testing.assert_allclose(result.point, np.linalg.solve(matrix, right), rtol=1e-3, atol=1e-3)
    assert result.value == pytest.approx(objective(result.point)[0])


@given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.floats(0.01, 2.0))
@settings(max_examples=40)
def test_lbfgs_with_l1_meets_the_conditions_of_the_optimum(seed, size, l1):
    matrix, right, objective = quadratic(seed, size, spread=1.0)
    result = minimize_lbfgs(objective, np.zeros(size), l1=l1, tol=1e-15, max_iter=5000)
    gradient = matrix @ result.point - right
    zero = result.point == 0
    assert np.all(np.abs(gradient[zero]) <= l1 + 1e-4)
    np.testing.assert_allclose(gradient[~zero], -l1 * np.sign(result.point[~zero]), atol=1e-3)
    assert result.value == pytest.approx(objective(result.point)[0] + l1 * np.abs(result.point).sum())


def test_lbfgs_and_newton_equal_scipy():
    objective, product, size = logistic()
    expected = scipy.optimize.minimize(objective, np.zeros(size), jac=True, method="BFGS", options={"gtol": 1e-9}).x
    np.testing.assert_allclose(minimize_lbfgs(objective, np.zeros(size), tol=1e-14).point, expected, atol=1e-5)
    result = minimize_newton(objective, product, np.zeros(size), tol=1e-14)
    np.testing.assert_allclose(result.point, expected, atol=1e-5)
    assert result.converged
    assert result.n_iterations < 15


def test_values_never_rise_and_the_callback_sees_each():
    objective, _, size = logistic(seed=2)
    seen = []
    result = minimize_lbfgs(
        objective, np.ones(size), l1=0.3, callback=lambda i, value, w: seen.append((i, value, w.copy()))
    )
    assert [i for i, _, _ in seen] == list(range(1, result.n_iterations + 1))
    values = [value for _, value, _ in seen]
    assert values == sorted(values, reverse=True)
    np.testing.assert_array_equal(seen[-1][2], result.point)


@pytest.mark.parametrize("solver", ["lbfgs", "newton"])
def test_the_callback_can_stop(solver):
    objective, product, size = logistic()
    stop = lambda i, value, w: i == 2  # noqa: E731
    if solver == "lbfgs":
        result = minimize_lbfgs(objective, np.zeros(size), callback=stop)
    else:
        result = minimize_newton(objective, product, np.zeros(size), callback=stop)
    assert (result.n_iterations, result.converged) == (2, False)
    assert "callback" in result.message


def test_the_optimum_needs_no_iteration():
    objective, product, size = logistic()
    optimum = minimize_newton(objective, product, np.zeros(size), tol=1e-16).point
    assert minimize_newton(objective, product, optimum).n_iterations <= 1
    assert minimize_lbfgs(objective, optimum).n_iterations <= 10
    at_zero = minimize_lbfgs(lambda w: (float(w @ w), 2 * w), np.zeros(3))
    assert (at_zero.n_iterations, at_zero.message) == (0, "the gradient vanished")


def test_the_initial_point_is_not_changed():
    objective, product, size = logistic()
    initial = np.ones(size)
    minimize_lbfgs(objective, initial)
    minimize_newton(objective, product, initial)
    np.testing.assert_array_equal(initial, np.ones(size))


def test_max_iter_is_kept_and_said():
    objective, _, size = logistic()
    result = minimize_lbfgs(objective, np.zeros(size), max_iter=3, tol=0)
    assert (result.n_iterations, result.converged) == (3, False)
    assert "max_iter=3" in result.message


def test_a_step_into_infinity_is_taken_back():
    def objective(w):  # a wall at 1, a minimum at 0.8
        if w[0] >= 1:
            return np.inf, np.array([np.nan])
        return float(-np.log(1 - w[0]) - 5 * w[0]), 1 / (1 - w) - 5

    result = minimize_lbfgs(objective, np.array([-5.0]), tol=1e-12)
    assert result.point[0] == pytest.approx(0.8, abs=1e-5)
    assert result.n_evaluations > result.n_iterations + 1


@given(st.integers(0, 2**32 - 1), st.integers(1, 8))
@settings(max_examples=40)
def test_conjugate_gradients_solve(seed, size):
    matrix, right, _ = quadratic(seed, size)
    solution, n_products, *_ = solve_conjugate_gradient(lambda v: matrix @ v, right, tol=1e-12)
    np.testing.assert_allclose(matrix @ solution, right, atol=1e-7)
    assert n_products <= 4 * size
    preconditioned, *_ = solve_conjugate_gradient(lambda v: matrix @ v, right, diagonal=np.diag(matrix), tol=1e-12)
    np.testing.assert_allclose(matrix @ preconditioned, right, atol=1e-7)


def test_conjugate_gradients_give_the_shortest_solution_of_a_singular_system():
    rng = np.random.default_rng(0)
    half = rng.normal(size=(5, 2))
    matrix = half @ half.T
    right = matrix @ rng.normal(size=5)
    solution, *_ = solve_conjugate_gradient(lambda v: matrix @ v, right, tol=1e-12)
    np.testing.assert_allclose(solution, np.linalg.pinv(matrix) @ right, atol=1e-8)


def test_conjugate_gradients_that_are_stopped_tell_what_is_left():
    matrix, right, _ = quadratic(3, 8)
    found = solve_conjugate_gradient(lambda v: matrix @ v, right, tol=1e-12, max_iter=2)
    assert (found.n_products, found.converged) == (2, False)
    left = np.linalg.norm(matrix @ found.point - right) / np.linalg.norm(right)
    assert found.residual == pytest.approx(left)


def test_conjugate_gradients_of_nothing_are_nothing():
    solution, n_products, *_ = solve_conjugate_gradient(lambda v: v, np.zeros(3))
    assert (solution.tolist(), n_products) == ([0.0, 0.0, 0.0], 0)


def test_lbfgs_recovers_when_its_curvature_misleads_it():
    """From -900 the slope of exp(w) - 2 w is constant for long, then the curvature explodes."""
    result = minimize_lbfgs(
        lambda w: (float(np.exp(np.minimum(w, 700.0)).sum() - 2 * w.sum()), np.exp(np.minimum(w, 700.0)) - 2),
        np.array([-900.0]),
        tol=1e-12,
    )
    assert result.point[0] == pytest.approx(np.log(2), abs=1e-5)


def test_newton_steps_do_not_overshoot():
    # The curvature of log cosh vanishes far from its minimum, so a whole Newton step from 3 leads to about -100.
    def objective(point):
        return float(np.log(np.cosh(point)).sum()), np.tanh(point)

    values = []
    result = minimize_newton(
        objective,
        lambda point, vector: vector / np.cosh(point) ** 2,
        np.array([3.0, 2.0]),
        callback=lambda iteration, value, point: values.append(value),
    )
    assert result.converged
    np.testing.assert_allclose(result.point, 0.0, atol=1e-3)
    assert all(later < earlier for earlier, later in pairwise(values))
    assert result.n_evaluations < 60


def test_newton_steps_survive_values_that_overflow():
    def objective(point):
        if abs(point[0]) > 5.0:
            return np.inf, np.full(1, np.nan)
        return float(point[0] ** 4), 4.0 * point**3

    result = minimize_newton(objective, lambda point, vector: 1e-3 * vector, np.array([2.0]), max_iter=30)
    assert abs(result.point[0]) < 0.5
