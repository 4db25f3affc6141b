"""Outputs as a list that folds can be joined of; empty sequences."""

import logging

import numpy as np
import pytest
from sklearn.model_selection import KFold, cross_val_predict

import weft
from weft.estimators.predictions import Predictions

X = [["a", "b"], ["b"], ["a", "a", "b"], ["b", "a"]]
Y = [["x", "y"], ["y"], ["x", "x", "y"], ["y", "x"]]


def test_cross_val_predict_gives_each_sequence_its_labels():
    folds = KFold(2)
    found = cross_val_predict(weft.Tagger(), X, Y, cv=folds)
    assert [len(labels) for labels in found] == [2, 1, 3, 2]
    for train, test in folds.split(X):
        tagger = weft.Tagger().fit([X[i] for i in train], [Y[i] for i in train])
        assert [list(found[i]) for i in test] == tagger.predict([X[i] for i in test])


def test_equal_lengths_stay_one_object_each():
    assert np.asarray(Predictions([["a", "b"], ["c", "d"]])).shape == (2,)
    assert np.asarray(Predictions([1, 2]), dtype=float).tolist() == [1.0, 2.0]


@pytest.fixture(scope="module")
def tagger():
    return weft.Tagger().fit(X, Y)


def test_an_empty_sequence_has_an_empty_answer(tagger):
    given = [["a"], [], ["b"]]
    full = [["a"], ["b"]]
    assert tagger.predict(given) == [tagger.predict(full)[0], [], tagger.predict(full)[1]]
    assert tagger.predict([[], []]) == [[], []]
    assert tagger.predict_kbest(given, 2)[1] == [([], 1.0)]
    assert tagger.confidence(given)[1] == 1.0
    assert tagger.confidence(given)[[0, 2]] == pytest.approx(tagger.confidence(full), abs=0)
    assert [each.shape for each in tagger.predict_proba(given)] == [(1, 2), (0, 2), (1, 2)]
    assert tagger.predict_marginals(given)[1] == []


def test_errors_count_empty_sequences(tagger):
    with pytest.raises(weft.InputError, match=r"X\[2\]"):
        tagger.predict([["a"], [], [1.5]])


def test_an_empty_rna_folds_to_nothing():
    folder = weft.Folder().fit(["GGGAAACCC"], ["(((...)))"])
    assert folder.predict(["", "GGGAAACCC"]) == ["", "(((...)))"]
    assert folder.predict_marginals([""])[0].shape == (0, 0)


def test_learning_still_wants_tokens():
    with pytest.raises(weft.InputError, match=r"X\[1\] has length 0; drop empty sequences"):
        weft.Tagger().fit([["a"], []], [["x"], []])


def test_fits_tell_the_logger(caplog):
    with caplog.at_level(logging.DEBUG, logger="weft"):
        weft.Tagger(weft.CRF(max_iter=3)).fit(X, Y, X_dev=X, y_dev=Y)
    said = [record.getMessage() for record in caplog.records]
    assert any(text.startswith("CRF, iteration 1: objective") and "held out" in text for text in said)
    assert any(text.startswith("CRF ended after") for text in said)
