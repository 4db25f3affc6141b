"""Pruned language models: still distributions, and the worse the more is pruned."""

import numpy as np
import pytest

from weft.language_model import NGramLanguageModel
from weft.language_model.pruning import prune_tables

TEXTS = ["abracadabra", "barbara", "cadabra", "abba", "dacabba", "raba", "cab", "drab"]


def pruned(model, threshold):
    smaller = NGramLanguageModel(**model.get_params())
    smaller.discounts_ = model.discounts_
    smaller._set_alphabet(model._alphabet)
    smaller.tables_, smaller.start_state_ = prune_tables(model.tables_, model.start_state_, threshold)
    return smaller


@pytest.mark.parametrize("smoothing", ["witten_bell", "modified_kneser_ney"])
@pytest.mark.parametrize("n", [1, 2, 4])
def test_every_state_is_a_distribution_and_less_is_worse(n, smoothing):
    model = NGramLanguageModel(n, smoothing).fit(TEXTS)
    before, size = model.score(TEXTS), len(model.tables_.scores)
    for threshold in (0.0, 1e-3, 1e-2, 10.0):
        smaller = pruned(model, threshold)
        scores, _ = smaller.conditional_tables()
        assert np.exp(scores).sum(axis=1) == pytest.approx(1.0)
        assert len(smaller.tables_.scores) <= size
        assert smaller.score(TEXTS) <= before + 1e-9
        if threshold == 0.0:
            assert smaller.score(TEXTS) == pytest.approx(before)
        before, size = smaller.score(TEXTS), len(smaller.tables_.scores)
    assert size == len(model.symbols_) + 2
