"""Tests of `weft.checkpoint.packing`."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft import checkpoint
from weft.errors import ModelFileError

# Any code point, lone surrogates included.
strings = st.lists(st.text(st.characters(exclude_categories=[]), max_size=6), max_size=8)
symbols = st.lists(
    st.text(st.characters(exclude_categories=[]), max_size=4)
    | st.integers()
    | st.booleans()
    | st.floats(allow_nan=False)
    | st.none(),
    max_size=8,
)


@settings(max_examples=100)
@given(strings)
def test_strings_survive_packing(values):
    data, offsets = checkpoint.pack_strings(values)
    assert (data.dtype, offsets.dtype, offsets.shape) == (np.uint8, np.int64, (len(values) + 1,))
    assert checkpoint.unpack_strings(data, offsets) == values


@settings(max_examples=100)
@given(symbols)
def test_symbols_survive_packing_with_their_types(values):
    back = checkpoint.unpack_symbols(*checkpoint.pack_symbols(values))
    assert back == values
    assert [type(value) for value in back] == [type(value) for value in values]


def test_numpy_symbols_become_python_values():
    values = [np.int32(3), np.str_("a"), np.bool_(True), np.float64(0.5)]
    back = checkpoint.unpack_symbols(*checkpoint.pack_symbols(values))
    assert back == [3, "a", True, 0.5]
    assert [type(value) for value in back] == [int, str, bool, float]


def test_other_symbols_are_refused():
    with pytest.raises(ModelFileError, match=r"label \('a', 1\) of type tuple"):
        checkpoint.pack_symbols([("a", 1)])


@pytest.mark.parametrize(
    "offsets", [[0, 2, 1, 3], [0, 4], [0, 2], [1, 3], [], [[0, 3]], [0, -1, 3], np.array([0.0, 3.0])]
)
def test_broken_offsets_are_noticed(offsets):
    offsets = offsets if isinstance(offsets, np.ndarray) else np.array(offsets, dtype=np.int64)
    with pytest.raises(ModelFileError, match="offsets do not fit"):
        checkpoint.unpack_strings(np.frombuffer(b"abc", np.uint8), offsets)


def test_bytes_that_are_not_utf8_are_noticed():
    with pytest.raises(ModelFileError, match="not UTF-8"):
        checkpoint.unpack_strings(np.array([0xFF], np.uint8), np.array([0, 1]))


def test_broken_symbols_are_noticed():
    data, offsets, kinds = checkpoint.pack_symbols(["x", 1])
    with pytest.raises(ModelFileError, match="a value is unreadable"):
        checkpoint.unpack_symbols(data, offsets, kinds[::-1])
    with pytest.raises(ModelFileError, match="a value is unreadable"):
        checkpoint.unpack_symbols(data, offsets, np.array([2, 1], np.uint8))
    for wrong in (kinds[:1], kinds + np.uint8(9), kinds.astype(np.int64)):
        with pytest.raises(ModelFileError, match="types do not fit"):
            checkpoint.unpack_symbols(data, offsets, wrong)
