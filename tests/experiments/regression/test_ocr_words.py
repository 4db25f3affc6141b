"""Tests of `weft.experiments.regression.ocr_words`."""

from types import SimpleNamespace

import numpy as np

from weft.experiments.regression.ocr_words import inner_halves, other_words, same_words


def test_splits_keep_words_apart():
    random = np.random.default_rng(0)
    words = [list(word) for word in random.choice(["ab", "cd", "ef", "gh", "ij", "kl"], 60)]
    data = SimpleNamespace(X=[np.zeros((2, 128))] * 60, y=words, folds=np.arange(60) % 10)
    for fold in range(5):
        new = other_words(data, fold)
        assert not set(new.y) & set(new.y_test)
        assert new.groups == new.y
        same = same_words(data, fold, n_test=7)
        assert (len(same.y), len(same.y_test)) == (6, 7)
        assert len(set(same.groups)) == 6
    covered = set().union(*(other_words(data, fold).y_test for fold in range(5)))
    assert covered == {"".join(word) for word in words}


def test_inner_halves_keep_groups_together(split):
    (train, held), (other, _) = inner_halves(split)
    assert sorted([*train, *held]) == list(range(16))
    assert not {split.y[i] for i in train} & {split.y[i] for i in held}
    assert sorted(held) == sorted(other)
