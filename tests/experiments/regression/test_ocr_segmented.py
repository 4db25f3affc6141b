"""Splits of the handwritten words, the equations behind REG-constraints, and small runs of both experiments."""

import numpy as np
import pytest

from weft.datasets import load_ocr_letters
from weft.experiments.registry import run_experiment
from weft.experiments.regression.ocr_positions import GAMMAS, PositionRegressors
from weft.experiments.regression.ocr_segmented import AS_PRINTED, CUBIC, LetterChoice, choose_letters, one_hot
from weft.experiments.regression.ocr_words import percent_right, same_words
from weft.kernel_methods.ridge.path import solve_ridge
from weft.kernels.vectors.products import PolynomialKernel
from weft.language_model import NGramLanguageModel
from weft.preimages import viterbi_strings


def test_choices_come_from_training(split):
    choice = choose_letters(split, "abc", CUBIC)
    scores = choice.scores(split.X, split.y, "abc", split.X_test)
    assert percent_right(split.y_test, [["abc"[k] for k in each.argmax(axis=1)] for each in scores]) > 90
    places = PositionRegressors(split, "abc")
    gamma, eta = places.choose((0.0, 1.0))
    assert places.n_right(gamma, eta) == max(places.n_right(g, e) for g in GAMMAS for e in (0.0, 1.0))


@pytest.mark.needs_data("ocr_letters")
def test_reg_and_viterbi_on_the_mini_set():
    """Train fold 0, test the first 500 words of fold 1: 2779, 2997 and 3435 of 3507 letters, by a second program."""
    data = load_ocr_letters()
    test = np.flatnonzero(data.folds == 1)[:500]
    split = same_words(data, 0, n_test=1)
    X, words = [data.X[i] for i in test], ["".join(data.y[i]) for i in test]
    letters = "".join(sorted(set("".join(split.y))))
    choice = LetterChoice("", np.asarray, PolynomialKernel(3, 1 / 128), 0.01)
    scores = choice.scores(split.X, split.y, letters, X)
    np.testing.assert_allclose(scores[0][0, :3], [-0.060041, 0.006679, -0.112074], atol=2e-6)

    def right(guesses):
        return sum(a == b for word, guess in zip(words, guesses, strict=True) for a, b in zip(word, guess, strict=True))

    assert abs(right([[letters[k] for k in each.argmax(axis=1)] for each in scores]) - 2779) <= 3
    for order, expected in ((2, 2997), (3, 3435)):
        model = NGramLanguageModel(order, "maximum_likelihood").fit(split.y)
        assert abs(right(viterbi_strings(scores, letters, model, 0.1)[0]) - expected) <= 3


@pytest.mark.slow
@pytest.mark.needs_data("ocr_letters")
@pytest.mark.parametrize("name", ["ocr-segmented", "ocr-unsegmented"])
def test_quick_runs_have_all_rows(name):
    report = run_experiment(name, quick=True)
    # What was run stands in the names, and nothing published beside it.
    assert [each.partition(",")[0] for each in report.settings] == ["same words", "other words"]
    assert all("train and" in each for each in report.settings)
    # Insertions can bring an accuracy by edit distance below zero.
    assert all(m.mean <= 100.0 and (m.mean >= 0.0 or name == "ocr-unsegmented") for m in report.measurements)
    assert all(m.published is None for m in report.measurements)
    if name == "ocr-segmented":
        assert AS_PRINTED in report.methods


def test_one_hot_and_dual_agree():
    targets = one_hot(["ab", "ba"], "ab")
    gram = np.eye(4) * 2.0
    np.testing.assert_allclose(solve_ridge(gram, targets, 0.0) * 2.0, targets)
