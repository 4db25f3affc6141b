"""Labellings as data made them: their names, and the arrays that they become and come from."""

import numpy as np
import pytest

import weft
from weft.errors import ModelFileError
from weft.estimators.tag.tagging import tagging_from_arrays, tagging_from_state, tagging_to_arrays

X, Y = [["the", "cat"], ["a", "cat"]], [["D", "N"], ["D", "N"]]


def tagging(**options):
    return weft.Tagger(weft.CRF(max_iter=3), **options).fit(X, Y).structure_


def test_features_are_pairs_and_steps_by_name():
    found = tagging(pairs="observed")
    assert found.names == ["D", "N"]
    assert found.feature_names == [("the", "D"), ("cat", "N"), ("a", "D"), ("D", "N")]


@pytest.mark.parametrize("n_features", [None, 16], ids=["names", "hashes"])
def test_arrays_give_the_same_back(n_features):
    given = tagging(n_features=n_features)
    found = tagging_from_arrays(tagging_to_arrays(given), given.encoder.kind, n_features, given.encoder.form)
    assert found.feature_names == given.feature_names
    assert found.names == given.names
    assert found.encoder.form == given.encoder.form
    again, before = tagging_to_arrays(found), tagging_to_arrays(given)
    assert again.keys() == before.keys()
    for name, array in before.items():
        np.testing.assert_array_equal(again[name], array)


def test_a_label_twice_is_refused():
    given = tagging()
    doubled = tagging_to_arrays(given) | {"weights": np.zeros(len(given.feature_names))}
    state = {"kind": "symbols", "tokens": given.encoder.form, "history": []}
    assert tagging_from_state(state, doubled).names == ["D", "N"]
    given.names[1] = "D"
    doubled |= tagging_to_arrays(given)
    with pytest.raises(ModelFileError, match="the same label or the same attribute twice"):
        tagging_from_state(state, doubled)
