"""Tests of `weft.metrics.tokens`."""

from __future__ import annotations

import numpy as np

from weft import metrics


def test_accuracies_by_hand():
    y_true, y_pred = [["a", "b"], ("c",), "de"], [["a", "x"], ["c"], ["d", "e"]]
    assert metrics.token_accuracy(y_true, y_pred) == 4 / 5
    assert metrics.sequence_accuracy(y_true, y_pred) == 2 / 3


def test_accuracies_take_arrays():
    assert metrics.token_accuracy([np.array([1, 2])], [np.array([1, 3])]) == 0.5
    assert metrics.sequence_accuracy([np.array([1, 2])], [np.array([1, 2])]) == 1.0
