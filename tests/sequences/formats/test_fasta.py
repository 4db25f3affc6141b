import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.errors import InputError
from weft.sequences.formats import FastaRecord, read_fasta, write_fasta

NAME = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n\0"), max_size=8)
LETTERS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters=" \t\r\n>\0"), min_size=1, max_size=30)


@settings(max_examples=80)
@given(
    records=st.lists(st.builds(FastaRecord, NAME.map(lambda name: name.strip(" \t")), LETTERS), max_size=4),
    width=st.integers(0, 12),
)
def test_round_trip(records, width):
    stream = io.StringIO(newline="")
    write_fasta(records, stream, width)
    assert read_fasta(io.BytesIO(stream.getvalue().encode())) == records
    if width:
        assert all(len(line) <= width for line in stream.getvalue().split("\n") if not line.startswith((">", "\ufeff")))


@settings(max_examples=100)
@given(content=st.one_of(st.binary(max_size=40), st.text(alphabet=">ac \r\n", max_size=40).map(str.encode)))
def test_any_bytes_are_records_or_an_input_error(content):
    try:
        records = read_fasta(io.BytesIO(content))
    except InputError:
        return
    assert all(record.sequence for record in records)


def test_lower_case_is_kept_and_blanks_dropped():
    text = "> s1 a test \r\nAC gu\r\n\r\nNN\r\n>s2\nA"
    assert read_fasta(io.StringIO(text)) == [("s1 a test", "ACguNN"), ("s2", "A")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\nACGU\n", "line 2: 'ACGU' before any header"),
        (">a\nAC\n>b\n\n", "line 3: header >b has no sequence"),
    ],
)
def test_bad_files_name_the_line(text, message):
    with pytest.raises(InputError, match=message):
        read_fasta(io.StringIO(text))


@pytest.mark.parametrize("sequence", ["", "A C", "A>C", "A\nC"])
def test_what_cannot_be_read_back_is_not_written(tmp_path, sequence):
    with pytest.raises(InputError, match="to write"):
        write_fasta([("a", "AC"), ("b", sequence)], tmp_path / "out.fasta")
    assert list(tmp_path.iterdir()) == []


def test_negative_width_is_refused(tmp_path):
    with pytest.raises(InputError, match="width=-1"):
        write_fasta([("a", "AC")], tmp_path / "out.fasta", width=-1)
