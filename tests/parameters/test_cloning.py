"""Copies that have learned nothing, and copies of everything."""

import copy
import pickle

import joblib
import numpy as np
import pytest
import sklearn
import sklearn.base
from sklearn.linear_model import LogisticRegression

import weft
from parameter_twins import CASES, Ours
from weft.parameters import Parameters, clone


@pytest.mark.parametrize("copied", [clone, sklearn.base.clone], ids=["ours", "scikit-learn's"])
@pytest.mark.parametrize("case", CASES)
def test_clones_are_equal_and_share_nothing(case, copied):
    ours = CASES[case](Ours)
    ours.fit([[0]], [1.0])
    other = copied(ours)
    assert type(other) is Ours
    assert repr(other) == repr(ours)
    assert not hasattr(other, "mean_")
    for name, value in ours.get_params(deep=False).items():
        if isinstance(value, list | dict | Ours) and value:
            assert getattr(other, name) is not value


def test_clones_of_collections_and_of_plain_values():
    part = Ours([1])
    other = clone([part, (part,), {"a": part}, {3}, frozenset([4])])
    assert [type(each) for each in other] == [Ours, tuple, dict, set, frozenset]
    assert other[0] is not part
    assert other[1][0] is not other[0]
    values = np.arange(3)
    assert clone(values) is not values
    assert clone(LogisticRegression(C=3.0)).C == 3.0
    assert clone(Ours(int)).a is int


def test_clone_refuses_classes_and_constructors_that_change_parameters():
    with pytest.raises(TypeError, match="cannot clone the class Twin; make an object of it first"):
        clone(Ours)

    class Copying(Parameters):
        def __init__(self, a=()):
            self.a = list(a)

    with pytest.raises(RuntimeError, match="cannot clone a Copying: its constructor does not keep a as it is given"):
        clone(Copying([2.5]))
    with pytest.raises(RuntimeError):
        sklearn.base.clone(Copying([2.5]))


def test_pickles_copies_and_hashes():
    tagger = weft.Tagger(weft.CRF(c2=0.5, max_iter=3)).fit([["a", "b"], ["b"]], [["A", "B"], ["B"]])
    for other in (pickle.loads(pickle.dumps(tagger)), copy.deepcopy(tagger), copy.copy(tagger)):
        assert repr(other) == repr(tagger)
        assert np.array_equal(other.weights_, tagger.weights_)
    assert joblib.hash(weft.CRF(c2=0.5)) == joblib.hash(weft.CRF(c2=0.5)) != joblib.hash(weft.CRF())
    assert pickle.loads(pickle.dumps(weft.LinearKernel())).get_params() == {}
