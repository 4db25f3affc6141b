"""Look-ups by hash against a dictionary."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.sequences.alphabet import MANY, Alphabet
from weft.sequences.hash_index import HashIndex


@pytest.mark.nojit
@given(st.lists(st.text(max_size=4), unique=True, max_size=40), st.lists(st.text(max_size=4), max_size=40))
@settings(max_examples=60)
def test_finds_what_a_dictionary_finds(known, asked):
    index = HashIndex.build(known)
    numbers = {symbol: number for number, symbol in enumerate(known)}
    expected = [numbers.get(symbol, -1) for symbol in known + asked]
    assert index.find(known + asked).tolist() == expected


def test_refuses_other_types_and_equal_hashes():
    class Twin(str):
        __slots__ = ()

    assert HashIndex.build(["a", 1]) is None
    assert HashIndex.build([Twin("a")]) is None
    assert HashIndex.build(["a", "a"]) is None


def test_a_large_alphabet_uses_it_and_stays_right():
    names = [f"w={i}" for i in range(2 * MANY)]
    alphabet = Alphabet(names)
    asked = [names[-1], "w=x", names[0], "é"]
    assert alphabet.encode(asked).tolist() == [2 * MANY - 1, -1, 0, -1]
    assert alphabet.encode_growing(["new", names[3]]).tolist() == [2 * MANY, 3]
    assert alphabet.encode(["new", *asked]).tolist() == [2 * MANY, 2 * MANY - 1, -1, 0, -1]
    copy = pickle.loads(pickle.dumps(alphabet))
    assert copy == alphabet
    np.testing.assert_array_equal(copy.encode(asked), alphabet.encode(asked))
    mixed = Alphabet([*names, 7])
    assert mixed.encode([7, names[1], "7"]).tolist() == [2 * MANY, 1, -1]
