import itertools

import numpy as np
import pytest

from weft.errors import InputError
from weft.structures.chain.label_grams import LabelGrams, observed_grams


def walk(grams, labels):
    """States of the chain along a labelling, by its own successor table."""
    state = labels[0]
    states = [state]
    for z in labels[1:]:
        state = int(grams.successor[state]) + z
        states.append(state)
    return states


@pytest.mark.parametrize(("n_labels", "order"), [(1, 1), (1, 3), (2, 1), (2, 3), (3, 2), (5, 2), (4, 1)])
def test_arcs_along_a_path_are_scored_by_its_ngrams(n_labels, order):
    grams = LabelGrams.build(n_labels, order)
    weights = np.random.default_rng(0).normal(size=len(grams.grams))
    weight_of = dict(zip(grams.grams, weights, strict=True))
    arcs = grams.arc_scores(weights)
    for labels in itertools.product(range(n_labels), repeat=4):
        states = walk(grams, labels)
        assert [state % grams.width for state in states] == list(labels)
        for t in range(1, 4):
            expected = sum(weight_of[labels[t + 1 - n : t + 1]] for n in range(2, min(t, order) + 2))
            assert arcs[states[t - 1], labels[t]] == pytest.approx(expected, abs=1e-12)


def test_states_remember_the_last_labels_and_no_more():
    grams = LabelGrams.build(3, 2)
    for first, second in itertools.product(itertools.product(range(3), repeat=4), repeat=2):
        same = first[-2:] == second[-2:]
        assert (walk(grams, first)[-1] == walk(grams, second)[-1]) == same


@pytest.mark.parametrize("n_labels", [1, 3, 4, 5])
def test_gram_sums_is_the_transpose_of_arc_scores(n_labels):
    rng = np.random.default_rng(n_labels)
    chosen = [np.array(list(itertools.product(range(n_labels), repeat=n)))[::2] for n in (2, 3)]
    grams = LabelGrams.build(n_labels, 2, chosen)
    weights = rng.normal(size=len(grams.grams))
    flows = np.where(grams.real_arcs, rng.normal(size=(grams.n_states, grams.width)), 0.0)
    arcs = np.where(grams.real_arcs, grams.arc_scores(weights), 0.0)
    assert (arcs * flows).sum() == pytest.approx(weights @ grams.gram_sums(flows), rel=1e-12)
    assert np.all(grams.arc_scores(weights)[~grams.real_arcs] == -np.inf)


def test_arcs_of_grams_inverts_arc_features():
    grams = LabelGrams.build(3, 2, [np.array([[0, 1], [2, 2]]), np.array([[0, 0, 1]])])
    offsets, arcs = grams.arcs_of_grams()
    for number in range(3):
        expected = np.flatnonzero((grams.arc_features == number).any(axis=1))
        assert sorted(arcs[offsets[number] : offsets[number + 1]]) == expected.tolist()


def test_observed_grams_stay_within_sequences():
    labels = np.array([0, 1, 1, 2, 0, 1], dtype=np.int32)
    bigrams, trigrams = observed_grams(labels, np.array([0, 3, 6]), 3, 2)
    assert bigrams.tolist() == [[0, 1], [1, 1], [2, 0]]
    assert trigrams.tolist() == [[0, 1, 1], [2, 0, 1]]


def test_observed_grams_of_single_tokens_are_none():
    found = observed_grams(np.array([0, 1], dtype=np.int32), np.array([0, 1, 2]), 2, 2)
    assert [rows.shape for rows in found] == [(0, 2), (0, 3)]
    assert LabelGrams.build(2, 2, found).grams == ()


@pytest.mark.parametrize("order", [0, -1, 1.5, "2", None, True])
def test_order_must_be_a_positive_whole_number(order):
    with pytest.raises(InputError, match=r"order is .*order=1 or more") as caught:
        LabelGrams.build(2, order)
    assert "\n" not in str(caught.value)


def test_too_many_ngrams_are_refused_before_they_are_made():
    with pytest.raises(InputError, match="lower the order or merge labels"):
        LabelGrams.build(1000, 3)


@pytest.mark.parametrize("order", [1001, 10**6, 10**30])
def test_an_order_beyond_all_numbers_is_refused_at_once(order):
    with pytest.raises(InputError, match=r"order is .*; a chain remembers at most 1000 labels: lower it\.$"):
        LabelGrams.build(3, order)
