"""Compiled steps: Adam against its definition (those of a memory are tested with it)."""

import numpy as np
import pytest

from weft.rewriting.network.loops import adam_step


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 37])
def test_steps_of_adam(n, kind):
    random = np.random.default_rng(0)
    start = random.standard_normal(n)
    weights, mean, square = start.astype(kind), np.zeros(n, dtype=kind), np.zeros(n, dtype=kind)
    wanted, first, second = start.copy(), np.zeros(n), np.zeros(n)
    for t in range(1, 6):
        slope = random.standard_normal(n)
        first, second = 0.9 * first + 0.1 * 0.5 * slope, 0.999 * second + 0.001 * (0.5 * slope) ** 2
        wanted -= 0.01 * first / (1 - 0.9**t) / (np.sqrt(second / (1 - 0.999**t)) + 1e-8)
        sizes = (0.5, 0.01 / (1 - 0.9**t), 1 / (1 - 0.999**t), 1e-8)
        numbers = [tuple(map(kind, each)) for each in ((0.9, 0.999), (0.1, 0.001), sizes)]
        adam_step(weights, mean, square, slope.astype(kind), *numbers)
    assert weights.dtype == kind
    np.testing.assert_allclose(weights, wanted, rtol=1e-5 if kind is np.float32 else 1e-12)
