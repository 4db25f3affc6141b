"""Tests of `weft.learners.moments.ranks`."""

import numpy as np
import pytest

from chain_differences import all_differences
from weft import SODA, Tagger
from weft.learners.moments.bounds import ranking_losses, relative_rank_bounds, relative_ranks


def test_ranks_and_losses_equal_enumeration(model):
    tagger, X, y = model
    ranks, is_exact = relative_ranks(tagger, X, y)
    assert is_exact.all()
    losses = ranking_losses(tagger, X, y)
    bounds = relative_rank_bounds(tagger, X, y)
    for i, (sequence, answer) in enumerate(zip(X, y, strict=True)):
        margins = all_differences(tagger, sequence, answer) @ tagger.weights_
        assert ranks[i] == pytest.approx(np.mean(margins <= 1e-10))
        assert losses[i] == pytest.approx(np.mean((margins - 1) ** 2))
        assert ranks[i] <= bounds[i] + 1e-12
        assert ranks[i] <= losses[i] + 1e-12


def test_sampled_ranks_approach_exact_ones(model):
    tagger, X, y = model
    tagger = Tagger(SODA(alpha=0.1)).fit(X, [labels[::-1] for labels in y])  # a bad model: references rank low
    exact, _ = relative_ranks(tagger, X, y)
    sampled, is_exact = relative_ranks(tagger, X, y, n_best=1, n_samples=2000, random_state=0)
    assert not is_exact.all()
    np.testing.assert_allclose(sampled, exact, atol=0.04)


def test_ranks_of_a_long_sequence_need_no_enumeration():
    X, y = ["ab" * 100], ["xy" * 100]
    ranks, is_exact = relative_ranks(Tagger(SODA()).fit(X, y), X, y, n_best=3)
    assert is_exact.all()
    assert ranks[0] == pytest.approx(2.0**-200)
