"""Numbers by hashes: the same however symbols come, and none beyond the columns."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.errors import InputError
from weft.sequences import hashed_alphabet
from weft.sequences.hashed_alphabet import HashedAlphabet, columns_of
from weft.sequences.name_hashes import name_hashes


@settings(deadline=None)  # the first call compiles
@given(st.lists(st.text(max_size=3) | st.integers(-3, 3)), st.integers(1, 50))
def test_numbers_are_hashes_below_the_number_of_columns(symbols, n_columns):
    alphabet = HashedAlphabet(n_columns)
    found = alphabet.encode(iter(symbols))
    assert found.tolist() == [value % n_columns for value in name_hashes(symbols).tolist()]
    assert found.tolist() == columns_of(name_hashes(symbols), n_columns).tolist()
    assert alphabet.encode_growing(symbols).tolist() == found.tolist()
    assert len(alphabet) == n_columns


def test_blocks_change_nothing(monkeypatch):
    symbols = [f"w{i % 7}" for i in range(50)]
    wanted = HashedAlphabet(1000).encode(symbols).tolist()
    monkeypatch.setattr(hashed_alphabet, "TOGETHER", 8)
    assert HashedAlphabet(1000).encode(symbols).tolist() == wanted


@pytest.mark.parametrize("n_columns", [0, -1, 2**28 + 1, 1.5, "many"])
def test_what_is_no_number_of_columns_is_refused(n_columns):
    with pytest.raises(InputError, match="n_features is"):
        HashedAlphabet(n_columns)
