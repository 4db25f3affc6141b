import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.kernel_ridge import KernelRidge as SklearnRidge
from sklearn.linear_model import Ridge

from weft import InputError
from weft.kernel_methods.ridge.path import RidgePath, ridge_weights, solve_ridge

ROWS = st.integers(1, 6).flatmap(
    lambda n: st.tuples(
        arrays(np.float64, st.tuples(st.just(n), st.integers(1, 8)), elements=st.floats(-2, 2, width=16)),
        arrays(np.float64, (n, 2), elements=st.floats(-2, 2, width=16)),
    )
)
ALPHAS = st.sampled_from([0.01, 0.5, 1.0, 30.0])


def without(i, features, targets, alpha):
    """Prediction for example i of a model that is trained on the others."""
    kept = np.arange(len(features)) != i
    return features[i] @ ridge_weights(features[kept], targets[kept], alpha)


def test_golden_r1():
    """M_X = I, M_Y = (1 2), gamma = 1: W = (.5 1)."""
    np.testing.assert_allclose(ridge_weights(np.eye(2), [1.0, 2.0], 1.0), [0.5, 1.0], rtol=1e-15)
    np.testing.assert_allclose(solve_ridge(np.eye(2), [1.0, 2.0], 1.0), [0.5, 1.0], rtol=1e-15)


def test_golden_k2():
    """K = [[2,1],[1,2]], y = (1,0): gamma 1 and, for the averaged objective, m gamma = 2."""
    K = [[2.0, 1.0], [1.0, 2.0]]
    np.testing.assert_allclose(solve_ridge(K, [1.0, 0.0], 1.0), [0.375, -0.125], rtol=1e-14)
    np.testing.assert_allclose(solve_ridge(K, [1.0, 0.0], 2.0), [4 / 15, -1 / 15], rtol=1e-14)


@given(problem=ROWS, alpha=ALPHAS)
@settings(max_examples=40)
def test_primal_dual_and_path_agree(problem, alpha):
    features, targets = problem
    weights = ridge_weights(features, targets, alpha)
    gradient = features.T @ (features @ weights - targets) + alpha * weights
    np.testing.assert_allclose(gradient, 0.0, atol=1e-9)
    dual = solve_ridge(features @ features.T, targets, alpha)
    np.testing.assert_allclose(features.T @ dual, weights, atol=1e-9)
    path = RidgePath(features @ features.T, targets)
    np.testing.assert_allclose(path.coefficients(alpha), dual, atol=1e-8)
    np.testing.assert_allclose(RidgePath.from_features(features, targets).coefficients(alpha), weights, atol=1e-8)
    sparse = scipy.sparse.csr_array(features)
    np.testing.assert_allclose(ridge_weights(sparse, targets, alpha), weights, atol=1e-9)


@given(problem=ROWS, alpha=ALPHAS)
@settings(max_examples=40)
def test_leaving_out_equals_training_without(problem, alpha):
    features, targets = problem
    wanted = np.array([without(i, features, targets, alpha) for i in range(len(features))])
    for path in (RidgePath(features @ features.T, targets), RidgePath.from_features(features, targets)):
        np.testing.assert_allclose(path.leave_one_out(alpha), wanted, atol=1e-7)
        np.testing.assert_allclose(path.errors([alpha])[0], np.sum((wanted - targets) ** 2) / len(wanted), atol=1e-6)


def test_solutions_are_those_of_scikit_learn():
    random = np.random.default_rng(0)
    X, Y = random.normal(size=(60, 5)), random.normal(size=(60, 3))
    ours = ridge_weights(X, Y, 0.3)
    np.testing.assert_allclose(ours, Ridge(alpha=0.3, fit_intercept=False).fit(X, Y).coef_.T, rtol=1e-8)
    gram = np.exp(-np.square(X[:, None] - X).sum(axis=2))
    theirs = SklearnRidge(alpha=0.3, kernel="precomputed").fit(gram, Y).dual_coef_
    before = gram.copy()
    np.testing.assert_allclose(solve_ridge(gram, Y, 0.3), theirs, rtol=1e-8)
    np.testing.assert_array_equal(gram, before)
    np.testing.assert_allclose(solve_ridge(gram.copy(), Y, 0.3, overwrite=True), theirs, rtol=1e-8)


