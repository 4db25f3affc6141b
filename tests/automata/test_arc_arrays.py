"""Tests of `weft.automata.arc_arrays`."""

import math

import pytest

from weft.automata import Automaton
from weft.automata.arc_arrays import symbol_table
from weft.errors import InputError


def test_arcs_are_sorted_by_source_and_label():
    machine = Automaton.from_arcs([(1, "b", 0), (0, "b", 1, 2.0), (0, None, 1, 3.0)], final={1: 1.0}, symbols="ab")
    assert [tuple(arc) for arc in machine.arcs()] == [(0, None, 1, 3.0), (0, "b", 1, 2.0), (1, "b", 0, 1.0)]
    assert machine.offsets.tolist() == [0, 2, 3]
    assert not machine.is_acyclic
    assert repr(machine) == "Automaton(2 states, 3 arcs, 1 final state, semiring='real')"
    with pytest.raises(InputError, match="has a cycle"):
        machine.topological_order()


@pytest.mark.parametrize(
    ("arcs", "final", "message"),
    [
        ([(0, "a")], {0: 1.0}, r"arc 0 is \(0, 'a'\); need \(source, label, target, weight\)"),
        ([(0, "a", -1)], {0: 1.0}, "arc 0 has target -1; states are integers from 0"),
        ([("x", "a", 1)], {0: 1.0}, "arc 0 has source 'x'"),
        ([(0, "a", 2_000_000_000)], {0: 1.0}, "state 2000000000 given with 1 arcs; need states numbered from 0"),
        ([(0, 5, 1)], {0: 1.0}, "arc 0: label 5 is of type int"),
        ([(0, ["a"], 1)], {0: 1.0}, "arc 0: label .* is of type list"),
        ([(0, "a", 1, "w")], {0: 1.0}, "arc 0 has weight 'w'"),
        ([(0, "a", 1, math.nan)], {0: 1.0}, "arc 0 has weight nan"),
        ([(0, "a", 1, math.inf)], {0: 1.0}, "arc 0 has weight inf; semiring 'real' needs a finite number"),
        ([(0, "a", 1)], {"x": 1.0}, "final holds state 'x'"),
        ([(0, "a", 1)], [1], "final is a list"),
    ],
)
def test_bad_arcs_are_refused(arcs, final, message):
    with pytest.raises(InputError, match=message):
        Automaton.from_arcs(arcs, final)


def test_a_table_of_symbols_can_be_gone_through():
    with pytest.raises(InputError, match=r"^symbols are 3; need strings, such as 'ab' or a list: give them$"):
        symbol_table(3)
