"""The tagger that tags twice: the same as two taggers by hand, and what it refuses."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone

import weft
from weft.errors import InputError
from weft.estimators.inputs import generator
from weft.estimators.tag.stacked_tagger import cross_answers
from weft.scale import Examples
from weft.sequences.answers import answer_attributes
from weft.testing import SEQUENCE_CHECKS

X = ["ab", "ba", "aab", "b", "abab", "bba"]
Y = [list("xy"), list("yx"), list("xxy"), list("y"), list("xyxy"), list("yyx")]
ROWS = [[["the", "D"], ["cat", "N"], ["ran", "V"]], [["a", "D"], ["dog", "N"]], [["dogs", "N"], ["ran", "V"]]] * 3
CHUNKS = [["B-NP", "I-NP", "B-VP"], ["B-NP", "I-NP"], ["B-NP", "B-VP"]] * 3
WINDOW = weft.WindowFeatures(1, 1, joined=1)
VARIANTS = {
    "usual": weft.StackedTagger(weft.CRF(), n_folds=2, random_state=0, n_jobs=1),
    "window": weft.StackedTagger(weft.Perceptron(3), weft.WindowFeatures(1), first=weft.CRF(max_iter=5), n_jobs=2),
    "held out": weft.StackedTagger(
        weft.CRF(), first=weft.Perceptron(2), n_folds=2, order=2, validation_fraction=0.3, patience=3, random_state=1
    ),
}
pytestmark = pytest.mark.filterwarnings("ignore:.*max_iter")


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("check", SEQUENCE_CHECKS, ids=lambda check: check.__name__)
def test_estimator_checks(variant, check):
    check(clone(VARIANTS[variant]), X, Y)


def rows_with_answers(rows, labels):
    known = WINDOW.transform([rows])[0]
    more = answer_attributes(list(zip(*rows, strict=True)), labels, chunked=True)
    return [[*names, *others] for names, others in zip(known, more, strict=True)]


def test_it_is_two_taggers():
    """A first tagger by folds, and a second that reads its answers, both by hand."""
    first, second = weft.Perceptron(3), weft.CRF(c2=0.1)
    weights = np.arange(1.0, 1.0 + len(ROWS))
    stacked = weft.StackedTagger(second, WINDOW, first=first, n_folds=3, random_state=4, n_jobs=1)
    stacked.fit(ROWS, CHUNKS, weights)
    answers = [None] * len(ROWS)
    for fold in np.array_split(generator(4).permutation(len(ROWS)), 3):
        others = [i for i in range(len(ROWS)) if i not in fold]
        tagger = weft.Tagger(first, WINDOW, random_state=4, n_jobs=1)
        tagger.fit([ROWS[i] for i in others], [CHUNKS[i] for i in others], weights[others])
        for i in fold:
            answers[i] = tagger.predict([ROWS[i]])[0]
    again = weft.Tagger(second, random_state=4, n_jobs=1)
    again.fit(list(map(rows_with_answers, ROWS, answers)), CHUNKS, weights)
    assert stacked.feature_names_ == again.feature_names_
    np.testing.assert_array_equal(stacked.weights_, again.weights_)
    whole = weft.Tagger(first, WINDOW, random_state=4, n_jobs=1).fit(ROWS, CHUNKS, weights)
    np.testing.assert_array_equal(stacked.first_.weights_, whole.weights_)
    new = [[["a", "D"], ["cat", "N"], ["sat", "V"]], [["dogs", "N"]]]
    described = list(map(rows_with_answers, new, whole.predict(new)))
    np.testing.assert_array_equal(stacked.confidence(new), again.confidence(described))
    assert stacked.predict_kbest(new, 3) == again.predict_kbest(described, 3)
    assert stacked.predict_marginals(new) == again.predict_marginals(described)
    assert stacked.predict(stacked.encode(new)) == stacked.predict(new)


def far_away(n, seed):
    """The last label is the first one, four tokens back; what lies between looks alike."""
    random = np.random.default_rng(seed)
    firsts = [("p", "q")[k] for k in random.integers(0, 2, n)]
    return [[first, *"mmmz"] for first in firsts], [[first.upper(), *"MMM", first.upper()] for first in firsts]


def test_it_sees_labels_that_no_chain_of_order_1_sees():
    known, asked = far_away(40, 0), far_away(40, 1)
    once = weft.Tagger(weft.CRF(c2=0.01)).fit(*known).score(*asked)
    twice = weft.StackedTagger(weft.CRF(c2=0.01), random_state=0).fit(*known).score(*asked)
    assert once < 0.95
    assert twice == 1.0


class Recorder:
    """Answers with the inputs that it was fitted on."""

    def __init__(self, X, y, sample_weight):
        assert y == X
        assert sample_weight.tolist() == X
        self.known = tuple(X)

    def predict(self, X):
        return [self.known for _ in X]


@pytest.mark.parametrize("n", [2, 5, 23])
def test_an_answer_comes_from_a_model_that_has_not_seen_the_example(n):
    X = list(range(n))
    answers = cross_answers(Recorder, X, X, 5, np.random.default_rng(0), np.arange(n))
    assert all(i not in known and list(known) == sorted(known) for i, known in enumerate(answers))
    assert all(len(known) >= n - -(-n // 5) for known in answers)


FORMS = {
    "strings": X,
    "ints": [[ord(c) for c in sequence] for sequence in X],
    "arrays of ints": [np.array([ord(c) for c in sequence]) for sequence in X],
    "attributes": [[[c] for c in sequence] for sequence in X],
    "dicts": [[{"c": c} for c in sequence] for sequence in X],
}


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_inputs_and_files(form, tmp_path):
    tagger = weft.StackedTagger(first=weft.Perceptron(3), n_folds=2, random_state=0).fit(FORMS[form], Y)
    assert tagger.score(FORMS[form], Y) > 0.9
    weft.save(tagger, tmp_path / "model.weft")
    loaded = weft.load(tmp_path / "model.weft")
    for again in (loaded, pickle.loads(pickle.dumps(tagger))):
        assert again.predict(FORMS[form]) == tagger.predict(FORMS[form])
        np.testing.assert_array_equal(again.confidence(FORMS[form]), tagger.confidence(FORMS[form]))
        np.testing.assert_array_equal(again.first_.weights_, tagger.first_.weights_)


def test_another_form_than_that_of_training_is_refused():
    tagger = weft.StackedTagger(first=weft.Perceptron(2), n_folds=2, random_state=0).fit(X, Y)
    with pytest.raises(InputError, match="X holds dicts, but this tagger was trained on symbols; give the same form"):
        tagger.predict(FORMS["dicts"])


def test_labels_that_are_numbers():
    labels = [[{"x": 1, "y": 2}[label] for label in own] for own in Y]
    tagger = weft.StackedTagger(n_folds=2, random_state=0).fit(X, labels)
    assert tagger.predict(["ab"]) == [[1, 2]]


def test_a_failed_fit_changes_nothing():
    tagger = weft.StackedTagger(first=weft.Perceptron(1), n_folds=2, random_state=0).fit(X, Y)
    before = tagger.weights_.copy(), tagger.first_
    with pytest.raises(InputError):
        tagger.fit(X, Y[:-1])
    with pytest.raises(InputError):
        tagger.set_params(constraints=[("x", "y")]).fit(X, Y)
    np.testing.assert_array_equal(tagger.weights_, before[0])
    assert tagger.first_ is before[1]


def test_examples_in_memory_may_come_in_parts():
    settings = {"first": weft.Perceptron(2), "n_folds": 2, "random_state": 0}
    whole = weft.StackedTagger(**settings).fit(X, Y)
    parts = weft.StackedTagger(**settings).fit(Examples.from_lists(X, Y, n_parts=2))
    np.testing.assert_array_equal(parts.weights_, whole.weights_)


class Numbers:
    """Makes arrays, to which no name can be added."""

    def transform(self, X):
        return [np.ones((len(x), 1)) for x in X]


@pytest.mark.parametrize(
    ("parameters", "data", "message"),
    [
        ({"n_folds": 1}, X, "n_folds is 1; a whole number of at least 2"),
        ({"n_folds": True}, X, "n_folds is True"),
        ({"first": "svm"}, X, r"first is 'svm'; a learner such as weft.StructuredSVM\(\)"),
        ({}, [np.ones((len(x), 2)) for x in X], "X holds arrays, to which no answer can be added"),
        ({"features": Numbers()}, X, "features, a Numbers, makes vectors; StackedTagger needs attribute lists"),
        ({"features": 3}, X, "features is 3; a transformer of sequences is needed"),
    ],
)
def test_what_it_refuses(parameters, data, message):
    with pytest.raises(InputError, match=message):
        weft.StackedTagger(**parameters).fit(data, Y)


def test_weights_that_leave_a_fold_nothing_are_refused():
    with pytest.raises(InputError, match="sample_weight is 0 or less for all 1 sequences that a first tagger learns"):
        weft.StackedTagger(n_folds=2).fit(X[:2], Y[:2], sample_weight=[1.0, 0.0])


def test_other_ways_to_fit_are_refused(tmp_path):
    tagger = weft.StackedTagger()
    with pytest.raises(InputError, match="pass 2 sequences or more"):
        tagger.fit(X[:1], Y[:1])
    with pytest.raises(InputError, match="StackedTagger has no partial_fit"):
        tagger.partial_fit(X, Y, classes="xy")
    with pytest.raises(InputError, match="leave client and spill out, or use Tagger"):
        tagger.fit(Examples.from_lists(X, Y, n_parts=2), spill=tmp_path)
    corpus = weft.Tagger().fit(X, Y).encode(X)
    with pytest.raises(InputError, match="X was encoded already"):
        tagger.fit(corpus, Y)
