"""Files in pieces: all examples, each once, in order, whatever the size and the packing."""

import gzip
import pickle
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.errors import InputError
from weft.scale import Examples
from weft.scale.pieces import cut_file, first_piece
from weft.sequences.formats import read_conll

SENTENCE = st.lists(st.sampled_from(["a x", "bb y", "ccc z"]), min_size=1, max_size=4)
ENDS = st.sampled_from(["\n\n", "\n\n\n", "\n \n", "\r\n\r\n"])


def read(source):
    found = read_conll(source)
    return found.rows, found.labels


@given(st.lists(st.tuples(SENTENCE, ENDS), min_size=1, max_size=12), st.integers(1, 40), st.booleans())
def test_pieces_hold_what_the_file_holds(tmp_path_factory, sentences, size, packed):
    path = tmp_path_factory.mktemp("pieces") / "train.conll"
    text = "".join("\n".join(lines) + end for lines, end in sentences).encode()
    path.write_bytes(gzip.compress(text) if packed else text)
    pieces = cut_file(path, "blank lines", size)
    assert b"".join(piece.open().read() for piece in pieces) == text
    assert first_piece(path, "blank lines", size) == pieces[0]
    wanted = read(path)
    found = [read(piece.open()) for piece in pieces]
    assert ([x for X, _ in found for x in X], [each for _, y in found for each in y]) == wanted
    # No piece is longer than its size, the line that it ends in and the sentence that it ends with.
    assert all(piece.end - piece.begin <= size + 40 for piece in pieces)


def test_lines_are_cut_at_their_ends(tmp_path):
    path = tmp_path / "train.jsonl"
    path.write_bytes(b"one\ntwo\nthree")
    assert [piece.open().read() for piece in cut_file(path, "lines", 2)] == [b"one\n", b"two\n", b"three"]


def test_examples_of_pieces_are_those_of_the_file(tmp_path, monkeypatch):
    monkeypatch.setattr("weft.scale.pieces.cut_file.__defaults__", (16,))
    path = tmp_path / "train.conll"
    path.write_text("a x\nb y\n\n" * 6)
    parts = Examples.from_files(path, read, cut="blank lines")
    assert parts.names == [str(path), *(f"{path}, from byte {place}" for place in (18, 36))]
    assert parts.read() == read(path)
    assert pickle.loads(pickle.dumps(parts)).read() == read(path)


def test_what_cannot_be_read_is_refused_in_one_line(tmp_path):
    with pytest.raises(InputError, match="no file is called"):
        Examples.from_files(tmp_path / "absent*.conll", read, cut="blank lines")
    path = tmp_path / "broken.gz"
    path.write_bytes(gzip.compress(b"a x\n\n" * 1000)[:-20])
    with pytest.raises(InputError, match="broken gzip data"):
        cut_file(path, "blank lines")


@pytest.mark.parametrize("name", ["none.conll", "none.conll.gz"])
def test_a_file_without_text_is_named(name, tmp_path):
    (tmp_path / name).write_bytes(gzip.compress(b"") if name.endswith("gz") else b"")
    with pytest.raises(InputError, match=f"{name} is empty; leave it out"):
        cut_file(tmp_path / name, "blank lines")


def test_workers_that_were_started_elsewhere_find_the_files(tmp_path, monkeypatch):
    (tmp_path / "a.conll").write_text("w x\n")
    (tmp_path / "there").mkdir()
    monkeypatch.chdir(tmp_path)
    [piece] = cut_file(Path("a.conll"), "blank lines")
    whole = Examples.from_files("a.conll", lambda path: (path.read_text(), ""))
    monkeypatch.chdir(tmp_path / "there")
    assert piece.open().read() == b"w x\n"
    assert piece.name == "a.conll"
    assert whole.readers[0]()[0] == "w x\n"
    assert whole.names == ["a.conll"]
