"""Tests of `weft.experiments.regression.basis_functions`."""

import numpy as np
import pytest

from quick_runs import quick_report
from weft import RBFKernel
from weft.experiments.regression import basis_functions


def test_curves_end_at_the_error_of_all_examples():
    random = np.random.default_rng(0)
    centres = random.normal(size=(26, 8))
    labels = np.arange(120) % 26
    X = centres[labels] + 0.3 * random.normal(size=(120, 8))
    found = basis_functions.curves(
        RBFKernel(0.2), (X[:60], labels[:60]), (X[60:], labels[60:]), [10, 59], [0, 1], lambda text: None
    )
    assert {method for method, _ in found} == {
        "greedy",
        "incomplete Cholesky",
        "random subset",
        "random basis, fitted on all",
        "all",
    }
    assert len(found["random subset", 10]) == 2
    everything = found["all", 60][0]
    for method in ("greedy", "incomplete Cholesky", "random basis, fitted on all"):
        assert found[method, 59][0] == pytest.approx(everything, abs=7.0)
        assert found[method, 10][0] > everything


@pytest.mark.needs_data("ocr_letters")
def test_a_quick_run_of_basis_functions(tmp_path):
    found = quick_report("ocr-basis", tmp_path)
    quantity = next(key[0] for key in found if key[0].startswith("test error in %, (1 + z)^3, "))
    assert quantity.endswith(" letters")
    assert found[quantity, "200", "greedy"] < found[quantity, "200", "incomplete Cholesky"] - 5
    assert found[quantity, "621", "all"] < found[quantity, "200", "greedy"]
