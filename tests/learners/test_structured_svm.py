"""The structural SVM against the optimum of its dual, listed by brute force."""

import numpy as np
import pytest
from scipy.optimize import minimize

from chain_oracle import labellings, random_problem
from weft import Tagger
from weft.learners.structured_svm import StructuredSVM
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
    passes = batch.frank_wolfe(C, rng)
    for _ in range(3000):
        weights, dual, gap = next(passes)
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
