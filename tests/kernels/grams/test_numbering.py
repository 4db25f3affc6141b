import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.kernels.grams.numbering import number_keys


@given(
    sizes=st.lists(st.integers(0, 300), min_size=1, max_size=3),
    bits=st.sampled_from([1, 8, 30, 64]),
    threads=st.integers(1, 3),
    seed=st.integers(0, 99),
)
@settings(max_examples=40)
def test_number_keys_is_unique_with_inverse(sizes, bits, threads, seed):
    random = np.random.default_rng(seed)
    keys = [random.integers(0, 2**bits, size, dtype=np.uint64, endpoint=False) for size in sizes]
    wanted, inverse = np.unique(np.concatenate(keys), return_inverse=True)
    different, columns = number_keys([each.copy() for each in keys], threads)
    np.testing.assert_array_equal(different, wanted)
    np.testing.assert_array_equal(columns, inverse)