def test_the_best_strength_has_the_smallest_error():
    random = np.random.default_rng(1)
    X = random.normal(size=(40, 30))
    y = X[:, 0] + random.normal(size=40)
    path, alphas = RidgePath.from_features(X, y), np.logspace(-3, 3, 20)
    assert path.best(alphas) == alphas[np.argmin(path.errors(alphas))]
    assert 1.0 < path.best(alphas) < 1000.0


def test_strength_zero_is_least_squares_where_it_exists():
    gram = np.array([[2.0, 1.0], [1.0, 2.0]])
    np.testing.assert_allclose(gram @ solve_ridge(gram, [1.0, 3.0], 0.0), [1.0, 3.0], rtol=1e-12)
    np.testing.assert_allclose(gram @ RidgePath(gram, [1.0, 3.0]).coefficients(0.0), [1.0, 3.0], rtol=1e-12)


def test_a_singular_kernel_wants_a_strength():
    rows = np.random.default_rng(0).normal(size=(6, 2))
    for fit in (solve_ridge, lambda gram, y, alpha: RidgePath(gram, y).coefficients(alpha)):
        with pytest.raises(InputError, match="alpha=0 with a singular kernel matrix"):
            fit(rows @ rows.T, np.ones(6), 0.0)
    with pytest.raises(InputError, match="alpha=0 with a singular matrix of features"):
        ridge_weights(np.ones((3, 2)), np.ones(3), 0.0)
    with pytest.raises(InputError, match="pass through example"):
        RidgePath.from_features(np.eye(3), np.ones(3)).leave_one_out(0.0)


def test_an_indefinite_kernel_is_reported_with_its_eigenvalue():
    gram = np.array([[0.0, 2.0], [2.0, 0.0]])
    with pytest.raises(InputError, match=r"most negative eigenvalue is -2, and alpha=1 "):
        solve_ridge(gram, [1.0, 0.0], 1.0)
    with pytest.warns(UserWarning, match="most negative eigenvalue is -2;"):
        path = RidgePath(gram, [1.0, 0.0])
    with pytest.raises(InputError, match="most negative eigenvalue is -2"):
        path.coefficients(1.0)
    np.testing.assert_allclose(path.coefficients(4.0), solve_ridge(gram, [1.0, 0.0], 4.0))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: solve_ridge(np.ones((2, 3)), np.ones(2)), "need a square kernel matrix"),
        (lambda: solve_ridge(np.eye(2), np.ones(3)), "one target per example"),
        (lambda: solve_ridge(np.eye(2), [1.0, np.nan]), "targets hold"),
        (lambda: solve_ridge([[np.inf]], [1.0]), "the matrix holds"),
        (lambda: solve_ridge(np.eye(2), np.ones(2), -1.0), "alpha=-1.0 given"),
        (lambda: solve_ridge(np.eye(2), np.ones(2), True), "alpha=True given"),
        (lambda: RidgePath(np.eye(2), np.ones(2)).best([]), "no alphas"),
        (lambda: RidgePath(np.zeros((0, 0)), np.zeros(0)).errors([1.0]), "no examples"),
    ],
)
def test_bad_problems_are_refused_in_one_line(call, message):
    with pytest.raises(InputError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_no_examples_give_no_coefficients():
    assert solve_ridge(np.zeros((0, 0)), np.zeros((0, 4))).shape == (0, 4)
    assert RidgePath(np.zeros((0, 0)), np.zeros((0, 4))).coefficients(1.0).shape == (0, 4)
