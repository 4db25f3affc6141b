"""What is said when a structure of one's own has features that cannot be learned from."""

import warnings

import pytest
from scipy.sparse import csr_array

import weft
from weft.core import DerivationGraph

X, Y = ["abc", "cab", "ab"], ["b", "b", "a"]


class Pick(weft.structures.GraphStructure):
    """One character of a string; the letters that are features are given, and collect is left out."""

    def __init__(self, letters):
        self.feature_names = list(letters)

    def compile(self, x):
        return DerivationGraph.build([0] * len(x), [[-1, -1]] * len(x), range(len(x)), 1, len(x))

    def part_features(self, x):
        return csr_array([[float(letter == name) for name in self.feature_names] for letter in x])

    def encode(self, x, y):
        return [x.index(y)]

    def decode(self, x, parts):
        return x[parts[0]]


@pytest.mark.parametrize("learner", [weft.CRF(), weft.Perceptron(), weft.ZScore()], ids=str)
def test_features_that_the_data_lack_are_heard_of(learner):
    with pytest.warns(UserWarning, match=r"all 2 weights are zero: the features of Pick .* see its part_features"):
        weft.StructuredEstimator(Pick("xy"), learner, random_state=0).fit(X, Y)


def test_features_that_the_data_have_are_not():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = weft.StructuredEstimator(Pick("ab")).fit(X, Y)
    assert fitted.weights_.any()
