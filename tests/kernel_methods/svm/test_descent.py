"""Dual coordinate descent against the worked example, LIBLINEAR and its own duality gap."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix, random_array
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from weft.errors import InputError
from weft.kernel_methods.svm.descent import SparseRows, duality_gap, solve_svm

# Bigram counts (aa, ab, ba, bb) of ababa, abaab and abbab, classes +, +, -.
BIGRAMS = csr_matrix(np.array([[0, 2, 2, 0], [1, 2, 1, 0], [0, 2, 1, 1]], dtype=np.float64))
SIGNS = np.array([1.0, 1.0, -1.0])


def random_problem(seed, n_rows=60, n_columns=30, integral=True):
    random = np.random.default_rng(seed)
    matrix = random_array((n_rows, n_columns), density=0.2, rng=random, format="csr")
    matrix.data = np.ceil(3 * matrix.data) if integral else matrix.data
    signs = np.where(matrix @ random.normal(size=n_columns) + random.normal(size=n_rows) > 0, 1.0, -1.0)
    return matrix, signs


@pytest.mark.parametrize(
    ("C", "alpha", "dual"),
    [
        (10.0, (11 / 16, 5 / 8, 11 / 8), -43 / 32),
        (1.0, (1 / 2, 1 / 2, 1), -5 / 4),
        (0.25, (1 / 8, 1 / 4, 1 / 4), -1 / 2),
    ],
)
def test_optimum_of_the_three_strings(C, alpha, dual):
    solution = solve_svm(BIGRAMS, SIGNS, C, tol=1e-11, max_passes=10_000)
    np.testing.assert_allclose(solution.alpha, alpha, atol=1e-9)
    np.testing.assert_allclose(solution.gap - solution.objective, dual, atol=1e-9)
    assert solution.converged
    assert abs(solution.gap) < 1e-9


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("C", [0.01, 1.0])
def test_objective_is_that_of_liblinear(loss, C):
    matrix, signs = random_problem(3)
    solution = solve_svm(matrix, signs, C, loss=loss, tol=1e-6, max_passes=100_000)
    peer = LinearSVC(loss=loss, C=C, dual=True, fit_intercept=False, tol=1e-6, max_iter=100_000, random_state=0)
    weights = peer.fit(csr_matrix(matrix), signs).coef_[0]
    slack = np.maximum(0, 1 - signs * (matrix @ weights))
    theirs = 0.5 * weights @ weights + C * np.sum(slack if loss == "hinge" else slack**2)
    assert solution.objective == pytest.approx(theirs, rel=1e-6)
    np.testing.assert_allclose(solution.weights, weights, atol=1e-4)


@settings(max_examples=20)
@given(st.integers(0, 10_000), st.sampled_from(["hinge", "squared_hinge"]), st.floats(0.01, 10.0))
def test_gap_bounds_the_distance_and_the_weights_are_those_of_alpha(seed, loss, C):
    matrix, signs = random_problem(seed, n_rows=25, n_columns=12)
    solution = solve_svm(matrix, signs, C, loss=loss, tol=1e-7, max_passes=100_000)
    np.testing.assert_allclose(solution.weights, matrix.T @ (solution.alpha * signs), atol=1e-8)
    assert (solution.alpha >= 0).all()
    assert solution.gap >= -1e-9
    assert solution.gap <= 1e-4 * max(1.0, solution.objective)
    if loss == "hinge":
        assert (solution.alpha <= C).all()


def test_same_seed_same_model_and_another_seed_the_same_objective():
    matrix, signs = random_problem(5)
    first, again, other = (
        solve_svm(matrix, signs, tol=1e-6, max_passes=10_000, random=np.random.default_rng(seed)) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first.weights, again.weights)
    assert other.objective == pytest.approx(first.objective, rel=1e-5)


def test_warm_start_from_the_solution_needs_hardly_a_pass():
    matrix, signs = random_problem(7)
    cold = solve_svm(matrix, signs, tol=1e-3)
    warm = solve_svm(matrix, signs, tol=1e-3, alpha=cold.alpha)
    assert cold.n_passes > 3
    assert warm.n_passes <= 3
    np.testing.assert_allclose(warm.weights, cold.weights, atol=1e-2)


def test_base_is_kept_and_moved_as_little_as_the_new_examples_demand():
    matrix, signs = random_problem(19)
    base = solve_svm(matrix[:30], signs[:30], tol=1e-8, max_passes=10_000).weights
    solution = solve_svm(matrix[30:], signs[30:], tol=1e-8, max_passes=100_000, base=base)
    np.testing.assert_allclose(solution.weights - base, matrix[30:].T @ (solution.alpha * signs[30:]), atol=1e-9)
    assert abs(solution.gap) < 1e-6
    slack = np.maximum(0, 1 - signs[30:] * (matrix[30:] @ solution.weights))
    moved = solution.weights - base
    assert solution.objective == pytest.approx(0.5 * moved @ moved + slack.sum())


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_cost_of_an_example_is_how_often_it_counts(loss):
    matrix, signs = random_problem(11, n_rows=30)
    costs = np.random.default_rng(0).integers(0, 3, 30).astype(float)
    repeated = np.repeat(np.arange(30), costs.astype(int))
    weighted = solve_svm(matrix, signs, costs, loss=loss, tol=1e-8, max_passes=100_000)
    copies = solve_svm(matrix[repeated], signs[repeated], loss=loss, tol=1e-8, max_passes=100_000)
    np.testing.assert_allclose(weighted.weights, copies.weights, atol=1e-5)
    assert weighted.objective == pytest.approx(copies.objective, rel=1e-7)
    assert (weighted.alpha[costs == 0] == 0).all()


def test_example_without_features_goes_to_its_bound():
    matrix = csr_matrix(np.array([[1.0], [0.0]]))
    solution = solve_svm(matrix, [1, -1], 0.5, tol=1e-9)
    np.testing.assert_array_equal(solution.alpha, [0.5, 0.5])
    assert solution.objective == pytest.approx(0.125 + 0.25 + 0.5)


def test_values_that_need_64_bits_keep_them():
    matrix, signs = random_problem(13, integral=False)
    assert SparseRows.from_matrix(matrix).values.dtype == np.float64
    solution = solve_svm(matrix, signs, tol=1e-8, max_passes=100_000)
    assert abs(solution.gap) < 1e-6


def test_report_sees_the_dual_fall_and_can_stop():
    matrix, signs = random_problem(17)
    values, seen = [], []

    def report(n_passes, value, weights):
        values.append(value)
        seen.append(weights())
        return len(values) == 2

    solution = solve_svm(matrix, signs, 10.0, tol=1e-12, max_passes=1000, report=report)
    assert solution.n_passes == 20
    assert not solution.converged
    assert values[1] <= values[0] <= 0
    np.testing.assert_array_equal(seen[1], solution.weights)


@pytest.mark.parametrize(
    ("signs", "C", "message"),
    [
        ([1, -1], 1.0, "one sign per row"),
        ([1, 0, -1], 1.0, r"\+1 and -1"),
        ([1, 1, -1], np.nan, "positive costs"),
        ([1, 1, -1], [0, 0, 0], "positive costs"),
    ],
)
def test_bad_problems_are_refused(signs, C, message):
    with pytest.raises(InputError, match=message):
        solve_svm(BIGRAMS, signs, C)


def test_unknown_loss_is_refused():
    with pytest.raises(InputError, match="squared_hinge"):
        solve_svm(BIGRAMS, SIGNS, loss="log")


def test_the_gap_does_not_hang_on_the_number_of_threads_of_the_library_of_linear_algebra():
    margins, costs, alpha = np.random.default_rng(0).random((3, 30_001))
    found = []
    for n_threads in (1, 2):
        with threadpool_limits(n_threads, "blas"):
            found.append(duality_gap(margins, 1.0, alpha, costs, "squared_hinge"))
    assert found[0] == found[1]
