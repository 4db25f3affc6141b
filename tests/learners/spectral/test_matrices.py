"""Tests of `weft.learners.spectral.matrices`."""

import numpy as np
import pytest

from spectral_words import fitted
from weft.errors import InputError
from weft.learners.spectral import learner as learner_module
from weft.learners.spectral.matrices import FactoredMatrix, WholeMatrix


def test_low_rank_plus_sparse_gives_the_whole_matrix(monkeypatch):
    whole = fitted(tau=0.3, step=0.2, max_iter=12)
    monkeypatch.setattr(learner_module, "WHOLE_CELLS", 10)
    factored = fitted(tau=0.3, step=0.2, max_iter=12)
    assert factored.chain_.factored
    assert not whole.chain_.factored
    rows = factored.chain_.row_numbers
    expected = whole.chain_.matrix(whole.weights_)
    np.testing.assert_allclose(factored.chain_.matrix(factored.weights_), expected[rows], atol=1e-8)
    assert np.delete(expected, rows, axis=0).any() == np.False_
    assert [e["objective"] for e in factored.history_] == pytest.approx([e["objective"] for e in whole.history_])
    assert factored.predict(["zab", "cba"]) == whole.predict(["zab", "cba"])
    with pytest.raises(InputError, match="too many for a whole matrix"):
        fitted(regularizer=None)
    with pytest.raises(InputError, match="too many for loss='log'"):
        fitted(loss="log", tau=1.0)


def test_truncated_thresholding_equals_the_whole_one():
    random = np.random.default_rng(0)
    factored = FactoredMatrix(random.normal(size=(60, 3)), random.normal(size=(40, 3)))
    whole = WholeMatrix(factored.left @ factored.right.T, "nuclear")
    assert factored.penalty == pytest.approx(whole.penalty)
    for strength in (3.0, 0.2):  # few singular values are left, then more than were looked for at first
        cells = np.stack([random.integers(60, size=90), random.integers(40, size=90)], axis=1)
        values = random.normal(size=90)
        for matrix in (factored, whole):
            matrix.add(cells, values)
            matrix.shrink(strength)
        np.testing.assert_allclose(factored.left @ factored.right.T, whole.values, atol=1e-8)
        assert factored.penalty == pytest.approx(whole.penalty)
    assert len(factored.flat()) == factored.left.size + factored.right.size
