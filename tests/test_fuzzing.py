"""`make fuzz`: past findings stay mended, a few cases of each reader, and the watch itself sees what it is to see."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from weft.errors import InputError

sys.path.insert(0, str(Path(__file__).parent / "fuzzing"))
import files
from readers import READERS, Reader

FOUND = sorted(path for path in files.CORPUS.glob("*/*"))


@pytest.mark.parametrize("path", FOUND, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_past_findings_stay_mended(path):
    [name] = [name for name in READERS if name.replace(" ", "-") == path.parent.name]
    wrong, _, _ = files.fault(READERS[name], path.read_bytes())
    assert wrong is None


@pytest.mark.skipif(not hasattr(sys.modules["os"], "fork"), reason="a crash can only be watched in a forked process")
@pytest.mark.parametrize("name", READERS)
def test_damaged_files_are_read_or_refused(name):
    seen = files.look_at(name, range(25 if name == "command lines" else 200))
    assert seen.findings == []
    assert seen.cases >= 25


@pytest.mark.parametrize("name", READERS)
def test_valid_files_are_read_and_cases_depend_on_their_number_alone(name):
    for seed in READERS[name].seeds:
        READERS[name].read(seed)
    cases = [files.mutated(name, number) for number in range(50)]
    assert cases == [files.mutated(name, number) for number in range(50)]
    assert len(set(cases)) > 25


def _raw(content):
    raise KeyError("x")


def _slow(content):
    while True:
        pass


def _large(content):
    return len(bytearray(600 * 2**20))


def _dead(content):
    sys.modules["os"].kill(sys.modules["os"].getpid(), 9)


def _long(content):
    error = InputError()
    error.args = ("two\nlines",)  # which none has by itself
    raise error


@pytest.mark.parametrize(
    ("read", "what"),
    [(_raw, "KeyError"), (_slow, "TimeoutError"), (_large, "MB"), (_dead, "ended with 9"), (_long, "no single short")],
)
def test_the_watch_sees_what_it_is_to_see_and_keeps_it(read, what, monkeypatch, tmp_path):
    monkeypatch.setitem(files.READERS, "bad", Reader((b"abc",), read))
    monkeypatch.setattr(files, "ENDLESS", 0.2 if read is _slow else 60.0)
    seen = files.look_at("bad", range(7, 9))
    assert seen.cases == 2
    assert [number for number, _ in seen.findings] == [7, 8]
    assert all(what in wrong for _, wrong in seen.findings)
    assert files.keep("bad", 7, tmp_path).read_bytes() == files.mutated("bad", 7)
