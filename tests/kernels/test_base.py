"""Tests of `weft.kernels.base`."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from weft import GappyKernel, InputError, NGramKernel, Normalized, RBFOver, SubsequenceKernel
from weft.kernels.positive import check_positive_semidefinite

TEXTS = st.lists(st.text("abcd", max_size=8), min_size=1, max_size=5)
KERNELS = [
    NGramKernel(2) + GappyKernel(2, 0.5),
    NGramKernel(2) * SubsequenceKernel(2, 0.5),
    Normalized(NGramKernel(2)),
    Normalized(NGramKernel(2, min_n=1)),
    Normalized(NGramKernel(1) + GappyKernel(2, 0.5)),
    Normalized(SubsequenceKernel(2, 0.5)) + NGramKernel(1),
    RBFOver(Normalized(NGramKernel(2)), gamma=2.0),
    RBFOver(NGramKernel(1), gamma=0.1) * Normalized(NGramKernel(1)),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@given(X=TEXTS, Y=TEXTS)
@settings(max_examples=15)
def test_symmetric_positive_and_of_one_mind(kernel, X, Y):
    gram = kernel.gram(X)
    check_positive_semidefinite(gram)
    np.testing.assert_allclose(kernel.diagonal(X), np.diag(gram), atol=1e-12)
    np.testing.assert_allclose(kernel.gram(X, Y), kernel.gram(Y, X).T, atol=1e-12)
    if kernel.has_features:
        mapped, rows = kernel.feature_map(X)
        np.testing.assert_allclose((rows @ rows.T).toarray(), gram, atol=1e-12)
        others, norms = mapped.transform_with_norms(Y)
        np.testing.assert_allclose((rows @ others.T).toarray(), kernel.gram(X, Y), atol=1e-12)
        np.testing.assert_allclose(norms, kernel.diagonal(Y), atol=1e-12)
        assert len(mapped.names()) == mapped.n_features == rows.shape[1]
        restored = clone(kernel).restore_feature_map(mapped.to_state())
        assert (restored.transform(Y) != others).nnz == 0


def test_sums_and_products_by_hand():
    left, right = NGramKernel(1), NGramKernel(2)
    X, Y = ["aba", "bb"], ["ab"]
    np.testing.assert_array_equal((left + right).gram(X, Y), left.gram(X, Y) + right.gram(X, Y))
    np.testing.assert_array_equal((left * right).gram(X, Y), left.gram(X, Y) * right.gram(X, Y))
    assert (left + right).feature_map(X)[0].names() == ["a", "b", "ab", "ba", "bb"]
    spans = (left + right).feature_map(X)[0].spans("ab")
    assert list(zip(*spans, strict=True)) == [(0, 1, 0), (1, 2, 1), (0, 2, 2)]
    assert (left + right).get_params()["left__n"] == 1


def test_what_does_not_combine():
    with pytest.raises(TypeError):
        NGramKernel(1) + 1
    with pytest.raises(TypeError):
        NGramKernel(1) * 2
    with pytest.raises(InputError, match="no explicit features"):
        (NGramKernel(1) * NGramKernel(2)).feature_map(["a"])
    with pytest.raises(InputError, match="no explicit features"):
        (NGramKernel(1) + SubsequenceKernel(2)).features(["a"])
    with pytest.raises(InputError, match="gamma=0 given"):
        RBFOver(NGramKernel(1), gamma=0).gram(["a"])
