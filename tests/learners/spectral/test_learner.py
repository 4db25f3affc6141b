"""The spectral learner: golden steps, equal storage forms, choices, resuming."""

import numpy as np
import pytest

import weft
from spectral_words import LABELS, WORDS, fitted
from weft.errors import InputError


def test_golden_first_step():
    # One symbol, labels 0 and 1, windows of two, y = (0, 1): z* = (1, 0) costs 2, and the step moves two cells.
    tagger = weft.Tagger(weft.Spectral(2, tau=0.25, step=1.0, max_iter=2, boundary=False)).fit(["aa"], [["0", "1"]])
    assert [entry["objective"] for entry in tagger.history_] == pytest.approx([2.0, 0.875])
    order = np.argsort(tagger.chain_.pairs.labels[:2])
    np.testing.assert_allclose(
        tagger.chain_.matrix(tagger.weights_)[:2, :2][np.ix_(order, order)], [[0, 0.75], [-0.75, 0]]
    )


@pytest.mark.parametrize("regularizer", ["nuclear", "frobenius", "frobenius_squared", None])
def test_every_regularizer_learns_the_rule(regularizer):
    tagger = fitted(regularizer=regularizer, tau=0.02, max_iter=40)
    assert tagger.score(WORDS, LABELS) == 1.0
    assert tagger.history_[-1]["objective"] < tagger.history_[0]["objective"]


@pytest.mark.parametrize(
    "options",
    [
        {"order": 2, "shorter_grams": True, "tau": 0.02},
        {"order": 4, "tau": 0.02},
        {"batch_size": 3, "tau": 0.02},
        {"loss": "log", "tau": 0.02},
        {"loss": "log", "tau": 0.02, "regularizer": "frobenius_squared"},
        {"loss": "hinge", "sparse": True, "tau": 0.02, "batch_size": 4},
        {"constrained": True, "shorter_grams": True, "tau": 0.02, "max_iter": 15},
        {"constrained": True, "tau": 0.02, "max_iter": 15},
    ],
    ids=str,
)
def test_variants_learn_the_training_words(options):
    assert fitted(**options).score(WORDS, LABELS) > 0.9


def test_equal_strings_of_a_constrained_matrix_have_equal_scores():
    tagger = fitted(constrained=True, tau=0.05, max_iter=5)
    chain = tagger.chain_
    matrix, cells = chain.matrix(tagger.weights_), chain.string_cells
    first = {number: matrix.reshape(-1)[np.flatnonzero(cells.reshape(-1) == number)] for number in (0, 5, 40)}
    for values in first.values():
        np.testing.assert_allclose(values, values[0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"order": 10**30}, "order of Spectral is 1000.*; at most 1000 is possible"),
        ({"symbol": 0}, "symbol of Spectral is 0; how attributes begin is needed"),
        ({"checkpoint": 1}, "checkpoint of Spectral is 1; the path of a file is needed, or None"),
        ({"order": 1}, "order of Spectral is 1; a whole number of at least 2"),
        ({"batch_size": 0}, "batch_size of Spectral is 0"),
        ({"regularizer": "l1"}, "regularizer of Spectral is 'l1'"),
        ({"loss": "square"}, "loss of Spectral is 'square'"),
        ({"tau": -1.0}, "tau of Spectral is -1.0"),
        ({"step": np.inf}, "step of Spectral is inf"),
        ({"constrained": True, "regularizer": None}, "constrained=True of Spectral needs"),
        ({"loss": "log", "regularizer": "frobenius"}, "loss='log' of Spectral takes"),
        ({"ties": "first"}, "ties of Spectral is 'first'"),
        ({"max_iter": 0}, "max_iter of Spectral is 0"),
    ],
)
def test_bad_parameters_are_named(options, message):
    with pytest.raises(InputError, match=message):
        fitted(**options)


def test_ties_go_to_the_frequent_label_or_to_the_first():
    X, y = ["a", "a", "a"], [["y"], ["x"], ["y"]]
    for ties, label in (("frequency", "y"), ("label", "x")):
        tagger = weft.Tagger(weft.Spectral(tau=100.0, step=0.1, ties=ties)).fit(X, y)
        assert tagger.predict(["a", "z"]) == [[label], [label]]


def test_the_order_of_the_tagger_stays_at_one():
    with pytest.raises(InputError, match="leave that of the tagger at 1"):
        weft.Tagger(weft.Spectral(tau=1.0, sparse=True), order=2).fit(WORDS, LABELS)
    with pytest.raises(InputError, match="X holds arrays"):
        weft.Tagger(weft.Spectral(tau=1.0)).fit([np.eye(2)], [["x", "y"]])
