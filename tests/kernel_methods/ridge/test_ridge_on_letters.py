"""Regression on the handwritten letters: values that were measured once by other code (RG section 1.7.2)."""

import numpy as np
import pytest

from weft import PolynomialKernel
from weft.datasets import load_ocr_letters
from weft.kernel_methods.ridge.constrained import penalized_ridge
from weft.kernel_methods.ridge.kernel_columns import KernelColumns
from weft.kernel_methods.ridge.low_rank import LowRankPath
from weft.kernel_methods.ridge.regressor import KernelRidge

SCALED = PolynomialKernel(3, scale=1.0 / 128.0)


@pytest.fixture(scope="module")
def words():
    """Words of fold 0 to train, and the first 500 of fold 1 to test."""
    data = load_ocr_letters()
    train = [(data.X[i], data.y[i]) for i in np.flatnonzero(data.folds == 0)]
    test = [(data.X[i], data.y[i]) for i in np.flatnonzero(data.folds == 1)[:500]]
    return train, test


def letters(words):
    labels = np.array([ord(letter) - ord("a") for _, y in words for letter in y])
    return np.concatenate([x for x, _ in words]), labels


def positions(words):
    return np.concatenate([np.arange(len(x)) for x, _ in words])


@pytest.mark.needs_data("ocr_letters")
def test_letters_one_by_one(words):
    X, labels = letters(words[0])
    new, truth = letters(words[1])
    assert len(truth) == 3507
    scores = KernelRidge(SCALED, alpha=0.01).fit(X, np.eye(26)[labels]).predict(new)
    np.testing.assert_allclose(scores[0, :3], [-0.060041, 0.006679, -0.112074], atol=2e-6)
    assert abs(int((scores.argmax(axis=1) == truth).sum()) - 2779) <= 3


@pytest.mark.slow
@pytest.mark.needs_data("ocr_letters")
def test_letters_of_whole_words_with_constraints(words):
    """Empirical kernel map of equation 1.69; weights between different positions cost eta on top of gamma."""
    X, labels = letters(words[0])
    place = positions(words[0])
    longest = int(place.max()) + 1

    def features(some):
        new, where = letters(some)[0], positions(some)
        word = np.repeat(np.arange(len(some)), [len(x) for x, _ in some])
        rows = np.zeros((len(some), len(X)))
        for p in range(longest):
            here, own = np.flatnonzero(where == p), np.flatnonzero(place == p)
            rows[np.ix_(word[here], own)] = SCALED.gram(new[here], X[own])
        return rows

    targets = np.zeros((len(words[0]), longest * 26))
    word = np.repeat(np.arange(len(words[0])), [len(x) for x, _ in words[0]])
    targets[word, place * 26 + labels] = 1.0
    train, test = features(words[0]), features(words[1])
    truth = letters(words[1])[1]
    word, where = np.repeat(np.arange(500), [len(x) for x, _ in words[1]]), positions(words[1])
    other = place[:, None] != np.repeat(np.arange(longest), 26)
    for gamma, wanted in ((0.01, (2897, 3052, 3170)), (1e-4, (2885, 2957, 3061))):
        for ratio, right in zip((1, 11, 101), wanted, strict=True):
            weights = penalized_ridge(train, targets, (ratio - 1) * gamma * other, gamma)
            scores = (test @ weights).reshape(500, longest, 26)[word, np.minimum(where, longest - 1)]
            assert abs(int((scores.argmax(axis=1) == truth).sum()) - right) <= 3


@pytest.mark.slow
@pytest.mark.needs_data("ocr_letters")
def test_greedy_selection_beats_incomplete_cholesky(words):
    X, labels = letters(words[0])
    new, truth = letters(words[1])
    kernel, targets = PolynomialKernel(3), np.eye(26)[labels]
    errors = {}
    for name, select in (("greedy", LowRankPath.greedy), ("cholesky", LowRankPath.cholesky)):
        path = select(KernelColumns(kernel, X), targets, 0.01, 1000)
        scores = kernel.gram(new, X[path.indices]) @ path.coefficients()
        errors[name] = 100.0 * np.mean(scores.argmax(axis=1) != truth)
    assert errors["greedy"] <= 25.5
    assert errors["greedy"] < errors["cholesky"] - 5.0
