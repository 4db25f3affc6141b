"""Sums of moments over a corpus against enumeration, in closed form and by dynamic programmes."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from chain_oracle import labellings, random_problem
from weft.structures.chain.batch import ChainBatch

LENGTHS = [1, 4, 2]


@st.composite
def cases(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    problem = random_problem(
        rng,
        draw(st.integers(1, 5)),
        draw(st.integers(1, 2)),
        LENGTHS,
        boundary=draw(st.booleans()),
        forbid=draw(st.booleans()),
        weighted=draw(st.booleans()),
        observed=draw(st.booleans()),
    )
    base = rng.normal(size=problem.features.n_features) if draw(st.booleans()) else None
    return problem, base, rng


def enumerated(problem, base, references, sample_weight):
    """b, C, B (sum of b b'), c_d and mu_d b of the corpus."""
    d = problem.features.n_features
    b, C, B, c_d, weighted_b = np.zeros(d), np.zeros((d, d)), np.zeros((d, d)), np.zeros(d), np.zeros(d)
    for i, reference in enumerate(references):
        every, rows = labellings(problem, i)
        scores = np.zeros(len(every)) if base is None else rows @ base
        p = np.exp(scores - np.logaddexp.reduce(scores))
        mu = p @ rows
        centred = rows - mu
        difference = rows[every.index(reference)] - mu
        distance = np.array([sum(x != y for x, y in zip(labels, reference, strict=True)) for labels in every])
        b += sample_weight[i] * difference
        C += sample_weight[i] * (centred.T * p) @ centred
        B += sample_weight[i] * np.outer(difference, difference)
        c_d += sample_weight[i] * centred.T @ (p * (distance - p @ distance))
        weighted_b += sample_weight[i] * (p @ distance) * difference
    return b, C, B, c_d, weighted_b


@given(cases())
@settings(max_examples=60)
def test_moments_equal_enumeration(case):
    problem, base, rng = case
    outputs = [labellings(problem, i)[0] for i in range(len(LENGTHS))]
    if any(not every for every in outputs):
        return  # the random constraints left a sequence without output
    references = [every[rng.integers(len(every))] for every in outputs]
    labels = np.concatenate([np.array(r, dtype=np.int32) for r in references])
    sample_weight = rng.uniform(0.5, 2.0, size=len(LENGTHS))
    batch = ChainBatch(problem.features, problem.corpus, labels, sample_weight, n_jobs=2)
    moments = batch.moments(base)
    vector = rng.normal(size=batch.n_features)
    b, C, B, c_d, weighted_b = enumerated(problem, base, references, sample_weight)
    np.testing.assert_allclose(moments.difference, b, atol=1e-9)
    np.testing.assert_allclose(moments.product(vector), C @ vector, atol=1e-9)
    np.testing.assert_allclose(moments.outer_product(vector), B @ vector, atol=1e-9)
    np.testing.assert_allclose(moments.second_product(vector), (B + C) @ vector, atol=1e-9)
    np.testing.assert_allclose(moments.loss_covariance(), c_d, atol=1e-9)
    np.testing.assert_allclose(moments.loss_weighted_difference(), weighted_b, atol=1e-9)
    if base is None and problem.features.has_closed_form:
        np.testing.assert_allclose(moments.diagonal, np.diag(C), atol=1e-9)


def test_without_any_feature_moments_are_empty_matrices():
    flags = {"boundary": False, "forbid": False, "weighted": False, "observed": True}
    problems = (random_problem(np.random.default_rng(seed), 1, 1, LENGTHS, **flags) for seed in range(1000))
    problem = next(each for each in problems if not each.features.n_features)
    moments = ChainBatch(problem.features, problem.corpus, np.zeros(sum(LENGTHS), dtype=np.int32)).moments()
    assert moments.covariance.shape == (0, 0)
    assert moments.diagonal.shape == moments.product(np.zeros(0)).shape == (0,)
