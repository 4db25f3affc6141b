"""CRF of weft.compat against sklearn-crfsuite itself: the same names, and the same weights where objectives are."""

import inspect
import pickle

import numpy as np
import pytest
import sklearn_crfsuite as original
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score

import weft
from weft.compat import sklearn_crfsuite
from weft.compat.sklearn_crfsuite.algorithms import ALGORITHMS

SENTENCES = [
    "the/D old/A cat/N sees/V a/D dog/N",
    "a/D dog/N barks/V",
    "old/A dogs/N sleep/V",
    "the/D cat/N sleeps/V",
    "cats/N see/V the/D old/A dogs/N",
    "a/D cat/N barks/V a/D lot/N",
]


def described(sentence):
    words = [token.split("/")[0] for token in sentence.split()]
    return [
        {"word": word, b"last": word[-1].encode(), "length": len(word) / 10, "first": t == 0, "letters": set(word[:2])}
        for t, word in enumerate(words)
    ]


X = [described(sentence) for sentence in SENTENCES]
Y = [[token.split("/")[1] for token in sentence.split()] for sentence in SENTENCES]


def fitted(**parameters):
    return sklearn_crfsuite.CRF(**parameters).fit(X, Y)


@pytest.fixture(scope="module")
def crf():
    return fitted(c2=0.1)


def test_parameters_and_public_names_are_those_of_the_original():
    ours, theirs = sklearn_crfsuite.CRF, original.CRF
    defaults = {name: each.default for name, each in inspect.signature(theirs).parameters.items()}
    assert {name: each.default for name, each in inspect.signature(ours).parameters.items()} == defaults
    assert list(inspect.signature(ours).parameters) == list(defaults)
    names = {name for name in vars(theirs) if not name.startswith("_")}
    assert names - set(dir(ours)) == set()
    for module in ("metrics", "scorers"):
        public = {
            name
            for name in vars(
                getattr(original, module, None) or __import__(f"sklearn_crfsuite.{module}", fromlist=["x"])
            )
            if name.startswith(("flat", "sequence"))
        }
        assert public - {"flatten"} <= set(dir(getattr(sklearn_crfsuite, module)))


SETTINGS = {
    "default": {},
    "weak": {"c1": 0.0, "c2": 0.05},
    "all transitions": {"c2": 0.2, "all_possible_transitions": True},
    "all states": {"c2": 0.2, "all_possible_states": True},
    "frequent": {"c2": 0.2, "min_freq": 2},
    "frequent of all": {"c2": 0.2, "min_freq": 2, "all_possible_states": True, "all_possible_transitions": True},
}


@pytest.mark.parametrize("name", SETTINGS)
def test_weights_are_those_of_the_original(name):
    # Both minimise one convex function.
    settings = {**SETTINGS[name], "delta": 1e-9, "max_iterations": 500}
    theirs = original.CRF(algorithm="lbfgs", epsilon=1e-8, **settings).fit(X, Y)
    ours = fitted(algorithm="lbfgs", **settings)
    assert set(ours.classes_) == set(theirs.classes_)
    assert set(ours.attributes_) == set(theirs.attributes_)
    for attribute in ("state_features_", "transition_features_"):
        mine, wanted = getattr(ours, attribute), getattr(theirs, attribute)
        assert set(mine) >= set(wanted), attribute  # weights of exactly zero are left out there
        for key in mine:
            assert mine[key] == pytest.approx(wanted.get(key, 0.0), abs=5e-4), (attribute, key)
    marginals = theirs.predict_marginals_single(X[0])
    for mine, wanted in zip(ours.predict_marginals_single(X[0]), marginals, strict=True):
        assert mine == pytest.approx(wanted, abs=5e-4)


def test_c1_leaves_few_attributes_as_the_original():
    ours, theirs = fitted(c1=0.3, c2=0.01, delta=1e-9), original.CRF(c1=0.3, c2=0.01, delta=1e-9).fit(X, Y)
    assert 0 < ours.num_attributes_ < len(fitted(c2=0.01).attributes_)
    assert {key for key, weight in theirs.state_features_.items() if abs(weight) > 0.05} <= set(ours.state_features_)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.filterwarnings("ignore:algorithm=.* is learned as a structural SVM")
def test_every_algorithm_learns_the_examples(algorithm):
    crf = fitted(algorithm=algorithm)
    assert isinstance(crf.predict(X), np.ndarray)
    assert [list(labels) for labels in crf.predict(X)] == Y
    assert crf.score(X, Y) == 1.0
    again = pickle.loads(pickle.dumps(crf))
    assert again.score(X, Y) == 1.0
    assert again.algorithm == algorithm


