"""Tests of `weft.experiments.accuracy.fold`."""

import numpy as np
import pytest

from quick_runs import quick_report
from weft.experiments.accuracy.fold import CALIBRATION, F1, calibration_error, n_crossing, vienna_answers
from weft.losses import base_pairs


def test_pairs_that_cross_are_counted_on_both_sides():
    assert n_crossing(base_pairs("(((...)))..")) == 0
    assert n_crossing(base_pairs("(([)).]")) == 3


def test_the_error_of_calibration_is_the_mean_distance_from_what_is_right():
    probabilities = np.zeros((6, 6))
    probabilities[0, 5] = probabilities[5, 0] = 0.75  # right
    probabilities[1, 4] = probabilities[4, 1] = 0.25  # wrong
    probabilities[2, 3] = 0.001  # does not count
    found = calibration_error([frozenset({(0, 5)})], [probabilities])
    assert found == pytest.approx(25.0)


def test_the_peer_answers_for_each_sequence():
    pytest.importorskip("RNA")
    answers = vienna_answers(["GGGGAAAACCCC", "AAAAAAAA"])
    assert answers.structures == ["((((....))))", "........"]
    assert answers.probabilities[0].shape == (12, 12)
    assert answers.probabilities[0][0, 11] > 0.8


@pytest.mark.slow
@pytest.mark.needs_data("rna_rfam", "rna_archiveii")
def test_quick_rows_on_folding(tmp_path):
    found = quick_report("accuracy-fold", tmp_path)
    assert {"ArchiveII, families not left out", "ArchiveII, tRNA", "ArchiveII, all families"} <= {
        s for _, s, _ in found
    }
    assert found[F1, "ArchiveII, families not left out", "weft"] > 20
    assert found[CALIBRATION, "ArchiveII, families not left out, probabilities", "weft"] < 60
