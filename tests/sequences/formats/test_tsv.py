import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.errors import InputError
from weft.sequences.formats import iter_pairs, iter_table, read_pairs, write_pairs

CHARACTER = st.characters(exclude_categories=["Cs"], exclude_characters="\t\r\n\0")
TEXT = st.text(CHARACTER, max_size=6)
SEQUENCES = {
    None: TEXT,
    "characters": TEXT.map(list),
    "blanks": st.lists(TEXT.filter(lambda text: text and " " not in text), max_size=3),
}


@pytest.mark.parametrize("input_tokens", SEQUENCES)
@pytest.mark.parametrize("output_tokens", SEQUENCES)
@settings(max_examples=25)
@given(data=st.data())
def test_round_trip(input_tokens, output_tokens, data):
    references = st.lists(SEQUENCES[output_tokens], min_size=1, max_size=3)
    pairs = data.draw(st.lists(st.tuples(SEQUENCES[input_tokens], references), max_size=4))
    stream = io.StringIO(newline="")
    write_pairs(pairs, stream, input_tokens, output_tokens)
    source = io.BytesIO(stream.getvalue().encode())
    assert list(iter_pairs(source, input_tokens, output_tokens)) == pairs


@settings(max_examples=100)
@given(content=st.one_of(st.binary(max_size=40), st.text(alphabet="ab \t\r\n", max_size=40).map(str.encode)))
def test_any_bytes_are_pairs_or_an_input_error(content):
    try:
        file = read_pairs(io.BytesIO(content), "characters", "blanks")
    except InputError:
        return
    assert len(file.inputs) == len(file.outputs) == len(file.references)
    assert all(file.references)


def test_blank_lines_are_skipped_and_empty_outputs_kept():
    file = read_pairs(io.StringIO("a\tb\n\nc\t\n"))
    assert (file.inputs, file.outputs) == (["a", "c"], ["b", ""])


def test_missing_output_names_the_line():
    with pytest.raises(InputError, match="line 2: 1 column, needed at least 2"):
        read_pairs(io.StringIO("a\tb\nc d\n"))


def test_unknown_tokens_are_refused():
    with pytest.raises(InputError, match="tokens='words'"):
        read_pairs(io.StringIO("a\tb\n"), "words")


@pytest.mark.parametrize(
    ("pair", "tokens", "message"),
    [
        (("a", "b"), None, "give a list of at least one output"),
        (("a", []), None, "give a list of at least one output"),
        (("a", ["b\tc"]), None, "contains a tab"),
        (("a", [["b"]]), None, "say how to join"),
        (("a", [["bc"]]), "characters", "longer than a character"),
        (("a", [["b c"]]), "blanks", "contains a blank"),
        (("a", [["b", ""]]), "blanks", "empty"),
        (("a", ["b\n"]), None, "line break"),
    ],
)
def test_what_cannot_be_read_back_is_not_written(tmp_path, pair, tokens, message):
    with pytest.raises(InputError, match=message):
        write_pairs([pair], tmp_path / "out.tsv", output_tokens=tokens)
    assert list(tmp_path.iterdir()) == []


def test_table_checks_width_and_header():
    with pytest.raises(InputError, match=r"line 1: 1 column\(s\), needed 2 .*\(id, sequence\)"):
        list(iter_table(io.StringIO("x\n"), ["id", "sequence"]))
    with pytest.raises(InputError, match="header x, y, needed id, sequence"):
        list(iter_table(io.StringIO("x\ty\n"), ["id", "sequence"], header=True))
