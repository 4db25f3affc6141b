import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize

from weft import InputError
from weft.kernel_methods.ridge import constrained as module
from weft.kernel_methods.ridge.constrained import (
    constrained_ridge,
    greedy_constrained_ridge,
    iterated_ridge,
    penalized_ridge,
    shared_ridge,
    sharing_constraints,
)
from weft.kernel_methods.ridge.low_rank import LowRankPath
from weft.kernel_methods.ridge.path import ridge_weights

NUMBERS = st.floats(-2, 2, width=16)


@st.composite
def problems(draw):
    n, d, k, c = (draw(st.integers(1, most)) for most in (5, 4, 3, 4))
    features, targets = (draw(arrays(np.float64, shape, elements=NUMBERS)) for shape in ((n, d), (n, k)))
    constraints = draw(arrays(np.float64, (c, d, k), elements=NUMBERS))
    return features, targets, constraints, draw(st.sampled_from([0.1, 1.0, 5.0]))


def largest_eigenvalue(features, constraints, alpha):
    """Of P itself (RG equation 1.34), built from its action on each unit matrix."""
    inverse = np.linalg.inv(features.T @ features + alpha * np.eye(features.shape[1]))
    flat = constraints.reshape(len(constraints), -1)
    images = np.array([(inverse @ a).ravel() for a in constraints]).reshape(flat.shape)
    return float(np.abs(np.linalg.eigvals(images.T @ flat)).max())


def test_golden_r1_with_a_constraint():
    """A = (1 -1): a = -.25, W = (.625 .875), lambda_max = 1, best step 2 / 3."""
    np.testing.assert_allclose(constrained_ridge(np.eye(2), [1.0, 2.0], [[1.0, -1.0]]), [0.625, 0.875], rtol=1e-14)
    found = iterated_ridge(np.eye(2), [1.0, 2.0], [[1.0, -1.0]])
    assert found.converged
    assert found.largest_eigenvalue == pytest.approx(1.0, abs=1e-14)
    assert found.step == pytest.approx(2 / 3, abs=1e-14)


def test_golden_r1_step_bound():
    with pytest.raises(InputError, match=r"need one between 0 and 1 = 2 / \(1 \+ largest eigenvalue\)"):
        iterated_ridge(np.eye(2), [1.0, 2.0], [[1.0, -1.0]], step=1.01)


@given(problem=problems())
@settings(max_examples=40)
def test_gradient_vanishes_at_the_closed_form(problem):
    features, targets, constraints, alpha = problem
    strengths = np.arange(len(constraints)) + 0.5
    weights = constrained_ridge(features, targets, constraints, alpha, strengths)
    violations = np.einsum("cfk,fk->c", constraints, weights)
    gradient = features.T @ (features @ weights - targets) + alpha * weights
    gradient += np.einsum("c,cfk->fk", strengths * violations, constraints)
    np.testing.assert_allclose(gradient, 0.0, atol=1e-7)


@given(problem=problems())
@settings(max_examples=30)
def test_theorem_3_the_best_step_converges_at_its_rate(problem):
    """Errors shrink by lambda / (2 + lambda) per iteration in the norm of U, and the limit is Proposition 2."""
    features, targets, constraints, alpha = problem
    exact = constrained_ridge(features, targets, constraints, alpha)
    found = iterated_ridge(features, targets, constraints, alpha, tol=1e-13, max_iterations=100_000)
    assert found.largest_eigenvalue == pytest.approx(largest_eigenvalue(features, constraints, alpha), abs=1e-7)
    np.testing.assert_allclose(found.weights, exact, atol=1e-7)
    U = features.T @ features + alpha * np.eye(features.shape[1])

    def size(weights):
        return float(np.sqrt(np.sum((weights - exact) * (U @ (weights - exact)))))

    rate = found.largest_eigenvalue / (2.0 + found.largest_eigenvalue)
    start = size(ridge_weights(features, targets, alpha).reshape(exact.shape))
    after = iterated_ridge(features, targets, constraints, alpha, tol=0.0, max_iterations=5)
    assert size(after.weights) <= start * rate**5 * (1 + 1e-6) + 1e-9


