"""The learner of an example takes the steps of its paper, on any structure."""

import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

import weft
from weft.learners.monitor import Monitor

EXAMPLES = Path(__file__).parents[1] / "examples"
PAIRS = [("GATTACA", "GACTTAGA"), ("CCGTAA", "CGTTA")]
ALIGNED = [("GA-TTACA", "GACTTAGA"), ("CCGTAA", "C-GTTA")]


@pytest.fixture(scope="module")
def names():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(EXAMPLES)
        yield runpy.run_path(str(EXAMPLES / "passive_aggressive.py"))
    sys.modules.pop("align_inversions", None)


def batches(names):
    """A batch of one example for each of three structures."""
    X, y = names["read"](names["PHRASES"])
    estimators = [weft.Tagger(), weft.Aligner("match"), weft.StructuredEstimator(names["Inversions"]())]
    data = [(["abab"], ["xyxy"]), (PAIRS[:1], ALIGNED[:1]), (X[1:2], y[1:2])]
    return [estimator.fit(*pair).bind(*pair) for estimator, pair in zip(estimators, data, strict=True)]


def learn(names, batch, **parameters):
    learner = names["PassiveAggressive"](**parameters)
    with Monitor() as monitor:
        return learner.learn(batch, np.zeros(batch.n_features), monitor, np.random.default_rng(0))


def test_one_step_makes_the_margin_the_loss_and_no_step_is_longer_than_allowed(names):
    for batch in batches(names):
        wrong, _ = batch.argmax(np.zeros(batch.n_features), loss=1.0)
        difference = (batch.features_of(batch.reference()) - batch.features_of(wrong)).toarray()[0]
        weights = learn(names, batch, C=1e9, max_iter=1)
        margin = batch.scores(weights, batch.reference()) - batch.scores(weights, wrong)
        assert margin == pytest.approx(batch.losses(wrong))
        assert learn(names, batch, C=1e-3, max_iter=1) == pytest.approx(1e-3 * difference)


def test_the_result_is_the_average_over_all_steps(names):
    batch = batches(names)[0]
    weights, seen = np.zeros(batch.n_features), []
    for _ in range(4):
        wrong, [score] = batch.argmax(weights, loss=1.0)
        difference = (batch.features_of(batch.reference()) - batch.features_of(wrong)).toarray()[0]
        [right] = batch.scores(weights, batch.reference())
        if difference.any():
            weights = weights + min(0.1, (score - right) / (difference @ difference)) * difference
        seen.append(weights)
    assert learn(names, batch, max_iter=4) == pytest.approx(np.mean(seen, axis=0))


def test_it_learns_on_several_structures(names):
    learner = names["PassiveAggressive"](max_iter=30)
    data = names["read"](names["PHRASES"])
    aligner = weft.StructuredEstimator(names["Inversions"](), learner, random_state=0).fit(*data)
    assert aligner.score(*data) == 1.0
    assert aligner.history_[-1]["objective"] == 0.0
    assert weft.Aligner("match", learner=learner, random_state=0).fit(PAIRS, ALIGNED).predict(PAIRS[:1]) == ALIGNED[:1]
    assert weft.Tagger(learner, random_state=0).fit(["abab", "bb"], ["xyxy", "yy"]).score(["ba"], ["yx"]) == 1.0
