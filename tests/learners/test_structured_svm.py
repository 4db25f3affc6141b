"""The structural SVM against the optimum of its dual, listed by brute force."""

import clarabel
import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csc_matrix

from chain_oracle import labellings, random_problem
from listed_outputs import LISTED
from weft import Tagger
from weft.learners.monitor import Monitor
from weft.learners.structured_svm import StructuredSVM, frank_wolfe_passes
from weft.structures.chain.batch import ChainBatch


def primal(weights, outputs, gold, C):
    total = 0.5 * weights @ weights
    for (every, rows), g in zip(outputs, gold, strict=True):
        losses = np.array([sum(a != b for a, b in zip(y, every[g], strict=True)) for y in every])
        total += C * np.max(losses + (rows - rows[g]) @ weights)
    return total


@pytest.mark.parametrize("seed", range(4))
def test_reaches_the_optimum_and_bounds_it(seed):
    rng = np.random.default_rng(seed)
    problem = random_problem(
        rng, 3, 1 + seed % 2, [2, 1, 3], weighted=True, observed=seed > 1, boundary=seed == 3, forbid=seed == 1
    )
    outputs = [labellings(problem, i) for i in range(3)]
    assert all(every for every, _ in outputs)
    gold = [int(rng.integers(len(every))) for every, _ in outputs]
    labels = np.concatenate([np.array(every[g], dtype=np.int32) for (every, _), g in zip(outputs, gold, strict=True)])
    batch = ChainBatch(problem.features, problem.corpus, labels)
    C = 0.7
    passes = batch.frank_wolfe_passes(C, rng)
    for _ in range(3000):
        weights, dual, gap, *_ = next(passes)
        if gap < 1e-9:
            break
    value = primal(weights, outputs, gold, C)
    assert dual <= value + 1e-9  # weak duality, with the primal from enumeration
    assert value == pytest.approx(dual, abs=2e-3)
    # A general solver on the same function finds nothing lower.
    other = minimize(primal, weights, args=(outputs, gold, C), method="Powell", options={"maxiter": 20})
    assert other.fun >= value - 2e-3


def test_gap_stops_the_learner():
    X, y = ["abab", "bbaa", "ba"], ["xyxy", "yyxx", "yx"]
    tagger = Tagger(StructuredSVM(C=1.0, max_iter=500, tol=0.01), random_state=0).fit(X, y)
    assert tagger.n_iter_ < 500
    assert tagger.learner_.gap_ <= 0.01 * tagger.history_[-1]["objective"]
    assert tagger.predict(X) == [list(labels) for labels in y]


def test_is_reproducible():
    X, y = ["abab", "bbaa", "ba"], ["xyxy", "yyxx", "yx"]
    first, second = (Tagger(StructuredSVM(max_iter=5), random_state=3).fit(X, y).weights_ for _ in range(2))
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", LISTED)
def test_passes_over_any_structure_equal_those_over_listed_outputs(kind, seed):
    """The dual variables of each sequence as a share of each of its outputs, not as their sums."""
    listed, C = LISTED[kind](seed), 0.7
    strengths = C * listed.batch.sample_weight
    shares = [np.eye(len(own))[right] for own, right in zip(listed.losses, listed.right, strict=True)]

    def found_weights():
        return sum(
            c * (rows[right] - own @ rows)
            for c, rows, right, own in zip(strengths, listed.features, listed.right, shares, strict=True)
        )

    passes = frank_wolfe_passes(listed.batch, C, np.random.default_rng(5))
    order = np.random.default_rng(5)
    # At first all weights are zero and outputs tie, so that ways part; where they lead is the same.
    for _ in range(40):
        weights, dual, *_ = next(passes)
        for i in order.permutation(len(shares)):
            violations = listed.losses[i] + listed.features[i] @ found_weights()
            corner = np.eye(len(violations))[np.argmax(violations)]
            away = strengths[i] * (corner - shares[i]) @ listed.features[i]
            gap = strengths[i] * (corner - shares[i]) @ violations
            if gap > 0.0:
                shares[i] = shares[i] + (min(gap / (away @ away), 1.0) if away @ away > 0.0 else 1.0) * (
                    corner - shares[i]
                )
    value = 0.5 * found_weights() @ found_weights()
    lost = strengths @ [own @ losses for own, losses in zip(shares, listed.losses, strict=True)]
    assert dual == pytest.approx(lost - value, rel=0.02)
    primal_value = 0.5 * weights @ weights + strengths @ [
        np.max(losses + (rows - rows[right]) @ weights)
        for losses, rows, right in zip(listed.losses, listed.features, listed.right, strict=True)
    ]
    assert dual <= primal_value + 1e-9
    assert primal_value - dual < 0.05 * max(primal_value, 1e-9)


def optimum_of(listed, strengths):
    """Least value over weights and a slack per sequence, with the constraints of all outputs at once."""
    d, n = listed.batch.n_features, len(strengths)
    rows = np.concatenate([own[right] - own for own, right in zip(listed.features, listed.right, strict=True)])
    slacks = np.repeat(np.eye(n), [len(own) for own in listed.losses], axis=0)
    A, h = np.hstack([rows, slacks]), np.concatenate(listed.losses)
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    found = clarabel.DefaultSolver(
        csc_matrix(np.diag([1.0] * d + [0.0] * n)),
        np.concatenate([np.zeros(d), strengths]),
        csc_matrix(-A),
        -h,
        [clarabel.NonnegativeConeT(len(h))],
        settings,
    ).solve()
    assert found.status == clarabel.SolverStatus.Solved
    return found.obj_val


@pytest.mark.parametrize("max_iter", [1, 3, 10])
@pytest.mark.parametrize("kind", LISTED)
def test_gap_bounds_the_distance_to_the_optimum(kind, max_iter):
    for seed in range(4):
        listed = LISTED[kind](seed)
        strengths = 5.0 * listed.batch.sample_weight
        learner = StructuredSVM(5.0, max_iter=max_iter)
        with Monitor(warns=False) as monitor:
            weights = learner.learn(listed.batch, None, monitor, np.random.default_rng(seed))
        hinges = [
            np.max(losses + (rows - rows[right]) @ weights)
            for losses, rows, right in zip(listed.losses, listed.features, listed.right, strict=True)
        ]
        value, best = 0.5 * weights @ weights + strengths @ hinges, optimum_of(listed, strengths)
        assert -1e-6 * best <= value - best <= learner.gap_ + 1e-6 * best
        assert value - learner.gap_ <= best * (1 + 1e-6)  # the dual value, from below
        assert monitor.history[-1]["objective"] == pytest.approx(value - learner.gap_)
