"""Enumeration, random paths and shortest paths."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from automata_oracle import machines, paths, series
from weft.automata import Automaton, Transducer, random_paths, shortest_paths, strings_and_weights
from weft.errors import InputError

COIN = Automaton.from_arcs([(0, "h", 0, 0.25), (0, "t", 1, 0.75)], final={1: 1.0})


@given(st.data(), st.sampled_from(["real", "log", "tropical"]))
@settings(max_examples=40)
def test_strings_and_weights_enumerates(data, semiring):
    machine = data.draw(machines(Transducer, semiring))
    found = {
        pair: weight
        for pair, weight in strings_and_weights(machine).items()
        if abs(weight) > 1e-12 or semiring != "real"
    }
    assert found == pytest.approx(series(machine))


@given(st.data(), st.sampled_from(["log", "tropical"]), st.integers(1, 12))
@settings(max_examples=60)
def test_shortest_paths_are_the_first_of_all_paths(data, semiring, k):
    machine = data.draw(machines(Transducer, semiring))
    expected = sorted(weight for *_, weight in paths(machine))
    assume(expected)
    found = shortest_paths(machine, k)
    assert [path.weight for path in found] == pytest.approx(expected[:k])
    known = paths(machine)
    for path in found:
        assert any(path[:2] == other[:2] and math.isclose(path[2], other[2], abs_tol=1e-12) for other in known)


def test_shortest_paths_of_real_weights_are_the_heaviest_even_with_cycles():
    assert [(path.input, path.weight) for path in shortest_paths(COIN, 3)] == [
        (("t",), 0.75),
        (("h", "t"), 0.1875),
        (("h", "h", "t"), 0.046875),
    ]
    free = Automaton.from_arcs([(0, "a", 0, 0.0), (0, "b", 1, 1.0)], final={1: 0.0}, semiring="tropical")
    assert [path.weight for path in shortest_paths(free, 4)] == [1.0] * 4


def test_random_paths_follow_the_weights():
    drawn = random_paths(COIN, 4_000, random_state=0)
    lengths = Counter(len(path.input) for path in drawn)
    for length in (1, 2, 3):
        share = 0.75 * 0.25 ** (length - 1)
        assert abs(lengths[length] / 4_000 - share) < 4 * math.sqrt(share / 4_000)
    assert drawn == random_paths(COIN, 4_000, random_state=0)
    assert drawn[0].weight == 0.75 * 0.25 ** (len(drawn[0].input) - 1)


@given(machines(Transducer, "log"))
@settings(max_examples=40)
def test_random_paths_are_paths(machine):
    known = paths(machine)
    assume(known)
    for path in random_paths(machine, 5, random_state=1):
        assert any(path[:2] == other[:2] and math.isclose(path[2], other[2], abs_tol=1e-12) for other in known)


def test_random_paths_of_two_strings_have_the_right_odds():
    machine = Automaton.from_arcs([(0, "a", 1, 3.0), (0, "b", 2, 1.0)], final={1: 0.5, 2: 0.5, 0: 2.0})
    counts = Counter(path.input for path in random_paths(machine, 8_000, random_state=np.random.default_rng(3)))
    assert counts[()] / 8_000 == pytest.approx(0.5, abs=0.03)
    assert counts["a",] / 8_000 == pytest.approx(0.375, abs=0.03)
    assert counts["b",] / 8_000 == pytest.approx(0.125, abs=0.02)


@pytest.mark.parametrize("query", [random_paths, shortest_paths])
def test_what_has_no_paths_or_no_probabilities_is_refused(query):
    with pytest.raises(InputError, match="accepts nothing"):
        query(Automaton.from_arcs([(0, "a", 1)], final={}), 1)
    with pytest.raises(InputError, match="negative weights"):
        query(Automaton.from_string("a", weight=-1.0), 1)
    with pytest.raises(InputError, match="0 paths given; need an integer of at least 1"):
        query(COIN, 0)


def test_enumeration_has_its_limits():
    with pytest.raises(InputError, match="has a cycle"):
        strings_and_weights(COIN)
    arcs = [(place, symbol, place + 1) for place in range(10) for symbol in "ab"]
    with pytest.raises(InputError, match="more than 100 strings"):
        strings_and_weights(Automaton.from_arcs(arcs, final={10: 1.0}), max_strings=100)
