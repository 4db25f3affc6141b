"""Tests of `weft.preimages.thresholds`."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.preimages import discretize, fit_thresholds


def test_golden_threshold():
    assert fit_thresholds([[0.1], [0.4], [0.35], [0.8]], [[0], [1], [0], [1]]) == pytest.approx([0.375])


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(1, 3))
def test_average_counts_agree(seed, cap):
    random = np.random.default_rng(seed)
    counts = random.integers(0, cap + 1, size=(12, 4))
    predicted = counts * 0.6 + random.normal(scale=0.3, size=counts.shape)
    caps = np.full(4, cap)
    whole = discretize(predicted, fit_thresholds(predicted, counts, caps), caps)
    np.testing.assert_array_equal(whole.sum(axis=0), counts.sum(axis=0))


def test_never_and_always():
    thresholds = fit_thresholds([[0.2, 0.9], [0.3, 0.8]], [[0, 1], [0, 1]])
    np.testing.assert_array_equal(discretize([[0.3, 0.8]], thresholds), [[0, 1]])
