import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from weft import InputError, NGramKernel, PolynomialKernel, RBFKernel
from weft.kernel_methods.ridge.kernel_columns import KernelColumns
from weft.kernel_methods.ridge.low_rank import LowRankPath, fit_low_rank, incomplete_cholesky, woodbury
from weft.kernel_methods.ridge.path import solve_ridge

GOLDEN_R2 = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 1.0], [0.0, 1.0, 2.0]])
POINTS = arrays(np.float64, st.tuples(st.integers(2, 9), st.just(2)), elements=st.floats(-2, 2, width=16))


def objective(gram, indices, coefficients, targets, alpha):
    """Squared error on all examples plus alpha times the squared norm of the function."""
    predicted = gram[:, indices] @ coefficients
    norm = np.sum(coefficients * (gram[np.ix_(indices, indices)] @ coefficients))
    return float(np.sum((predicted - targets) ** 2) + alpha * norm)


def test_golden_r2():
    path = LowRankPath.greedy(GOLDEN_R2, [1.0, 0.0, 2.0], 0.0, 2)
    assert path.indices.tolist() == [2, 0]
    np.testing.assert_allclose(path.coefficients(1), [0.8], rtol=1e-12)
    residual = np.array([1.0, 0.0, 2.0]) - GOLDEN_R2[:, 2] * 0.8
    np.testing.assert_allclose(residual**2, [1.0, 0.64, 0.16], rtol=1e-12)
    np.testing.assert_allclose(path.coefficients(2), [0.75, 0.25], rtol=1e-12)


def test_golden_r3():
    found = incomplete_cholesky(np.array([[4.0, 2.0, 2.0], [2.0, 2.0, 1.0], [2.0, 1.0, 3.0]]))
    assert found.pivots.tolist() == [0, 2, 1]
    np.testing.assert_allclose(found.factor.T, [[2, 1, 1], [0, 0, np.sqrt(2)], [0, 1, 0]], atol=1e-15)
    assert found.residual == pytest.approx(0.0, abs=1e-15)


def test_the_printed_greedy_step_is_no_optimum():
    """RG section 1.5.2 prints K_S^-1 K_S* Y; ours has a smaller squared error."""
    random = np.random.default_rng(0)
    X, Y = random.normal(size=(30, 3)), random.normal(size=(30, 2))
    gram = PolynomialKernel(2).gram(X)
    indices, ours = fit_low_rank(gram, Y, 0.0, "greedy", 5)
    printed = np.linalg.solve(gram[np.ix_(indices, indices)], gram[indices] @ Y)
    assert objective(gram, indices, ours, Y, 0.0) < 0.5 * objective(gram, indices, printed, Y, 0.0)


@given(X=POINTS, alpha=st.sampled_from([0.01, 1.0]), seed=st.integers(0, 5))
@settings(max_examples=30)
def test_each_greedy_step_takes_the_largest_residual_and_solves_the_normal_equations(X, alpha, seed):
    gram = RBFKernel(0.5).gram(X)
    Y = np.random.default_rng(seed).normal(size=(len(X), 2))
    path = LowRankPath.greedy(gram, Y, alpha, len(X))
    residual = Y
    for n in range(1, len(path.indices) + 1):
        S = path.indices[:n]
        squares = np.sum(residual**2, axis=1)
        earlier = S[: n - 1]
        skipped = [i for i in np.argsort(-squares) if i not in earlier and squares[i] > squares[S[-1]] + 1e-7]
        for i in skipped:  # only a combination of earlier basis functions may be passed over
            inner = gram[np.ix_(earlier, earlier)]
            assert gram[i, i] - gram[i, earlier] @ np.linalg.lstsq(inner, gram[earlier, i])[0] < 1e-6
        coefficients = path.coefficients(n)
        gradient = gram[S] @ (gram[:, S] @ coefficients - Y) + alpha * gram[np.ix_(S, S)] @ coefficients
        np.testing.assert_allclose(gradient, 0.0, atol=1e-6)
        residual = Y - gram[:, S] @ coefficients


@pytest.mark.parametrize("approximation", ["greedy", "cholesky", "nystroem", "random"])
def test_with_all_basis_functions_every_way_is_exact(approximation):
    random = np.random.default_rng(1)
    X, Y = random.normal(size=(20, 3)), random.normal(size=(20, 2))
    gram = RBFKernel(0.5).gram(X)
    indices, coefficients = fit_low_rank(gram, Y, 0.1, approximation, 20, random_state=0)
    assert sorted(indices) == list(range(20))
    np.testing.assert_allclose(gram[:, indices] @ coefficients, gram @ solve_ridge(gram, Y, 0.1), atol=1e-9)


