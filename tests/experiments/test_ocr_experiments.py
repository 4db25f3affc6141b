"""Splits of the handwritten words, the equations behind REG-constraints, and small runs of both experiments."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from weft.datasets import load_ocr_letters
from weft.experiments.ocr_counts import STRENGTHS, CountPredictions, aligned, blurred_words, choose_voters, wrong_counts
from weft.experiments.ocr_positions import GAMMAS, PositionRegressors, choose_positions
from weft.experiments.ocr_segmented import CUBIC, LetterChoice, choose_letters, one_hot
from weft.experiments.ocr_unsegmented import choose_smoothing
from weft.experiments.ocr_words import WordSplit, inner_halves, other_words, percent_right, same_words
from weft.experiments.registry import run_experiment
from weft.kernel_methods.leave_groups_out import leave_groups_out
from weft.kernel_methods.ridge import solve_ridge
from weft.kernels.vectors import LinearKernel, PolynomialKernel
from weft.language_model import NGramLanguageModel
from weft.preimages import viterbi_strings


def toy(n=24, seed=0):
    random = np.random.default_rng(seed)
    words = random.choice(["abc", "cab", "ba", "bac"], n).tolist()
    shapes = random.normal(size=(3, 128))
    X = [shapes[["abc".index(z) for z in word]] + 0.3 * random.normal(size=(len(word), 128)) for word in words]
    return X, words


@pytest.fixture
def split():
    X, y = toy()
    return WordSplit(X[:16], y[:16], X[16:], y[16:], y[:16])


def test_splits_keep_words_apart():
    random = np.random.default_rng(0)
    words = [list(word) for word in random.choice(["ab", "cd", "ef", "gh", "ij", "kl"], 60)]
    data = SimpleNamespace(X=[np.zeros((2, 128))] * 60, y=words, folds=np.arange(60) % 10)
    for fold in range(5):
        new = other_words(data, fold)
        assert not set(new.y) & set(new.y_test)
        assert new.groups == new.y
        same = same_words(data, fold, n_test=7)
        assert (len(same.y), len(same.y_test)) == (6, 7)
        assert len(set(same.groups)) == 6
    covered = set().union(*(other_words(data, fold).y_test for fold in range(5)))
    assert covered == {"".join(word) for word in words}


def test_inner_halves_keep_groups_together(split):
    (train, held), (other, _) = inner_halves(split)
    assert sorted([*train, *held]) == list(range(16))
    assert not {split.y[i] for i in train} & {split.y[i] for i in held}
    assert sorted(held) == sorted(other)


@pytest.mark.parametrize(("gamma", "eta"), [(0.5, 0.0), (0.5, 3.0)])
def test_dual_of_places_is_the_penalised_primal(split, gamma, eta):
    """W_r = (M_Y M_X')_r (U + eta D_r)^-1: one primal system with its own penalties for each place."""
    places = PositionRegressors(split, "abc", LinearKernel())
    features = np.hstack(places.features)
    widths = [each.shape[1] for each in places.features]
    owner = np.repeat(np.arange(len(widths)), widths)
    X_test = split.X_test
    rows = np.hstack([places._features(X_test, place) for place in range(places.n_places)])
    expected = np.zeros((len(X_test), places.n_places), dtype=int)
    for place in range(places.n_places):
        penalties = np.diag(gamma + eta * (owner != place))
        weights = np.linalg.solve(features.T @ features + penalties, features.T @ places._targets(place))
        expected[:, place] = (rows @ weights).argmax(axis=1)
    found = places.predict([(gamma, eta)])[0]
    assert found == ["".join("abc"[k] for k in row[: len(x)]) for row, x in zip(expected, X_test, strict=True)]


def test_choices_come_from_training(split):
    choice = choose_letters(split, "abc", CUBIC)
    scores = choice.scores(split.X, split.y, "abc", split.X_test)
    assert percent_right(split.y_test, [["abc"[k] for k in each.argmax(axis=1)] for each in scores]) > 90
    places = PositionRegressors(split, "abc")
    gamma, eta = places.choose((0.0, 1.0))
    assert places.n_right(gamma, eta) == max(places.n_right(g, e) for g in GAMMAS for e in (0.0, 1.0))


def test_constraints_take_the_best_kernel(split):
    useless = PositionRegressors(split, "abc", LinearKernel(), np.zeros_like)
    useful = PositionRegressors(split, "abc", LinearKernel())
    for candidates in ([useless, useful], [useful, useless]):
        chosen, (gamma, eta) = choose_positions(candidates, (0.0, 1.0))
        assert chosen is useful
        assert useful.n_right(gamma, eta) > useless.n_right(*useless.choose((0.0, 1.0)))


@pytest.mark.parametrize("kernels", [aligned(1), blurred_words()], ids=["aligned", "blurred"])
def test_counts_take_the_kernel_with_the_smallest_held_out_error(split, kernels):
    found = CountPredictions(split, kernels)
    errors = {}
    for kernel in kernels:
        gram = kernel.gram(split.X)
        scale = gram.diagonal().mean()
        held = [leave_groups_out(gram, found.counts, scale * each, split.groups) for each in STRENGTHS]
        errors[kernel.name] = min(wrong_counts(each, found.counts) for each in held)
    assert found.error == pytest.approx(min(errors.values()))
    assert errors[found.kernel.name] == pytest.approx(found.error)


def test_test_words_have_no_say(split):
    """Other test words, even with wrong letters, leave kernel, penalty, voters and smoothing as they were."""
    random = np.random.default_rng(5)
    other = replace(split, X_test=[random.normal(size=x.shape) for x in split.X_test], y_test=split.y_test[::-1])
    chosen = []
    for each in (split, other):
        by_length = {n: CountPredictions(each, aligned(n)) for n in (1, 2)}
        smoothing = choose_smoothing(each, by_length[1].regressor([2]))
        kernels = [(found.kernel.name, found.alpha) for found in by_length.values()]
        chosen.append((kernels, choose_voters(by_length, 3), smoothing))
    assert chosen[0] == chosen[1]
    assert len(set(chosen[0][1])) == 3


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
@pytest.mark.parametrize(("gamma", "expected"), [(1e-4, (2885, 2957, 3061)), (0.01, (2897, 3052, 3170))])
def test_constraints_on_the_mini_set(gamma, expected):
    """Letters of 3507 that are right for 1 + eta / gamma of 1, 11 and 101, by a second program."""
    data = load_ocr_letters()
    test = np.flatnonzero(data.folds == 1)[:500]
    train = same_words(data, 0, n_test=1)
    words = ["".join(data.y[i]) for i in test]
    split = WordSplit(train.X, train.y, [data.X[i] for i in test], words, train.groups)
    places = PositionRegressors(split, "".join(sorted(set("".join(train.y)))))
    for guesses, wanted in zip(places.predict([(gamma, r * gamma) for r in (0, 10, 100)]), expected, strict=True):
        right = sum(
            a == b for word, guess in zip(words, guesses, strict=True) for a, b in zip(word, guess, strict=True)
        )
        assert abs(right - wanted) <= 3


@pytest.mark.slow
@pytest.mark.needs_data("ocr_letters")
@pytest.mark.parametrize("name", ["ocr-segmented", "ocr-unsegmented"])
def test_quick_runs_have_all_rows(name):
    report = run_experiment(name, quick=True)
    assert report.settings == ["same words", "other words"]
    # Insertions can bring an accuracy by edit distance below zero.
    assert all(m.mean <= 100.0 and (m.mean >= 0.0 or name == "ocr-unsegmented") for m in report.measurements)
    assert sum(m.published is not None for m in report.measurements) in (2, 7)


def test_one_hot_and_dual_agree():
    targets = one_hot(["ab", "ba"], "ab")
    gram = np.eye(4) * 2.0
    np.testing.assert_allclose(solve_ridge(gram, targets, 0.0) * 2.0, targets)