def test_theorem_3_the_bound_is_sharp(monkeypatch):
    """Just below 2 / (1 + lambda) errors shrink; just above they grow."""
    random = np.random.default_rng(3)
    features, targets, A = random.normal(size=(6, 3)), random.normal(size=(6, 2)), random.normal(size=(2, 3, 2))
    exact = constrained_ridge(features, targets, A)
    bound = 2.0 / (1.0 + largest_eigenvalue(features, A, 1.0))
    below = [iterated_ridge(features, targets, A, step=0.99 * bound, tol=0.0, max_iterations=n) for n in (50, 400)]
    assert np.abs(below[1].weights - exact).max() < 0.1 * np.abs(below[0].weights - exact).max()
    monkeypatch.setattr(module._System, "largest_eigenvalue", lambda self: 0.0)
    above = [iterated_ridge(features, targets, A, step=1.01 * bound, tol=0.0, max_iterations=n) for n in (50, 800)]
    assert np.abs(above[1].weights - exact).max() > 10 * np.abs(above[0].weights - exact).max()


def test_many_constraints_find_their_eigenvalue_without_a_matrix(monkeypatch):
    random = np.random.default_rng(0)
    features, targets, A = random.normal(size=(9, 4)), random.normal(size=(9, 3)), random.normal(size=(8, 4, 3))
    dense = iterated_ridge(features, targets, A)
    monkeypatch.setattr(module, "MOST_DENSE", 3)
    found = iterated_ridge(features, targets, A)
    assert found.largest_eigenvalue == pytest.approx(dense.largest_eigenvalue, rel=1e-9)
    np.testing.assert_allclose(found.weights, dense.weights, atol=1e-8)


@pytest.mark.parametrize("n", [3, 9], ids=["dual", "primal"])
def test_single_coefficients_equal_proposition_2(n):
    random = np.random.default_rng(n)
    features, targets = random.normal(size=(n, 5)), random.normal(size=(n, 4))
    position = np.array([0, 0, 1, 1, 2])  # of features; outputs 0, 1 belong to position 0, and 2, 3 to position 1
    eta = 3.0 * (position[:, None] != np.array([0, 0, 1, 1]))
    places = np.argwhere(eta > 0)
    A = np.zeros((len(places), 5, 4))
    A[np.arange(len(places)), places[:, 0], places[:, 1]] = 1.0
    wanted = constrained_ridge(features, targets, A, 0.2, 3.0)
    np.testing.assert_allclose(penalized_ridge(features, targets, eta, 0.2), wanted, atol=1e-12)


def test_infinite_penalties_make_positions_independent():
    random = np.random.default_rng(5)
    features, targets = random.normal(size=(6, 8)), random.normal(size=(6, 2))
    eta = np.zeros((8, 2))
    eta[:4, 1] = eta[4:, 0] = 1e12
    found = penalized_ridge(features, targets, eta, 0.5)
    np.testing.assert_allclose(found[:4, 0], ridge_weights(features[:, :4], targets[:, 0], 0.5), rtol=1e-8)
    np.testing.assert_allclose(found[4:, 1], ridge_weights(features[:, 4:], targets[:, 1], 0.5), rtol=1e-8)


def test_shared_weights_minimise_the_objective():
    random = np.random.default_rng(6)
    features, targets = random.normal(size=(7, 3)), random.normal(size=(7, 2))
    groups = np.array([[0, 1], [1, 0], [-1, 2]])
    found = shared_ridge(features, targets, groups, 0.7)

    def spread(w):
        return np.append(w, 0.0)[groups]  # -1 reads the last entry, zero

    def objective(w):
        return np.sum((features @ spread(w) - targets) ** 2) + 0.7 * np.sum(spread(w) ** 2)

    np.testing.assert_allclose(found, spread(minimize(objective, np.zeros(3), tol=1e-12).x), atol=1e-6)
    assert found[2, 0] == 0.0
    assert found[0, 0] == found[1, 1]


