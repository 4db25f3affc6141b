from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft import losses
from weft.errors import InputError

words = st.text(alphabet="ab\u00e9\U0001f600\ud800", max_size=7)


def recursive_edit(first, second):
    @cache
    def distance(i, j):
        if i == 0 or j == 0:
            return i + j
        return min(
            distance(i - 1, j) + 1,
            distance(i, j - 1) + 1,
            distance(i - 1, j - 1) + (first[i - 1] != second[j - 1]),
        )

    return distance(len(first), len(second))


@pytest.mark.nojit
@settings(max_examples=60)
@given(words, words)
def test_edit_equals_the_recursion_for_every_input_form(first, second):
    wanted = recursive_edit(first, second)
    assert losses.edit(first, second) == wanted
    assert losses.edit(list(first), list(second)) == wanted
    assert losses.edit(first, tuple(second)) == wanted
    assert losses.edit(np.array([ord(c) for c in first], int), np.array([ord(c) for c in second], int)) == wanted


@settings(max_examples=40)
@given(words, words, words)
def test_edit_is_a_metric(a, b, c):
    assert losses.edit(a, a) == 0
    assert losses.edit(a, b) == losses.edit(b, a)
    assert losses.edit(a, c) <= losses.edit(a, b) + losses.edit(b, c)


def test_edit_compares_symbols_not_their_text():
    assert losses.edit([1, 2], ["1", "2"]) == 2
    assert losses.edit(np.array([1, 2]), [1, 3]) == 1


def test_hamming_counts_and_refuses_other_lengths():
    assert losses.hamming("abc", "abd") == 1
    assert losses.hamming([], []) == 0
    with pytest.raises(InputError, match="3 and 2 labels"):
        losses.hamming("abc", "ab")


def test_base_pairs_of_nested_and_crossing_brackets():
    assert losses.base_pairs("((.))") == {(0, 4), (1, 3)}
    assert losses.base_pairs("(<)>{[}]") == {(0, 2), (1, 3), (4, 6), (5, 7)}
    assert losses.base_pairs(".:,-_~") == frozenset()


def test_base_pair_loss_is_the_symmetric_difference():
    assert losses.base_pair("(..)", "(..)") == 0
    assert losses.base_pair("(..)", "....") == 1
    assert losses.base_pair("(())", "()()") == 4


@pytest.mark.parametrize(
    ("structure", "message"),
    [
        ("(.", "'\\(' at position 0 is never closed"),
        ("..)", "'\\)' at position 2 closes nothing"),
        (".x", "'x' at position 1"),
    ],
)
def test_base_pairs_says_where_a_string_is_broken(structure, message):
    with pytest.raises(InputError, match=message):
        losses.base_pairs(structure)


def test_base_pair_loss_refuses_structures_of_two_sequences():
    with pytest.raises(InputError, match="2 and 3 positions"):
        losses.base_pair("()", "(.)")
