"""Tests of `weft.kernels.grams.loops.radix_sort`."""

import numpy as np
import pytest

from weft.kernels.grams.loops.radix_sort import N_STARTS, sort_keys, sort_pairs


@pytest.mark.parametrize("size", [1, 39, 40, 1000])
@pytest.mark.parametrize("bits", [3, 17, 64])
def test_sorting_is_stable_and_moves_the_payload(size, bits):
    random = np.random.default_rng(size)
    keys = random.integers(0, 2**bits, size, dtype=np.uint64, endpoint=False)
    order = np.argsort(keys, kind="stable")
    alone, paired, payload = keys.copy(), keys.copy(), np.arange(size, dtype=np.int32)
    spare, starts = np.empty(size, dtype=np.uint64), np.empty(N_STARTS, dtype=np.int64)
    sort_keys(alone, size, spare, starts)
    sort_pairs(paired, payload, size, spare, np.empty(size, dtype=np.int32), starts)
    np.testing.assert_array_equal(alone, keys[order])
    np.testing.assert_array_equal(paired, keys[order])
    np.testing.assert_array_equal(payload, order)
