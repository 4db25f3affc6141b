"""Tests of `weft.experiments.lattices.string_classification`."""

import numpy as np
import pytest

from weft.experiments.lattices import string_classification
from weft.experiments.registry import run_experiment


def test_micro_f1_counts_over_all_classes():
    signs, decisions = np.array([[1.0, -1.0, -1.0], [1.0, 1.0, -1.0]]), np.array([[1.0, 1.0, -1.0], [1.0, -1.0, -1.0]])
    assert string_classification.micro_f1(signs, decisions) == pytest.approx(100 * 2 * 2 / (2 * 2 + 1 + 1))
    assert string_classification.micro_f1(signs[:1], decisions[:1]) == pytest.approx(100 * 2 / 3)  # no true negatives


@pytest.mark.slow
@pytest.mark.needs_data("reuters21578", "fastsk")
def test_quick_runs_on_texts():
    report = run_experiment("lattice-kernels", quick=True)
    assert {"transitions", "times as fast", "F1 of acq in %"} <= set(report.quantities)
    report = run_experiment("string-classification", quick=True)
    assert report.find("gapped k-mers", "dna_CTCF", "area under the curve in %").mean > 94


@pytest.mark.slow
@pytest.mark.needs_data("fastsk")
def test_rows_of_the_kernel_matrix_reach_what_fastsk_prints():
    task = "scop_3.33"
    found = string_classification.auc_of_matrix_rows(task, *string_classification.FASTSK_SETTINGS[task])
    assert found == pytest.approx(string_classification.FASTSK[task], abs=0.5)
