"""Tests of `weft.rewriting.candidates.loops.patterns`."""

import numpy as np

from weft.rewriting.candidates.loops.patterns import keys_per_tier, pattern_keys


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
