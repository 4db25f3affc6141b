"""What all structured estimators share, on a structure of one's own."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import weft
from weft.core import DerivationGraph
from weft.errors import InputError, ModelFileError
from weft.structures import GraphStructure


class Pick(GraphStructure):
    """One character of a string; its features are letters that training had, before or after another."""

    def __init__(self, feature_names=()):
        self.feature_names = list(feature_names)

    def collect(self, X, y):
        return Pick(sorted({name for x in X for name in map("".join, zip(x, x[1:] + "|", strict=True))}))

    def compile(self, x):
        return DerivationGraph.build([0] * len(x), [[-1, -1]] * len(x), range(len(x)), 1, len(x))

    def part_features(self, x):
        here = list(map("".join, zip(x, x[1:] + "|", strict=True)))
        return csr_array([[float(name == each) for name in self.feature_names] for each in here])

    def encode(self, x, y):
        return [y]

    def decode(self, x, parts):
        return int(parts[0])


class Other(Pick):
    """A structure of another class."""


class Nameless(Pick):
    """A structure whose `collect` was forgotten."""

    def collect(self, X, y):
        return self


class Wordless(Nameless):
    """A structure whose `encode` has no return."""

    def encode(self, x, y):
        """Nothing."""


X = ["abc", "bca", "cab", "ab", "ba", "cba", "acb", "bab"]
Y = [x.index("b") for x in X]


def estimator(learner=None, **parameters):
    return weft.StructuredEstimator(Pick(), weft.CRF(c2=0.1) if learner is None else learner, **parameters)


def test_it_learns_which_character():
    fitted = estimator().fit(X, Y)
    assert fitted.predict(X) == Y
    assert fitted.score(X, Y) == 1.0
    assert len(fitted.weights_) == len(fitted.feature_names_) == len(fitted.structure_.feature_names)


def test_sample_weights_count_examples_that_often():
    doubled = estimator().fit([*X, X[0]], [*Y, Y[0]])
    weighted = estimator().fit(X, Y, sample_weight=[2] + [1] * 7)
    np.testing.assert_allclose(doubled.weights_, weighted.weights_, atol=1e-4)


def test_held_out_data_score_each_iteration_and_patience_keeps_the_best_weights():
    fitted = estimator(weft.CRF(c2=1e-6), patience=3, validation_fraction=0.25, random_state=0).fit(X * 3, Y * 3)
    held = [entry["score"] for entry in fitted.history_]
    assert len(held) == len(fitted.history_)
    given = estimator(weft.CRF(c2=1e-6), patience=2).fit(X[:4], Y[:4], X_dev=X[4:], y_dev=Y[4:])
    assert given.score(X[4:], Y[4:]) == max(entry["score"] for entry in given.history_)
    with pytest.raises(InputError, match="patience needs held-out data"):
        estimator(patience=2).fit(X, Y)


def test_warm_start_begins_with_the_weights_of_equal_names():
    cold = estimator().fit(X, Y)
    warm = estimator(warm_start=True).fit(X, Y).fit([*X, "db"], [*Y, 1])
    assert "b|" in warm.feature_names_
    assert "db" in warm.feature_names_
    assert len(warm.history_) < len(cold.history_) + 5
    np.testing.assert_allclose(warm.weights_, estimator().fit([*X, "db"], [*Y, 1]).weights_, atol=1e-2)


def test_a_stream_of_parts():
    stream = estimator(weft.Perceptron(), random_state=0)
    for _ in range(20):
        stream.partial_fit(X, Y)
    assert stream.score(X, Y) > 0.8
    assert len(stream.history_) == 20
    with pytest.raises(InputError, match=r"learner is CRF; use StructuredEstimator\(learner=weft.Perceptron\(\)\)"):
        estimator(weft.CRF()).partial_fit(X, Y)


def test_model_selection_tunes_the_learner():
    search = GridSearchCV(estimator(), {"learner__c2": [0.01, 1000.0]}, cv=2).fit(X * 2, Y * 2)
    assert search.best_params_ == {"learner__c2": 0.01}
    assert clone(search.best_estimator_).learner.c2 == 0.01


def test_files_keep_what_was_learned_and_the_structure_comes_from_outside(tmp_path):
    fitted, path = estimator().fit(X, Y), tmp_path / "picks.weft"
    weft.save(fitted, path)
    loaded = weft.load(path, structure=Pick())
    assert loaded.predict(X) == fitted.predict(X)
    assert loaded.feature_names_ == fitted.feature_names_
    with pytest.raises(ModelFileError, match=r"on a Pick, and files hold no code; needed .* structure=\.\.\.\)"):
        weft.load(path)
    with pytest.raises(ModelFileError, match="is of a Pick, and a Other was given"):
        weft.load(path, structure=Other())
    weft.save(weft.Tagger().fit(["ab"], ["xy"]), path)
    with pytest.raises(ModelFileError, match="holds a Tagger, which has its structure; load it without structure="):
        weft.load(path, structure=Pick())


def test_a_file_cannot_take_the_place_of_a_method(tmp_path):
    fitted, path = estimator().fit(X, Y), tmp_path / "picks.weft"
    fitted.structure_.decode = "abc"
    weft.save(fitted, path)
    with pytest.raises(ModelFileError, match="says what 'decode' of a Pick is, which is a method"):
        weft.load(path, structure=Pick())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: estimator(decode="worst").fit(X, Y), "decode is 'worst'; use 'best' or 'expected'"),
        (lambda: estimator(gamma=0).fit(X, Y), "gamma is 0; a positive number"),
        (lambda: estimator(gamma=2.0).fit(X, Y), "gamma=2.0 has no meaning with decode='best'"),
        (lambda: weft.StructuredEstimator(Nameless()).fit(X, Y), "Nameless has no feature_names; need at least one"),
        (lambda: weft.StructuredEstimator(Wordless("ab")).fit(X, Y), "None given as output 0; need the numbers"),
        (lambda: estimator(learner="crf").fit(X, Y), "learner is 'crf'; a learner such as"),
        (lambda: estimator().fit(X, Y[:2]), "X has 8 inputs but y has 2 outputs"),
        (lambda: estimator().fit(X), "y is None, but CRF needs outputs"),
        (lambda: estimator().fit(X, Y).predict_kbest(X, 0), "k is 0"),
        (
            lambda: estimator(decode="expected").fit(X, Y).predict(X),
            "needs 'most_accurate', which GraphBatch does not answer",
        ),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_a_structure_that_lacks_a_method_is_named():
    with pytest.raises(NotImplementedError, match="GraphStructure has no encode"):
        weft.StructuredEstimator(GraphStructure()).fit(["ab"], [0])
