from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import weft
from weft import InputError, PredictionSets


class Ranking:
    """Gives the outputs and probabilities that were written down for each input."""

    def __init__(self, rows):
        self.rows_ = rows

    def predict_kbest(self, X, k):
        return [self.rows_[x][:k] for x in X]

    def confidence(self, X):
        return np.array([self.rows_[x][0][1] for x in X])


def row(shares):
    """Outputs 0, 1, ... by falling probability."""
    return sorted(enumerate(shares), key=lambda pair: -pair[1])


SHARES = st.lists(st.floats(0.01, 1.0), min_size=4, max_size=4).map(lambda a: [x / sum(a) for x in a])


@given(st.lists(st.tuples(SHARES, st.integers(0, 3)), min_size=3, max_size=12), st.floats(0.05, 0.95))
def test_each_example_left_out_is_covered_as_often_as_promised(examples, coverage):
    # Every order of the examples is equally probable, so the one that comes last is each of them equally often.
    rows, right = [row(shares) for shares, _ in examples], [output for _, output in examples]
    n = len(rows) - 1
    rank = math.ceil(coverage * (n + 1))
    if rank > n:
        with pytest.raises(InputError, match="needs at least"):
            PredictionSets(Ranking(rows), coverage, 4).fit(range(n), right[:n])
        return
    covered = 0
    for last in range(n + 1):
        others = [i for i in range(n + 1) if i != last]
        sets = PredictionSets(Ranking(rows), coverage, 4).fit(others, [right[i] for i in others])
        covered += sets.score([last], [right[last]]) == 1.0
    assert covered >= rank  # of n + 1: at least the promised share


def test_sets_have_what_is_as_probable_as_the_threshold_and_never_nothing():
    rows = [
        row([0.7, 0.2, 0.1]),
        row([0.6, 0.4, 0.0]),
        row([0.5, 0.3, 0.2]),
        row([0.15, 0.13, 0.14]),
        row([0.9, 0.1, 0]),
    ]
    sets = PredictionSets(Ranking(rows), 0.5, 3).fit([0, 1, 2], [0, 1, 1])
    assert sets.threshold_ == 0.4  # the second largest of .7, .4, .3: ceil(.5 * 4) = 2
    assert (sets.n_examples_, sets.largest_coverage_) == (3, 0.75)
    assert sets.predict([0, 1, 2, 3, 4]) == [[0], [0, 1], [0], [0], [0]]
    assert sets.predict_with_probabilities([1]) == [[(0, 0.6), (1, 0.4)]]
    assert sets.score([0, 1, 2], [0, 1, 1]) == 2 / 3


@pytest.mark.parametrize(
    ("parameters", "y", "message"),
    [
        ({"coverage": 1.0}, [0, 1], "coverage is 1.0; a probability between 0 and 1"),
        ({"coverage": "0.9"}, [0, 1], "coverage is '0.9'"),
        ({"coverage": 0.9}, [0, 1], "2 examples given; a coverage of 0.9 needs at least 9"),
        ({"n_outputs": 0}, [0, 1], "n_outputs=0 given"),
        ({"coverage": 0.5, "n_outputs": 1}, [1, 1], "2 of 2 examples do not have .* need at most 0,"),
        ({"coverage": 0.5}, [0, 1, 2], "X has 2 inputs but y has 3"),
        ({"coverage": 0.5}, "01", "y is a str; a list of outputs"),
        ({"model": weft.SequenceSVC()}, [0, 1], "model is SequenceSVC, which gives no outputs with probabilities"),
        ({"model": weft.Rewriter()}, [0, 1], "Rewriter that has learned nothing"),
    ],
)
def test_what_cannot_be_meant_is_refused(parameters, y, message):
    model = Ranking([row([0.6, 0.4]), row([0.7, 0.3])])
    with pytest.raises(InputError, match=message):
        PredictionSets(**{"model": model, **parameters}).fit([0, 1], y)


def test_sets_of_a_tagger_and_of_a_rewriter():
    X, y = [["the", "cat"], ["a", "dog"]] * 4, [["D", "N"], ["D", "N"]] * 4
    tagger = weft.Tagger(weft.CRF(c2=0.1)).fit(X, y)
    sets = PredictionSets(tagger, 0.8).fit(X, [tuple(labels) for labels in y])
    assert sets.predict(X[:1]) == [[["D", "N"]]]
    assert sets.score(X, np.array(y)) == 1.0

    words = ["talk", "walk", "look", "cook", "want", "need", "caf\u00e9"]
    rewriter = weft.Rewriter(random_state=0).fit(words, words)
    decomposed = [word.replace("\u00e9", "e\u0301") for word in words]
    sets = PredictionSets(rewriter, 0.8).fit(words, decomposed, tags=None)  # as `predict_kbest` takes them
    assert sets.largest_coverage_ == 7 / 8
    assert "walk" in sets.predict(["walk"])[0]
