"""Tests of `weft.experiments.accuracy.classify`."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from quick_runs import quick_report
from weft.experiments.accuracy.classify import (
    LS_GKM,
    N_FOLDS,
    PEER,
    best_threshold,
    peer_classifier,
    some_of,
    with_threshold,
)
from weft.experiments.lattices.string_classification import micro_f1


def test_parts_keep_the_shares_of_classes():
    labels = np.repeat([0, 1, 2], [900, 90, 2])
    part = some_of(labels, 100, 0)
    counts = np.bincount(labels[part])
    assert counts.tolist() == [91, 9, 2]
    assert (np.diff(part) > 0).all()
    assert np.bincount(np.repeat([0, 1], [50, 4])[some_of(np.repeat([0, 1], [50, 4]), 10, 0)])[1] == N_FOLDS


def test_the_threshold_is_the_best_of_all():
    random = np.random.default_rng(0)
    signs = np.where(random.random((3, 200)) < 0.2, 1.0, -1.0)
    decisions = signs / 2 + random.normal(scale=0.2, size=signs.shape) - 0.4
    found = best_threshold(signs, decisions)
    assert micro_f1(signs, decisions - found) > micro_f1(signs, decisions)
    assert found < 0


def test_thresholds_come_from_examples_that_were_left_out():
    asked = []

    def decide(kept, held_out):
        asked.append((set(kept.tolist()), None if held_out is None else set(held_out.tolist())))
        return np.zeros((1, 4 if held_out is None else len(held_out)))

    _, last = with_threshold(decide, np.array([[1.0, -1.0] * 5]), 0)
    assert last().shape == (1, 4)
    assert asked.pop() == (set(range(10)), None)
    assert all(not kept & held_out for kept, held_out in asked)
    assert sorted(i for _, held_out in asked for i in held_out) == list(range(10))


def test_the_peer_chooses_by_folds():
    # Only pairs tell the classes apart, so that single letters lose.
    X, y = ["abab" * 3, "baab" * 3] * 9, [0, 1] * 9
    peer = peer_classifier(X, y, ((1, 1), (2, 2)), StratifiedKFold(3, shuffle=True, random_state=0), 0)
    assert peer[0].ngram_range == (2, 2)


@pytest.mark.slow
@pytest.mark.needs_data("fastsk", "reuters21578")
def test_quick_rows_on_classifying(tmp_path):
    found = quick_report("accuracy-classify", tmp_path)
    assert {setting for _, setting, _ in found} == {"Reuters, ten classes", "dna CTCF", "scop 1.34"}
    assert {method for _, _, method in found} == {"weft", PEER, LS_GKM}
    assert found["area under the curve in %", "dna CTCF", "weft"] > 80
    assert found["area under the curve in %", "dna CTCF", LS_GKM] > 80
    assert found["micro F1 in %", "Reuters, ten classes", "weft"] > 60
