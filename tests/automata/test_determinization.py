"""Tests of `weft.automata.determinization`."""

import pytest

from automata_oracle import series
from weft.automata import (
    Automaton,
    determinize,
    minimize,
    remove_epsilon,
    union,
)
from weft.errors import InputError


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


def test_without_twins_the_limit_says_why():
    arcs = [(0, "a", 1, 1.0), (0, "a", 2, 1.0), (1, "b", 1, 0.5), (2, "b", 2, 0.25), (1, "c", 3), (2, "d", 3)]
    machine = Automaton.from_arcs(arcs, final={3: 1.0})
    with pytest.raises(InputError, match=r"more than max_states=50 states .* twins property"):
        determinize(machine, max_states=50)
    acyclic = Automaton.from_string("abcdef")
    with pytest.raises(InputError, match="it is acyclic, so a larger max_states will do"):
        determinize(acyclic, max_states=3)
    with pytest.raises(InputError, match="max_states=0 given"):
        determinize(acyclic, max_states=0)


def test_weights_that_underflow_are_refused_and_log_costs_are_not():
    arcs = [(place, "a", place + 1, 1e-200) for place in range(3)]
    with pytest.raises(InputError, match="use semiring='log'"):
        minimize(Automaton.from_arcs(arcs, final={3: 1.0}))
    costs = [(source, label, target, 460.5) for source, label, target, _ in arcs]
    assert minimize(Automaton.from_arcs(costs, final={3: 0.0}, semiring="log")).n_states == 4
