"""Tests of `weft.metrics.bootstrap`."""

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
