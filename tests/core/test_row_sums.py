"""Tests of `weft.core.row_sums`."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from weft.core.row_sums import summed_rows


@given(
    st.lists(st.lists(st.tuples(st.integers(0, 4), st.sampled_from([1.0, -2.0])), max_size=6), min_size=1, max_size=5),
    st.integers(0, 2**32 - 1),
)
def test_sums_of_rows_equal_a_product_with_counts(groups, seed):
    random = np.random.default_rng(seed)
    matrix = csr_array(random.integers(-2, 3, size=(5, 4)) * (random.random((5, 4)) < 0.5) * 1.0)
    counts = np.zeros((len(groups), 5))
    for group, own in enumerate(groups):
        for row, factor in own:
            counts[group, row] += factor
    rows = np.array([row for own in groups for row, _ in own], dtype=np.int64)
    factors = np.array([factor for own in groups for _, factor in own])
    ends = np.cumsum([len(own) for own in groups])
    found = summed_rows(matrix.indptr, matrix.indices, matrix.data, rows, ends, 4, factors)
    assert found.has_canonical_format
    np.testing.assert_array_equal(found.toarray(), counts @ matrix.toarray())
