"""Tests of `weft.metrics.calibration`."""

from __future__ import annotations

import pytest

from weft import metrics
from weft.errors import InputError


def test_calibration_counts_every_prediction_once():
    confidences, right = [0.0, 0.05, 0.1, 0.55, 1.0, 1.0], [0, 0, 1, 1, 1, 0]
    bins = metrics.calibration_bins(confidences, right)
    assert [each.n for each in bins] == [2, 1, 1, 2]
    assert bins[-1] == (1.0, 0.5, 2)
    by_hand = (2 * 0.025 + 1 * 0.9 + 1 * 0.45 + 2 * 0.5) / 6
    assert metrics.expected_calibration_error(confidences, right) == pytest.approx(by_hand)


def test_calibration_refuses_what_is_no_probability():
    with pytest.raises(InputError, match=r"reach from 0.5 to 1.5"):
        metrics.calibration_bins([0.5, 1.5], [1, 0])
    with pytest.raises(InputError, match="one length"):
        metrics.calibration_bins([0.5], [1, 0])
    with pytest.raises(InputError, match="no predictions"):
        metrics.expected_calibration_error([], [])
