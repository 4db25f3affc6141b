"""What goes wrong in a structure or a learner of one's own is said in one line, before anything is learned from it."""

import numpy as np
import pytest
from scipy.sparse import csr_array

import weft
from weft.core import DerivationGraph
from weft.learners.base import Learner
from weft.structures import GraphStructure


class Pick(GraphStructure):
    feature_names = ("a", "b")

    def compile(self, x):
        return DerivationGraph.build([0] * len(x), [[-1, -1]] * len(x), range(len(x)), 1, len(x))

    def part_features(self, x):
        return csr_array([[float(letter == name) for name in "ab"] for letter in x])

    def encode(self, x, y):
        return [x.index(y)]

    def decode(self, x, parts):
        return x[parts[0]]


class Returns(Learner):
    def __init__(self, result=None):
        self.result = result

    def learn(self, batch, initial, monitor, random):
        return self.result


def refusal(estimator):
    with pytest.raises(weft.InputError) as refused:
        estimator.fit(["ab"], ["b"])
    return str(refused.value)


def test_a_class_is_no_structure():
    assert (
        refusal(weft.StructuredEstimator(Pick)) == "structure is the class Pick; an object is needed, such as Pick()."
    )


def test_every_column_has_a_name():
    class Unnamed(Pick):
        feature_names = ("a",)

    assert refusal(weft.StructuredEstimator(Unnamed())) == (
        "part_features of Unnamed gave shape (2, 2) for x[0]; need a column for each of its 1 feature_names."
    )


def test_a_way_to_decode_that_graphs_lack_is_refused_before_learning():
    assert refusal(weft.StructuredEstimator(Pick(), decode="expected")) == (
        "decode='expected' needs 'most_accurate', which GraphBatch does not answer; "
        "use decode='best', or add the answer to the structure."
    )
    fitted = weft.StructuredEstimator(Pick()).fit(["ab"], ["b"]).set_params(decode="expected")
    with pytest.raises(weft.InputError, match="needs 'most_accurate'"):
        fitted.predict(["ab"])


@pytest.mark.parametrize(
    ("result", "came"), [(None, "None"), (np.zeros((2, 1)), r"shape \(2, 1\)"), (0.0, r"shape \(\)")]
)
def test_a_learner_returns_weights(result, came):
    with pytest.raises(weft.InputError, match=rf"^learn of Returns returned {came}; a vector of weights is needed"):
        weft.StructuredEstimator(Pick(), Returns(result)).fit(["ab"], ["b"])
