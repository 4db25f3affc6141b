"""Tests of `weft.learners.spectral.tuning`."""

import weft
from spectral_words import LABELS, WORDS, fitted
from weft.learners.spectral import learner as learner_module


def test_the_probe_finds_a_step_that_lowers_the_objective():
    tagger = fitted(tau=0.1, max_iter=10)
    fixed = [fitted(tau=0.1, step=step, max_iter=10).history_[-1]["objective"] for step in (0.001, 100.0)]
    assert tagger.history_[-1]["objective"] < min(fixed)


def test_tau_is_chosen_on_held_out_words(monkeypatch):
    monkeypatch.setattr(learner_module, "TAU_PATH", {"nuclear": (50.0, 0.1)})
    tagger = weft.Tagger(weft.Spectral(max_iter=15), random_state=0).fit(WORDS * 3, LABELS * 3)
    assert [entry["tau"] for entry in tagger.learner_.tau_path_] == [50.0, 0.1]
    assert tagger.learner_.tau_ == 0.1
    assert fitted(regularizer=None, max_iter=2).learner_.tau_ == 0.0
    few = weft.Tagger(weft.Spectral(max_iter=2)).fit(["ab"], [["x", "y"]])
    assert few.learner_.tau_ == 1.0
