"""Tests of `weft.preimages.candidates`."""

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.errors import InputError
from weft.preimages import nearest_candidates


@pytest.mark.parametrize("kind", [np.asarray, scipy.sparse.csr_array])
@settings(max_examples=20)
@given(seed=st.integers(0, 2**32 - 1), k=st.integers(1, 4))
def test_nearest_candidates_equal_all_distances(kind, seed, k):
    random = np.random.default_rng(seed)
    points, candidates = random.normal(size=(7, 3)), random.normal(size=(5, 3))
    residuals = random.random(5)
    places, distances = nearest_candidates(points, kind(candidates), k, residuals=residuals, block_cells=11)
    full = ((points[:, None] - candidates[None]) ** 2).sum(axis=2) + residuals
    expected = np.argsort(full, axis=1)[:, :k]
    np.testing.assert_array_equal(places, expected)
    np.testing.assert_allclose(distances, np.take_along_axis(full, expected, axis=1))


def test_ties_go_to_the_first_candidate():
    assert nearest_candidates([[0.0]], [[1.0], [-1.0], [1.0]], k=3)[0].tolist() == [[0, 1, 2]]


def test_candidates_bad_input():
    with pytest.raises(InputError, match="rows of one length"):
        nearest_candidates([[1.0]], [[1.0, 2.0]])
    with pytest.raises(InputError, match="k=2 of 1 candidates"):
        nearest_candidates([[1.0]], [[1.0]], k=2)
