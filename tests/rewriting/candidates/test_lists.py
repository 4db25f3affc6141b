"""Lists of candidates: their probabilities, gradients and features."""

import numpy as np
from scipy import sparse
from scipy.optimize import approx_fprime

from weft.rewriting.candidates.lists import ListBatch, frequent_keys, key_matrix


def batch(seed=0):
    random = np.random.default_rng(seed)
    owners = np.repeat(np.arange(5), [1, 3, 2, 4, 2])
    features = sparse.csr_matrix(random.integers(0, 2, (len(owners), 6)).astype(float))
    targets = np.zeros(len(owners))
    targets[np.flatnonzero(np.diff(owners, prepend=-1))] = 1.0
    return ListBatch(features, random.normal(size=len(owners)), owners, targets)


def test_probabilities_of_a_list_sum_to_one():
    lists = batch()
    probabilities, logs = lists.probabilities(np.linspace(-1, 1, 7))
    np.testing.assert_allclose(np.bincount(lists.owners, probabilities), 1.0)
    scores = lists.scores(np.linspace(-1, 1, 7))
    np.testing.assert_allclose(logs, np.log(np.bincount(lists.owners, np.exp(scores))))


def test_expected_features_are_the_gradient_of_the_log_partition():
    lists = batch()
    point = np.linspace(-0.5, 0.7, lists.n_features)
    slope = approx_fprime(point, lambda weights: lists.log_partition_and_mean(weights)[0], 1e-7)
    np.testing.assert_allclose(lists.log_partition_and_mean(point)[1], slope, atol=1e-5)


def test_observed_features_are_those_of_the_targets():
    lists = batch()
    chosen = lists.targets > 0
    wanted = np.append(lists.features[chosen].toarray().sum(axis=0), lists.base[chosen].sum())
    np.testing.assert_allclose(lists.observed(), wanted)


def test_keys_of_one_list_only_are_not_kept():
    keys = np.array([[4, 8], [4, 0], [8, 2], [2, 2]])
    assert frequent_keys(keys, np.array([0, 0, 1, 1])).tolist() == [8]
    assert frequent_keys(keys, np.array([0, 0, 1, 1]), min_count=1).tolist() == [2, 4, 8]
    assert key_matrix(keys, np.empty(0, dtype=np.int64)).shape == (4, 0)
