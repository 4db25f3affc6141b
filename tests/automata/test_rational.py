"""Sum, concatenation, closure, inverse, projection and connection against enumeration."""

import math
from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from automata_oracle import add, assert_same, machines, series
from weft.automata import (
    Automaton,
    Transducer,
    closure,
    compose,
    concatenate,
    invert,
    project,
    remove_epsilon,
    total_weight,
    union,
)
from weft.errors import InputError

KINDS = st.sampled_from([Automaton, Transducer])
SEMIRINGS = st.sampled_from(["real", "log", "tropical"])


def summed(semiring, terms):
    found = defaultdict(list)
    for pair, weight in terms:
        found[pair].append(weight)
    sums = {pair: add(semiring, weights) for pair, weights in found.items()}
    return {pair: weight for pair, weight in sums.items() if semiring != "real" or abs(weight) > 1e-12}


@given(st.data(), KINDS, SEMIRINGS)
@settings(max_examples=60)
def test_union_adds(data, kind, semiring):
    several = [data.draw(machines(kind, semiring, symbols=symbols)) for symbols in ("ab", "ca", "b")]
    terms = [item for machine in several for item in series(machine).items()]
    assert_same(series(union(*several)), summed(semiring, terms))


@given(st.data(), KINDS, SEMIRINGS)
@settings(max_examples=60)
def test_concatenation_multiplies(data, kind, semiring):
    left = data.draw(machines(kind, semiring, max_arcs=5))
    right = data.draw(machines(kind, semiring, max_arcs=5, symbols="cb"))
    terms = [
        ((a + c, b + d), first * second if semiring == "real" else first + second)
        for (a, b), first in series(left).items()
        for (c, d), second in series(right).items()
    ]
    assert_same(series(concatenate(left, right)), summed(semiring, terms))


@given(machines(Transducer))
@settings(max_examples=40)
def test_inverse_and_projections(transducer):
    pairs = series(transducer)
    assert_same(series(invert(transducer)), {(y, x): weight for (x, y), weight in pairs.items()})
    for side, place in (("input", 0), ("output", 1)):
        terms = [((pair[place], pair[place]), weight) for pair, weight in pairs.items()]
        assert_same(series(project(transducer, side)), summed("real", terms))


def test_closure_sums_the_powers():
    star = closure(union(Automaton.from_string("a", weight=0.5), Automaton.from_string("bb", weight=-0.25)))
    assert total_weight(star) == pytest.approx(1 / (1 - 0.25))
    for text, weight in (("", 1.0), ("a", 0.5), ("abb", -0.125), ("bbbb", 0.0625), ("b", 0.0)):
        assert total_weight(compose(star, Automaton.from_string(text))) == weight


def test_closure_with_the_empty_string_is_a_geometric_series():
    star = closure(Automaton.from_arcs([(0, "a", 1, 0.25)], final={0: 0.5, 1: 1.0}))
    assert total_weight(compose(star, Automaton.from_string(""))) == pytest.approx(2.0)
    # k epsilons before, between and after two letters: 2 ** 3 * 0.25 ** 2.
    assert total_weight(compose(star, Automaton.from_string("aa"))) == pytest.approx(0.5)
    assert total_weight(compose(remove_epsilon(star), Automaton.from_string("aa"))) == pytest.approx(0.5)


def test_scaling_multiplies_final_weights():
    assert total_weight(Automaton.from_string("ab").scaled(-3.0)) == -3.0
    cost = Automaton.from_string("ab", semiring="log").scaled(math.log(2.0))
    assert total_weight(cost) == math.log(2.0)


def test_bad_operands_are_refused():
    with pytest.raises(InputError, match="each machine is a Transducer; need Automaton"):
        union(Automaton.from_string("a"), Transducer.from_string("a"))
    with pytest.raises(InputError, match="semirings 'real' and 'log' given; need the same"):
        concatenate(Automaton.from_string("a"), Automaton.from_string("a", semiring="log"))
    with pytest.raises(InputError, match="side='left' given; need 'input' or 'output'"):
        project(Transducer.from_string("a"), "left")
