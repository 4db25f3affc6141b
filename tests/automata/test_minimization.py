"""Epsilon removal, determinisation and minimisation keep the strings and do what they say."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from automata_oracle import assert_same, machines, series
from weft.automata import (
    Automaton,
    Transducer,
    compose,
    determinize,
    is_deterministic,
    minimize,
    ngram_transducer,
    project,
    remove_epsilon,
    total_weight,
    union,
)

KINDS = st.sampled_from([Automaton, Transducer])
SEMIRINGS = st.sampled_from(["real", "log", "tropical"])


@given(st.data(), KINDS, SEMIRINGS)
@settings(max_examples=150)
def test_all_three_keep_the_series(data, kind, semiring):
    machine = data.draw(machines(kind, semiring))
    expected = series(machine)
    without = remove_epsilon(machine)
    assert_same(series(without), expected)
    assert not ((without.inputs == 0) & (without.outputs == 0)).any()
    if kind is Automaton:
        deterministic, smallest = determinize(machine), minimize(machine)
        assert_same(series(deterministic), expected)
        assert_same(series(smallest), expected)
        assert is_deterministic(deterministic)
        assert is_deterministic(smallest)
        assert smallest.n_states <= deterministic.n_states
        assert smallest.n_states == max(1, n_residuals(expected, semiring))
    else:
        # A pair of strings can have several alignments, each with its own path.
        assert_same(series(minimize(machine)), expected)


def n_residuals(weights, semiring):
    """Number of different futures up to a factor, Myhill and Nerode: the least number of states."""
    prefixes = {string[:end] for string, _ in weights for end in range(len(string) + 1)}
    futures = set()
    for prefix in prefixes:
        rest = sorted(
            (string[len(prefix) :], w) for (string, _), w in weights.items() if string[: len(prefix)] == prefix
        )
        leading = rest[0][1]
        scaled = [(text, w / leading if semiring == "real" else w - leading) for text, w in rest]
        futures.add(tuple((text, round(value, 9) + 0.0) for text, value in scaled))
    return len(futures)


def test_signs_that_cancel_in_sum_do_not_hinder_merging():
    strings = [("aa", 1.0), ("ab", -1.0), ("ba", 2.0), ("bb", -2.0)]
    machine = union(*(Automaton.from_string(text, weight=weight) for text, weight in strings))
    assert minimize(machine).n_states == 3


def test_counts_of_n_grams_become_a_minimal_acyclic_automaton():
    text = "abracadabra" * 30
    counts = project(compose(Automaton.from_string(text), ngram_transducer("abcdr", 4)))
    grams = {}
    for place in range(len(text) - 3):
        gram = tuple(text[place : place + 4])
        grams[gram, gram] = grams.get((gram, gram), 0.0) + 1
    smallest = minimize(counts)
    assert_same(series(smallest), grams)
    assert smallest.n_states == n_residuals(grams, "real")


def test_cyclic_machines_with_twins_are_determinised_and_minimised():
    arcs = [
        (0, "a", 1, 1.0),
        (0, "a", 2, 2.0),
        (1, "b", 1, -0.5),
        (2, "b", 2, -0.5),
        (1, "c", 3, 1.0),
        (2, "c", 3, 3.0),
    ]
    machine = Automaton.from_arcs(arcs, final={3: 1.0})
    deterministic = determinize(machine)
    assert deterministic.n_states == 3
    for text, weight in (("ac", 7.0), ("abc", -3.5), ("abbc", 1.75)):
        assert total_weight(compose(deterministic, Automaton.from_string(text))) == weight
    assert minimize(machine).n_states == 3


def test_cyclic_minimisation_merges_states_that_differ_by_a_factor():
    # An even number of a's, written with four states, two of which are copies scaled by -2.
    arcs = [(0, "a", 1, 0.5), (1, "a", 2, -1.0), (2, "a", 3, 0.5), (3, "a", 0, -0.25)]
    machine = Automaton.from_arcs(arcs, final={0: 1.0, 2: -2.0})
    smallest = minimize(machine)
    for length in range(7):
        read = Automaton.from_string("a" * length)
        assert total_weight(compose(smallest, read)) == pytest.approx(total_weight(compose(machine, read)))
    ratio = Automaton.from_arcs(
        [(0, "a", 1, 1.0), (1, "a", 2, 2.0), (2, "a", 3, 1.0), (3, "a", 0, 2.0)], final={0: 1.0, 2: 1.0}
    )
    assert minimize(ratio).n_states == 2
