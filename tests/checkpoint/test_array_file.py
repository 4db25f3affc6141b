from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from weft import checkpoint
from weft.checkpoint import Checkpoint
from weft.errors import ModelFileError


@pytest.mark.parametrize("mapped", [False, True])
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "uint64", "float16", "float32", "float64", ">f8"])
def test_arrays_come_back_with_type_and_shape(tmp_path, dtype, mapped):
    array = np.arange(12).reshape(3, 4).astype(dtype)
    arrays = {
        "a": array,
        "transposed": array.T,
        "strided": array[:, ::2],
        "empty": array[:0],
        "number": array[0, 1],
    }
    arrays["number"] = np.array(arrays["number"])
    checkpoint.write_array_file(tmp_path / "file", {}, arrays)
    _, back = checkpoint.read_array_file(tmp_path / "file", mapped=mapped)
    assert back.keys() == arrays.keys()
    for name, array in arrays.items():
        assert back[name].dtype == array.dtype.newbyteorder("=")
        assert back[name].shape == array.shape
        np.testing.assert_array_equal(back[name], array)


def test_mapped_arrays_stay_in_the_file_and_writing_to_them_does_not_change_it(tmp_path):
    checkpoint.write_array_file(tmp_path / "file", {}, {"x": np.arange(4.0)})
    before = (tmp_path / "file").read_bytes()
    _, back = checkpoint.read_array_file(tmp_path / "file", mapped=True)
    assert back["x"].flags.writeable  # as loops are compiled for
    assert not back["x"].flags.owndata
    back["x"][0] = 7.0
    assert (tmp_path / "file").read_bytes() == before


def test_damage_is_noticed_in_mapped_arrays_too(tmp_path):
    checkpoint.write_array_file(tmp_path / "file", {}, {"x": np.arange(4.0)})
    data = bytearray((tmp_path / "file").read_bytes())
    data[-3] ^= 1
    (tmp_path / "file").write_bytes(data)
    with pytest.raises(ModelFileError, match="checksum"):
        checkpoint.read_array_file(tmp_path / "file", mapped=True)


@pytest.mark.parametrize("array", [np.array(["a"]), np.array([None]), np.array([1j]), np.array([1], "longdouble")])
def test_arrays_of_other_types_are_refused(tmp_path, array):
    with pytest.raises(ModelFileError, match=r"array 'x' has type .*; needed booleans"):
        checkpoint.write_array_file(tmp_path / "file", {}, {"x": array})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("value", [{1, 2}, float("nan"), object()])
def test_headers_that_json_cannot_hold_are_refused(tmp_path, value):
    with pytest.raises(ModelFileError, match="A header holds"):
        Checkpoint(tmp_path / "file").save(1, {}, {"value": value})


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "fit"
    Checkpoint(path).save(7, {"weights": np.linspace(0, 1, 20)}, {"objective": 2.5})
    return path.read_bytes()


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(choice=st.data())
def test_any_flipped_byte_is_noticed_or_harmless(saved, tmp_path, choice):
    position = choice.draw(st.integers(0, len(saved) - 1))
    damaged = bytearray(saved)
    damaged[position] ^= choice.draw(st.integers(1, 255))
    fit = Checkpoint(tmp_path / "fit")
    fit.path.write_bytes(damaged)
    error = None
    try:
        state = fit.load()
    except ModelFileError as caught:
        error = str(caught)
    if error is not None:
        assert "\n" not in error
    else:  # blanks that pad the header may become other white space
        assert (state.step, state.meta) == (7, {"objective": 2.5})
        np.testing.assert_array_equal(state.arrays["weights"], np.linspace(0, 1, 20))


def test_any_flipped_byte_of_an_array_is_noticed(saved, tmp_path):
    fit = Checkpoint(tmp_path / "fit")
    for position in range(len(saved) - 20 * 8 - 16, len(saved)):
        fit.path.write_bytes(saved[:position] + bytes([saved[position] ^ 1]) + saved[position + 1 :])
        with pytest.raises(ModelFileError, match="its checksum does not match"):
            fit.load()


def test_any_cut_is_noticed(saved, tmp_path):
    fit = Checkpoint(tmp_path / "fit")
    for length in range(0, len(saved), 3):
        fit.path.write_bytes(saved[:length])
        with pytest.raises(ModelFileError):
            fit.load()
