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
