"""Tests of `weft.experiments.constraints_needed`."""

import numpy as np
import pytest

from weft import Tagger
from weft.experiments import constraints_needed
from weft.experiments.registry import run_experiment


@pytest.mark.parametrize("kind", ["perceptron", "SVM"])
def test_counting_stops_when_the_labels_come_back(kind):
    X, y = constraints_needed._pair(np.random.RandomState(3))
    tagger = Tagger(constraints_needed.Counting(kind), n_jobs=1).fit(X, y)
    assert 0 < tagger.learner_.n_constraints_ < constraints_needed.MOST
    assert tagger.predict(X) == y


def test_constrained_z_score_needs_the_fewest_constraints(tmp_path):
    report = run_experiment("hmm-constraints", quick=True)
    means = {m.method: m.mean for m in report.measurements}
    assert means["constrained Z"] < means["SVM"] < means["perceptron"]
    _, plot = report.write(tmp_path)
    assert plot.read_bytes().startswith(b"\x89PNG")
