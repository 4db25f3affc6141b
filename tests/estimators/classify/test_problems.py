"""The problems that kernels and options make of sequences."""

import numpy as np
import pytest

import weft
from weft.errors import InputError
from weft.estimators.classify.problems import problems_of
from weft.kernel_methods.svm.problems import FeatureProblems, KernelProblems

X = ["acacgt", "acgcac", "cacaca", "gtgtac", "tgtggt", "gttgtg"] * 5
Y = ["good", "good", "good", "bad", "bad", "bad"] * 5


def test_a_kernel_with_features_has_columns_and_a_constant_one():
    kernel = weft.NGramKernel(2)
    mapped, problems = problems_of(weft.SequenceSVC(kernel, storage="trie", bias=True), kernel, X, 1)
    assert isinstance(problems, FeatureProblems)
    rows = problems._matrix.toarray()
    np.testing.assert_array_equal(rows[:, :-1], kernel.feature_map(X)[1].toarray())
    np.testing.assert_array_equal(rows[:, -1], 1.0)
    assert [*mapped.names(), ""] == problems._names


def test_features_that_few_have_are_left_out():
    kernel = weft.NGramKernel(2)
    mapped, problems = problems_of(weft.SequenceSVC(kernel, bias=False), kernel, ["ab", "abc"], 2)
    assert mapped.names() == ["ab"]
    assert problems._matrix.toarray().tolist() == [[1.0], [1.0]]


@pytest.mark.parametrize("bias", [False, True])
def test_a_kernel_without_features_has_rows(bias):
    kernel = weft.RBFOver(weft.NGramKernel(2))
    mapped, problems = problems_of(weft.SequenceSVC(kernel, bias=bias), kernel, X, 1)
    assert mapped is None
    assert isinstance(problems, KernelProblems)
    np.testing.assert_allclose(problems._rows[3], kernel.gram(X)[3] + bias)
    with pytest.raises(InputError, match="storage='trie' needs explicit features, which RBFOver lacks"):
        problems_of(weft.SequenceSVC(kernel, storage="trie"), kernel, X, 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"patience": 2}, "patience needs held-out data"),
        ({"validation_fraction": 0.5, "kernel": weft.RBFOver(weft.NGramKernel(2))}, "held-out data given with RBFOver"),
        ({"validation_fraction": 0.5, "storage": "trie"}, "storage='trie'; passes are scored with"),
        ({"validation_fraction": 1.5}, "validation_fraction is 1.5"),
    ],
    ids=str,
)
def test_held_out_data_that_cannot_be_scored_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        weft.SequenceSVC(**options).fit(X, Y)
