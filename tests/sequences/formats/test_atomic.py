"""Tests of `weft.sequences.formats.atomic`."""

import errno
import fcntl
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from weft.errors import InputError
from weft.sequences.formats import atomic_write, read_lines, write_lines
from weft.sequences.formats.atomic import remove_leftovers


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


def test_a_killed_writer_leaves_a_part_that_the_next_save_removes(tmp_path):
    """Parts of living writers stay, and those of other names; readers remove nothing."""
    path, other = tmp_path / "model", tmp_path / ".model.old.0123456789ab.part"
    other.touch()
    code = (
        "import sys, time; from weft.sequences.formats import atomic_write\n"
        "with atomic_write(sys.argv[1]) as stream:\n"
        "    stream.write(b'half'); stream.flush(); print('writing', flush=True); time.sleep(600)"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE) as writer:
        assert writer.stdout.readline() == b"writing\n"
        write_lines(["whole"], path)
        (left,) = set(tmp_path.iterdir()) - {path, other}
        assert left.read_bytes() == b"half"
        writer.kill()
    assert list(read_lines(path)) == [(1, "whole")]
    assert left.exists()
    write_lines(["again"], path)
    assert set(tmp_path.iterdir()) == {path, other}


def test_a_part_that_is_taken_for_a_leftover_before_it_is_locked_is_made_anew(tmp_path, monkeypatch):
    """Between the making of a part and its lock another save may remove it."""
    path, sneaking = tmp_path / "note.txt", [True]
    flock = fcntl.flock

    def late(stream, flags):
        if sneaking and sneaking.pop():
            remove_leftovers(path)
        flock(stream, flags)

    monkeypatch.setattr(fcntl, "flock", late)
    with atomic_write(path) as stream:
        stream.write(b"whole")
    assert path.read_bytes() == b"whole"
    assert list(tmp_path.iterdir()) == [path]
