"""Tests of `weft.automata.cycles`."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from automata_oracle import add, machines, paths
from weft.automata import Automaton, Transducer, connect, shortest_distance, total_weight
from weft.errors import InputError


@given(st.data(), st.sampled_from([Automaton, Transducer]), st.sampled_from(["real", "log", "tropical"]))
@settings(max_examples=60)
def test_acyclic_sums_are_those_of_the_paths(data, kind, semiring):
    machine = data.draw(machines(kind, semiring))
    expected = add(semiring, [weight for *_, weight in paths(machine)])
    assert total_weight(machine) == pytest.approx(expected, abs=1e-12)
    ahead = shortest_distance(machine, to_end=True)
    behind = shortest_distance(machine)
    assert ahead[machine.start] == pytest.approx(expected, abs=1e-12)
    if semiring == "real":
        assert behind @ machine.final == pytest.approx(expected, abs=1e-12)


@st.composite
def cyclic_machines(draw):
    n_states = draw(st.integers(1, 4))
    state = st.integers(0, n_states - 1)
    weight = st.sampled_from([0.3, -0.2, 0.5, -0.6, 0.9, 1.5])
    arcs = draw(st.lists(st.tuples(state, st.sampled_from("ab"), state, weight), max_size=7))
    return Automaton.from_arcs(arcs, draw(st.dictionaries(state, weight, min_size=1)))


def matrices(machine, absolute=False):
    matrix = np.zeros((machine.n_states, machine.n_states))
    for arc in machine.arcs():
        matrix[arc.source, arc.target] += abs(arc.weight) if absolute else arc.weight
    return matrix


@given(cyclic_machines())
@settings(max_examples=120)
def test_cyclic_sums_are_limits_of_powers_or_refused(machine):
    useful = connect(machine)
    radius = np.abs(np.linalg.eigvals(matrices(useful, absolute=True))).max()
    if radius > 1 - 1e-6:
        with pytest.raises(InputError, match="no finite sum"):
            total_weight(machine)
        return
    if radius > 0.95:
        return  # powers take too long
    matrix, term, expected = matrices(useful), useful.final.copy(), 0.0
    for _ in range(600):
        expected += term[useful.start]
        term = matrix @ term
    assert total_weight(machine) == pytest.approx(expected, rel=1e-8, abs=1e-10)
    assert shortest_distance(useful) @ useful.final == pytest.approx(expected, rel=1e-8, abs=1e-10)
    if (useful.weights > 0).all() and (useful.final >= 0).all() and expected > 0:
        costs = Automaton.from_arcs(
            [(arc.source, arc.label, arc.target, -math.log(arc.weight)) for arc in useful.arcs()],
            {state: -math.log(weight) for state, weight in enumerate(useful.final) if weight > 0},
            start=useful.start,
            semiring="log",
        )
        assert total_weight(costs) == pytest.approx(-math.log(expected), rel=1e-8, abs=1e-9)


def test_a_divergent_cycle_is_named_by_the_numbers_of_the_user():
    arcs = [(0, "x", 5, 1.0), (2, "a", 3, 0.5), (3, "b", 4, -5.0), (4, "a", 3, 0.5), (3, "a", 1, 1.0)]
    machine = Automaton.from_arcs(arcs, final={1: 1.0}, start=2)
    with pytest.raises(InputError, match=r"cycle of states \[3, 4\] have no finite sum.* spectral radius 1.58114;"):
        total_weight(machine)


def test_weights_of_exactly_one_diverge_and_those_just_below_do_not():
    def loop(weight):
        return Automaton.from_arcs([(0, "a", 0, weight)], final={0: 1.0})

    with pytest.raises(InputError, match="spectral radius 1;"):
        total_weight(loop(1.0))
    with pytest.raises(InputError, match="spectral radius 1;"):
        total_weight(Automaton.from_arcs([(0, name, 0, 0.1) for name in "abcdefghij"], final={0: 1.0}))
    assert total_weight(loop(1 - 1e-6)) == pytest.approx(1e6)


def test_a_divergent_cycle_that_leads_nowhere_does_no_harm():
    assert (
        total_weight(Automaton.from_arcs([(0, "a", 1, 2.0), (0, "b", 2, 1.0), (2, "a", 2, 3.0)], final={1: 1.0})) == 2.0
    )


def test_cyclic_costs_far_from_zero_neither_overflow_nor_vanish():
    arcs = [(0, "a", 1, 5_000.0), (1, "b", 1, math.log(2.0)), (1, "c", 2, -2_000.0)]
    machine = Automaton.from_arcs(arcs, final={2: 0.0}, semiring="log")
    assert total_weight(machine) == pytest.approx(3_000.0 - math.log(2.0))


def test_tropical_cycles():
    arcs = [(0, "a", 1, 4.0), (0, "b", 2, 1.0), (2, "a", 1, -2.0), (1, "b", 0, 1.0), (1, "c", 3, 1.0)]
    assert total_weight(Automaton.from_arcs(arcs, final={3: 0.5}, semiring="tropical")) == 0.5
    arcs[3] = (1, "b", 0, 0.5)
    with pytest.raises(InputError, match="negative cost"):
        total_weight(Automaton.from_arcs(arcs, final={3: 0.5}, semiring="tropical"))


def test_a_machine_of_many_states_on_a_cycle_is_refused_with_its_radius():
    n_states = 300
    arcs = [(state, "a", (state + 1) % n_states, 1.25) for state in range(n_states)]
    with pytest.raises(InputError, match=r"states \[0, 1, 2, 3, 4, 5, 6, 7, \.\.\.\] .*radius 1\.25;"):
        total_weight(Automaton.from_arcs(arcs, final={0: 1.0}))


@pytest.mark.parametrize("semiring", ["real", "log", "tropical"])
@pytest.mark.parametrize("bridge", [None, "zero"])
def test_a_divergent_cycle_that_no_path_reaches_changes_no_distance(semiring, bridge):
    cost = (lambda p: p) if semiring == "real" else (lambda p: -math.log(p) if p else math.inf)
    # 0 -a-> 1 with a loop of 1/2 at 0; states 2 and 3 turn in circles of weight 4.
    arcs = [(0, "a", 0, 0.5), (0, "b", 1, 0.25), (2, "a", 3, 2.0), (3, "a", 2, 2.0)]
    before, after = [*arcs, (3, "b", 0, 1.0)], [*arcs, (1, "b", 2, 1.0)]
    if bridge:  # a bridge that carries nothing is none
        before.append((0, "b", 2, 0.0))
        after.append((3, "b", 0, 0.0))

    def machine(arcs):
        arcs = [(source, label, target, cost(weight)) for source, label, target, weight in arcs]
        return Automaton.from_arcs(arcs, {1: cost(1.0)}, semiring=semiring)

    geometric = 1.0 if semiring == "tropical" else 2.0  # the best path does not turn
    from_start = [cost(p) for p in (geometric, geometric / 4, 0.0, 0.0)]
    to_end = [cost(p) for p in (geometric / 4, 1.0, 0.0, 0.0)]
    assert shortest_distance(machine(before)) == pytest.approx(from_start)
    assert shortest_distance(machine(after), to_end=True) == pytest.approx(to_end)
    with pytest.raises(InputError, match=r"no finite sum|negative cost"):
        shortest_distance(machine(after))
    with pytest.raises(InputError, match=r"no finite sum|negative cost"):
        shortest_distance(machine(before), to_end=True)
