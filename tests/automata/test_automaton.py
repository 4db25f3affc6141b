"""Tests of `weft.automata.automaton`."""

import math

import pytest

from weft.automata import Automaton, Transducer, strings_and_weights, total_weight
from weft.errors import InputError


def test_strings_tokens_and_the_empty_string():
    assert strings_and_weights(Automaton.from_string("abca")) == {tuple("abca"): 1.0}
    assert strings_and_weights(Automaton.from_string(["to", "be"], weight=-2.0)) == {("to", "be"): -2.0}
    assert strings_and_weights(Automaton.from_string("")) == {(): 1.0}
    assert total_weight(Automaton.from_string("ab", semiring="log")) == 0.0
    assert strings_and_weights(Transducer.from_string("ab", "c")) == {(("a", "b"), ("c",)): 1.0}


def test_other_bad_input_is_refused():
    with pytest.raises(InputError, match="label 'c' is not among the 2 symbols given"):
        Automaton.from_string("abc", symbols="ab")
    with pytest.raises(InputError, match="semiring='max' given; need 'real', 'log' or 'tropical'"):
        Automaton.from_string("abc", semiring="max")
    with pytest.raises(InputError, match="symbols hold 'a' twice"):
        Automaton.from_string("a", symbols="aa")
    with pytest.raises(InputError, match="symbols hold 3 of type int"):
        Automaton.from_string("a", symbols=["a", 3])
    with pytest.raises(InputError, match="arc 0 has label 'a'; a transducer needs"):
        Transducer.from_arcs([(0, "a", 1)], {1: 1.0})
    with pytest.raises(InputError, match="start is -1"):
        Automaton.from_arcs([], {0: 1.0}, start=-1)
    with pytest.raises(InputError, match="semiring 'log' needs a number above -inf"):
        Automaton.from_arcs([(0, "a", 1, -math.inf)], {1: 0.0}, semiring="log")
