"""Moments of all labellings in closed form, against their list and against dynamic programmes."""

import numpy as np
import pytest

from chain_oracle import labellings, random_problem
from weft.structures.chain.batch import ChainBatch
from weft.structures.chain.uniform_moments import uniform_covariance, uniform_mean, uniform_variances

WEIGHTS = np.array([1.0, 0.5, 2.0])


@pytest.fixture(params=[False, True], ids=["symbols", "weighted"])
def case(request):
    """A batch, and for each sequence its labellings with their features and distances from the reference."""
    problem = random_problem(np.random.default_rng(2), 3, 1, [3, 1, 4], weighted=request.param)
    every = [labellings(problem, i) for i in range(3)]
    gold = [outputs[len(outputs) // 3] for outputs, _ in every]
    labels = np.concatenate([np.array(each, dtype=np.int32) for each in gold])
    batch = ChainBatch(problem.features, problem.corpus, labels, WEIGHTS, n_jobs=2)
    distances = [
        np.array([sum(x != y for x, y in zip(each, own, strict=True)) for each in outputs])
        for (outputs, _), own in zip(every, gold, strict=True)
    ]
    return batch, [rows for _, rows in every], distances


def test_they_equal_enumeration(case):
    batch, features, distances = case
    total, mean = uniform_mean(batch)
    assert total == pytest.approx(WEIGHTS @ [np.log(len(rows)) for rows in features])
    np.testing.assert_allclose(mean, sum(w * rows.mean(axis=0) for w, rows in zip(WEIGHTS, features, strict=True)))
    wanted = sum(w * rows.var(axis=0) for w, rows in zip(WEIGHTS, features, strict=True))
    np.testing.assert_allclose(uniform_variances(batch), wanted, atol=1e-12)
    direction = np.random.default_rng(3).normal(size=batch.n_features)
    product, means = uniform_covariance(batch, direction, batch.reference(), 1.5)
    values = [rows @ direction + 1.5 * own for rows, own in zip(features, distances, strict=True)]
    np.testing.assert_allclose(means, [own.mean() for own in values])
    each = [(rows - rows.mean(axis=0)).T @ own / len(own) for rows, own in zip(features, values, strict=True)]
    np.testing.assert_allclose(product, sum(w * own for w, own in zip(WEIGHTS, each, strict=True)), atol=1e-12)


def test_weights_of_zero_need_no_dynamic_programme(case, monkeypatch):
    batch = case[0]
    zero, tiny = np.zeros(batch.n_features), np.full(batch.n_features, 1e-300)
    direction = np.random.default_rng(3).normal(size=batch.n_features)
    for ask in (
        batch.log_partition_and_mean,
        lambda weights: batch.covariance_with(weights, direction),
        lambda weights: batch.covariance_with(weights, direction, loss=1.5),
        lambda weights: (batch.log_partitions(weights),),
    ):
        for closed, passed in zip(ask(zero), ask(tiny), strict=True):
            np.testing.assert_allclose(closed, passed, rtol=1e-12, atol=1e-12)
    monkeypatch.setattr("weft.structures.chain.batch.corpus_loops", None)  # no dynamic programme is run
    for ask in (batch.log_partition_and_mean, batch.log_partitions):
        ask(zero)
    with pytest.raises(AttributeError):
        batch.log_partitions(tiny)