def test_nothing_is_there_before_a_fit():
    crf = sklearn_crfsuite.CRF()
    names = "tagger_ size_ classes_ num_attributes_ attributes_ state_features_ transition_features_ training_log_"
    assert [getattr(crf, name) for name in names.split()] == [None] * 8
    for ask in (crf.predict, crf.predict_marginals):
        with pytest.raises(NotFittedError):
            ask(X)


def test_a_fit_leaves_the_attributes(crf):
    assert crf.size_ > 1000
    assert crf.num_attributes_ == len(crf.attributes_) == len(set(crf.attributes_))
    assert "word:cat" in crf.attributes_
    assert "last:t" in crf.attributes_  # key and value were bytes
    assert set(crf.classes_) == {"A", "D", "N", "V"}
    assert crf.training_log_.last_iteration["loss"] == crf.training_log_.iterations[-1]["loss"]
    assert crf.training_log_.iterations[0]["num"] == 1
    assert isinstance(crf.estimator_, weft.Tagger)


def test_the_tagger_answers_one_sequence_as_the_original(crf):
    theirs = original.CRF(c2=0.1, delta=1e-9, epsilon=1e-8).fit(X, Y).tagger_
    ours = fitted(c2=0.1, delta=1e-9).tagger_
    assert ours.tag(X[1]) == theirs.tag(X[1]) == Y[1]
    assert ours.probability(Y[1]) == pytest.approx(theirs.probability(Y[1]), abs=1e-3)
    assert ours.marginal("N", 1) == pytest.approx(theirs.marginal("N", 1), abs=1e-3)
    assert sorted(ours.labels()) == sorted(theirs.labels())
    assert ours.info().header["num_attrs"] == str(len(ours.info().attributes))
    ours.close()
    with pytest.raises(weft.InputError, match="call set"):
        ours.tag()
    ours.set(X[1])
    with pytest.raises(weft.InputError, match="'Q' is not a label of the model; it has A, D, N, V"):
        ours.marginal("Q", 0)
    with pytest.raises(weft.InputError, match="pos is 9; the sequence has positions 0 to 2"):
        ours.marginal("N", 9)


def test_empty_sequences_teach_nothing_and_have_empty_labels(crf):
    assert [list(labels) for labels in crf.predict([[], X[1], []])] == [[], Y[1], []]
    assert crf.predict_single([]) == []
    assert crf.predict_marginals_single([]) == []
    with_empty = sklearn_crfsuite.CRF(c2=0.1).fit([[], *X], [[], *Y])
    assert with_empty.state_features_ == crf.state_features_


def test_held_out_data_are_scored():
    crf = sklearn_crfsuite.CRF(max_iterations=5).fit(X, Y, X[:2], Y[:2])
    assert len(crf.training_log_.iterations) == 5
    assert crf.training_log_.last_iteration["item_accuracy_float"] == 1.0
    with pytest.raises(ValueError, match="y_dev is missing; pass both"):
        sklearn_crfsuite.CRF().fit(X, Y, X)


def test_a_model_file_is_written_and_read(tmp_path):
    path = tmp_path / "model.weft"
    crf = fitted(model_filename=str(path))
    assert path.is_file()
    assert crf.size_ == path.stat().st_size
    other = sklearn_crfsuite.CRF(model_filename=path)
    assert other.score(X, Y) == 1.0
    assert other.state_features_ == crf.state_features_
    assert weft.load(path).predict(X) == Y


def test_a_file_of_crfsuite_is_refused(tmp_path):
    path = tmp_path / "model.crfsuite"
    original.CRF(model_filename=str(path)).fit(X, Y)
    with pytest.raises(weft.ModelFileError, match="is a model of CRFsuite, which weft cannot read; fit again"):
        sklearn_crfsuite.CRF(model_filename=path).predict(X)


def test_a_label_that_training_did_not_have_counts_as_wrong(crf):
    assert crf.score(X[1:2], [["D", "Q", "V"]]) == pytest.approx(2 / 3)


def test_it_is_cloned_searched_and_cross_validated():
    crf = sklearn_crfsuite.CRF(c2=0.1)
    assert clone(crf).get_params() == crf.get_params()
    scorer = sklearn_crfsuite.scorers.flat_accuracy
    assert cross_val_score(crf, X, Y, cv=3, scoring=scorer).mean() > 0.4
    search = GridSearchCV(
        crf, {"c2": [0.01, 0.1], "c1": [0.0]}, cv=2, scoring=sklearn_crfsuite.scorers.sequence_accuracy
    )
    assert search.fit(X, Y).best_params_["c1"] == 0.0
