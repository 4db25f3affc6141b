"""Rows on aligning: pairs left out teach nothing, and both sides are tested on the same pairs."""

from __future__ import annotations

import numpy as np
import pytest

from quick_runs import quick_report
from weft.datasets import load_protein_prefab4
from weft.experiments.accuracy import align
from weft.experiments.accuracy.align import BEST, ENDS, EXPECTED, MEASURE, Split, is_left_out, row_of


@pytest.mark.needs_data("protein_prefab4")
def test_a_fifth_of_the_pairs_is_left_out():
    names = load_protein_prefab4().names
    assert 0.15 < np.mean([is_left_out(each) for each in names]) < 0.25


def test_gaps_are_those_that_suit_the_training_pairs(monkeypatch):
    monkeypatch.setattr(align, "learned", lambda data, inside, n_steps: inside)
    monkeypatch.setattr(align, "accuracies", lambda aligner, data, outside: np.full(len(outside), 0.5))
    values = np.array([[0.9, 0.1, 0.3], [0.2, 0.8, 0.7]])
    [row] = row_of("toy", None, [Split(np.array([0]), np.array([1, 2]))], {BEST: (values, 1.0)}, 1)
    assert (row.score, row.peer_score) == (50.0, pytest.approx(20.0))


@pytest.mark.slow
@pytest.mark.needs_data("protein_prefab4")
def test_quick_rows_on_aligning(tmp_path):
    found = quick_report("accuracy-align", tmp_path)
    left_out = "PREFAB, pairs left out"
    assert {method for _, _, method in found} == {"weft", BEST, EXPECTED, ENDS}
    assert {(MEASURE, left_out, method) for method in ("weft", BEST, EXPECTED, ENDS)} <= set(found)
    assert min(value for (measure, _, _), value in found.items() if measure == MEASURE) > 20
