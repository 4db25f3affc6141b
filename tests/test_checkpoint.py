from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from weft import checkpoint
from weft.checkpoint import Checkpoint
from weft.errors import ModelFileError


def write(data):
    return lambda file: file.write(data)


def test_write_atomically_replaces_the_file_and_leaves_nothing_else(tmp_path):
    target = tmp_path / "file"
    checkpoint.write_atomically(target, write(b"old"))
    checkpoint.write_atomically(str(target), write(b"new"))
    assert target.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("failure", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_a_failure_midway_leaves_the_old_file_whole(tmp_path, failure):
    target = tmp_path / "file"
    target.write_bytes(b"old")

    def fail_midway(file):
        file.write(b"half of the")
        file.flush()
        raise failure

    wanted = ModelFileError if isinstance(failure, OSError) else KeyboardInterrupt
    with pytest.raises(wanted) as caught:
        checkpoint.write_atomically(target, fail_midway)
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]
    if wanted is ModelFileError:
        assert f"cannot write '{target}': No space left on device" in str(caught.value)
        assert "\n" not in str(caught.value)


def test_a_real_limit_on_the_size_of_files_is_one_clear_error(tmp_path):
    target = tmp_path / "file"
    target.write_bytes(b"old")
    script = """
import resource, sys
import numpy as np
from weft.checkpoint import Checkpoint
from weft.errors import ModelFileError

resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    Checkpoint(sys.argv[1]).save(1, {"weights": np.zeros(10_000)}, {})
except ModelFileError as error:
    print(error)
"""
    finished = subprocess.run([sys.executable, "-c", script, str(target)], check=True, capture_output=True, text=True)
    assert finished.stdout.startswith(f"cannot write '{target}': File too large; nothing was changed,")
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_missing_folder_and_a_folder_as_target_are_clear_errors(tmp_path):
    with pytest.raises(ModelFileError, match="No such file or directory"):
        checkpoint.write_atomically(tmp_path / "none" / "file", write(b""))
    (tmp_path / "folder").mkdir()
    with pytest.raises(ModelFileError, match="Is a directory"):
        checkpoint.write_atomically(tmp_path / "folder", write(b""))
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_a_refused_folder_is_a_clear_error(tmp_path, monkeypatch):
    def refuse(*arguments, **options):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("pathlib.Path.open", refuse)
    with pytest.raises(ModelFileError, match=r"Permission denied; nothing was changed, choose another place"):
        checkpoint.write_atomically(tmp_path / "file", write(b""))


def test_permissions_follow_the_umask_and_then_the_old_file(tmp_path):
    target = tmp_path / "file"
    before = os.umask(0o027)
    try:
        checkpoint.write_atomically(target, write(b"a"))
    finally:
        os.umask(before)
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    target.chmod(0o604)
    checkpoint.write_atomically(target, write(b"b"))
    assert stat.S_IMODE(target.stat().st_mode) == 0o604


def test_a_symbolic_link_stays_a_link(tmp_path):
    target, link = tmp_path / "file", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    checkpoint.write_atomically(link, write(b"new"))
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "uint64", "float16", "float32", "float64", ">f8"])
def test_arrays_come_back_with_type_and_shape(tmp_path, dtype):
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
    _, back = checkpoint.read_array_file(tmp_path / "file")
    assert back.keys() == arrays.keys()
    for name, array in arrays.items():
        assert back[name].dtype == array.dtype.newbyteorder("=")
        assert back[name].shape == array.shape
        np.testing.assert_array_equal(back[name], array)


@pytest.mark.parametrize("array", [np.array(["a"]), np.array([None]), np.array([1j]), np.array([1], "longdouble")])
def test_arrays_of_other_types_are_refused(tmp_path, array):
    with pytest.raises(ModelFileError, match=r"array 'x' has type .*; wanted booleans"):
        checkpoint.write_array_file(tmp_path / "file", {}, {"x": array})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("value", [{1, 2}, float("nan"), object()])
def test_headers_that_json_cannot_hold_are_refused(tmp_path, value):
    with pytest.raises(ModelFileError, match="A header holds"):
        Checkpoint(tmp_path / "file").save(1, {}, {"value": value})


def test_checkpoint_round_trip(tmp_path):
    fit = Checkpoint(tmp_path / "fit")
    assert fit.load() is None
    fit.save(1, {"weights": np.zeros(2)}, {"objective": 3.5})
    fit.save(2, {"weights": np.ones(2)}, {"objective": 2.5})
    state = fit.load()
    assert (state.step, state.meta) == (2, {"objective": 2.5})
    np.testing.assert_array_equal(state.arrays["weights"], [1.0, 1.0])
    state.arrays["weights"][0] = 5.0  # a fit goes on from them, so they can be written to
    fit.remove()
    assert fit.load() is None
    fit.remove()


def test_checkpoint_refuses_other_files(tmp_path):
    fit = Checkpoint(tmp_path / "fit")
    checkpoint.write_array_file(fit.path, {"format": "weft", "format_version": 1}, {})
    with pytest.raises(ModelFileError, match="wanted 'weft checkpoint' version 1"):
        fit.load()
    checkpoint.write_array_file(fit.path, {"format": "weft checkpoint", "format_version": 1}, {})
    with pytest.raises(ModelFileError, match="it has no step"):
        fit.load()
    fit.path.write_bytes(b"")
    with pytest.raises(ModelFileError, match="cut short, damaged or not a weft file"):
        fit.load()


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "fit"
    Checkpoint(path).save(7, {"weights": np.linspace(0, 1, 20)}, {"objective": 2.5})
    return path.read_bytes()


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
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


@settings(deadline=None, max_examples=100)
@given(strings)
def test_strings_survive_packing(values):
    data, offsets = checkpoint.pack_strings(values)
    assert (data.dtype, offsets.dtype, offsets.shape) == (np.uint8, np.int64, (len(values) + 1,))
    assert checkpoint.unpack_strings(data, offsets) == values


@settings(deadline=None, max_examples=100)
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
