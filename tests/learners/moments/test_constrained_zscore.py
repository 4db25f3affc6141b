"""Golden Z3 and the toy of the errata, problem (9) against a general solver, and data that cannot be separated."""

import itertools

import clarabel
import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csc_matrix
from sklearn.exceptions import ConvergenceWarning

from chain_oracle import labellings, random_problem
from weft import Tagger, ZScore, load, save
from weft.datasets.hmm import HiddenMarkovModel
from weft.errors import InputError
from weft.learners.moments.constrained_zscore import constrained_direction
from weft.learners.monitor import Monitor
from weft.structures.chain.batch import ChainBatch

Z3_X = ["22200", "11120", "10020", "00002"]
Z3_Y = ["11111", "01111", "01111", "11111"]


def fitted(**parameters):
    """References may tie, as in the paper and the errata."""
    return Tagger(ZScore(alpha=0.0, tol=1e-13, margin_constraints=True, margin=0.0, **parameters)).fit(Z3_X, Z3_Y)


def test_toy():
    C, b, a = np.diag([1.0, 4.0]), np.ones(2), np.array([[-0.5, 1.0]])
    none = np.empty((0, 2))
    free, _ = constrained_direction(np.linalg.solve(C, b), b, none, none, np.inf, np.eye(0))
    np.testing.assert_allclose(free, [0.8, 0.2])
    theta, feasible = constrained_direction(np.linalg.solve(C, b), b, a, np.linalg.solve(C, a.T).T, np.inf, np.eye(1))
    np.testing.assert_allclose(theta, [2 / 3, 1 / 3], atol=1e-7)
    assert theta @ C @ theta == pytest.approx(8 / 9)
    assert feasible


def test_golden_z3():
    before = Tagger(ZScore(alpha=0.0, tol=1e-13)).fit(Z3_X, Z3_Y)
    batch = ChainBatch(before.chain_, before.encode(Z3_X), labels_of(before))
    moments = batch.moments()
    theta = before.weights_ / (before.weights_ @ moments.difference)
    assert theta @ moments.product(theta) == pytest.approx(0.0377297645921, rel=1e-8)
    margins = batch.scores(theta, batch.reference()) - batch.argmax(theta)[1]
    np.testing.assert_allclose(margins, [0, -0.0282167043, -0.0282167043, 0], atol=1e-9)

    tagger = fitted(slack=np.inf)
    solution = tagger.learner_.constrained_
    assert tagger.learner_.n_constraints_ == 1
    assert solution.feasible
    assert solution.converged
    assert solution.objective == pytest.approx(0.0382258388588, rel=1e-8)
    margins = batch.scores(tagger.weights_, batch.reference()) - batch.argmax(tagger.weights_)[1]
    np.testing.assert_allclose(margins, 0.0, atol=1e-9)


def labels_of(tagger):
    classes = list(tagger.classes_)
    return np.array([classes.index(z) for y in Z3_Y for z in y], dtype=np.int32)


def test_slack_lies_between_the_free_and_the_constrained_solution():
    hard = fitted(slack=np.inf).learner_.constrained_.objective
    values = [fitted(slack=slack).learner_.constrained_.objective for slack in (1e-3, 1.0, 1e3)]
    assert 0.0377297645921 < values[0] < values[1] < values[2] <= hard + 1e-9


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_hard_constraints_equal_a_general_solver(seed):
    """All constraints of all outputs at once, by sequential quadratic programming."""
    rng = np.random.default_rng(seed)
    problem = random_problem(rng, 2, 1, [3, 4, 3], n_columns=2)
    truth = rng.normal(size=problem.features.n_features)  # references are best under some weights: separable
    labels = ChainBatch(problem.features, problem.corpus).argmax(truth)[0]
    batch = ChainBatch(problem.features, problem.corpus, labels)
    moments, d = batch.moments(), problem.features.n_features
    ridge = 0.05 * moments.diagonal.mean()
    C = np.array([moments.product(row) for row in np.eye(d)]) + ridge * np.eye(d)
    b = moments.difference
    learner = ZScore(alpha=0.05, tol=1e-12, max_iter=1000, margin_constraints=True, slack=np.inf, margin=0.0)
    with Monitor() as monitor:
        theta = learner.learn(batch, np.zeros(d), monitor, rng)
    rows = []
    for i, begin in enumerate(problem.corpus.offsets[:-1]):
        every, features = labellings(problem, i)
        gold = every.index(tuple(labels[begin : problem.corpus.offsets[i + 1]].tolist()))
        rows.append(features[gold] - features)
    A = np.concatenate(rows)
    assert (A @ theta).min() > -1e-6 * np.abs(A @ theta).max()
    result = minimize(
        lambda t: t @ C @ t,
        truth / (truth @ b) if truth @ b > 0 else np.zeros(d),
        jac=lambda t: 2 * C @ t,
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-14},
        constraints=[
            {"type": "ineq", "fun": lambda t: t @ b - 1, "jac": lambda t: b},
            {"type": "ineq", "fun": lambda t: A @ t, "jac": lambda t: A},
        ],
    )
    assert result.success
    assert learner.constrained_.objective == pytest.approx(result.fun, rel=1e-4)
    assert learner.n_constraints_ < len(A)


