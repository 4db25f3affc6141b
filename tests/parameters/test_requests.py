"""Arguments beyond X and y are routed as with scikit-learn's base."""

import copy
import pickle
import re

import numpy as np
import pytest
import sklearn
import sklearn.base
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.model_selection import GridSearchCV, cross_val_score

import weft
from parameter_twins import Ours, Theirs
from weft.parameters import clone


def test_routed_metadata_are_those_of_scikit_learn():
    X, y, sample_weight = [[0]] * 6, np.arange(6.0), np.array([1.0, 5.0, 2.0, 0.5, 1.0, 3.0])
    with sklearn.config_context(enable_metadata_routing=True):
        for kind in (Ours, Theirs):
            with pytest.raises(UnsetMetadataPassedError):
                cross_val_score(kind(), X, y, cv=3, params={"sample_weight": sample_weight})
        made = [
            kind().set_fit_request(sample_weight=True).set_score_request(sample_weight=False) for kind in (Ours, Theirs)
        ]
        scores = [cross_val_score(each, X, y, cv=3, params={"sample_weight": sample_weight}) for each in made]
        assert np.array_equal(*scores)
        requests = [each.get_metadata_routing() for each in made]
        for method in ("fit", "predict", "score"):
            mine, other = (getattr(request, method).requests for request in requests)
            assert mine == other
        svc = weft.SequenceSVC().set_fit_request(sample_weight=True)
        for copied in (clone, sklearn.base.clone, copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))):
            assert copied(svc).get_metadata_routing().fit.requests["sample_weight"] is True
        search = GridSearchCV(made[0], {"a": [1, 2]}, cv=3).fit(X, y, sample_weight=sample_weight)
        assert search.best_estimator_.mean_ == np.average(y, weights=sample_weight)


def test_methods_that_set_requests_are_those_of_scikit_learn():
    names = [{name for name in dir(kind) if re.fullmatch("set_.*_request", name)} for kind in (Ours, Theirs)]
    assert names[0] == names[1] == {"set_fit_request", "set_predict_request", "set_score_request"}
    with pytest.raises(RuntimeError, match="only available when metadata routing is enabled"):
        Ours().set_fit_request(sample_weight=True)
    with sklearn.config_context(enable_metadata_routing=True):
        with pytest.raises(TypeError, match="fit of Twin has no argument 'groups'; it has sample_weight"):
            Ours().set_fit_request(groups=True)
        with pytest.raises(TypeError, match="takes only keywords"):
            Ours().set_fit_request(True)
        ours = Ours()
        assert Ours.set_fit_request(ours, sample_weight="weights") is ours
        ours.set_fit_request(sample_weight=sklearn.utils.metadata_routing.UNCHANGED)
        assert ours.get_metadata_routing().fit.requests == {"sample_weight": "weights"}


def test_subclasses_ask_for_what_their_own_methods_take():
    class Plain(Ours):
        def fit(self, X, y=None):
            return self

    class Written(Ours):
        def set_fit_request(self, **requests):
            return "written by hand"

    class Below(Written):
        pass

    with sklearn.config_context(enable_metadata_routing=True), pytest.raises(TypeError, match="it has none"):
        Plain().set_fit_request(sample_weight=True)
    assert Below().set_fit_request() == "written by hand"
