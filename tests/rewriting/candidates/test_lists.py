"""Lists of candidates: their probabilities, gradients and features."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import approx_fprime

from weft.errors import InputError
from weft.rewriting.candidates.lists import ListBatch, frequent_keys, key_matrix


def batch(seed=0):
    random = np.random.default_rng(seed)
    owners = np.repeat(np.arange(5), [1, 3, 2, 4, 2])
    features = sparse.csr_matrix(random.integers(0, 2, (len(owners), 6)).astype(float))
    targets = np.zeros(len(owners))
    targets[np.flatnonzero(np.diff(owners, prepend=-1))] = 1.0
    return ListBatch(features, random.normal(size=len(owners)), owners, targets)


def test_expected_features_are_the_gradient_of_the_log_partition():
    lists = batch()
    point = np.linspace(-0.5, 0.7, lists.n_features)
    slope = approx_fprime(point, lambda weights: lists.log_partition_and_mean(weights)[0], 1e-7)
    np.testing.assert_allclose(lists.log_partition_and_mean(point)[1], slope, atol=1e-5)


def test_several_candidates_of_a_list_may_be_right():
    features = sparse.csr_matrix([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    lists = ListBatch(features, np.zeros(3), np.zeros(3, dtype=np.int64), np.array([0.5, 0.5, 0.0]))
    np.testing.assert_allclose(lists.observed(), [0.5, 0.5, 0.0])
    assert lists.losses([1]).tolist() == [0.5]
    assert lists.best_references(np.array([0.0, 2.0, 0.0]))[0].tolist() == [1]


def test_ties_go_to_the_first_candidate():
    lists = ListBatch(sparse.csr_matrix((3, 0)), np.array([1.0, 1.0 + 1e-13, 0.0]), np.zeros(3, dtype=np.int64))
    assert lists.argmax(np.ones(1))[0].tolist() == [0]


def test_a_place_beyond_its_list_is_refused():
    with pytest.raises(InputError, match="beyond the candidates of its list"):
        batch().features_of([1, 0, 0, 0, 0])


def test_keys_of_one_list_only_are_not_kept():
    keys = np.array([[4, 8], [4, 0], [8, 2], [2, 2]])
    assert frequent_keys(keys, np.array([0, 0, 1, 1])).tolist() == [8]
    assert frequent_keys(keys, np.array([0, 0, 1, 1]), min_count=1).tolist() == [2, 4, 8]
    assert key_matrix(keys, np.empty(0, dtype=np.int64)).shape == (4, 0)
