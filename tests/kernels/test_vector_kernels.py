import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.base import clone
from sklearn.metrics.pairwise import linear_kernel, polynomial_kernel, rbf_kernel

from weft import InputError, LinearKernel, Normalized, PolynomialKernel, RBFKernel, RBFOver, SumKernel
from weft.kernels import sum_kernel
from weft.kernels.positive import check_positive_semidefinite

NUMBERS = st.floats(-3, 3, allow_subnormal=False, width=32)
VECTORS = arrays(np.float64, st.tuples(st.integers(1, 6), st.just(3)), elements=NUMBERS)
SEQUENCES = st.lists(arrays(np.float64, st.tuples(st.integers(0, 5), st.just(2)), elements=NUMBERS), max_size=5)
KERNELS = [
    LinearKernel(),
    PolynomialKernel(3, scale=0.25),
    PolynomialKernel(5),
    RBFKernel(0.3),
    Normalized(PolynomialKernel(2)),
    RBFOver(LinearKernel(), gamma=0.5) + RBFKernel(2.0),
]


def closed_form(kernel, x, y):
    """Value of a kernel of two vectors, by its definition."""
    if isinstance(kernel, RBFKernel):
        return np.exp(-kernel.gamma * np.sum((x - y) ** 2))
    if isinstance(kernel, PolynomialKernel):
        return (kernel.offset + kernel.scale * (x @ y)) ** kernel.degree
    return x @ y


def windows(sequence, n):
    return [np.concatenate(sequence[i : i + n]) for i in range(len(sequence) - n + 1)]


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@given(X=VECTORS, Y=VECTORS)
@settings(deadline=None, max_examples=15)
def test_vector_kernels_are_symmetric_positive_and_of_one_mind(kernel, X, Y):
    gram = kernel.gram(X)
    check_positive_semidefinite(gram)
    np.testing.assert_allclose(kernel.diagonal(X), np.diag(gram), atol=1e-9)
    np.testing.assert_allclose(kernel.gram(X, Y), kernel.gram(Y, X).T, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(kernel.gram(X, X), gram, rtol=1e-9, atol=1e-9)


def test_large_matrices_equal_those_of_scikit_learn():
    random = np.random.default_rng(0)
    X, Y = random.random((700, 20)), random.random((300, 20))
    np.testing.assert_allclose(LinearKernel().gram(X, Y), linear_kernel(X, Y), rtol=1e-12)
    np.testing.assert_allclose(
        PolynomialKernel(3, 0.1, 2.0).gram(X, Y), polynomial_kernel(X, Y, 3, 0.1, 2.0), rtol=1e-12
    )
    np.testing.assert_allclose(RBFKernel(0.1).gram(X), rbf_kernel(X, gamma=0.1), rtol=1e-12)


@pytest.mark.parametrize("base", [LinearKernel(), PolynomialKernel(2), RBFKernel(0.3)], ids=str)
@pytest.mark.parametrize("pairs", ["aligned", "all"])
@pytest.mark.parametrize("n", [1, 2])
@given(X=SEQUENCES, Y=SEQUENCES)
@settings(deadline=None, max_examples=10)
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


@pytest.mark.parametrize("kernel", [*KERNELS, SumKernel(PolynomialKernel(2), "all", 2)], ids=str)
def test_clones_and_pickles_give_the_same(kernel):
    X = np.arange(6.0).reshape(2, 3)
    X = [X, X[:1]] if isinstance(kernel, SumKernel) else X
    for copy in (clone(kernel), pickle.loads(pickle.dumps(kernel))):
        np.testing.assert_array_equal(copy.gram(X), kernel.gram(X))


def test_nothing_gives_nothing():
    assert LinearKernel().gram(np.zeros((0, 3)), np.zeros((2, 3))).shape == (0, 2)
    assert SumKernel().gram([], [np.ones((2, 2))]).shape == (0, 1)
    assert SumKernel().diagonal([]).shape == (0,)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: PolynomialKernel(0).gram([[1.0]]), "degree=0"),
        (lambda: PolynomialKernel(2, offset=-1.0).gram([[1.0]]), "offset=-1"),
        (lambda: RBFKernel(0.0).gram([[1.0]]), "gamma=0"),
        (lambda: LinearKernel().gram([1.0, 2.0]), "one row per example"),
        (lambda: LinearKernel().gram([[1.0]], [[1.0, 2.0]]), "vectors of 1 and of 2"),
        (lambda: LinearKernel().gram([[np.nan]]), r"X\[0\] holds a number that is not finite"),
        (lambda: LinearKernel().gram(["ab"]), "no numbers"),
        (lambda: SumKernel(pairs="some").gram([[[1.0]]]), "pairs='some'"),
        (lambda: SumKernel().gram(["ab"]), r"X\[0\] is no array"),
        (lambda: SumKernel().gram([[1.0, 2.0]]), r"X\[0\] has shape"),
        (lambda: SumKernel().gram([[[1.0]], [[1.0, 2.0]]]), r"X\[1\] has vectors of 2"),
        (lambda: SumKernel().gram([[[1.0]]], [[[1.0, 2.0]]]), "vectors of 1 and of 2"),
        (lambda: SumKernel().gram([[[np.inf]]]), "not finite"),
    ],
)
def test_bad_input_is_refused_in_one_line(call, message):
    with pytest.raises(InputError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)
