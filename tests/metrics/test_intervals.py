"""Tests of `weft.metrics.intervals`."""

from __future__ import annotations

import numpy as np
import pytest

from weft import metrics
from weft.errors import InputError


def test_bootstrap_interval_is_seeded_and_covers_the_mean():
    values = np.random.default_rng(3).random(200)
    low, high = metrics.bootstrap_interval(values, random_state=1)
    assert (low, high) == metrics.bootstrap_interval(values, random_state=1)
    assert (low, high) != metrics.bootstrap_interval(values, random_state=2)
    assert low < values.mean() < high
    # 1.96 standard errors of a uniform sample of 200 is 0.040.
    assert high - low == pytest.approx(2 * 1.96 * values.std() / np.sqrt(200), rel=0.15)
    assert metrics.bootstrap_interval([2.0]) == (2.0, 2.0)


@pytest.mark.parametrize(
    ("values", "options"),
    [([], {}), ([[1.0]], {}), ([np.nan], {}), ([1.0], {"level": 1.0}), ([1.0], {"n_resamples": 0})],
)
def test_bootstrap_interval_refuses_bad_input(values, options):
    with pytest.raises(InputError):
        metrics.bootstrap_interval(values, **options)


def test_all_right_and_all_wrong_are_not_certain():
    """The bootstrap would say 100 - 100 even of one sequence."""
    lengths = [3, 0, 2, 4]  # the second sequence says nothing
    assert metrics.ratio_interval(lengths, lengths) == metrics.wilson_interval(3, 3)
    assert metrics.ratio_interval([0, 0, 0, 0], lengths) == metrics.wilson_interval(0, 3)
    assert metrics.ratio_interval([0, 0], [0, 0]) == (0.0, 0.0)


def test_wilson_interval_solves_its_equation():
    # Both ends p satisfy (share - p)^2 = z^2 p (1 - p) / n (Wilson 1927).
    right, n, z = 17, 40, 1.959963984540054
    for end in metrics.wilson_interval(right, n):
        assert (right / n - end) ** 2 == pytest.approx(z * z * end * (1 - end) / n)
    assert metrics.wilson_interval(0, 5)[0] == 0.0
    assert metrics.wilson_interval(5, 5)[1] == 1.0
    assert metrics.wilson_interval(0, 0) == (0.0, 1.0)
    with pytest.raises(InputError, match="6 of 5"):
        metrics.wilson_interval(6, 5)


def test_a_share_of_sequences_has_the_interval_of_wilson_and_a_score_of_parts_a_bootstrap():
    right = [1, 0, 1, 1]
    assert metrics.interval_method(right, [1] * 4) == "wilson"
    assert metrics.ratio_interval(right, [1] * 4) == metrics.wilson_interval(3, 4)
    assert metrics.interval_method([2, 1, 3], [3, 3, 3]) == "bootstrap"
    assert metrics.ratio_interval([2, 1, 3], [3, 3, 3]) == metrics.ratio_interval([2, 1, 3], [3, 3, 3])


def test_the_bootstrap_of_a_ratio_draws_whole_sequences():
    random = np.random.default_rng(0)
    lengths = random.integers(1, 20, 300)
    right = random.binomial(lengths, 0.8)
    low, high = metrics.ratio_interval(right, lengths)
    # The delta method: the standard error of a ratio of sums.
    share = right.sum() / lengths.sum()
    error = np.sqrt(((right - share * lengths) ** 2).sum()) / lengths.sum()
    assert high - low == pytest.approx(2 * 1.96 * error, rel=0.15)
    assert low < share < high


@pytest.mark.parametrize(
    "call",
    [
        lambda: metrics.wilson_interval([1], 2),
        lambda: metrics.wilson_interval(1.5, 2),
        lambda: metrics.wilson_interval(1, 2, "0.95"),
        lambda: metrics.bootstrap_interval([0.0, 1.0], [0.9]),
        lambda: metrics.bootstrap_interval([0.0, 1.0], 0.9, 1.5),
        lambda: metrics.bootstrap_interval([[0.0], [1.0, 2.0]]),
        lambda: metrics.ratio_interval([[1], [2, 3]], [1, 2]),
        lambda: metrics.expected_calibration_error([0.5], [1], "10"),
        lambda: metrics.calibration_bins([[0.5], [0.5, 1.0]], [1]),
    ],
)
def test_what_cannot_be_counted_is_refused_in_one_line(call):
    with pytest.raises(InputError) as refused:
        call()
    assert "\n" not in str(refused.value)
