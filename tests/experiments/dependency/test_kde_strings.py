"""Tests of `weft.experiments.dependency.kde_strings`."""

from itertools import pairwise

import numpy as np

from quick_runs import quick_report
from weft import Normalized, SubsequenceKernel
from weft.experiments.dependency import kde_strings


def test_strings_are_as_the_slides_say():
    inputs, outputs, classes = kde_strings.draw(600, np.random.default_rng(0))
    assert {len(text) for text in inputs} == set(range(10, 16))
    repeats = [np.mean([a == b for a, b in pairwise(t)]) for t in inputs]
    by_class = [np.mean([r for r, c in zip(repeats, classes, strict=True) if c == k]) for k in range(3)]
    np.testing.assert_allclose(by_class, [0.25, 0.7, 0.7], atol=0.04)
    assert all(set(text) <= set("cd") for text, c in zip(inputs, classes, strict=True) if c == 2)
    intact = [o == kde_strings.PROTOTYPES[c] for o, c in zip(outputs, classes, strict=True)]
    assert 0.5 < np.mean(intact) < 0.65
    assert {abs(len(o) - 4) for o in outputs} == {0, 1, 2}


def test_short_strings_have_one_common_image():
    kernel = kde_strings.ShortStrings(Normalized(SubsequenceKernel(3, 0.01)))
    X = ["", "ab", "abc", "abcd"]
    gram = kernel.gram(X)
    np.testing.assert_allclose(np.diag(gram), kernel.diagonal(X), rtol=1e-12)
    np.testing.assert_allclose(gram[:2, :2], 1.0)
    np.testing.assert_allclose(gram[:2, 2:], 0.0)
    np.testing.assert_allclose(kernel.gram(X, X[1:]), gram[:, 1:])
    assert np.isfinite(gram).all()


def test_string_losses_of_three_data_sets():
    runs = [kde_strings.measure(200, seed, quick=True) for seed in range(3)]
    mean = {key: np.mean([run[key] for run in runs]) for key in runs[0]}
    assert mean["string loss", "KDE"] < 0.80
    assert mean["string loss", "KDE"] < mean["string loss", "1-NN"] - 0.2
    assert mean["classification loss", "KDE"] < 0.17
    assert mean["classification loss", "KDE"] < mean["classification loss", "1-NN"] - 0.03


def test_a_quick_run_of_strings(tmp_path):
    found = quick_report("kde-strings", tmp_path)
    assert found["string loss", "60 strings", "KDE"] < found["string loss", "60 strings", "1-NN"]
