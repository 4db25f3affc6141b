"""Tests of `weft.checkpoint.atomic`."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys

import pytest

from weft import checkpoint
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
