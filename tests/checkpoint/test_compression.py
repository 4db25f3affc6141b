"""Compressed arrays come back as they were, floats rounded, and damage is one clear error."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.checkpoint.compression import FEW, compress_arrays, restore_arrays
from weft.errors import ModelFileError


@given(
    st.sampled_from(["int8", "int16", "int32", "int64", "uint8", "uint64"]),
    st.integers(0, 2**31),
    st.booleans(),
)
def test_whole_numbers_come_back(dtype, seed, rising):
    limits = np.iinfo(dtype)
    random = np.random.default_rng(seed)
    numbers = random.integers(limits.min, limits.max, size=(2, FEW), dtype=dtype, endpoint=True)
    numbers = np.sort(numbers.reshape(-1)) if rising else numbers
    facts, small = compress_arrays({"x": numbers})
    back = restore_arrays(facts, small)["x"]
    assert back.dtype == numbers.dtype
    assert np.array_equal(back, numbers)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_floats_have_few_values_near_the_old_ones(dtype):
    numbers = np.random.default_rng(0).normal(size=5000).astype(dtype)
    numbers[:10], numbers[10:20] = 0.0, -np.inf
    facts, small = compress_arrays({"x": numbers})
    back = restore_arrays(facts, small)["x"]
    assert back.dtype == numbers.dtype
    assert len(np.unique(back)) <= 256
    assert np.array_equal(back[:20], numbers[:20])
    assert np.abs(back[20:] - numbers[20:]).max() < 0.1
    few = np.repeat(np.linspace(-1.0, 1.0, 200), 10).astype(dtype)
    assert np.array_equal(restore_arrays(*compress_arrays({"x": few}))["x"], few)


def _altered(facts, key, value):
    return {"x": {**facts["x"], key: value}}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("shape", [10**9]),
        ("shape", [-1]),
        ("shape", "5000"),
        ("shape", [4999]),
        ("dtype", "object"),
        ("dtype", "int8"),
        ("narrow", "float64"),
        ("narrow", "int64"),
        ("values", True),
    ],
)
def test_what_cannot_be_is_refused(key, value):
    facts, small = compress_arrays({"x": np.arange(5000)})
    with pytest.raises(ModelFileError, match="'x' is damaged"):
        restore_arrays(_altered(facts, key, value), small)
    with pytest.raises(ModelFileError):
        restore_arrays({"y": facts["x"]}, small)
    with pytest.raises(ModelFileError):
        restore_arrays([], small)
    cut = {"x": small["x"][:-8]}
    with pytest.raises(ModelFileError):
        restore_arrays(facts, cut)
