"""Opening, decoding and atomic writing, which all formats share."""

import gzip
import io
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.errors import InputError
from weft.sequences.formats import read_conll, read_dot_bracket, read_fasta, read_lines, write_lines
from weft.sequences.formats.text import refuse_header

LINES = st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n\0"), max_size=6))


def texts(source):
    return [line for _, line in read_lines(source)]


@settings(max_examples=60)
@given(lines=LINES, packed=st.booleans())
def test_written_lines_come_back(tmp_path_factory, lines, packed):
    path = tmp_path_factory.getbasetemp() / ("lines.txt.gz" if packed else "lines.txt")
    write_lines(lines, path)
    assert texts(path) == lines
    assert path.read_bytes().startswith(b"\x1f\x8b") == packed


@settings(max_examples=60)
@given(content=st.binary(max_size=40), packed=st.sampled_from(["no", "yes", "magic only", "cut"]))
def test_any_bytes_are_lines_or_an_input_error(content, packed):
    if packed in ("yes", "cut"):
        content = gzip.compress(content)[: None if packed == "yes" else -6]
    elif packed == "magic only":
        content = b"\x1f\x8b" + content
    try:
        lines = texts(io.BytesIO(content))
    except InputError:
        return
    plain = gzip.decompress(content) if packed == "yes" else content
    assert "\n".join(lines).encode() in plain.replace(b"\r\n", b"\n")


def test_byte_order_mark_and_windows_line_ends_are_accepted():
    assert texts(io.BytesIO(b"\xef\xbb\xbfa\r\nb\n\nc")) == ["a", "b", "", "c"]
    assert texts(io.StringIO("\ufeffa\r\nb")) == ["a", "b"]


def test_other_unicode_line_separators_do_not_split():
    assert texts(io.BytesIO("a\u2028b\x0bc\x85d\n".encode())) == ["a\u2028b\x0bc\x85d"]


def test_latin1_file_names_line_byte_and_remedy(tmp_path):
    path = tmp_path / "latin.txt"
    path.write_bytes(b"one\ntwo \xf1\n")
    with pytest.raises(InputError, match=r"latin\.txt, line 2, byte 8: 0xf1 is not UTF-8; .*iconv"):
        texts(path)


def test_text_stream_that_cannot_be_decoded_is_an_input_error(tmp_path):
    path = tmp_path / "latin.txt"
    path.write_bytes(b"\xf1\n")
    with path.open(encoding="utf-8") as stream, pytest.raises(InputError, match="not UTF-8"):
        texts(stream)


def test_cut_gzip_says_so(tmp_path):
    path = tmp_path / "cut.gz"
    path.write_bytes(gzip.compress(b"one\n" * 1000)[:-9])
    with pytest.raises(InputError, match="broken gzip"):
        texts(path)


@pytest.mark.parametrize("name", ["absent.txt", "", "nul\0byte"])
def test_unreadable_path_is_an_input_error(tmp_path, name):
    with pytest.raises(InputError, match="cannot read"):
        texts(f"{tmp_path}/{name}")


def test_a_list_is_not_a_source():
    with pytest.raises(InputError, match="cannot read from a list"):
        texts(["a line"])


def test_dash_is_standard_input_and_output(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress("año\n".encode()))))
    write_lines(texts("-"), "-")
    assert capsys.readouterr().out == "año\n"


def test_streams_of_the_caller_stay_open():
    source, target = io.BytesIO(b"a\n"), io.StringIO()
    write_lines(texts(source), target)
    assert (target.getvalue(), source.closed, target.closed) == ("a\n", False, False)


@pytest.mark.parametrize("name", ["no/such/folder/file.txt", ".", "nul\0byte"])
def test_unwritable_path_is_an_input_error(tmp_path, name):
    with pytest.raises(InputError, match="cannot write"):
        write_lines(["a"], f"{tmp_path}/{name}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("content", "line"), [(b"a\rb\rc\r", 1), (b"a\nb\rc\n", 2), (b"a\r\r\n", 1)])
def test_a_lone_carriage_return_names_its_line_and_the_cure(content, line):
    with pytest.raises(InputError, match=rf"line {line}: a carriage return .*tr "):
        texts(io.BytesIO(content))
    with pytest.raises(InputError, match=rf"line {line}: a carriage return"):
        texts(io.StringIO(content.decode(), newline="\n"))


def test_what_readers_refuse_is_not_written(tmp_path):
    for line in ("a\rb", "a\0b"):
        with pytest.raises(InputError, match="line 2 to write"):
            write_lines(["fine", line], tmp_path / "out.txt")
    with pytest.raises(InputError, match="line 1: a null character"):
        texts(io.StringIO("a\0b\n"))


def read_tokens(source):
    return read_conll(source, label_column=None)


READ = "@read1\nACGTACGTAC\n+\nIIIIIIIIII\n"


@pytest.mark.parametrize("read", [texts, read_fasta, read_dot_bracket, read_tokens])
@pytest.mark.parametrize("text", [READ, READ.replace("+", "+read1")])
def test_fastq_is_refused_with_the_way_to_fasta(read, text):
    with pytest.raises(InputError, match=r"line 1: this is FASTQ, .*seqtk"):
        read(io.StringIO(text))


def test_four_short_tokens_are_no_fastq():
    tweet = ["@you", "hi", "+", "me", "too"]
    assert texts(io.StringIO("\n".join(tweet))) == tweet


@pytest.mark.parametrize(
    ("fields", "is_header"),
    [
        (["text", "label"], True),
        (["Word", "POS", "Tag"], True),
        (["name 1", "name 2", "row 1", "row 2"], True),
        (["sentence", "sentiment"], True),
        (["grapheme", "phoneme"], True),
        (["word", "words"], False),  # a plural
        (["label", "labels"], False),
        (["text", "positive"], False),
        (["text 1", "class 1"], False),
    ],
)
def test_a_line_of_names_of_columns_is_no_example(fields, is_header):
    if is_header:
        with pytest.raises(InputError, match=r"x\.tsv, line 1: .* name columns; .*delete the line"):
            refuse_header(fields, "x.tsv, line 1")
    else:
        refuse_header(fields, "x.tsv, line 1")
