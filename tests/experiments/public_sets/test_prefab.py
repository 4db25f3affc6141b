"""Tests of `weft.experiments.public_sets.prefab`."""

import numpy as np
import pytest

from weft.experiments.public_sets.prefab import BEST, Pairs
from weft.experiments.registry import run_experiment


def test_only_columns_of_two_capitals_count():
    pairs = Pairs([("ACDW", "ACW")], [("ACdW", "AC-W")])
    assert pairs.n_columns.tolist() == [3]
    assert pairs.identities.tolist() == [1.0]
    batch = pairs.batch()
    assert pairs.accuracies(batch, pairs.blosum62(11.0, 1.0), BEST).tolist() == [1.0]


@pytest.mark.needs_data("rna_rfam", "protein_prefab4")
@pytest.mark.slow
@pytest.mark.parametrize("name", ["rfam", "prefab"])
def test_quick_runs_on_real_data(name):
    report = run_experiment(name, quick=True)
    assert all(np.isfinite(m.values).all() for m in report.measurements)
