"""The choice among moment learners: what it says it chose is what it did."""

import numpy as np
import pytest

from weft import SODA, LossRegression, MarginRegression, MomentLearner, Tagger, ZScore, load, save
from weft.datasets import make_hmm
from weft.datasets.hmm import HiddenMarkovModel
from weft.errors import InputError

KINDS = {"z-score": ZScore, "soda": SODA, "margin": MarginRegression, "loss": LossRegression}


@pytest.fixture(scope="module")
def data():
    return make_hmm(3, 5, random_state=3).sample(20, length=30, random_state=4)


def test_refits_the_choice_on_everything(data):
    tagger = Tagger(MomentLearner(), random_state=0).fit(*data)
    chosen = tagger.learner_
    assert len(chosen.losses_) == 24
    best = min(chosen.losses_.values())
    assert chosen.losses_[chosen.kind_, chosen.alpha_] == best
    alone = Tagger(KINDS[chosen.kind_](chosen.alpha_)).fit(*data)
    np.testing.assert_allclose(tagger.weights_, alone.weights_, atol=1e-10)
    assert next(key[0] for key in chosen.losses_ if chosen.losses_[key] == best) == chosen.kind_


def test_held_out_losses_tell_learners_apart():
    # Labels that stay for long: transitions help, which loss regression cannot learn.
    sticky = HiddenMarkovModel(
        np.array([0.5, 0.5]), np.array([[0.9, 0.1], [0.1, 0.9]]), np.array([[0.7, 0.3], [0.3, 0.7]])
    )
    X, y = sticky.sample(30, length=50, random_state=0)
    learner = Tagger(MomentLearner(), random_state=0).fit(X, y).learner_
    assert learner.kind_ != "loss"
    of_loss = min(loss for (kind, _), loss in learner.losses_.items() if kind == "loss")
    assert of_loss > min(learner.losses_.values()) + 0.05 * 50  # of 50 tokens


def test_a_named_kind_and_one_alpha_need_no_held_out_part(data):
    tagger = Tagger(MomentLearner("soda", [0.1])).fit(*data)
    np.testing.assert_allclose(tagger.weights_, Tagger(SODA(0.1)).fit(*data).weights_)
    assert (tagger.learner_.kind_, tagger.learner_.alpha_, tagger.learner_.losses_) == ("soda", 0.1, {})


def test_model_file(data, tmp_path):
    tagger = Tagger(MomentLearner(alphas=(0.01, 0.1)), random_state=0).fit(*data)
    save(tagger, tmp_path / "model.weft")
    assert load(tmp_path / "model.weft").predict(data[0]) == tagger.predict(data[0])


@pytest.mark.parametrize(
    ("learner", "message"),
    [
        (MomentLearner("best"), "use 'auto' or one of z-score, soda"),
        (MomentLearner(alphas=[]), "alphas of MomentLearner is empty"),
        (MomentLearner(alphas=[-1.0]), "alphas of MomentLearner is"),
        (MomentLearner(validation_fraction=1.5), "between 0 and 1"),
    ],
)
def test_bad_parameters(learner, message, data):
    with pytest.raises(InputError, match=message):
        Tagger(learner).fit(*data)


def test_one_sequence_cannot_be_split():
    with pytest.raises(InputError, match="at least 2 sequences"):
        Tagger(MomentLearner()).fit(["ab"], ["xy"])
