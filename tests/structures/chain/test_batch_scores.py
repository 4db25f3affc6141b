"""Mean, deviation and Z-score of scores against all labellings."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chain_oracle import labellings, random_problem
from weft.structures.chain.batch import ChainBatch
from weft.structures.z_scores import z_scores


@settings(max_examples=40)
@given(
    seed=st.integers(0, 10_000),
    n_labels=st.integers(1, 3),
    order=st.integers(1, 2),
    boundary=st.booleans(),
    forbid=st.booleans(),
    weighted=st.booleans(),
)
@pytest.mark.nojit
def test_moments_equal_enumeration(seed, n_labels, order, boundary, forbid, weighted):
    rng = np.random.default_rng(seed)
    problem = random_problem(
        rng, n_labels, order, [1, 2, 4], boundary=boundary, forbid=forbid, weighted=weighted, observed=bool(seed % 2)
    )
    outputs = [labellings(problem, i) for i in range(3)]
    if not all(every for every, _ in outputs):
        return
    weights = rng.normal(size=problem.features.n_features)
    batch = ChainBatch(problem.features, problem.corpus, n_jobs=2)
    scores = [rows @ weights for _, rows in outputs]
    means, variances = batch.score_moments(weights)
    np.testing.assert_allclose(means, [s.mean() for s in scores], atol=1e-12)
    np.testing.assert_allclose(variances, [s.var() for s in scores], atol=1e-12)
    expected = [(s.max() - s.mean()) / s.std() if s.std() > 1e-9 else 0.0 for s in scores]
    np.testing.assert_allclose(z_scores(batch, weights), expected, atol=1e-6)
    chosen = [rng.integers(len(every)) for every, _ in outputs]
    labels = np.concatenate([np.array(every[c], dtype=np.int32) for (every, _), c in zip(outputs, chosen, strict=True)])
    wanted = [(s[c] - s.mean()) / s.std() if s.std() > 1e-9 else 0.0 for s, c in zip(scores, chosen, strict=True)]
    np.testing.assert_allclose(z_scores(batch, weights, labels), wanted, atol=1e-6)


def test_equal_scores_give_zero():
    problem = random_problem(np.random.default_rng(0), 3, 1, [5, 2])
    batch = ChainBatch(problem.features, problem.corpus)
    weights = np.zeros(problem.features.n_features)
    weights[problem.features.n_pairs :] = 0.1  # every output of a length has the same number of transitions
    assert z_scores(batch, weights).tolist() == [0.0, 0.0]


def test_long_sequences_neither_overflow_nor_underflow():
    rng = np.random.default_rng(0)
    closed = random_problem(rng, 2, 1, [3000])
    general = random_problem(np.random.default_rng(0), 2, 1, [3000], boundary=True)
    weights = rng.normal(size=closed.features.n_features)
    extended = np.concatenate([weights, np.zeros(4)])  # boundary weights of zero: the same scores
    exact = ChainBatch(closed.features, closed.corpus).score_moments(weights)
    passed = ChainBatch(general.features, general.corpus).score_moments(extended)
    np.testing.assert_allclose(passed, exact, rtol=1e-9)
