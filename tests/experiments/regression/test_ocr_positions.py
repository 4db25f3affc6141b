"""Tests of `weft.experiments.regression.ocr_positions`."""

import numpy as np
import pytest

from weft.datasets import load_ocr_letters
from weft.experiments.regression.ocr_positions import PositionRegressors, choose_positions
from weft.experiments.regression.ocr_words import WordSplit, same_words
from weft.kernels.vectors.products import LinearKernel


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


def test_constraints_take_the_best_kernel(split):
    useless = PositionRegressors(split, "abc", LinearKernel(), np.zeros_like)
    useful = PositionRegressors(split, "abc", LinearKernel())
    for candidates in ([useless, useful], [useful, useless]):
        chosen, (gamma, eta) = choose_positions(candidates, (0.0, 1.0))
        assert chosen is useful
        assert useful.n_right(gamma, eta) > useless.n_right(*useless.choose((0.0, 1.0)))


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
