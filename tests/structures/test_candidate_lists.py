"""Lists of candidates: their probabilities, gradients and features."""

import numpy as np
from scipy import sparse
from scipy.optimize import approx_fprime

from weft.structures.candidate_lists import ListBatch, frequent_keys, key_matrix
from weft.structures.pattern_passes import keys_per_tier, pattern_keys


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


def features_of(word, output, tiers):
    keys = np.zeros((1, len(tiers) * keys_per_tier()), dtype=np.int64)
    symbols = np.array(word, dtype=np.int32)
    pattern_keys(
        symbols, np.array([0, len(word)]), np.array(output), np.array([0, len(output)]), np.zeros(1, dtype=np.int64),
        np.array(tiers), np.array([1, 1, 0, 0]), keys,
    )  # fmt: skip
    return set(keys[keys != 0].tolist())


def test_outputs_share_features_if_their_tiers_and_the_ends_of_their_inputs_are_alike():
    tiers = [[0, 1, -1, -1]]
    one = features_of([2, 0, 3, 1], [2, 0, 3, 1], tiers)
    # Consonants are not on the tier: another one changes nothing.
    assert one == features_of([2, 0, 3, 1], [3, 0, 3, 1], tiers)
    assert not one & features_of([3, 1, 2, 0], [1, 2, 0], tiers)
    # Words with the same end share features of the end, not those of the whole word.
    other = features_of([3, 0, 3, 1], [3, 0, 3, 1], tiers)
    assert one & other
    assert one - other


def test_a_longest_word_fills_no_more_features_than_there_is_room_for():
    word = [0, 2] * 12
    assert len(features_of(word, word, [[0, 1, -1, -1], [0, 0, -1, -1]])) <= 2 * keys_per_tier()
