"""Tests of `weft.sequences.formats.atomic`."""

import errno
import os
import stat
from pathlib import Path

import pytest

from weft.errors import InputError
from weft.sequences.formats import atomic_write, write_lines


@pytest.mark.parametrize("bad", ["a\nb", "a\r", "\ud800"])
def test_unwritable_line_leaves_the_old_file(tmp_path, bad):
    path = tmp_path / "kept.txt"
    path.write_text("old\n")
    with pytest.raises(InputError, match=r"kept\.txt, line 2 to write"):
        write_lines(["new", bad], path)
    assert path.read_text() == "old\n"
    assert [file.name for file in tmp_path.iterdir()] == ["kept.txt"]


def test_equal_content_gives_equal_gzip_files(tmp_path):
    for name in ("first.gz", "second.gz"):
        write_lines(["a"], tmp_path / name)
    assert (tmp_path / "first.gz").read_bytes() == (tmp_path / "second.gz").read_bytes()


def test_full_disk_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "kept.txt"
    path.write_text("old\n")

    def full(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match=r"cannot write .*kept\.txt.*No space left"):
        write_lines(["new"], path)
    assert path.read_text() == "old\n"
    assert [file.name for file in tmp_path.iterdir()] == ["kept.txt"]


def test_interrupt_leaves_the_old_file(tmp_path):
    path = tmp_path / "kept.txt"
    path.write_text("old\n")

    def interrupted():
        with atomic_write(path) as stream:
            stream.write(b"new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_text() == "old\n"
    assert [file.name for file in tmp_path.iterdir()] == ["kept.txt"]


def test_permissions_and_links_are_kept(tmp_path):
    path, link = tmp_path / "file.txt", tmp_path / "link.txt"
    path.write_text("old\n")
    path.chmod(0o640)
    link.symlink_to(path)
    write_lines(["new"], link)
    assert link.is_symlink()
    assert path.read_text() == "new\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_devices_are_written_directly():
    write_lines(["gone"], os.devnull)
    assert not Path(os.devnull).is_file()
