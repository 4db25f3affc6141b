"""Tests of `weft.automata.posteriors`."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from automata_oracle import assert_same, machines, paths, series
from weft.automata import Automaton, Transducer, posterior, shortest_distance, total_weight


@given(st.data(), st.sampled_from([Automaton, Transducer]), st.sampled_from(["log", "tropical"]))
@settings(max_examples=60)
def test_strings_have_their_share_of_all_paths(data, kind, semiring):
    machine = data.draw(machines(kind, semiring))
    likely = posterior(machine)
    assert (type(likely), likely.semiring) == (kind, "real")
    found = [((read, written), math.exp(-cost)) for read, written, cost in paths(machine) if cost < math.inf]
    total = math.fsum(weight for _, weight in found)
    expected = {}
    for pair, weight in found:
        expected[pair] = expected.get(pair, 0.0) + weight / total
    assert_same(series(likely), expected)


def test_a_cycle_shares_out_a_geometric_series_however_large_its_costs():
    # Strings a^k b weigh exp(-5000) 2^-k; a state that leads nowhere is dropped with its cycle.
    arcs = [(0, "a", 0, math.log(2.0)), (0, "b", 1, 5000.0), (0, "a", 2, -9.0), (2, "a", 2, -1.0)]
    likely = posterior(Automaton.from_arcs(arcs, final={1: 0.0}, semiring="log"))
    assert total_weight(likely) == pytest.approx(1.0)
    assert shortest_distance(likely) == pytest.approx([2.0, 1.0])


def test_nothing_has_no_share_and_real_weights_stay():
    nothing = Automaton.from_arcs([(0, "a", 1, 1.0)], final={}, semiring="log")
    assert total_weight(posterior(nothing)) == 0.0
    signed = Automaton.from_arcs([(0, "a", 1, -3.0)], final={1: 2.0})
    assert posterior(signed) is signed
