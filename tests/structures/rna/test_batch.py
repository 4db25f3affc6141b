"""Tests of `weft.structures.rna.batch`."""

import numpy as np
import pytest

import weft
from rna_examples import as_pairs
from weft.errors import InputError
from weft.learners.monitor import Monitor
from weft.structures import LoopModel
from weft.structures.rna.batch import LoopBatch

MODEL = LoopModel()
SEQUENCES = ["gggaaaaccc", "gcgcaaaagcgc", "aggcaaaagcca"]
STRUCTURES = ["(((....)))", "((((....))))", ".(((....)))."]


@pytest.fixture
def batch():
    symbols = [MODEL.encode(x) for x in SEQUENCES]
    return LoopBatch(MODEL, symbols, [as_pairs(y) for y in STRUCTURES], n_jobs=1)


def test_the_gradient_is_the_derivative(batch):
    weights = np.random.default_rng(0).normal(scale=0.1, size=batch.n_features)
    direction = np.random.default_rng(1).normal(size=batch.n_features)
    step = 1e-5
    up, down = (batch.log_partition_and_mean(weights + sign * step * direction)[0] for sign in (1, -1))
    value, mean = batch.log_partition_and_mean(weights)
    assert (up - down) / (2 * step) == pytest.approx(mean @ direction, rel=1e-6)
    assert value >= batch.argmax(weights)[1].sum()


@pytest.mark.parametrize("learner", [weft.CRF(c2=0.1), weft.Perceptron(), weft.StructuredSVM(max_iter=5)], ids=str)
def test_learners(batch, learner):
    with Monitor(0) as monitor:
        weights = learner.learn(batch, np.zeros(batch.n_features), monitor, np.random.default_rng(0))
    for found, wanted in zip(batch.argmax(weights)[0], batch.reference(), strict=True):
        assert found.tolist() == wanted.tolist()


def test_what_else_a_batch_answers(batch):
    weights = np.zeros(batch.n_features)
    np.testing.assert_allclose(batch.observed(), batch.gathered(batch.counts().sum(axis=0)))
    samples = batch.draw(weights, 400, np.random.default_rng(0))
    marginals, _ = batch.marginals(weights)
    frequencies = np.mean([batch.marked(0, own) for own in samples[0]], axis=0)
    np.testing.assert_allclose(frequencies, marginals[0], atol=0.1)
    assert batch.sampled_moments(5, np.random.default_rng(0)).mean.shape == weights.shape
    with pytest.raises(InputError, match=r"use weft\.CRF"):
        batch.generative_weights(weights, 1.0)


def test_moments_of_a_batch_are_sums_over_sequences(batch):
    moments = batch.moments()
    each = [MODEL.moments(x) for x in SEQUENCES]
    np.testing.assert_allclose(moments.mean, sum(own.mean for own in each))
    vector = np.random.default_rng(0).normal(size=batch.n_features)
    np.testing.assert_allclose(moments.product(vector), sum(own.covariance @ vector for own in each), atol=1e-9)
    pair = MODEL.feature_names.index("pair_cg")
    assert moments.loss_covariance()[pair] < 0.0  # references are full of pairs: more of them, less loss
