"""Tests of `weft.automata.epsilons`."""

import math

import numpy as np
import pytest

from automata_oracle import series
from weft.automata import (
    Automaton,
    compose,
    remove_epsilon,
    total_weight,
)
from weft.errors import InputError


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
