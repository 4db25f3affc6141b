"""Composition against its definition, and the values that are known by hand."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from automata_oracle import add, assert_same, machines, series
from weft.automata import (
    Automaton,
    Transducer,
    compose,
    intersect,
    total_weight,
)
from weft.errors import InputError

KINDS = st.sampled_from([Automaton, Transducer])


@given(st.data(), KINDS, KINDS, st.sampled_from(["real", "log", "tropical"]))
@settings(max_examples=150)
def test_weights_are_sums_over_the_middle_string(data, left_kind, right_kind, semiring):
    left = data.draw(machines(left_kind, semiring, max_arcs=6))
    right = data.draw(machines(right_kind, semiring, max_arcs=6, symbols="bca"))
    expected = {}
    for (read, middle), first in series(left).items():
        for (other, written), second in series(right).items():
            if middle == other:
                weight = first * second if semiring == "real" else first + second
                expected.setdefault((read, written), []).append(weight)
    expected = {pair: add(semiring, weights) for pair, weights in expected.items()}
    if semiring == "real":
        expected = {pair: weight for pair, weight in expected.items() if abs(weight) > 1e-12}
    product = compose(left, right)
    assert isinstance(product, Automaton) == (left_kind is right_kind is Automaton)
    assert_same(series(product), expected)


def test_symbols_match_by_name_and_unknown_ones_match_nothing():
    left = Automaton.from_string("ab", symbols="zab")
    assert total_weight(intersect(left, Automaton.from_string("ab", weight=3.0))) == 3.0
    nothing = intersect(left, Automaton.from_string("ax"))
    assert (nothing.n_states, nothing.n_arcs, total_weight(nothing)) == (1, 0, 0.0)


def test_mixed_semirings_and_other_objects_are_refused():
    with pytest.raises(InputError, match="left has semiring 'real', right 'log'; need the same"):
        compose(Automaton.from_string("a"), Automaton.from_string("a", semiring="log"))
    with pytest.raises(InputError, match="right is a str; need an Automaton or Transducer: use Automaton"):
        compose(Automaton.from_string("a"), "a")
    with pytest.raises(InputError, match="left is a Transducer; need Automaton"):
        intersect(Transducer.from_string("a"), Automaton.from_string("a"))
