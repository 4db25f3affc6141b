"""Compiled passes are those that learners take one by one through the contract."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from chain_oracle import labellings, random_problem
from weft.errors import InputError
from weft.learners import perceptron, structured_svm
from weft.structures.chain import online
from weft.structures.chain.batch import ChainBatch
from weft.structures.online import PerceptronState

LENGTHS = [3, 1, 4, 2, 3]


@st.composite
def batches(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    problem = random_problem(
        rng,
        draw(st.integers(1, 4)),
        draw(st.integers(1, 2)),
        LENGTHS,
        boundary=draw(st.booleans()),
        forbid=draw(st.booleans()),
        weighted=draw(st.booleans()),
        observed=draw(st.booleans()),
    )
    outputs = [labellings(problem, i)[0] for i in range(len(LENGTHS))]
    assume(all(outputs))
    labels = [np.array(every[rng.integers(len(every))], dtype=np.int32) for every in outputs]
    sample_weight = rng.choice([0.0, 0.5, 1.0, 3.0], size=len(LENGTHS)) if draw(st.booleans()) else None
    return ChainBatch(problem.features, problem.corpus, np.concatenate(labels), sample_weight, n_jobs=1)


@given(batches(), st.integers(0, 100))
@settings(max_examples=60)
def test_perceptron_passes_equal_those_step_by_step(batch, seed):
    state = PerceptronState(np.zeros(batch.n_features), np.zeros(batch.n_features), 3.0)
    compiled = batch.perceptron_passes(state, np.random.default_rng(seed))
    slow = perceptron.perceptron_passes(batch, state, np.random.default_rng(seed))
    for _ in range(3):
        (found, n_wrong), (expected, n_expected) = next(compiled), next(slow)
        assert (n_wrong, found.clock) == (n_expected, expected.clock)
        np.testing.assert_allclose(found.weights, expected.weights, atol=1e-9)
        np.testing.assert_allclose(found.totals, expected.totals, atol=1e-9)


@given(batches(), st.integers(0, 100))
@settings(max_examples=20)
def test_a_lent_state_is_worked_in_and_another_is_left_alone(batch, seed):
    given_states = [PerceptronState(*np.zeros((2, batch.n_features)), 3.0, is_lent=lent) for lent in (True, False)]
    (lent, _), (copied, _) = (next(batch.perceptron_passes(s, np.random.default_rng(seed))) for s in given_states)
    assert lent.weights is given_states[0].weights
    assert not given_states[1].weights.any()
    assert not given_states[1].totals.any()
    np.testing.assert_array_equal(lent.weights, copied.weights)
    np.testing.assert_array_equal(lent.totals, copied.totals)


@given(batches(), st.integers(0, 100), st.sampled_from([0.1, 1.0, 10.0]))
@settings(max_examples=60)
def test_frank_wolfe_passes_equal_those_step_by_step(batch, seed, strength):
    compiled = batch.frank_wolfe_passes(strength, np.random.default_rng(seed))
    slow = structured_svm.frank_wolfe_passes(batch, strength, np.random.default_rng(seed))
    for _ in range(4):
        found, expected = next(compiled), next(slow)
        np.testing.assert_allclose(found.weights, expected.weights, atol=1e-9)
        assert found.dual == pytest.approx(expected.dual, rel=1e-9, abs=1e-9)
        assert found.gap == pytest.approx(expected.gap, rel=1e-9, abs=1e-9)


def test_beliefs_must_fit(monkeypatch):
    problem = random_problem(np.random.default_rng(0), 2, 1, [2])
    batch = ChainBatch(problem.features, problem.corpus, np.zeros(2, dtype=np.int32))
    monkeypatch.setattr(online, "MAX_BELIEFS", 3)
    with pytest.raises(InputError, match=r"would keep 1 x 4 n-gram counts; lower the order or use another learner"):
        next(batch.frank_wolfe_passes(1.0, np.random.default_rng(0)))
