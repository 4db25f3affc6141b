"""Tests of `weft.structures.chain.loops.tokens`."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from weft.structures.chain.loops.tokens import sort_entries


@given(st.lists(st.tuples(st.integers(0, 5), st.floats(-9.0, 9.0)), max_size=40))
def test_entries_are_sorted_and_stay_in_order(entries):
    columns = np.array([column for column, _ in entries], dtype=np.int64)
    values = np.array([value for _, value in entries], dtype=np.float64)
    order = np.argsort(columns, kind="stable")
    wanted = columns[order], values[order]
    sort_entries(columns, values)
    assert np.array_equal(columns, wanted[0])
    assert np.array_equal(values, wanted[1])
