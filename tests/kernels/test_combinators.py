import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from weft import NGramKernel, Normalized

TEXTS = st.lists(st.text("abcd", max_size=8), min_size=1, max_size=5)


@given(X=TEXTS)
@settings(max_examples=15)
def test_normalised_diagonal_is_one(X):
    kernel = Normalized(NGramKernel(2))
    gram, has_grams = kernel.gram(X), [len(x) >= 2 for x in X]
    np.testing.assert_allclose(np.diag(gram), has_grams)
    np.testing.assert_allclose(kernel.diagonal(X), has_grams)
    assert np.abs(gram).max(initial=0) <= 1 + 1e-12


def test_unknown_symbols_count_in_the_norm():
    mapped, _ = Normalized(NGramKernel(1)).feature_map(["aab"])
    # xy has two different unknown symbols: its length is sqrt(3) with the a.
    np.testing.assert_allclose(mapped.transform(["axy"]).toarray(), [[1 / np.sqrt(3), 0]])
