"""Sequential minimal optimisation against LIBSVM and against coordinate descent."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.svm import SVC

from weft.errors import InputError
from weft.kernel_methods.svm.descent import solve_svm
from weft.kernel_methods.svm.smo import KernelRows, solve_smo


@pytest.fixture
def problem():
    random = np.random.default_rng(2)
    matrix = np.round(3 * random.random((50, 12)) * (random.random((50, 12)) < 0.4))
    signs = np.where(matrix @ random.normal(size=12) + 0.5 + random.normal(size=50) > 0, 1.0, -1.0)
    return csr_array(matrix), signs


@pytest.mark.parametrize("C", [0.1, 2.0])
def test_decision_with_an_offset_is_that_of_libsvm(problem, C):
    matrix, signs = problem
    gram = (matrix @ matrix.T).toarray()
    solution = solve_smo(KernelRows.of_features(matrix), signs, C, offset=True, tol=1e-8)
    peer = SVC(kernel="precomputed", C=C, tol=1e-8).fit(gram, signs)
    assert solution.converged
    np.testing.assert_allclose(
        gram @ (solution.alpha * signs) + solution.offset, peer.decision_function(gram), atol=1e-6
    )
    assert signs @ solution.alpha == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_without_an_offset_it_finds_the_optimum_of_coordinate_descent(problem, loss):
    matrix, signs = problem
    costs = np.random.default_rng(0).integers(0, 3, 50).astype(float)
    wanted = solve_svm(matrix, signs, costs, loss=loss, tol=1e-8, max_passes=100_000)
    solution = solve_smo(KernelRows.of_features(matrix), signs, costs, loss=loss, tol=1e-7)
    assert solution.objective == pytest.approx(wanted.gap - wanted.objective, rel=1e-7)
    np.testing.assert_allclose(matrix.T @ (solution.alpha * signs), wanted.weights, atol=1e-5)
    warm = solve_smo(KernelRows.of_features(matrix), signs, costs, loss=loss, tol=1e-6, alpha=solution.alpha)
    assert warm.n_steps == 0


def test_squared_hinge_with_an_offset_meets_its_conditions(problem):
    matrix, signs = problem
    solution = solve_smo(KernelRows.of_features(matrix), signs, 0.5, loss="squared_hinge", offset=True, tol=1e-9)
    margins = signs * (matrix @ (matrix.T @ (solution.alpha * signs)) + solution.offset)
    # Of C max(0, 1 - m)^2 the optimal dual variable is 2 C max(0, 1 - m).
    np.testing.assert_allclose(solution.alpha, np.maximum(0, 1 - margins), atol=1e-6)


def test_a_small_cache_computes_rows_again_and_gives_the_same(problem):
    matrix, signs = problem
    large, small = KernelRows.of_features(matrix), KernelRows.of_features(matrix, cache_bytes=0)
    first, second = solve_smo(large, signs), solve_smo(small, signs)
    np.testing.assert_array_equal(first.alpha, second.alpha)
    assert large.n_computed <= 50 < small.n_computed


def test_examples_with_the_same_features_and_other_classes():
    rows = KernelRows.of_features(csr_array([[1.0], [1.0], [0.0]]))
    solution = solve_smo(rows, [1, -1, 1], 1.0, offset=True)
    assert solution.converged
    assert (solution.alpha <= 1.0).all()


def test_report_stops(problem, monkeypatch):
    matrix, signs = problem
    monkeypatch.setattr("weft.kernel_methods.svm.smo.STEPS_PER_REPORT", 5)
    solution = solve_smo(KernelRows.of_features(matrix), signs, tol=1e-12, report=lambda n_steps, value: n_steps >= 10)
    assert solution.n_steps == 10
    assert not solution.converged


def test_start_with_an_offset_is_refused(problem):
    matrix, signs = problem
    with pytest.raises(InputError, match="start from zero"):
        solve_smo(KernelRows.of_features(matrix), signs, offset=True, alpha=np.ones(50))
