"""Every key is found again by probing, also where keys crowd or repeat, and no other is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.errors import InputError
from weft.rewriting.candidates.key_table import FREE, key_table, slot_of


def found(table, numbers, key):
    """As the compiled loops look: on from the first place, up to a free one."""
    mask = np.int64(len(table) - 1)
    place = slot_of(np.int64(key), mask)
    while table[place] != FREE:
        if table[place] == key:
            return int(numbers[place])
        place = (place + 1) & mask
    return None


@pytest.mark.filterwarnings("ignore:overflow")
@given(st.lists(st.integers(0, 2**62), unique=True, max_size=60), st.integers(0, 1000))
def test_keys_are_found_by_probing(keys, first):
    table, numbers = key_table(np.array(keys, dtype=np.int64), first)
    assert len(table) >= 2 * len(keys)
    assert [found(table, numbers, key) for key in keys] == list(range(first, first + len(keys)))
    assert found(table, numbers, 2**62 + 1) is None


@pytest.mark.filterwarnings("ignore:overflow")
def test_keys_that_want_one_place():
    mask = np.int64(63)
    crowded = [key for key in range(5000) if slot_of(np.int64(key), mask) == 61][:20]
    table, numbers = key_table(np.array(crowded), size=64)
    assert [found(table, numbers, key) for key in crowded] == list(range(20))


@pytest.mark.filterwarnings("ignore:overflow")
def test_the_first_of_equal_keys_is_found():
    table, numbers = key_table(np.array([5, 8, 5, 5]))
    assert (found(table, numbers, 5), found(table, numbers, 8)) == (0, 1)
    assert np.count_nonzero(table != FREE) == 4


def test_keys_that_only_malice_makes_are_refused():
    with pytest.raises(InputError, match="keys of contexts crowd at one place"):
        key_table(np.full(20_000, 5))
    table, _ = key_table(np.arange(300_000) * 31)
    assert np.array_equal(np.sort(table[table != FREE]), np.arange(300_000) * 31)
