"""What weights on a structure answer, whoever has found them, beside all outputs one by one."""

import numpy as np
import pytest
from scipy.sparse import csr_array

import weft
from weft.core import DerivationGraph
from weft.errors import InputError
from weft.estimators.structured_model import StructuredModel
from weft.structures import GraphStructure


class Pick(GraphStructure):
    """One character of a string, by which letter it is."""

    feature_names = ("a", "b", "c")

    def compile(self, x):
        return DerivationGraph.build([0] * len(x), [[-1, -1]] * len(x), range(len(x)), 1, len(x))

    def part_features(self, x):
        return csr_array([[float(name == letter) for name in self.feature_names] for letter in x])

    def encode(self, x, y):
        return [y]

    def decode(self, x, parts):
        return int(parts[0])


class Given(StructuredModel):
    """Weights that nobody has learned."""

    empty_output = -1

    def __init__(self, learner=None, decode="best", n_jobs=1):
        self.learner, self.decode, self.n_jobs = learner, decode, n_jobs


def given(**parameters):
    model = Given(**parameters)
    model.structure_, model.weights_ = Pick(), np.array([0.3, 1.2, -0.5])
    return model


X = ["abc", "bca", "cab", "ab", "ba", "cba", "acb", "cac"]
Y = [max(range(len(x)), key=lambda i: "cab".index(x[i])) for x in X]


def test_all_that_can_be_asked():
    model = given()
    assert model.predict(X) == Y
    assert model.score(X, Y) == 1.0
    assert model.score(X, [0] * 8, sample_weight=[1, 0, 0, 0, 0, 0, 0, 0]) == 0.0
    assert model.feature_names_ == ["a", "b", "c"]
    scores = [Pick().part_features(x) @ model.weights_ for x in X]
    chances = [np.exp(own) / np.exp(own).sum() for own in scores]
    for found, own in zip(model.predict_marginals(X), chances, strict=True):
        np.testing.assert_allclose(found, own)
    np.testing.assert_allclose(model.confidence(X), [own.max() for own in chances])
    for found, own in zip(model.predict_kbest(X, 2), chances, strict=True):
        best = np.argsort(-own, kind="stable")[:2]
        assert [output for output, _ in found] == best.tolist()
        np.testing.assert_allclose([chance for _, chance in found], own[best])
    z = np.array([(own.max() - own.mean()) / own.std() for own in scores])
    np.testing.assert_allclose(model.z_score(X), z)
    np.testing.assert_allclose(model.relative_rank_bound(X), 1 / (1 + z**2))
    assert model.bind(X).n_sequences == model.bind(X, Y).n_sequences == 8
    with pytest.raises(InputError, match="no references"):
        model.bind(X).reference()


def test_an_empty_input_has_the_empty_output_and_leaves_others_their_numbers():
    model = given()
    assert model.predict(["", "ab", ""]) == [-1, 1, -1]
    assert model.predict([""]) == [-1]
    assert model.predict_kbest(["", "ab"], 1)[0] == [(-1, 1.0)]
    assert model.confidence(["", "ab"])[0] == 1.0


def test_the_learner_says_how_to_decode_where_that_is_left_open():
    assert given(decode=None)._decoding() == "expected"  # of CRF, the default
    assert given(decode=None, learner=weft.Perceptron())._decoding() == "best"
    with pytest.raises(InputError, match="needs 'most_accurate', which GraphBatch does not answer"):
        given(decode="expected").predict(["ab"])


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: given().score(X, Y[:2]), "X has 8 inputs but y has 2 outputs"),
        (lambda: given().score(X, None), "y is None, but a score needs outputs"),
        (lambda: given().predict_kbest(X, 0), "k is 0; a whole number of at least 1"),
    ],
)
def test_bad_questions(ask, message):
    with pytest.raises(InputError, match=message):
        ask()


def odd_weights(weights):
    return {
        "a list": weights.tolist(), "nothing": None, "text": "x", "no dimension": np.array(1.0),
        "too few": weights[:-1], "too many": np.append(weights, 1.0), "objects": weights.astype(object),
        "complex": weights.astype(complex), "half": weights.astype(np.float16),
        "swapped": weights.astype(weights.dtype.newbyteorder()),
        "a column": weights[:, None], "not finite": np.full_like(weights, np.nan),
    }  # fmt: skip


@pytest.mark.parametrize(
    "fitted",
    [
        lambda: (weft.Tagger().fit(["ab"], ["xy"]), ["ab"]),
        lambda: (weft.Aligner(prior=None).fit([("AC", "A")], [("AC", "A-")]), [("AC", "A")]),
        lambda: (weft.Aligner(mode="local", prior=None).fit([("AC", "A")], [("AC", "A-")]), [("AC", "A")]),
        lambda: (weft.Folder("g6").fit(["GAAAC"], ["(...)"]), ["GAAAC"]),
        lambda: (weft.SequenceSVC().fit(["ab", "cd"], ["p", "q"]), ["ab"]),
    ],
    ids=["tagger", "aligner", "local", "folder", "svc"],
)
def test_weights_that_somebody_edited_are_looked_at(fitted):
    estimator, X = fitted()
    weights = estimator.weights_
    for name, odd in odd_weights(weights).items():
        estimator.weights_ = odd
        with pytest.raises(InputError) as refused:
            estimator.predict(X)
        assert "\n" not in str(refused.value), name
    for right in (weights.astype(np.float32), np.asfortranarray(weights), np.repeat(weights, 2, axis=-1)[..., ::2]):
        estimator.weights_ = right
        estimator.predict(X)


@pytest.mark.parametrize(
    ("estimator", "parameters", "message"),
    [
        (weft.Tagger().fit(["ab"], ["xy"]), {"decode": "nearest"}, "decode is 'nearest'; use 'best' or 'expected'"),
        (
            weft.Folder.from_energies(),
            {"decode": "expected", "gamma": "x"},
            "gamma is 'x'; a positive number is needed",
        ),
        (weft.Folder.from_energies(), {"decode": None, "beam_width": 0}, "beam_width is 0; a whole number"),
        (weft.Folder.from_energies(), {"decode": None, "beam_width": "9"}, "beam_width is '9'; a whole number"),
    ],
)
def test_what_is_set_after_fitting_is_looked_at(estimator, parameters, message):
    estimator.set_params(**parameters)
    for ask in (estimator.predict, estimator.confidence, estimator.predict_marginals):
        with pytest.raises(InputError, match=message):
            ask(["GAAAC"])
