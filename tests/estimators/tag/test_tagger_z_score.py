"""The Z-score of a prediction against all labellings, listed one by one."""

import itertools

import numpy as np
import pytest

import weft


@pytest.mark.parametrize("order", [1, 2])
def test_z_score_equals_enumeration(order):
    X, y = ["abab", "bbaa", "ba"], ["xyxz", "yyxx", "zx"]
    tagger = weft.Tagger(weft.CRF(c2=0.1), order=order).fit(X, y)
    for sequence in ["abb", "b", "bbab"]:
        scores = []
        for labels in itertools.product(tagger.classes_, repeat=len(sequence)):
            total = sum(tagger.state_features_[s, z] for s, z in zip(sequence, labels, strict=True))
            for length in range(2, order + 2):
                grams = zip(*(labels[i:] for i in range(length)), strict=False)
                total += sum(tagger.transition_features_[gram] for gram in grams)
            scores.append(total)
        expected = (max(scores) - np.mean(scores)) / np.std(scores)
        assert tagger.z_score([sequence]) == pytest.approx([expected])
        share = np.mean(np.array(scores) >= max(scores) - 1e-9)
        assert share <= tagger.relative_rank_bound([sequence])[0] + 1e-12