def test_strong_sharing_constraints_reach_shared_weights():
    random = np.random.default_rng(7)
    features, targets = random.normal(size=(7, 3)), random.normal(size=(7, 2))
    pairs = [((0, 0), (0, 1)), ((1, 0), (1, 1)), ((2, 0), (2, 1))]
    soft = constrained_ridge(features, targets, sharing_constraints(pairs, (3, 2)), 0.3, 1e9)
    hard = shared_ridge(features, targets, [[0, 0], [1, 1], [2, 2]], 0.3)
    np.testing.assert_allclose(soft, hard, atol=1e-6)


def test_no_constraints_are_plain_ridge():
    random = np.random.default_rng(8)
    features, targets = random.normal(size=(7, 3)), random.normal(size=(7, 2))
    wanted = ridge_weights(features, targets, 0.3)
    np.testing.assert_allclose(constrained_ridge(features, targets, [], 0.3), wanted, rtol=1e-9)
    np.testing.assert_allclose(iterated_ridge(features, targets, [], 0.3).weights, wanted, rtol=1e-9)
    np.testing.assert_allclose(penalized_ridge(features, targets, np.zeros((3, 2)), 0.3), wanted, rtol=1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: constrained_ridge(np.eye(2), np.ones(2), [[1.0, 1.0]], 0.0), "alpha=0 given"),
        (lambda: constrained_ridge(np.eye(2), np.ones(2), [[1.0]]), "constraint 0 has shape"),
        (lambda: constrained_ridge(np.eye(2), np.ones(2), [[1.0, 1.0]], 1.0, -1.0), "strengths hold"),
        (lambda: penalized_ridge(np.eye(2), np.ones((2, 1)), np.ones(2)), "penalties of shape"),
        (lambda: penalized_ridge(np.eye(2), np.ones((2, 1)), -np.ones((2, 1))), "penalties hold negative"),
        (lambda: shared_ridge(np.eye(2), np.ones((2, 1)), np.ones((2, 1))), "need integers, of shape"),
        (lambda: shared_ridge(np.eye(2), np.ones((2, 1)), [[-2], [-1]]), "groups hold -1"),
        (lambda: sharing_constraints([((0, 0), (5, 0))], (2, 1)), "outside of shape"),
    ],
)
def test_bad_constraints_are_refused_in_one_line(call, message):
    with pytest.raises(InputError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_greedy_selection_with_constraints_has_two_known_ends():
    """With all examples the closed form; without constraints the greedy selection of the kernel, step by step."""
    random = np.random.default_rng(4)
    X, Y = random.normal(size=(12, 5)), random.normal(size=(12, 2))
    A = [random.normal(size=(5, 2)) for _ in range(3)]
    indices, weights = greedy_constrained_ridge(X, Y, A, 0.5, 2.0, n_basis=12)
    assert len(indices) == 5
    np.testing.assert_allclose(weights, constrained_ridge(X, Y, A, 0.5, 2.0), atol=1e-9)
    path = LowRankPath.greedy(X @ X.T, Y, 0.5, 3)
    indices, weights = greedy_constrained_ridge(X, Y, A, 0.5, 0.0, n_basis=3)
    np.testing.assert_array_equal(indices, path.indices)
    np.testing.assert_allclose(X @ weights, X @ X[path.indices].T @ path.coefficients(), atol=1e-9)
    # In between: no weights in the span of the chosen examples have a smaller objective.
    indices, weights = greedy_constrained_ridge(X, Y, A, 0.5, 2.0, n_basis=3)

    def objective(W):
        violations = sum(2.0 * float((a * W).sum()) ** 2 for a in A)
        return float(((X @ W - Y) ** 2).sum() + 0.5 * (W**2).sum()) + violations

    for _ in range(20):
        assert objective(weights) <= objective(weights + 1e-3 * X[indices].T @ random.normal(size=(3, 2)))
