"""The named-entity experiment: folds without leaks, and a small run on the real data."""

import numpy as np
import pytest

from weft import SODA, LossRegression
from weft.experiments.moments import ner
from weft.experiments.registry import run_experiment


def test_folds_predict_only_sentences_that_were_not_learned():
    # Each sentence has a word of its own: a model that had seen it would get its label right.
    rng = np.random.default_rng(0)
    X = [[f"w{i}"] for i in range(60)]
    y = [[str(z)] for z in rng.integers(2, size=60)]
    assert ner.cross_validate([LossRegression()], X, y, width=0) > 25
    assert ner.cross_validate([SODA(0.01), SODA(0.1)], [["a"], ["b"]] * 20, [["x"], ["y"]] * 20, width=0) == 0.0


@pytest.mark.slow
@pytest.mark.needs_data("conll2002_es")
def test_quick_run():
    report = run_experiment("ner", quick=True)
    assert report.settings == ["60 S1", "60 S2"]
    assert set(report.methods) == {"usual label", *ner.METHODS, *ner.TIMED}
    assert all(0 < m.mean < 40 for m in report.measurements if not m.quantity)
    seconds = {(m.setting, m.method) for m in report.measurements if m.quantity == "seconds of processor to fit"}
    assert seconds == {(setting, method) for setting in report.settings for method in ner.TIMED}


@pytest.mark.slow
@pytest.mark.needs_data("conll2002_es")
def test_loss_regression_reaches_the_published_moment_learner():
    data = ner.load_conll2002_es("train")
    errors = []
    for replicate in range(3):
        subset = np.random.default_rng([0, 300, replicate]).permutation(len(data.tokens))[:300]
        X, y = ner._take(data.tokens, data.labels, subset)
        errors.append(ner.cross_validate(ner.METHODS["loss regression"], X, y, width=0))
    assert np.mean(errors) < 11.0  # published: SODA 10.13, Z-score 11.07
