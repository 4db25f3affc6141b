import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.kernels.numbering import number_keys
from weft.kernels.radix_sort import N_STARTS, sort_keys, sort_pairs


@given(
    sizes=st.lists(st.integers(0, 300), min_size=1, max_size=3),
    bits=st.sampled_from([1, 8, 30, 64]),
    threads=st.integers(1, 3),
    seed=st.integers(0, 99),
)
@settings(deadline=None, max_examples=40)
def test_number_keys_is_unique_with_inverse(sizes, bits, threads, seed):
    random = np.random.default_rng(seed)
    keys = [random.integers(0, 2**bits, size, dtype=np.uint64, endpoint=False) for size in sizes]
    wanted, inverse = np.unique(np.concatenate(keys), return_inverse=True)
    different, columns = number_keys([each.copy() for each in keys], threads)
    np.testing.assert_array_equal(different, wanted)
    np.testing.assert_array_equal(columns, inverse)


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
