import gc
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from weft.core.lent_vectors import LONG, LentVectors


def test_memory_is_lent_again_only_when_no_view_is_left():
    lender = LentVectors()
    first = lender.take(LONG)
    address = first.ctypes.data
    part = first[10:20][::2]  # NumPy forgets the vector itself between a view and what owns the memory
    part[:] = 7.0
    del first
    second = lender.zeros(LONG)
    assert second.ctypes.data != address
    assert part.tolist() == [7.0] * 5
    del part
    assert lender.take(LONG).ctypes.data == address
    assert second.any() == np.False_


def test_a_vector_outlives_its_lender_without_the_memory_of_others():
    lender = LentVectors()
    kept, other = lender.copy(np.arange(float(LONG))), lender.take(LONG)
    del other
    del lender
    gc.collect()
    np.testing.assert_array_equal(kept, np.arange(float(LONG)))
    assert kept.base._lender() is None
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(kept)), kept)


def test_vectors_of_other_sizes_are_new():
    lender = LentVectors()
    lender.take(LONG)  # left at once
    assert len(lender.take(2 * LONG)) == 2 * LONG
    short = lender.zeros(3)
    assert short.tolist() == [0.0, 0.0, 0.0]
    assert short.flags.owndata


def test_threads_never_share_a_vector():
    lender = LentVectors()

    def work(number):
        for _ in range(200):
            vector = lender.take(LONG)
            vector.fill(number)
            assert (vector == number).all()
        return True

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(8)))
