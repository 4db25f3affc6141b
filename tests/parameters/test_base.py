"""Parameters are got, set and searched as with scikit-learn's base."""

import re
import warnings

import numpy as np
import pytest
import sklearn
import sklearn.base
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator

import weft
from parameter_twins import CASES, OurClasses, OurColumns, Ours, TheirClasses, TheirColumns, Theirs, grown
from weft.errors import InputError
from weft.parameters import Parameters, clone


@pytest.mark.parametrize("case", CASES)
def test_parameters_are_those_of_scikit_learn(case):
    ours, theirs = CASES[case](Ours), CASES[case](Theirs)
    for deep in (False, True):
        mine, other = ours.get_params(deep=deep), theirs.get_params(deep=deep)
        assert list(mine) == list(other)
        assert repr(mine) == repr(other)


SETTINGS = [
    {},
    {"a": 5},
    {"a": 5, "b": None},
    {"b__a": 6},
    {"b__b__name": "deep"},
    {"b": 1},
    {"b__a": 1, "b__name": "c", "name": "d"},
]


@pytest.mark.parametrize("settings", SETTINGS)
def test_setting_is_that_of_scikit_learn(settings):
    ours, theirs = grown(Ours), grown(Theirs)
    assert ours.set_params(**settings) is ours
    theirs.set_params(**settings)
    assert repr(ours.get_params()) == repr(theirs.get_params())


def test_a_part_that_is_set_with_its_parameters_gets_them():
    for kind in (Ours, Theirs):
        first = kind(b=kind())
        part = kind()
        first.set_params(b__a=4, b=part)
        assert first.b is part
        assert part.a == 4


WRONG = [
    ({"nam": 1}, "Twin has no parameter 'nam'; did you mean 'name'? It has a, b, longer_name_of_a_parameter, name."),
    ({"zzz": 1}, "Twin has no parameter 'zzz'; it has a, b, longer_name_of_a_parameter, name."),
    ({"b__nme": 1}, "Twin has no parameter 'nme'; did you mean 'name'? It has a, b, longer_name_of_a_parameter, name."),
    ({"zzz__a": 1}, "Twin has no parameter 'zzz'; it has a, b, longer_name_of_a_parameter, name."),
]


@pytest.mark.parametrize(("settings", "message"), WRONG)
def test_unknown_parameters_are_refused_where_scikit_learn_refuses_them(settings, message):
    with pytest.raises(InputError) as caught:
        grown(Ours).set_params(**settings)
    assert str(caught.value) == message
    with pytest.raises(ValueError):
        grown(Theirs).set_params(**settings)


def test_a_refused_parameter_leaves_the_others_as_they_were():
    ours = Ours()
    with pytest.raises(InputError):
        ours.set_params(a=7, zzz=1)
    assert ours.a == 1


def test_a_part_that_has_no_parameters_is_named():
    with pytest.raises(InputError) as caught:
        weft.Tagger().set_params(learner__c2=1.0)
    assert str(caught.value) == (
        "learner of Tagger is None, so learner__c2 cannot be set; give learner an object with that parameter first."
    )


def test_constructors_name_their_parameters():
    class Loose(Parameters):
        def __init__(self, *things):
            self.things = things

    with pytest.raises(RuntimeError, match=re.escape("Loose takes *args; its constructor must name each parameter.")):
        Loose().get_params()
    assert Parameters().get_params() == {}
    assert repr(Parameters()) == "Parameters()"
    with pytest.raises(InputError, match="it has none"):
        Parameters().set_params(a=1)


PUBLIC = {name: getattr(weft, name) for name in weft.__all__}


@pytest.mark.parametrize(
    "name", [name for name, kind in PUBLIC.items() if isinstance(kind, type) and issubclass(kind, Parameters)]
)
def test_every_public_class_shows_and_clones_itself(name):
    needed = {"Parser": ["grammar"], "StructuredEstimator": ["structure"],
              "Normalized": ["kernel"], "RBFOver": ["kernel"], "RationalKernel": ["transducer"],
              "LossKernel": ["loss"], "EmpiricalKernelMap": ["kernel"]}.get(name, [])  # fmt: skip
    given = dict.fromkeys(needed, "S -> a")
    if name == "SubstitutionMatrix":
        given = {"alphabet": "AC", "values": [[1.0, -1.0], [-1.0, 1.0]]}
    made = PUBLIC[name](**given)
    for copied in (clone, sklearn.base.clone):
        assert repr(copied(made)) == repr(made)
    assert repr(made).startswith(f"{name}(")
    assert not sklearn.base.is_classifier(made) or name == "SequenceSVC"


@pytest.mark.parametrize(
    ("ours", "theirs"), [(Ours, Theirs), (OurClasses, TheirClasses), (OurColumns, TheirColumns)], ids=str
)
def test_tags_are_those_of_scikit_learn(ours, theirs):
    assert get_tags(ours()) == get_tags(theirs())
    assert sklearn.base.is_classifier(ours()) == sklearn.base.is_classifier(theirs())


def test_transformers_fit_and_transform_at_once():
    for kind in (OurColumns, TheirColumns):
        made = kind(3)
        assert made.fit_transform([[1], [2]], [0, 1]).tolist() == [[3], [6]]
        assert made.seen_
        made.fit_transform([[1]])
        assert not made.seen_


@pytest.mark.parametrize(("ours", "theirs"), [(Ours, Theirs), (OurColumns, TheirColumns)], ids=str)
def test_the_checks_of_scikit_learn_say_the_same(ours, theirs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [check_estimator(kind(), on_skip=None, on_fail=None) for kind in (ours, theirs)]
    mine, other = ({each["check_name"]: each["status"] for each in results} for results in found)
    assert len(mine) > 20
    assert mine == other
    assert "passed" in mine.values()


def test_searches_reach_nested_parameters():
    X, y = [[0]] * 12, np.arange(12.0)
    search = GridSearchCV(Ours(b=Ours()), {"b__a": [1, 2], "a": [0, 5]}, cv=3).fit(X, y)
    assert len(search.cv_results_["params"]) == 4
    assert search.best_estimator_.b.a == search.best_params_["b__a"]
    words = [["a", "b"], ["b"], ["a"], ["b", "a"]] * 2
    tags = [[word.upper() for word in sentence] for sentence in words]
    search = GridSearchCV(weft.Tagger(weft.CRF(max_iter=3)), {"learner__c2": [0.1, 1.0], "order": [1]}, cv=2)
    assert search.fit(words, tags).predict([["a"]]) == [["A"]]
    with pytest.raises(ValueError, match="CRF has no parameter 'max_inter'; did you mean 'max_iter'"):
        GridSearchCV(weft.Tagger(weft.CRF()), {"learner__max_inter": [1]}, cv=2).fit(words, tags)


def test_sample_weights_reach_fit_in_cross_validation():
    X, y, sample_weight = [[0]] * 6, np.arange(6.0), np.array([1.0, 5.0, 2.0, 0.5, 1.0, 3.0])
    scores = [cross_val_score(kind(), X, y, cv=3, params={"sample_weight": sample_weight}) for kind in (Ours, Theirs)]
    assert np.array_equal(*scores)
    assert not np.array_equal(scores[0], cross_val_score(Ours(), X, y, cv=3))
