"""Tests of `weft.kernels.positional.shifts`."""

import pytest

from weft.kernels.positional.shifts import shift_taps


@pytest.mark.parametrize("shift", [0, 1, 2, 3, 10, 40])
def test_taps_give_the_weights_of_distances(shift):
    taps = shift_taps(shift)
    for s in range(shift + 1):
        wanted = 1.0 if s == 0 else 1 / (2 * (s + 1))
        assert sum(taps[t] * taps[t + s] for t in range(shift + 1 - s)) == pytest.approx(wanted, abs=1e-13)