def listed_labellings(problem, labels):
    """For each sequence the features of the reference minus those of every output, and how many labels differ."""
    for i, (begin, end) in enumerate(itertools.pairwise(problem.corpus.offsets)):
        every, features = labellings(problem, i)
        gold = tuple(labels[begin:end].tolist())
        yield features[every.index(gold)] - features, np.sum(np.array(every) != gold, axis=1)


@pytest.mark.parametrize(("slack", "margin"), [(0.3, 0.0), (10.0, 0.0), (1.0, 0.2)])
@pytest.mark.parametrize("seed", [0, 1])
def test_slack_pays_for_the_worst_of_all_outputs(seed, slack, margin):
    """Weights and a slack for each sequence, constraints of all outputs, by sequential quadratic programming."""
    rng = np.random.default_rng(seed)
    problem = random_problem(rng, 2, 1, [3, 4, 3, 4, 4], n_columns=2)
    labels = rng.integers(2, size=problem.corpus.n_tokens).astype(np.int32)  # nothing separates them
    weights = np.array([1.0, 2.0, 0.5, 1.0, 0.0])
    batch = ChainBatch(problem.features, problem.corpus, labels, weights)
    moments, d = batch.moments(), problem.features.n_features
    C = np.array([moments.product(row) for row in np.eye(d)]) + 0.05 * moments.diagonal.mean() * np.eye(d)
    b = moments.difference
    learner = ZScore(
        0.05, tol=1e-12, max_iter=1000, margin_constraints=True, slack=slack, margin=margin, max_rounds=500
    )
    with Monitor() as monitor:
        theta = learner.learn(batch, np.zeros(d), monitor, rng)
    assert learner.constrained_.converged
    assert theta @ b == pytest.approx(1.0)
    listed = list(listed_labellings(problem, labels))
    asked = margin / np.sqrt(b @ np.linalg.solve(C, b) * weights.sum())

    def value(t):
        violations = [np.max(asked * losses - rows @ t) for rows, losses in listed]
        return t @ C @ t + slack * weights @ np.square(np.maximum(violations, 0.0))

    owners = np.repeat(np.eye(len(weights)), [len(losses) for _, losses in listed], axis=0)
    A = np.hstack([np.concatenate([rows for rows, _ in listed]), owners])
    h = asked * np.concatenate([losses for _, losses in listed])
    hessian = np.zeros((len(A.T), len(A.T)))
    hessian[:d, :d], hessian[d:, d:] = C, slack * np.diag(weights)
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    found = clarabel.DefaultSolver(
        csc_matrix(2 * hessian),
        np.zeros(len(hessian)),
        csc_matrix(np.vstack([np.append(b, np.zeros(len(weights))), -A])),
        np.append(1.0, -h),
        [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(len(h))],
        settings,
    ).solve()
    assert found.status == clarabel.SolverStatus.Solved
    best = np.array(found.x)
    assert value(theta) == pytest.approx(found.obj_val, rel=1e-5)
    assert learner.constrained_.objective == pytest.approx(best[:d] @ C @ best[:d], rel=1e-3)


