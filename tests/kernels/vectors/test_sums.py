"""Tests of `weft.kernels.vectors.sums`."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from weft import LinearKernel, PolynomialKernel, RBFKernel, SumKernel
from weft.kernels.vectors import sums as sum_kernel

NUMBERS = st.floats(-3, 3, allow_subnormal=False, width=32)
SEQUENCES = st.lists(arrays(np.float64, st.tuples(st.integers(0, 5), st.just(2)), elements=NUMBERS), max_size=5)


def closed_form(kernel, x, y):
    """Value of a kernel of two vectors, by its definition."""
    if isinstance(kernel, RBFKernel):
        return np.exp(-kernel.gamma * np.sum((x - y) ** 2))
    if isinstance(kernel, PolynomialKernel):
        return (kernel.offset + kernel.scale * (x @ y)) ** kernel.degree
    return x @ y


def windows(sequence, n):
    return [np.concatenate(sequence[i : i + n]) for i in range(len(sequence) - n + 1)]


@pytest.mark.parametrize("base", [LinearKernel(), PolynomialKernel(2), RBFKernel(0.3)], ids=str)
@pytest.mark.parametrize("pairs", ["aligned", "all"])
@pytest.mark.parametrize("n", [1, 2])
@given(X=SEQUENCES, Y=SEQUENCES)
@settings(max_examples=10)
def test_sums_equal_enumeration(base, pairs, n, X, Y):
    kernel = SumKernel(base, pairs, n)

    def value(x, y):
        left, right = windows(x, n), windows(y, n)
        positions = zip(left, right, strict=False) if pairs == "aligned" else [(a, b) for a in left for b in right]
        return sum(closed_form(base, a, b) for a, b in positions)

    wanted = np.array([[value(x, y) for y in Y] for x in X]).reshape(len(X), len(Y))
    np.testing.assert_allclose(kernel.gram(X, Y), wanted, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(kernel.gram(X), kernel.gram(X, X), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(kernel.diagonal(X), np.diag(kernel.gram(X)), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("pairs", ["aligned", "all"])
def test_sums_do_not_depend_on_blocks(pairs, monkeypatch):
    random = np.random.default_rng(1)
    X = [random.random((length, 3)) for length in (4, 1, 0, 7, 2, 2)]
    kernel = SumKernel(PolynomialKernel(2), pairs)
    whole = kernel.gram(X), kernel.gram(X, X[:3])
    monkeypatch.setattr(sum_kernel, "ENTRIES", 5)
    np.testing.assert_allclose(kernel.gram(X), whole[0], rtol=1e-12)
    np.testing.assert_allclose(kernel.gram(X, X[:3]), whole[1], rtol=1e-12)


def test_images_are_vectors_of_their_pixels():
    images = np.arange(16.0).reshape(4, 2, 2)
    np.testing.assert_array_equal(LinearKernel().gram(images), LinearKernel().gram(images.reshape(4, 4)))
    np.testing.assert_array_equal(SumKernel().gram([images]), [[np.sum(images**2)]])
