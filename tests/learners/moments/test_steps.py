"""Moment steps: the first from zero is the Z-score, the last is the CRF."""

import numpy as np
import pytest
from sklearn.base import clone

import weft
from weft.errors import InputError
from weft.learners.base import Learner
from weft.learners.moments.steps import best_scale

RANDOM = np.random.default_rng(5)
X = ["".join(RANDOM.choice(list("abcd"), size=RANDOM.integers(2, 9))) for _ in range(30)]
Y = ["".join("xyzx"["abcd".index(s)] if RANDOM.random() < 0.8 else "y" for s in text) for text in X]


class Zeros(Learner):
    """Start from nothing."""

    def learn(self, batch, initial, monitor, random):
        return np.zeros(batch.n_features)


def test_one_step_from_zero_is_the_z_score():
    steps = weft.Tagger(weft.MomentSteps(1, 0.5, start=Zeros(), max_products=500, tol=1e-12)).fit(X, Y)
    # The Z-score's ridge is relative to the mean diagonal of C, the steps' is 2 c2.
    moments = {}

    class Look(Learner):
        def learn(self, batch, initial, monitor, random):
            moments["diagonal"] = batch.moments().diagonal.mean()
            return initial

    weft.Tagger(Look()).fit(X, Y)
    z_score = weft.Tagger(weft.ZScore(1.0 / moments["diagonal"], tol=1e-12)).fit(X, Y)
    np.testing.assert_allclose(steps.weights_, z_score.weights_, atol=1e-8)


def test_many_steps_reach_the_crf():
    crf = weft.Tagger(weft.CRF(c2=0.1, tol=1e-12)).fit(X, Y)
    steps = weft.Tagger(weft.MomentSteps(20, 0.1, max_products=200, tol=1e-8)).fit(X, Y)
    np.testing.assert_allclose(steps.weights_, crf.weights_, atol=1e-4)


def test_each_step_lowers_the_objective():
    start = weft.Tagger(weft.MomentSteps(0, 0.1)).fit(X, Y)
    steps = weft.Tagger(weft.MomentSteps(3, 0.1, max_products=3)).fit(X, Y)
    values = [entry["objective"] for entry in steps.history_]
    assert len(values) == 4  # the start is the first
    assert values[0] > values[1] > values[2] > values[3]
    assert not np.allclose(start.weights_, steps.weights_)


def test_scale_of_the_start_is_a_power_of_two_that_lowers_the_objective():
    tagger = weft.Tagger(weft.MomentSteps(0, 0.1)).fit(X, Y)
    assert np.log2(tagger.learner_.scale_).is_integer()
    plain = weft.Tagger(weft.LossRegression(0.1, tol=0.01, max_iter=15)).fit(X, Y)
    np.testing.assert_allclose(tagger.weights_, tagger.learner_.scale_ * plain.weights_)
    assert best_scale(lambda w: (float((w[0] - 0.1) ** 2), w), np.ones(1))[0] == 0.125


def test_held_out_data_choose_the_step():
    tagger = weft.Tagger(weft.MomentSteps(4, 0.1), validation_fraction=0.2, patience=2, random_state=0).fit(X, Y)
    assert all("score" in entry for entry in tagger.history_)


def test_is_saved_and_cloned(tmp_path):
    tagger = weft.Tagger(clone(weft.MomentSteps(1, 0.2, start=weft.SODA(0.1)))).fit(X, Y)
    weft.save(tagger, tmp_path / "steps.weft")
    again = weft.load(tmp_path / "steps.weft")
    assert again.predict(X) == tagger.predict(X)
    assert again.learner.start.alpha == 0.1


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"n_steps": -1}, "n_steps of MomentSteps is -1"),
        ({"n_steps": 1.5}, "n_steps of MomentSteps is 1.5"),
        ({"max_products": 0}, "max_products of MomentSteps is 0"),
        ({"c2": -1.0}, "c2 of MomentSteps is -1.0"),
    ],
)
def test_bad_settings_are_named(setting, message):
    with pytest.raises(InputError, match=message):
        weft.Tagger(weft.MomentSteps(**setting)).fit(X, Y)
