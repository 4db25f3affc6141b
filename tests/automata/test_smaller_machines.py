"""Epsilon removal, determinisation and minimisation keep the strings and do what they say."""

import math

import numpy as np
import pytest
from automata_oracle import assert_same, machines, series
from hypothesis import given, settings
from hypothesis import strategies as st

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
from weft.errors import InputError

KINDS = st.sampled_from([Automaton, Transducer])
SEMIRINGS = st.sampled_from(["real", "log", "tropical"])


@given(st.data(), KINDS, SEMIRINGS)
@settings(deadline=None, max_examples=150)
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


def test_strings_that_cancel_vanish():
    both = union(Automaton.from_string("ab", weight=0.1), Automaton.from_string("ab", weight=-0.1))
    assert determinize(both).n_arcs == 0
    assert minimize(both).n_states == 1


def test_what_rounding_leaves_of_zero_vanishes():
    # 0.1 + 0.2 - 0.3 is 5.6e-17 in floats: by parallel arcs, through epsilons, and in final weights.
    parts = [0.1, 0.2, -0.3]
    parallel = Automaton.from_arcs([(0, "a", 1, weight) for weight in parts], final={1: 1.0, 0: 1.0})
    epsilons = [(0, None, 1 + place, weight) for place, weight in enumerate(parts)]
    joined = Automaton.from_arcs(
        [*epsilons, *((1 + place, None, 4, 1.0) for place in range(3)), (4, "a", 5, 1.0)], final={5: 1.0, 0: 1.0}
    )
    apart = [(0, "b", 1 + place, weight) for place, weight in enumerate(parts)]
    ends = Automaton.from_arcs([*apart, (1, "c", 4, 1.0)], final={0: 1.0, 1: 1.0, 2: 1.0, 3: 1.0, 4: 1.0})
    silent = Automaton.from_arcs([*epsilons, (0, "a", 4, 1.0)], final={1: 1.0, 2: 1.0, 3: 1.0, 4: 1.0})
    for machine in (parallel, joined):
        assert (remove_epsilon(machine).n_arcs, determinize(machine).n_arcs, minimize(machine).n_states) == (0, 0, 1)
    assert ((), ()) not in series(remove_epsilon(silent))
    assert remove_epsilon(silent).final[0] == 0.0
    assert determinize(ends).final.tolist() == [1.0, 0.0, 1.0]


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


@pytest.mark.parametrize("semiring", ["real", "log"])
def test_epsilon_cycles_are_summed(semiring):
    weight = (lambda value: value) if semiring == "real" else (lambda value: -math.log(value))
    arcs = [
        (0, None, 1, 0.5),
        (1, None, 0, 0.5),
        (1, None, 1, 0.25),
        (0, "a", 2, 1.0),
        (1, "b", 2, 2.0),
        (2, None, 0, 0.5),
    ]
    machine = Automaton.from_arcs(
        [(source, label, target, weight(value)) for source, label, target, value in arcs],
        final={2: weight(1.0)},
        semiring=semiring,
    )
    without = remove_epsilon(machine)
    inverse = np.linalg.inv(np.eye(2) - np.array([[0, 0.5], [0.5, 0.25]]))
    once = np.array([inverse[0, 0] * 1.0, inverse[0, 1] * 2.0])
    for text, value in (("a", once[0]), ("b", once[1]), ("ab", once[0] * 0.5 * once[1])):
        read = Automaton.from_string(text, semiring=semiring)
        assert total_weight(compose(without, read)) == pytest.approx(weight(value))
        assert total_weight(compose(machine, read)) == pytest.approx(weight(value))


def test_tropical_epsilon_cycles_take_the_least_cost():
    arcs = [(0, None, 1, 1.0), (1, None, 0, -1.0), (1, "a", 2, 0.5), (0, "a", 2, 2.0)]
    machine = Automaton.from_arcs(arcs, final={2: 0.0}, semiring="tropical")
    assert series(remove_epsilon(machine)) == {(("a",), ("a",)): 1.5}


def test_a_divergent_epsilon_cycle_is_named_with_its_weight():
    # State 0 leads nowhere, so that numbers after connection differ from those that the user knows.
    arcs = [(1, "x", 2, 1.0), (2, None, 3, 2.0), (3, None, 2, -0.5), (3, "a", 4, 1.0)]
    machine = Automaton.from_arcs(arcs, final={4: 1.0}, start=1)
    with pytest.raises(InputError, match=r"epsilon paths around a cycle of states \[2, 3\] .* spectral radius 1;"):
        remove_epsilon(machine)
    costs = Automaton.from_arcs([(0, None, 0, -0.5), (0, "a", 1, 0.0)], final={1: 0.0}, semiring="tropical")
    with pytest.raises(InputError, match="a cycle near state 0 has a negative cost"):
        remove_epsilon(costs)


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


def test_without_twins_the_limit_says_why():
    arcs = [(0, "a", 1, 1.0), (0, "a", 2, 1.0), (1, "b", 1, 0.5), (2, "b", 2, 0.25), (1, "c", 3), (2, "d", 3)]
    machine = Automaton.from_arcs(arcs, final={3: 1.0})
    with pytest.raises(InputError, match=r"more than max_states=50 states .* twins property"):
        determinize(machine, max_states=50)
    acyclic = Automaton.from_string("abcdef")
    with pytest.raises(InputError, match="it is acyclic, so a larger max_states will do"):
        determinize(acyclic, max_states=3)
    with pytest.raises(InputError, match="max_states=0 came"):
        determinize(acyclic, max_states=0)


def test_weights_that_underflow_are_refused_and_log_costs_are_not():
    arcs = [(place, "a", place + 1, 1e-200) for place in range(3)]
    with pytest.raises(InputError, match="use semiring='log'"):
        minimize(Automaton.from_arcs(arcs, final={3: 1.0}))
    costs = [(source, label, target, 460.5) for source, label, target, _ in arcs]
    assert minimize(Automaton.from_arcs(costs, final={3: 0.0}, semiring="log")).n_states == 4
