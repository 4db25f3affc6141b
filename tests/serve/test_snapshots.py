"""Copies of model files."""

import pytest

from weft.errors import ModelFileError
from weft.serve.snapshots import Snapshots, signature


def test_a_copy_outlives_its_file_and_the_last_good_one_is_remembered(tmp_path):
    (tmp_path / "run").mkdir()
    file, snapshots = tmp_path / "m.weft", Snapshots(tmp_path / "run", "m")
    assert snapshots.good() is None
    file.write_bytes(b"one")
    first, path = snapshots.take(file)
    snapshots.keep(first)
    file.write_bytes(b"other")  # in place
    assert path.read_bytes() == b"one"
    second, other = snapshots.take(file)
    assert second != first
    assert snapshots.good() == (first, path)
    snapshots.keep(second)
    assert snapshots.good() == (second, other)
    assert not path.exists()
    assert not list((tmp_path / "run").glob("*.part"))


def test_two_processes_have_one_copy(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "m.weft").write_bytes(b"one")
    copies = [Snapshots(tmp_path / "run", "m").take(tmp_path / "m.weft")[1] for _ in range(2)]
    inode = copies[0].stat().st_ino
    assert Snapshots(tmp_path / "run", "m").take(tmp_path / "m.weft")[1].stat().st_ino == inode
    assert copies[0] == copies[1]
    assert len(list((tmp_path / "run").iterdir())) == 1


def test_a_file_that_is_not_there_is_an_error_and_leaves_nothing(tmp_path):
    with pytest.raises(ModelFileError, match="cannot read"):
        Snapshots(tmp_path, "m").take(tmp_path / "missing.weft")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_was_replaced_has_another_signature(tmp_path):
    file = tmp_path / "m"
    file.write_bytes(b"same")
    before = signature(file)
    (tmp_path / "new").write_bytes(b"same")
    (tmp_path / "new").replace(file)
    assert signature(file) != before
