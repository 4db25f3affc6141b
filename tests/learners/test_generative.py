"""Smoothed counts against counts by hand and a Viterbi search written out."""

import itertools

import numpy as np
import pytest

from weft import Generative, Tagger
from weft.datasets import make_hmm
from weft.errors import InputError


def test_weights_are_smoothed_relative_frequencies():
    tagger = Tagger(Generative(smoothing=0.5), boundary=True).fit(["abca", "bb"], ["xxyy", "yx"])
    state = {key: np.exp(value) for key, value in tagger.state_features_.items()}
    # x emits a, b, b; y emits c, a, b; three symbols.
    assert state["a", "x"] == pytest.approx(1.5 / 4.5)
    assert state["b", "x"] == pytest.approx(2.5 / 4.5)
    assert state["c", "x"] == pytest.approx(0.5 / 4.5)
    assert state["c", "y"] == pytest.approx(1.5 / 4.5)
    steps = {key: np.exp(value) for key, value in tagger.transition_features_.items()}
    # From x: x once, y once. From y: y once, x once.
    assert steps == pytest.approx({("x", "x"): 0.5, ("x", "y"): 0.5, ("y", "x"): 0.5, ("y", "y"): 0.5})
    names = dict(zip(tagger.feature_names_, tagger.weights_, strict=True))
    assert np.exp(names["start", "x"]) == pytest.approx(0.5)
    assert names["end", "x"] == names["end", "y"] == 0.0


def joint_log_probability(symbols, labels, start, transitions, emissions):
    value = np.log(start[labels[0]])
    value += sum(np.log(transitions[p, z]) for p, z in itertools.pairwise(labels))
    return value + sum(np.log(emissions[z, x]) for x, z in zip(symbols, labels, strict=True))


def test_prediction_is_the_viterbi_path_of_the_counted_hmm():
    X, y = make_hmm(3, 4, random_state=1, concentration=1.0).sample(30, length=(1, 6), random_state=2)
    tagger = Tagger(Generative(), boundary=True).fit(X, y)
    labels, symbols = list(tagger.classes_), sorted({s for sequence in X for s in sequence})
    start, steps, emissions = np.ones(3), np.ones((3, 3)), np.ones((3, len(symbols)))
    for sequence, answer in zip(X, y, strict=True):
        ids = [labels.index(z) for z in answer]
        start[ids[0]] += 1
        for p, z in itertools.pairwise(ids):
            steps[p, z] += 1
        for symbol, z in zip(sequence, ids, strict=True):
            emissions[z, symbols.index(symbol)] += 1
    start /= start.sum()
    steps /= steps.sum(axis=1, keepdims=True)
    emissions /= emissions.sum(axis=1, keepdims=True)
    for sequence, predicted in zip(X[:10], tagger.predict(X[:10]), strict=True):
        ids = [symbols.index(s) for s in sequence]
        every = list(itertools.product(range(3), repeat=len(ids)))
        values = [joint_log_probability(ids, z, start, steps, emissions) for z in every]
        mine = joint_log_probability(ids, [labels.index(z) for z in predicted], start, steps, emissions)
        assert mine == pytest.approx(max(values))


def test_second_order_scores_are_conditional_probabilities():
    tagger = Tagger(Generative(), order=2).fit(["aaaa", "aaa"], ["xyxy", "yyx"])
    w = tagger.transition_features_
    for before, label in itertools.product("xy", repeat=2):
        total = sum(np.exp(w[label, z] + w[before, label, z]) for z in "xy")
        assert total == pytest.approx(1.0)
    # After x y: x once, and smoothing.
    assert np.exp(w["y", "x"] + w["x", "y", "x"]) == pytest.approx(2 / 3)


def test_forbidden_steps_take_no_share():
    tagger = Tagger(Generative(), constraints=[("x", "x"), (None, "y")], boundary=True).fit(
        ["ab", "aab"], ["xy", "xyy"]
    )
    assert tagger.transition_features_["x", "y"] == pytest.approx(0.0)
    assert tagger.predict(["aaa"]) == [["x", "y", "y"]]


def test_sample_weight_counts_a_sequence_that_often():
    once = Tagger(Generative()).fit(["ab", "ab", "ba"], ["xy", "xy", "xx"])
    weighted = Tagger(Generative()).fit(["ab", "ba"], ["xy", "xx"], sample_weight=[2, 1])
    np.testing.assert_allclose(once.weights_, weighted.weights_)


def test_bad_input():
    with pytest.raises(InputError, match="smoothing of Generative is 0"):
        Tagger(Generative(smoothing=0)).fit(["a"], ["x"])
    with pytest.raises(InputError, match="pairs='all'"):
        Tagger(Generative(), pairs="observed").fit(["ab"], ["xy"])
    with pytest.raises(InputError, match="negative values"):
        Tagger(Generative()).fit([np.array([[-1.0], [2.0]])], ["xy"])
