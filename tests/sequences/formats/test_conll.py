import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.errors import InputError
from weft.sequences.formats import ConllSentence, iter_conll, read_conll, write_conll

FIELD = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\t\r\n\0"), min_size=1, max_size=5)
FIELD = FIELD.filter(lambda text: text.strip(" "))


@st.composite
def labelled_sentences(draw):
    width = draw(st.integers(1, 3))
    row = st.lists(FIELD, min_size=width, max_size=width)
    sentences = draw(st.lists(st.lists(st.tuples(row, FIELD), min_size=1, max_size=4), max_size=4))
    rows = [[row for row, _ in sentence] for sentence in sentences]
    return rows, [[label for _, label in sentence] for sentence in sentences]


@settings(max_examples=100)
@given(data=labelled_sentences())
def test_round_trip(data):
    rows, labels = data
    stream = io.StringIO(newline="")
    write_conll(rows, stream, labels=labels)
    file = read_conll(io.BytesIO(stream.getvalue().encode()))
    assert (file.rows, file.labels) == (rows, labels)
    assert file.tokens == [[row[0] for row in sentence] for sentence in rows]


@settings(max_examples=100)
@given(content=st.one_of(st.binary(max_size=40), st.text(alphabet="ab \t\r\n-", max_size=40).map(str.encode)))
def test_any_bytes_are_sentences_or_an_input_error(content):
    try:
        file = read_conll(io.BytesIO(content))
    except InputError:
        return
    assert [len(rows) for rows in file.rows] == [len(labels) for labels in file.labels]
    assert all(row and all(row) for rows in file.rows for row in rows)


def test_runs_of_blanks_separate_and_other_unicode_blanks_do_not():
    file = read_conll(io.StringIO("10\u00a0000   CD  B-NP \n"))
    assert (file.rows, file.labels) == ([[["10\u00a0000", "CD"]]], [["B-NP"]])


def test_tabs_protect_blanks():
    assert read_conll(io.StringIO("New York\tB-LOC\n")).tokens == [["New York"]]


def test_document_starts_end_a_sentence_and_are_dropped():
    text = "-DOCSTART- -X- O\n\nRain NN B\n-DOCSTART- -X- O\nfell VB B\n\n\n"
    assert read_conll(io.StringIO(text)).tokens == [["Rain"], ["fell"]]


@pytest.mark.parametrize("blank", [" ", "\t"])
def test_comments_before_a_sentence_are_dropped_and_number_signs_within_are_tokens(blank):
    text = """# newdoc id = 3
# sent_id = 1
# text = Rain fell
Rain NN B
# # O
fell VB B

# # O
3 CD B

# by hand, second version of May
-DOCSTART- -X- O

# newpar
fell VB B
"""
    comments = ("# new", "# s", "# t", "# by")
    lines = [line if line.startswith(comments) else line.replace(" ", blank) for line in text.split("\n")]
    file = read_conll(io.StringIO("\n".join(lines)))
    assert file.tokens == [["Rain", "#", "fell"], ["#", "3"], ["fell"]]
    assert file.labels == [["B", "O", "B"], ["O", "B"], ["B"]]


@pytest.mark.parametrize("line", ["# O", "# x = 1", "#tag"])
def test_what_lacks_a_column_within_a_sentence_is_no_comment(line):
    with pytest.raises(InputError, match=r"line 2: \d column\(s\), needed 3 .*a line has one token"):
        read_conll(io.StringIO(f"Rain NN B\n{line}\n"))


def test_columns_and_label_column_are_chosen():
    text = "Rain NN x B\nfell VB y C\n"
    file = read_conll(io.StringIO(text), columns=[-2, 0], label_column=1)
    assert (file.rows, file.labels) == ([[["x", "Rain"], ["y", "fell"]]], [["NN", "VB"]])


def test_a_file_without_labels():
    file = read_conll(io.StringIO("Rain\nfell\n"), label_column=None)
    assert (file.rows, file.labels) == ([[["Rain"], ["fell"]]], None)


def test_sentences_stream_before_the_file_ends():
    def lines():
        yield "Rain B\n"
        yield "\n"
        raise AssertionError("read past the first sentence")

    class Stream(io.StringIO):
        def __iter__(self):
            return lines()

    assert next(iter_conll(Stream())) == ConllSentence([["Rain"]], ["B"])


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("a N B\nb B\n", {}, r"line 2: 2 column\(s\), needed 3"),
        ("\n\na N B\n", {"columns": [0, 3]}, r"line 3: 3 column\(s\), needed at least 4"),
        ("a N B\n", {"label_column": -4}, r"line 1: 3 column\(s\), needed at least 4"),
        ("a\n", {}, r"line 1: 1 column\(s\), needed at least one attribute"),
        ("a\t\tB\n", {}, "line 1: column 1 of 3 is empty"),
        ("a\tN\t \n", {}, "line 1: column 2 of 3 is empty"),
    ],
)
def test_bad_columns_name_the_line(text, options, message):
    with pytest.raises(InputError, match=message):
        read_conll(io.StringIO(text), **options)


@pytest.mark.parametrize(
    ("sentences", "labels", "message"),
    [
        ([[]], None, "sentence 0 to write: no tokens"),
        ([["a", "b"]], [["x"]], r"2 token\(s\) and 1 label\(s\)"),
        ([["a"]], [["x"], ["y"]], "more label sequences"),
        ([["a"], ["b"]], [["x"]], r"sentence 1 .* 0 label\(s\)"),
        ([["a", ["b", "c"]]], None, r"2 column\(s\) after 1"),
        ([["New York"]], None, "column separator"),
        ([["a\tb"]], [["x"]], "column separator"),
        ([[["a", ""]]], None, "is empty"),
        ([["-DOCSTART-"]], None, "marks a new document"),
    ],
)
def test_what_cannot_be_read_back_is_not_written(tmp_path, sentences, labels, message):
    with pytest.raises(InputError, match=message):
        write_conll(sentences, tmp_path / "out.tsv", labels=labels)
    assert list(tmp_path.iterdir()) == []


def test_a_header_is_no_token():
    with pytest.raises(InputError, match=r"line 2: 'Word', 'Tag' name columns; .*delete the line"):
        read_conll(io.StringIO("\nWord Tag\nRain NN\n"))


CONLLU = """# sent_id = 2
1-2	don't	_	_	_	_	_	_	_	_
1	do	do	AUX	VB	_	3	aux	_	_
2	n't	not	PART	RB	_	3	advmod	_	_
2.1	x	x	NOUN	NN	_	_	_	_	_
3	bark	bark	VERB	VB	_	0	root	_	_
"""


def test_lines_of_conllu_that_are_no_words_are_dropped():
    file = read_conll(io.StringIO(CONLLU), columns=[1], label_column=3)
    assert (file.tokens, file.labels) == ([["do", "n't", "bark"]], [["AUX", "PART", "VERB"]])
    # Of other tables a number is a word.
    assert read_conll(io.StringIO("1-2\t_\tB\n2.1\t_\tB\n")).tokens == [["1-2", "2.1"]]
    ten = "\t".join(["1-2", *"abcdefgh", "B"])
    assert read_conll(io.StringIO(f"{ten}\n")).tokens == [["1-2"]]
