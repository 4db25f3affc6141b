"""Tests of `weft.experiments.moments.constraints_needed`."""

import numpy as np
import pytest

from weft import Tagger, ZScore
from weft.experiments.moments import constraints_needed
from weft.experiments.registry import run_experiment


@pytest.mark.parametrize("kind", ["perceptron", "SVM"])
def test_counting_stops_when_the_labels_come_back(kind):
    X, y = constraints_needed._pair(np.random.RandomState(3))
    tagger = Tagger(constraints_needed.Counting(kind), n_jobs=1).fit(X, y)
    assert 0 < tagger.learner_.n_constraints_ < constraints_needed.MOST
    assert tagger.predict(X) == y


def test_ties_do_not_count_as_reconstructed(monkeypatch):
    assert run_experiment("hmm-constraints", quick=True).facts["solved"]["constrained Z"] == 5
    without = ZScore(1e-6, margin_constraints=True, slack=np.inf, margin=0.0)
    monkeypatch.setitem(constraints_needed.LEARNERS, "constrained Z", without)
    report = run_experiment("hmm-constraints", quick=True)
    pairs = [constraints_needed._pair(np.random.RandomState([0, i])) for i in range(5)]
    back = sum(Tagger(without, n_jobs=1).fit(X, y).predict(X) == y for X, y in pairs)
    assert report.facts["solved"]["constrained Z"] == back < 5


def test_constrained_z_score_needs_the_fewest_constraints(tmp_path):
    report = run_experiment("hmm-constraints", quick=True)
    means = {m.method: m.mean for m in report.measurements}
    assert means["constrained Z"] < means["SVM"] < means["perceptron"]
    _, plot = report.write(tmp_path)
    assert plot.read_bytes().startswith(b"\x89PNG")
