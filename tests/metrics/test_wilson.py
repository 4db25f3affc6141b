"""Tests of `weft.metrics.wilson`."""

from __future__ import annotations

import pytest

from weft import metrics
from weft.errors import InputError


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
