"""Tests of `weft.kernels.base`."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import weft
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


@pytest.mark.parametrize("number", [np.int8, np.uint8, np.int32, np.int64, np.uint64])
@pytest.mark.parametrize(
    ("kernel", "parameters"),
    [
        (weft.NGramKernel, {"n": 28}),
        (weft.NGramKernel, {"n": 40, "min_n": 3}),
        (weft.GappyKernel, {"n": 4, "max_gap": 2}),
        (weft.MismatchKernel, {"n": 5, "m": 1}),
        (weft.GappedKMerKernel, {"g": 9, "k": 6}),
        (weft.WeightedDegreeKernel, {"n": 8, "shift": 1}),
        (weft.WeightedDegreeKernel, {"n": 20}),
        (weft.BlendedSpectrumKernel, {"n": 30}),
        (weft.SubsequenceKernel, {"n": 5}),
    ],
)
def test_numbers_of_numpy_are_numbers(kernel, parameters, number):
    texts = ["".join(np.random.default_rng(seed).choice(list("ACGT"), 60)) for seed in range(3)]
    texts += [texts[0][:45], texts[1][7:]]
    given = {name: number(value) for name, value in parameters.items()}
    np.testing.assert_array_equal(kernel(**given).gram(texts), kernel(**parameters).gram(texts))


@pytest.mark.parametrize(
    ("kernel", "parameters"),
    [
        (weft.GappedKMerKernel, {"g": 28, "k": 26}),
        (weft.MismatchKernel, {"n": 30, "m": 1}),
        (weft.WeightedDegreeKernel, {"n": 31}),
    ],
)
def test_what_does_not_fit_into_64_bits_is_refused_for_numbers_of_numpy_too(kernel, parameters):
    texts = ["ACGT" * 20, "AGCT" * 20]
    for number in (int, np.int64, np.int32):
        with pytest.raises(InputError):
            kernel(**{name: number(value) for name, value in parameters.items()}).gram(texts)


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (weft.Normalized("ngram"), "kernel of Normalized is 'ngram'; a kernel such as weft.NGramKernel"),
        (weft.RBFOver(None), "kernel of RBFOver is None"),
        (weft.EmpiricalKernelMap(3), "kernel of EmpiricalKernelMap is 3"),
        (weft.SumKernel([]), r"base of SumKernel is \[\]"),
        (weft.RBFOver(weft.NGramKernel(2), "x"), "gamma='x' given; need a number above 0"),
        (weft.RBFKernel(np.inf), "gamma=inf given; need a number above 0"),
        (weft.RBFKernel("x"), "gamma='x' given"),
        (weft.PolynomialKernel(2, None), "scale=None and offset=1.0 given"),
        (weft.PolynomialKernel(2, 1.0, "1"), "scale=1.0 and offset='1' given"),
        (weft.MismatchKernel(2, 1, alphabet=4), "alphabet=4 given; need the characters of X"),
        (weft.GappyKernel(2, max_gap=[]), r"max_gap=\[\] given"),
        (weft.LossKernel([]), r"loss=\[\] given; need one of"),
    ],
)
def test_parameters_that_mean_nothing_are_refused_in_one_line(kernel, message):
    X = [[[1.0], [2.0]]] if isinstance(kernel, weft.SumKernel) else [[1.0, 2.0]]
    text = ["ab", "ba"]
    vectors = isinstance(kernel, weft.RBFKernel | weft.PolynomialKernel | weft.SumKernel)
    with pytest.raises(InputError, match=message):
        kernel.feature_map(text) if isinstance(kernel, weft.EmpiricalKernelMap) else kernel.gram(X if vectors else text)


def test_tokens_without_a_hash_are_refused():
    with pytest.raises(InputError, match=r"^a token of X has no hash"):
        weft.WordKernel().gram([[["a"]]])


def test_sequences_whose_tables_do_not_fit_into_memory_are_refused():
    with pytest.raises(InputError, match=r"tables of sequences of 900,000 and 900,000 symbols"):
        weft.SubsequenceKernel().diagonal(["a" * 900_000])
