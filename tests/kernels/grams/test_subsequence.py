import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft import GappyKernel, InputError, SubsequenceKernel

TEXTS = st.lists(st.text("abc", max_size=8), min_size=1, max_size=4)


@given(X=TEXTS, Y=TEXTS, n=st.integers(1, 4), decay=st.sampled_from([0.0, 0.5, 1.0]))
@settings(max_examples=40)
def test_equals_the_gappy_kernel_without_bound(X, Y, n, decay):
    kernel, explicit = SubsequenceKernel(n, decay), GappyKernel(n, decay)
    np.testing.assert_allclose(kernel.gram(X, Y), explicit.gram(X, Y))
    np.testing.assert_allclose(kernel.gram(X), explicit.gram(X))
    np.testing.assert_allclose(kernel.diagonal(X), explicit.diagonal(X))


def test_orders_add_up():
    X = ["abcab", "bca", ""]
    both = SubsequenceKernel(3, 0.5, min_n=2).gram(X)
    np.testing.assert_allclose(both, SubsequenceKernel(2, 0.5).gram(X) + SubsequenceKernel(3, 0.5).gram(X))


def test_published_values():
    kernel = SubsequenceKernel(2, 0.5)
    assert kernel.gram(["cat"], ["cart"]) == 13 / 8
    # Lodhi's form weighs by the span: decay ** (2 n) times this one.
    assert kernel.gram(["cat"], ["cart"]) * 0.5**4 == 13 / 128
    assert SubsequenceKernel(3, 0.5).gram(["abca"], ["abca"]) == 5 / 2


def test_has_no_features():
    with pytest.raises(InputError, match="has no explicit features; use gram"):
        SubsequenceKernel(2).features(["ab"])
    with pytest.raises(InputError, match="min_n=3 is above n=2"):
        SubsequenceKernel(2, min_n=3).gram(["ab"])
