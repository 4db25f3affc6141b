"""Sums over all paths: enumeration, long series by powers of matrices, and what has no sum."""

import math

import pytest

from weft.automata import Automaton, total_weight
from weft.errors import InputError


@pytest.mark.parametrize(("semiring", "value"), [("real", 0.0), ("log", math.inf), ("tropical", math.inf)])
def test_nothing_has_the_weight_zero(semiring, value):
    assert total_weight(Automaton.from_arcs([(0, "a", 0, 2.0)], final={}, semiring=semiring)) == value


def test_a_sum_beyond_floats_is_refused_and_log_costs_hold_it():
    arcs = [(place, name, place + 1, 1e10) for place in range(40) for name in "ab"]
    with pytest.raises(InputError, match="beyond the range of floats"):
        total_weight(Automaton.from_arcs(arcs, final={40: 1.0}))
    costs = [(source, name, target, -math.log(weight)) for source, name, target, weight in arcs]
    log_total = total_weight(Automaton.from_arcs(costs, final={40: 0.0}, semiring="log"))
    assert log_total == pytest.approx(-40 * math.log(2e10))
