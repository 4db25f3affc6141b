import io
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.errors import InputError
from weft.sequences.formats import FoldedSequence, base_pairs, read_dot_bracket, write_dot_bracket

NAME = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n\0"), max_size=8)
LETTER = st.characters(categories=["L", "N"])
STRUCTURE = st.recursive(
    st.just("."),
    lambda inner: st.tuples(inner, st.sampled_from(["()", "[]", "{}", "<>"]), inner).map(
        lambda parts: parts[1][0] + parts[0] + parts[1][1] + parts[2]
    ),
    max_leaves=6,
)


@st.composite
def folded_sequences(draw):
    structure = draw(STRUCTURE)
    sequence = draw(st.text(LETTER, min_size=len(structure), max_size=len(structure)))
    energy = draw(st.none() | st.floats(allow_nan=False, allow_infinity=False))
    return FoldedSequence(draw(NAME).strip(" \t"), sequence, structure, energy)


@settings(max_examples=80)
@given(records=st.lists(folded_sequences(), max_size=4))
def test_round_trip(records):
    stream = io.StringIO(newline="")
    write_dot_bracket(records, stream)
    assert read_dot_bracket(io.BytesIO(stream.getvalue().encode())) == records


@settings(max_examples=150)
@given(content=st.one_of(st.binary(max_size=40), st.text(alphabet=">AC()[.-1 \r\n", max_size=30).map(str.encode)))
def test_any_bytes_are_records_or_an_input_error(content):
    try:
        records = read_dot_bracket(io.BytesIO(content))
    except InputError:
        return
    assert all(len(record.sequence) == len(record.structure) for record in records)


@settings(max_examples=60)
@given(structure=STRUCTURE)
def test_pairs_match_brackets_of_one_kind(structure):
    pairs = base_pairs(structure)
    assert all(structure[left] + structure[right] in ("()", "[]", "{}", "<>") for left, right in pairs)
    assert sorted(position for pair in pairs for position in pair) == [
        position for position, character in enumerate(structure) if character != "."
    ]


def test_pseudoknots_cross():
    assert base_pairs("(<{)>}") == [(0, 3), (1, 4), (2, 5)]


@pytest.mark.parametrize(("tail", "energy"), [("", None), (" (-3.40)", -3.4), (" ( -3.40)", -3.4), ("\t-3.4", -3.4)])
def test_energies(tail, energy):
    assert read_dot_bracket(io.StringIO(f"GAC\n(.){tail}\n")) == [("", "GAC", "(.)", energy)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (">a\nGAC\n(.\n", "line 3: structure of length 2 for a sequence of length 3"),
        ("GAC\n(..\n", r"line 2: '\(' at position 0 is never closed"),
        ("GAC\n..]\n", "line 2: ']' at position 2 closes nothing"),
        ("GAC\n.x.\n", "line 2: 'x' at position 1"),
        ("GAC\n... (low)\n", "line 2: energy 'low'"),
        ("GAC\n... (nan)\n", "line 2: energy 'nan'"),
        ("GAC\n... -1 -2\n", "line 2: .* needed a structure"),
        ("...\nGAC\n", "line 1: a structure, needed a sequence"),
        ("G AC\n...\n", "line 1: .* without blanks"),
        (">a\n>b\nGAC\n...\n", "line 2: '>b', needed a sequence"),
        ("\nGAC\n", "line 2: the file ends where a structure was needed"),
        (">a\n", "line 1: the file ends where a sequence was needed"),
    ],
)
def test_bad_files_name_the_line(text, message):
    with pytest.raises(InputError, match=message):
        read_dot_bracket(io.StringIO(text))


@pytest.mark.parametrize("blanks", ["\t" * 100_000, " \t" * 50_000])
def test_time_grows_with_the_length_of_a_line_and_not_with_its_square(blanks):
    start = time.process_time()
    with pytest.raises(InputError, match=r"line 2: .* needed a structure"):
        read_dot_bracket(io.StringIO(f"GAC\n...{blanks}1 2\n"))
    assert time.process_time() - start < 1.0  # a backtracking pattern took a minute


@pytest.mark.parametrize(
    "record",
    [
        FoldedSequence("a", "GAC", "(.", None),
        FoldedSequence("a", "", "", None),
        FoldedSequence("a", "G C", "...", None),
        FoldedSequence("a", "GAC", "...", float("nan")),
        FoldedSequence("a\nb", "GAC", "...", None),
    ],
)
def test_what_cannot_be_read_back_is_not_written(tmp_path, record):
    with pytest.raises(InputError, match="to write"):
        write_dot_bracket([record], tmp_path / "out.dbn")
    assert list(tmp_path.iterdir()) == []
