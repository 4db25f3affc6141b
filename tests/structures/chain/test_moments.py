"""Sums of moments over a corpus against enumeration, in closed form and by dynamic programmes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chain_oracle import labellings, random_problem
from weft.structures.chain.batch import ChainBatch
from weft.structures.chain.moments import ChainMoments

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


def enumerated(problem, base, references, importance):
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
        b += importance[i] * difference
        C += importance[i] * (centred.T * p) @ centred
        B += importance[i] * np.outer(difference, difference)
        c_d += importance[i] * centred.T @ (p * (distance - p @ distance))
        weighted_b += importance[i] * (p @ distance) * difference
    return b, C, B, c_d, weighted_b


@given(cases())
@settings(max_examples=60, deadline=None)
def test_moments_equal_enumeration(case):
    problem, base, rng = case
    outputs = [labellings(problem, i)[0] for i in range(len(LENGTHS))]
    if any(not every for every in outputs):
        return  # the random constraints left a sequence without output
    references = [every[rng.integers(len(every))] for every in outputs]
    labels = np.concatenate([np.array(r, dtype=np.int32) for r in references])
    importance = rng.uniform(0.5, 2.0, size=len(LENGTHS))
    batch = ChainBatch(problem.features, problem.corpus, labels, importance, n_jobs=2)
    moments = ChainMoments(batch, base)
    vector = rng.normal(size=batch.n_features)
    b, C, B, c_d, weighted_b = enumerated(problem, base, references, importance)
    np.testing.assert_allclose(moments.difference, b, atol=1e-9)
    np.testing.assert_allclose(moments.product(vector), C @ vector, atol=1e-9)
    np.testing.assert_allclose(moments.outer_product(vector), B @ vector, atol=1e-9)
    np.testing.assert_allclose(moments.loss_covariance(), c_d, atol=1e-9)
    np.testing.assert_allclose(moments.loss_weighted_difference(), weighted_b, atol=1e-9)
    if moments.is_closed:
        np.testing.assert_allclose(moments.diagonal, np.diag(C), atol=1e-9)


@pytest.mark.nojit
def test_closed_form_is_used_where_it_holds():
    rng = np.random.default_rng(0)
    plain = random_problem(rng, 3, 1, [3])
    second = random_problem(rng, 3, 2, [3])
    batch = ChainBatch(plain.features, plain.corpus, np.zeros(3, dtype=np.int32))
    vector = rng.normal(size=batch.n_features)
    closed, passed = ChainMoments(batch), ChainMoments(batch, np.zeros(batch.n_features))
    assert closed.is_closed
    assert not passed.is_closed
    assert not ChainMoments(ChainBatch(second.features, second.corpus)).is_closed
    np.testing.assert_allclose(closed.product(vector), passed.product(vector), atol=1e-12)
