"""Tests of `weft.experiments.dependency.kde_digits`."""

import numpy as np
import pytest

from quick_runs import quick_report
from weft.datasets import load_usps
from weft.experiments.dependency import kde_digits

QUICK = ", one fold, nothing tuned"


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
    assert found["", f"smoothed{QUICK}", "KDE"] <= 0.095
    assert found["", f"smoothed{QUICK}", "one-vs-rest SVM"] <= 0.097
    assert found["", f"smoothed{QUICK}", "KDE"] <= found["", f"smoothed{QUICK}", "k-NN"] - 0.025
    assert found["", f"not smoothed{QUICK}", "KDE"] <= 0.105
    halves = {key[2]: value for key, value in quick_report("kde-halves", tmp_path).items()}
    assert 0.80 <= halves["KDE"] <= 0.86
    assert halves["KDE"] <= halves["k-NN"] - 0.03
    assert halves["best training half"] < halves["KDE, fixed point"] < halves["KDE"]
    assert halves["k-NN"] < halves["random training half"]


@pytest.mark.needs_data("usps")
def test_widths_that_match_k_means():
    """By a second program: 2.4, 3.2, 3.9 and 4.8 for 30, 10, 5 and 3 clusters of smoothed lower halves."""
    lower = kde_digits.smoothed(load_usps().X_train[:1000])[:, kde_digits.HALF :]
    found = [kde_digits.matched_width(lower, n) for n in (30, 10, 5, 3)]
    np.testing.assert_allclose(found, [2.4, 3.2, 3.9, 4.8], atol=0.4)
