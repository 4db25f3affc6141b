"""Tests of `weft.experiments.kde_digits`."""

import numpy as np
import pytest

from quick_runs import quick_report
from weft.experiments import kde_digits


def test_patterns_are_equilibria_of_the_network():
    random = np.random.default_rng(0)
    patterns = np.where(random.random((4, 20)) < 0.5, -1.0, 1.0)
    np.testing.assert_allclose(kde_digits.hopfield(patterns, patterns), patterns, atol=1e-9)
    noisy = np.clip(patterns * 0.8, -1, 1)
    np.testing.assert_allclose(kde_digits.hopfield(patterns, noisy), patterns, atol=1e-6)


def test_smoothing_keeps_background_and_blurs_edges():
    image = np.full((1, 256), -1.0)
    image[0, 8 * 16 + 8] = 1.0
    blurred = kde_digits.smoothed(image)
    assert blurred[0, 0] == pytest.approx(-1.0)
    assert -1.0 < blurred[0, 8 * 16 + 9] < blurred[0, 8 * 16 + 8] < 1.0
    np.testing.assert_array_equal(kde_digits.smoothed(image, 0.0), image)


@pytest.mark.needs_data("usps")
def test_quick_runs_of_digits(tmp_path):
    found = quick_report("kde-classes", tmp_path)
    assert found["", "smoothed", "KDE"] <= 0.095
    assert found["", "smoothed", "one-vs-rest SVM"] <= 0.097
    assert found["", "smoothed", "KDE"] <= found["", "smoothed", "k-NN"] - 0.025
    assert found["", "not smoothed", "KDE"] <= 0.105
    halves = {key[2]: value for key, value in quick_report("kde-halves", tmp_path).items()}
    assert 0.80 <= halves["KDE"] <= 0.86
    assert halves["KDE"] <= halves["k-NN"] - 0.03
    assert halves["best training half"] < halves["KDE, fixed point"] < halves["KDE"]
    assert halves["k-NN"] < halves["random training half"]
