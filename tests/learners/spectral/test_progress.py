"""Tests of `weft.learners.spectral.progress`."""

import numpy as np
import pytest

import weft
from spectral_words import LABELS, WORDS
from weft.errors import InputError
from weft.learners.spectral import learner as learner_module


class Killed(Exception):
    pass


@pytest.mark.parametrize(
    "options", [{"batch_size": 3}, {"loss": "log", "sparse": True}, {"constrained": True}], ids=["hinge", "log", "admm"]
)
def test_a_killed_fit_goes_on_to_the_same_result(options, tmp_path, monkeypatch):
    file = tmp_path / "fit.checkpoint"
    parameters = {"tau": 0.1, "max_iter": 12, "tol": 0.0, "checkpoint_every": 4, **options}
    whole = weft.Tagger(weft.Spectral(**parameters, checkpoint=file), random_state=0)
    whole.fit(WORDS, LABELS, X_dev=WORDS[:3], y_dev=LABELS[:3])
    assert not file.exists()
    record, seen = learner_module.Monitor.record, []

    def dying(self, iteration, *rest):
        seen.append(iteration)
        if len(seen) == 7:
            raise Killed
        return record(self, iteration, *rest)

    monkeypatch.setattr(learner_module.Monitor, "record", dying)
    resumed = weft.Tagger(weft.Spectral(**parameters, checkpoint=file), random_state=0)
    with pytest.raises(Killed):
        resumed.fit(WORDS, LABELS, X_dev=WORDS[:3], y_dev=LABELS[:3])
    assert file.exists()
    with pytest.raises(InputError, match="checkpoint of a fit with other data or parameters"):
        weft.Tagger(weft.Spectral(**{**parameters, "tau": 0.2}, checkpoint=file)).fit(WORDS, LABELS)
    resumed.fit(WORDS, LABELS, X_dev=WORDS[:3], y_dev=LABELS[:3])
    assert seen[7] == 5
    np.testing.assert_array_equal(resumed.weights_, whole.weights_)
    assert [e["objective"] for e in resumed.history_] == [e["objective"] for e in whole.history_]
    assert [e["score"] for e in resumed.history_] == [e["score"] for e in whole.history_]


def test_early_stopping_survives_a_restart(tmp_path):
    tagger = weft.Tagger(weft.Spectral(tau=0.1, max_iter=60, checkpoint=tmp_path / "c", checkpoint_every=1), patience=3)
    tagger.set_params(random_state=0).fit(WORDS, LABELS, X_dev=WORDS[:4], y_dev=LABELS[:4])
    assert len(tagger.history_) < 60