@pytest.mark.parametrize("approximation", ["greedy", "cholesky", "nystroem"])
def test_refitted_coefficients_minimise_over_all_examples(approximation):
    random = np.random.default_rng(2)
    X, y = random.normal(size=(40, 3)), random.normal(size=40)
    gram = RBFKernel(0.5).gram(X)
    S, c = fit_low_rank(gram, y, 0.3, approximation, 8, random_state=0)
    wanted = np.linalg.solve(gram[S] @ gram[:, S] + 0.3 * gram[np.ix_(S, S)], gram[S] @ y)
    np.testing.assert_allclose(c, wanted, rtol=1e-6)


def test_random_subsets_train_on_themselves():
    random = np.random.default_rng(3)
    X, y = random.normal(size=(40, 3)), random.normal(size=40)
    gram = RBFKernel(0.5).gram(X)
    S, c = fit_low_rank(gram, y, 0.3, "random", 8, random_state=0)
    np.testing.assert_allclose(c, np.linalg.solve(gram[np.ix_(S, S)] + 0.3 * np.eye(8), y[S]), rtol=1e-9)
    assert S.tolist() == fit_low_rank(gram, y, 0.3, "random", 8, random_state=0)[0].tolist()


@given(X=POINTS)
@settings(max_examples=30)
def test_incomplete_factors_approach_the_matrix(X):
    gram = PolynomialKernel(2).gram(X)
    traces = []
    for n in range(1, len(X) + 1):
        found = incomplete_cholesky(gram, n)
        rest = gram - found.factor @ found.factor.T
        traces.append(found.residual)
        assert np.trace(rest) == pytest.approx(found.residual, abs=1e-9 * max(1.0, np.trace(gram)))
        corner = found.factor[found.pivots]
        np.testing.assert_array_equal(corner, np.tril(corner))
        np.testing.assert_allclose(rest[found.pivots], 0.0, atol=1e-6 * max(1.0, np.trace(gram)))
    assert (np.diff(traces) <= 1e-9).all()
    # Polynomials of degree 2 in two variables have 6 terms.
    assert len(incomplete_cholesky(gram).pivots) <= 6


def test_woodbury_equals_the_large_system():
    random = np.random.default_rng(4)
    L, Y = random.normal(size=(30, 4)), random.normal(size=(30, 2))
    np.testing.assert_allclose(woodbury(L, Y, 0.2), np.linalg.solve(L @ L.T + 0.2 * np.eye(30), Y), atol=1e-9)


@pytest.mark.parametrize("kernel", [NGramKernel(2), RBFKernel(1.0)], ids=str)
def test_columns_on_demand_equal_the_matrix(kernel):
    X = ["abab", "bb", "a", "abc"] if isinstance(kernel, NGramKernel) else np.arange(8.0).reshape(4, 2)
    columns, gram = KernelColumns(kernel, X), kernel.gram(X)
    np.testing.assert_allclose(columns.take([2, 0]), gram[:, [2, 0]], rtol=1e-12)
    np.testing.assert_allclose(columns.diagonal(), np.diag(gram), rtol=1e-12)
    y = np.arange(4.0)
    np.testing.assert_allclose(fit_low_rank(columns, y, 0.1)[1], fit_low_rank(gram, y, 0.1)[1], rtol=1e-9)


def test_repeated_examples_are_taken_once():
    X = np.repeat(np.arange(3.0)[:, None], 4, axis=0)
    gram, y = RBFKernel(1.0).gram(X), np.arange(12.0)
    for approximation in ("greedy", "cholesky"):
        indices, coefficients = fit_low_rank(gram, y, 0.1, approximation, 12)
        assert sorted(X[indices, 0]) == [0.0, 1.0, 2.0]
        np.testing.assert_allclose(gram[:, indices] @ coefficients, gram @ solve_ridge(gram, y, 0.1), atol=1e-8)
    indices, coefficients = fit_low_rank(gram, y, 0.1, "nystroem", 12)
    np.testing.assert_allclose(gram[:, indices] @ coefficients, gram @ solve_ridge(gram, y, 0.1), atol=1e-8)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fit_low_rank(np.eye(2), np.ones(2), 1.0, "magic"), "approximation='magic' given"),
        (lambda: fit_low_rank(np.eye(2), np.ones(2), 1.0, "greedy", 0), "n_basis=0 given"),
        (lambda: fit_low_rank(np.eye(2), np.ones(3)), "one target per example"),
        (lambda: fit_low_rank(np.ones((2, 3)), np.ones(2)), "square kernel matrix"),
        (lambda: fit_low_rank(np.eye(2), [1.0, np.nan]), "not finite"),
        (lambda: woodbury(np.ones((2, 1)), np.ones(2), 0.0), "alpha=0 given"),
        (lambda: incomplete_cholesky(np.array([[1.0, 2.0], [2.0, 1.0]])), "a pivot came out as -3"),
    ],
)
def test_bad_selections_are_refused_in_one_line(call, message):
    with pytest.raises(InputError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)
