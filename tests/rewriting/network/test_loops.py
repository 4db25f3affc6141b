"""Tests of `weft.rewriting.network.loops`."""

import numpy as np
import pytest

from weft.rewriting.network.loops import remember, remember_backwards


@pytest.mark.nojit
def test_the_memory_and_its_derivatives():
    random = np.random.default_rng(0)
    offsets = np.array([0, 3, 4])
    keep, new, slope = random.random((4, 2)), random.standard_normal((4, 2)), random.standard_normal((4, 2))
    memory = np.empty((4, 2))
    remember(offsets, keep, new, memory, 1)
    assert memory[1, 0] == pytest.approx(keep[1, 0] * (1 - keep[0, 0]) * new[0, 0] + (1 - keep[1, 0]) * new[1, 0])
    assert memory[1, 1] == pytest.approx(keep[1, 1] * (1 - keep[2, 1]) * new[2, 1] + (1 - keep[1, 1]) * new[1, 1])
    assert memory[3, 0] == pytest.approx((1 - keep[3, 0]) * new[3, 0])
    keep_slope, new_slope = np.empty((4, 2)), np.empty((4, 2))
    remember_backwards(offsets, keep, new, memory, slope.copy(), keep_slope, new_slope, 1)
    for array, found in ((keep, keep_slope), (new, new_slope)):
        for place in np.ndindex(4, 2):
            values = []
            for sign in (1, -1):
                array[place] += sign * 1e-6
                changed = np.empty((4, 2))
                remember(offsets, keep, new, changed, 1)
                values.append((changed * slope).sum())
                array[place] -= sign * 1e-6
            assert found[place] == pytest.approx((values[0] - values[1]) / 2e-6, abs=1e-6)
