"""Tests of `weft.learners.spectral.joint`."""

import numpy as np
import pytest

from spectral_words import LABELS, WORDS, fitted
from weft.learners.spectral.joint import JointObjective
from weft.structures.hankel.batch import HankelBatch


def batch_of(tagger):
    gold = np.concatenate([np.searchsorted(tagger.classes_, labels) for labels in LABELS]).astype(np.int32)
    return HankelBatch(tagger.chain_, tagger.encode(WORDS), gold)


def test_the_log_loss_reaches_the_optimum_of_the_convex_problem():
    tagger = fitted(loss="log", tau=0.4, c2=0.3, margin=0.0, sparse=True, max_iter=300, tol=1e-12)
    batch = batch_of(tagger)
    chain, weights = tagger.chain_, tagger.weights_
    _, mean, cells = batch.partition_and_windows(weights)
    gradient = cells - batch.observed_windows()
    # Optimal: the gradient is tau times minus a subgradient of the nuclear norm.
    assert np.linalg.norm(gradient, 2) <= 0.4 * (1 + 1e-3)
    matrix = chain.matrix(weights)
    nuclear = np.linalg.svd(matrix, compute_uv=False).sum()
    assert -np.sum(gradient * matrix) == pytest.approx(0.4 * nuclear, rel=1e-3)
    sparse = weights[: chain.base.n_features]
    np.testing.assert_allclose(mean - batch.base.observed() + 0.6 * sparse, 0.0, atol=1e-3)


@pytest.mark.parametrize("regularizer", ["nuclear", "frobenius_squared", None])
def test_the_gradient_of_the_joint_objective(regularizer):
    tagger = fitted(sparse=True, loss="log", tau=1.0, max_iter=1)
    objective = JointObjective(batch_of(tagger), regularizer, 0.7, 0.2, rank=3, margin=0.5)
    random = np.random.default_rng(0)
    point = objective.start(random.normal(size=tagger.chain_.n_features), random)
    direction = random.normal(size=len(point))
    slope = (objective(point + 1e-5 * direction)[0] - objective(point - 1e-5 * direction)[0]) / 2e-5
    assert objective(point)[1] @ direction == pytest.approx(slope, rel=1e-6)
