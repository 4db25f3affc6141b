"""Tests of `weft.reports.calibration`."""

from weft.reports.calibration import calibration_of


def test_calibration_without_predictions_is_none():
    assert calibration_of([], [], "tokens") is None
