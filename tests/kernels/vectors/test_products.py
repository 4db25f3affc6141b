import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.base import clone
from sklearn.metrics.pairwise import linear_kernel, polynomial_kernel, rbf_kernel

from weft import InputError, LinearKernel, Normalized, PolynomialKernel, RBFKernel, RBFOver, SumKernel
from weft.kernels.positive import check_positive_semidefinite

NUMBERS = st.floats(-3, 3, allow_subnormal=False, width=32)
VECTORS = arrays(np.float64, st.tuples(st.integers(1, 6), st.just(3)), elements=NUMBERS)
KERNELS = [
    LinearKernel(),
    PolynomialKernel(3, scale=0.25),
    PolynomialKernel(5),
    RBFKernel(0.3),
    Normalized(PolynomialKernel(2)),
    RBFOver(LinearKernel(), gamma=0.5) + RBFKernel(2.0),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@given(X=VECTORS, Y=VECTORS)
@settings(max_examples=15)
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
        (lambda: SumKernel().gram(["ab"]), r"X\[0\] is not an array"),
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
