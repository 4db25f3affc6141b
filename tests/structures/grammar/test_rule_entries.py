"""Tests of `weft.structures.grammar.rule_entries`."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from weft.structures.grammar.rule_entries import RuleEntries


@pytest.mark.parametrize("n", [0, 1, 500])
def test_entries_are_those_of_scipy_and_so_are_products(n):
    random = np.random.default_rng(n)
    rows, columns, values = random.integers(0, 40, n), random.integers(0, 30, n), random.normal(size=n)
    entries = RuleEntries(rows, columns, values, (41, 30))
    wanted = csr_array((values, (rows, columns)), shape=(41, 30))
    assert np.array_equal(entries.matrix.indptr, wanted.indptr)
    assert np.array_equal(entries.matrix.indices, wanted.indices)
    assert np.allclose(entries.matrix.data, wanted.data, rtol=1e-14, atol=0.0)
    weights = random.normal(size=30)
    assert np.array_equal(entries.scores(weights), entries.matrix @ weights)
    assert entries.scores(weights).dtype == np.float64
    assert entries.matrix is entries.matrix
