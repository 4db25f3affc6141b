"""Tests of `weft.automata.counters`."""

from fractions import Fraction

import pytest

from weft.automata import (
    Automaton,
    compose,
    gappy_transducer,
    invert,
    ngram_transducer,
    project,
    strings_and_weights,
    total_weight,
)
from weft.errors import InputError


def kernel(left, right, counter):
    return total_weight(compose(compose(compose(left, counter), invert(counter)), right))


def test_bigram_kernel_of_the_worked_example():
    # LK Tables 1 and 2, Q_11; naive composition without a filter gives 232.
    text = Automaton.from_string("ababa")
    assert kernel(text, text, ngram_transducer("ab", 2)) == 8.0


@pytest.mark.parametrize(
    ("left", "right", "n", "value"),
    [("aba", "aba", 2, 9 / 4), ("abca", "aca", 2, 13 / 8), ("cat", "cart", 2, 13 / 8), ("abca", "abca", 3, 5 / 2)],
)
def test_gappy_kernels_by_hand(left, right, n, value):
    counter = gappy_transducer("abcrt", n, 0.5)
    assert kernel(Automaton.from_string(left), Automaton.from_string(right), counter) == value


def test_a_gappy_counter_without_decay_counts_subsequences_and_with_full_decay_n_grams():
    text = Automaton.from_string("aab")
    assert strings_and_weights(project(compose(text, gappy_transducer("ab", 2, 1.0)))) == {
        ("a", "a"): 1.0,
        ("a", "b"): 2.0,
    }
    n_grams = project(compose(text, ngram_transducer("ab", 2)))
    assert strings_and_weights(project(compose(text, gappy_transducer("ab", 2, 0.0)))) == strings_and_weights(n_grams)


def test_expected_bigrams_of_a_lattice():
    third = 1 / 3
    arcs = [
        (0, "a", 1, 0.5),
        (0, "b", 2, 0.5),
        (1, "b", 4, 1.0),
        (1, "a", 4, third),
        (2, "a", 4, 1.0),
        (4, "b", 3, 1.0),
    ]
    lattice = Automaton.from_arcs(arcs, final={3: 1.0})
    assert strings_and_weights(lattice) == pytest.approx(
        {("a", "b", "b"): 0.5, ("a", "a", "b"): 1 / 6, ("b", "a", "b"): 0.5}
    )
    counts = strings_and_weights(project(compose(lattice, ngram_transducer("ab", 2))))
    wanted = {"ab": Fraction(7, 6), "bb": Fraction(1, 2), "aa": Fraction(1, 6), "ba": Fraction(1, 2)}
    assert counts == pytest.approx({tuple(gram): float(value) for gram, value in wanted.items()})
    assert kernel(lattice, lattice, ngram_transducer("ab", 2)) == pytest.approx(17 / 9)


def test_counts_of_a_long_string_are_those_of_a_dictionary():
    text = "the quick brown fox jumps over the lazy dog and the fox" * 20
    counts = strings_and_weights(project(compose(Automaton.from_string(text), ngram_transducer(sorted(set(text)), 3))))
    expected = {}
    for place in range(len(text) - 2):
        gram = tuple(text[place : place + 3])
        expected[gram] = expected.get(gram, 0) + 1
    assert counts == expected


@pytest.mark.parametrize("n", [0, -1, 1.5, True, "2"])
def test_counters_want_a_positive_length(n):
    with pytest.raises(InputError, match="need an integer of at least 1"):
        ngram_transducer("ab", n)


@pytest.mark.parametrize("decay", [-0.5, float("inf"), float("nan"), "x"])
def test_counters_want_a_decay_of_at_least_zero(decay):
    with pytest.raises(InputError, match="need a"):
        gappy_transducer("ab", 2, decay)