def test_a_margin_brings_back_references_that_would_tie():
    assert fitted(slack=np.inf).learner_.constrained_.feasible  # and yet pairs 2 and 3 only tie
    tagger = Tagger(ZScore(0.0, tol=1e-13, margin_constraints=True, slack=np.inf, margin=0.01)).fit(Z3_X, Z3_Y)
    assert tagger.predict(Z3_X) == [list(y) for y in Z3_Y]
    # Margins by enumeration: at least 0.01 deviations of the free solution for each wrong label.
    deviation = np.sqrt(0.0377297645921 / 4)
    for x, y in zip(Z3_X, Z3_Y, strict=True):
        every = [list(z) for z in itertools.product("01", repeat=5)]
        scores = tagger.bind([x] * 32, every)
        scores = scores.scores(tagger.weights_, scores.reference())
        wrong = np.array([sum(a != b for a, b in zip(z, y, strict=True)) for z in every])
        assert (scores[wrong == 0] - scores >= (0.01 - 1e-5) * deviation * wrong).all()


def test_outputs_with_the_features_of_the_reference_hide_no_others():
    """xxyxy of abbbb has the features of xyxxy: under the margin it is the worst, but other outputs win."""
    X, y = ["bbbbb", "abbbb", "ababa"], ["yxyxy", "xyxxy", "xyxyx"]
    tagger = Tagger(ZScore(0.01, margin_constraints=True, slack=np.inf, margin=0.05)).fit(X, y)
    batch = tagger.bind(X, y)
    assert tagger.learner_.constrained_.feasible
    ahead = batch.argmax(tagger.weights_)[1] - batch.scores(tagger.weights_, batch.reference())
    np.testing.assert_allclose(ahead, 0.0, atol=1e-9)


def test_contradictory_data_fall_back_to_slack():
    for slack in (np.inf, 1.0):
        # Each labelling is a reference, so all must tie, and then no output lies above the mean.
        learner = (
            Tagger(ZScore(margin_constraints=True, slack=slack))
            .fit(["ab"] * 5, ["xy", "xy", "yx", "xx", "yy"])
            .learner_
        )
        assert not learner.constrained_.feasible
        assert np.isfinite(learner.constrained_.objective)


def test_constraints_help_where_the_z_score_is_off():
    hmm = HiddenMarkovModel(
        np.array([0.537, 0.429, 0.034]),
        np.array([[0.294, 0.706, 0], [0.83, 0.091, 0.079], [0.669, 0.331, 0]]),
        np.array(
            [[0.766, 0, 0.102, 0.012, 0.12], [0.001, 0.901, 0.001, 0.015, 0.082], [0.478, 0.184, 0.167, 0.171, 0]]
        ),
    )
    X, y = hmm.sample(20, 100, random_state=0)
    Xt, yt = hmm.sample(50, 100, random_state=1)
    errors = [1 - Tagger(ZScore(margin_constraints=c)).fit(X, y).score(Xt, yt) for c in (False, True)]
    assert errors[1] < errors[0] - 0.02


def test_limits_are_kept_and_heard_of():
    rng = np.random.default_rng(0)
    X = [rng.choice(list("abc"), 20).tolist() for _ in range(15)]
    y = [rng.choice(list("xyz"), 20).tolist() for _ in range(15)]
    with pytest.warns(ConvergenceWarning, match=r"^ZScore stopped after max_constraints=5, before every reference won"):
        learner = Tagger(ZScore(margin_constraints=True, max_constraints=5)).fit(X, y).learner_
    assert learner.n_constraints_ == 5
    assert not learner.constrained_.converged
    with pytest.warns(ConvergenceWarning, match=r"max_rounds=2, .*; raise max_rounds\.$"):
        tagger = Tagger(ZScore(margin_constraints=True, max_rounds=2)).fit(X, y)
    assert tagger.learner_.constrained_.n_rounds == len(tagger.history_) == 2


def test_model_file_keeps_infinite_slack(tmp_path):
    tagger = fitted(slack=np.inf)
    save(tagger, tmp_path / "model.weft")
    again = load(tmp_path / "model.weft")
    assert again.learner.slack == np.inf
    assert again.predict(Z3_X) == tagger.predict(Z3_X)


def test_bad_slack_and_margin():
    for slack in (0, -1.0, "much"):
        with pytest.raises(InputError, match="slack of ZScore is"):
            fitted(slack=slack)
    with pytest.raises(InputError, match="margin of ZScore is -1; a finite number >= 0 is needed"):
        Tagger(ZScore(margin_constraints=True, margin=-1)).fit(Z3_X, Z3_Y)
