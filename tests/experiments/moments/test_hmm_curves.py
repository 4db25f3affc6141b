"""Figures 5 to 7 of Magic Moments in small, and the report's lines and histograms."""

import json

import numpy as np
import pytest

from weft import SODA
from weft.experiments.moments import hmm_curves
from weft.experiments.moments.random_hmm import concentrated_hmm
from weft.experiments.registry import run_experiment


def test_more_sequences_lower_the_error(tmp_path):
    report = run_experiment("hmm-size", quick=True, n_replicates=3)
    assert report.quantities == ["", "milliseconds of processor to fit"]
    assert report.find("10", "SODA").mean < report.find("5", "SODA").mean
    assert all(m.mean > 0 for m in report.measurements if m.quantity)
    written = json.loads(report.write(tmp_path)[0].read_text())
    assert {m["quantity"] for m in written["measurements"]} == {"% of labels", "milliseconds of processor to fit"}


def test_sampled_moments_come_near_the_exact_ones():
    hmm = concentrated_hmm(3, 5, np.random.RandomState(1))
    train, test = hmm.sample(30, 10, 0.2, 0), hmm.sample(50, 10, 0.0, 1)
    exact, _ = hmm_curves.error_and_time(SODA(1e-8), train, test)
    sampled, _ = hmm_curves.error_and_time(SODA(1e-8, moments="sampled", n_samples=100), train, test)
    assert abs(exact - sampled) < 6


@pytest.mark.slow
@pytest.mark.needs_data("conll2000", "conll2002_es")
def test_steps_lead_towards_the_crf():
    report = run_experiment("steps", quick=True)
    for corpus in ("CoNLL-2000", "CoNLL-2002"):
        crf = report.find("0", f"{corpus}, CRF").mean
        first = report.find("0", f"{corpus}, from zero (Z-score first)").mean
        last = report.find("2", f"{corpus}, from zero (Z-score first)").mean
        assert abs(last - crf) < abs(first - crf)
