import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.errors import InputError
from weft.sequences.alphabet import MANY, UNKNOWN, Alphabet

SYMBOLS = st.lists(st.text(max_size=2) | st.integers(-3, 3) | st.sampled_from(["é", "e\u0301", "日本", "𝔸", "\0"]))


@given(SYMBOLS, SYMBOLS)
def test_growing_and_frozen_numbers_agree(first, second):
    alphabet = Alphabet(first)
    assert alphabet.symbols == list(dict.fromkeys(first))
    frozen = alphabet.encode(second)
    assert frozen.dtype == np.int32
    assert [None if n == UNKNOWN else alphabet.symbols[n] for n in frozen] == [
        symbol if symbol in first else None for symbol in second
    ]
    grown = alphabet.encode_growing(second)
    assert [alphabet.symbols[n] for n in grown] == second
    assert alphabet.symbols == list(dict.fromkeys(first + second))
    np.testing.assert_array_equal(alphabet.encode(second), grown)
    np.testing.assert_array_equal(frozen[frozen != UNKNOWN], grown[frozen != UNKNOWN])


def test_looks_like_a_collection():
    alphabet = Alphabet("abca")
    assert len(alphabet) == 3
    assert "a" in alphabet
    assert "z" not in alphabet
    assert list(alphabet) == ["a", "b", "c"]
    assert alphabet == Alphabet("abc")
    assert alphabet != Alphabet("acb")
    assert alphabet != "abc"
    assert repr(Alphabet(range(9))) == "Alphabet([0, 1, 2, 3, 4, ...]) of 9 symbols"
    assert pickle.loads(pickle.dumps(alphabet)) == alphabet


def test_a_symbol_that_cannot_be_hashed_leaves_the_alphabet_usable():
    alphabet = Alphabet("a")
    with pytest.raises(InputError, match="a symbol has no number"):
        alphabet.encode_growing(["b", []])
    assert alphabet.encode_growing("ac").tolist()[0] == 0
    with pytest.raises(InputError, match="a symbol has no number"):
        alphabet.encode([[]])


def test_unseen_symbols_do_not_join_after_growing():
    alphabet = Alphabet()
    alphabet.encode_growing("ab")
    assert alphabet.encode("xa").tolist() == [UNKNOWN, 0]
    assert len(alphabet) == 2


def test_copies_grow_apart():
    first = Alphabet("ab")
    second, third = first.copy(), first.copy()
    assert second.encode_growing("bc").tolist() == [1, 2]
    assert third.encode_growing("db").tolist() == [2, 1]
    assert first.encode("abcd").tolist() == [0, 1, UNKNOWN, UNKNOWN]
    assert [first.symbols, second.symbols, third.symbols] == [["a", "b"], ["a", "b", "c"], ["a", "b", "d"]]
    assert "c" in second
    assert "c" not in first
    assert "c" not in third
    assert (len(first), list(first), first) == (2, ["a", "b"], Alphabet("ab"))
    assert first.encode_growing("x").tolist() == [2]
    assert second.symbols == ["a", "b", "c"]
    for each in (first, second, third):
        assert pickle.loads(pickle.dumps(each)) == each
    assert second.latest(2) == ["c"]


def test_alphabets_that_share_symbols_grow_in_threads():
    before = Alphabet(range(100))

    def grow(number):
        own = before.copy()
        for step in range(50):
            assert own.encode_growing([number * 1000 + step, step]).tolist() == [100 + step, step]
        return own.symbols

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(grow, range(1, 9)))
    assert found == [[*range(100), *range(n * 1000, n * 1000 + 50)] for n in range(1, 9)]
    assert before.symbols == list(range(100))


def test_nan_is_no_symbol():
    nan = float("nan")
    with pytest.raises(InputError, match="NaN given as a symbol"):
        Alphabet(["a", nan])
    with pytest.raises(InputError, match="NaN given as a symbol"):
        Alphabet("a").encode_growing(["b", nan])


@pytest.mark.parametrize("make", [str, int, lambda n: (n, "x")])
def test_an_alphabet_that_was_put_away_answers_as_before(make):
    symbols, asked = [make(n) for n in range(MANY)], [make(n) for n in (3, MANY + 1, 0, MANY - 1)]
    alphabet, plain = Alphabet(symbols), Alphabet(symbols)
    alphabet.put_away()
    assert alphabet._dictionary is None
    assert (len(alphabet), alphabet.symbols, alphabet) == (MANY, symbols, plain)
    alphabet.prepare()
    assert alphabet.encode(asked).tolist() == [3, UNKNOWN, 0, MANY - 1]
    assert pickle.loads(pickle.dumps(alphabet)) == plain
    assert pickle.loads(pickle.dumps(alphabet)).encode(asked).tolist() == [3, UNKNOWN, 0, MANY - 1]
    assert make(3) in alphabet
    assert make(MANY + 1) not in alphabet
    alphabet.put_away()
    grown = alphabet.copy()
    assert grown.encode_growing(asked).tolist() == [3, MANY, 0, MANY - 1]
    assert alphabet.symbols == symbols
    alphabet.put_away()
    assert alphabet.encode_growing(asked).tolist() == [3, MANY, 0, MANY - 1]
    assert alphabet == grown
    assert alphabet.latest(MANY) == [make(MANY + 1)]


def test_strings_are_found_without_the_dictionary():
    alphabet = Alphabet(map(str, range(MANY)))
    alphabet.put_away()
    assert alphabet.encode(["7", "x"]).tolist() == [7, UNKNOWN]
    assert alphabet._dictionary is None


def test_few_symbols_and_streams_keep_their_dictionary():
    few, stream = Alphabet("ab"), Alphabet(map(str, range(MANY))).copy()
    for each in (few, stream):
        each.put_away()
        assert each._dictionary is not None
