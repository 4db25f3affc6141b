"""Tests of `weft.metrics.calibration`."""

from __future__ import annotations

import math

import numpy as np
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


@pytest.mark.parametrize("n", [1, 2, 7, 40])
@pytest.mark.parametrize("p", [0.0, 0.03, 0.25, 0.5, 0.9, 1.0])
def test_honest_error_is_that_of_all_numbers_of_right_predictions(n, p):
    chances = [math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]
    by_hand = sum(chance * abs(k / n - p) for k, chance in enumerate(chances))
    assert metrics.honest_calibration_error([p] * n) == pytest.approx(by_hand, abs=1e-12)


def test_honest_error_is_met_by_confidences_that_are_true():
    rng = np.random.default_rng(0)
    confidences = rng.beta(3, 1, size=600)
    drawn = [metrics.expected_calibration_error(confidences, rng.random(600) < confidences) for _ in range(400)]
    assert metrics.honest_calibration_error(confidences) == pytest.approx(np.mean(drawn), rel=0.05)


def test_honest_error_refuses_nothing():
    with pytest.raises(InputError, match="no predictions"):
        metrics.honest_calibration_error([])
