"""Asking memory beforehand changes no result, for any place."""

import numba
import numpy as np

from weft.core.jit import jit
from weft.core.prefetch import prefetch


def _sum_in_order(values, order, ahead):
    total = 0.0
    for i in range(len(order)):
        prefetch(values, order[i] + ahead)
        total += values[order[i]]
    return total


_summed = jit(_sum_in_order)


def test_sums_are_the_same_and_no_place_is_read():
    rng = np.random.default_rng(0)
    values, order = rng.normal(size=1000), rng.permutation(1000)
    alone = values[::-1][:3]  # a vector that steps backwards
    for ahead in (0, 16, 10**9, -(10**9)):
        assert _summed(values, order, ahead) == _sum_in_order(values, order, ahead)
        assert _summed(alone, np.arange(3), ahead) == _sum_in_order(alone, np.arange(3), ahead)


def test_the_instruction_is_in_the_compiled_code():
    fresh = numba.njit(_sum_in_order)  # what is read from disk cannot be looked into
    fresh(np.ones(2), np.arange(2), 1)
    assert all("llvm.prefetch" in code for code in fresh.inspect_llvm().values())
