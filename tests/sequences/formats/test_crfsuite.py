import io
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from weft.errors import InputError
from weft.sequences.formats import iter_crfsuite, read_crfsuite, write_crfsuite

NAME = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\t\r\n\0"), min_size=1, max_size=6)
ODD = st.text("\\:ab=@ ", min_size=1, max_size=6)
LABEL = st.one_of(NAME, ODD).filter(lambda text: text.strip() and not text.startswith("@"))
NUMBER = st.one_of(st.just(1), st.floats(-1e6, 1e6))
TOKEN = st.dictionaries(st.one_of(NAME, ODD), NUMBER, max_size=3)
SEQUENCE = st.tuples(st.lists(st.tuples(TOKEN, LABEL), min_size=1, max_size=4), st.sampled_from([1.0, 0.0, 2.5]))


@settings(max_examples=150)
@given(st.lists(SEQUENCE, max_size=4))
def test_round_trip(data):
    tokens = [[token for token, _ in rows] for rows, _ in data]
    labels = [[label for _, label in rows] for rows, _ in data]
    weights = [weight for _, weight in data]
    stream = io.StringIO(newline="")
    write_crfsuite(tokens, stream, labels, weights)
    file = read_crfsuite(io.BytesIO(stream.getvalue().encode()))
    assert (file.tokens, file.labels, file.weights) == (tokens, labels, weights)


def characters(text):
    """What CRFsuite's own reader, which goes from character to character, makes of one line: names and values."""
    items, place = [], 0
    while place < len(text):
        if text[place] == "\t":
            place += 1
            continue
        parts = ["", ""]
        for part in range(2):
            while place < len(text) and text[place] not in ":\t":
                if text[place] == "\\" and text[place + 1 : place + 2] in ("\\", ":"):
                    place += 1
                parts[part] += text[place]
                place += 1
            if text[place : place + 1] != ":" or part:
                break
            place += 1
        items.append((parts[0], float(parts[1]) if parts[1] else 1.0))
        if text[place : place + 1] == ":":
            raise ValueError("a second colon")
    return items


@settings(max_examples=300)
@given(st.text("ab=\\:\t1.", max_size=12))
def test_lines_are_read_as_by_a_reader_that_goes_from_character_to_character(rest):
    line = f"L\t{rest}"
    try:
        [sequence] = iter_crfsuite(io.StringIO(line + "\n"))
    except InputError:  # a number that is none, which CRFsuite takes for 0, or for a part of the next attribute
        assert not re.fullmatch(r"(\t+|[^:\\]+|\\[\\:])*", rest)
        return
    (label, _), *wanted = characters(line)
    summed = {}
    for name, value in wanted:
        summed[name] = summed.get(name, 0) + value
    assert (sequence.labels, sequence.tokens) == ([label], [summed])


@settings(max_examples=100)
@given(st.one_of(st.binary(max_size=40), st.text("ab\t:\\@\n1w", max_size=40).map(str.encode)))
def test_any_bytes_are_sequences_or_an_input_error(content):
    try:
        file = read_crfsuite(io.BytesIO(content))
    except InputError:
        return
    assert [len(rows) for rows in file.tokens] == [len(labels) for labels in file.labels]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("B\tw:x\n", r"x, line 1: attribute 'w:x' has 'x' after its colon, needed a number; write \\: for a colon"),
        ("B\tw:1:2\n", "has '1:2' after its colon"),
        ("B\tw:nan\n", "has 'nan' after its colon"),
        ("B\tw:1_0\n", "has '1_0' after its colon"),
        ("B\tw:" + "9" * 390 + "\n", "after its colon, needed a number"),
        ("B\t:1\n", "attribute ':1' has no name"),
        ("B:1\tw\n", r"label 'B:1' has a colon; write \\: for it"),
        ("\tw=a\n", "no label before the first tab; write one, any where the right one is not known"),
        ("@size:1\n", "begins with @, as @weight:NUMBER on a line of its own does"),
        ("@weight:1\tB\n", "@weight has '1.tB' after its colon, needed a number"),
        ("@weight:-1\n", "@weight is -1; needed a number of at least 0"),
    ],
)
def test_what_crfsuite_misreads_in_silence_is_refused(text, message):
    stream = io.StringIO(text)
    stream.name = "x"
    with pytest.raises(InputError, match=message):
        read_crfsuite(stream)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[{}]], [[]]), r"sequence 0 to write: 1 token\(s\) and 0 label\(s\)"),
        (([[{}]], [["@x"]]), "label '@x' is no string, is blank or begins with @"),
        (([[{"a\tb": 1}]], [["B"]]), "contains a tab"),
        (([[{"": 1}]], [["B"]]), "attribute '' is no string, or empty"),
        (([[{3: 1}]], [["B"]]), "attribute 3 is no string, or empty"),
        (([[{"a": None}]], [["B"]]), "attribute 'a' has the value None; give a string or a number"),
        (([["the"]], [["B"]]), r"token 'the' is a string; give its attributes, such as \['the'\]"),
        (([[{}]], [[1]]), "label 1 is no string"),
        (([[{"a": float("inf")}]], [["B"]]), "inf given; finite numbers are needed"),
        (([[{}]], [["B"], ["B"]]), "more label sequences than sequences"),
    ],
)
def test_what_cannot_be_written_is_refused(arguments, message):
    tokens, labels = arguments
    with pytest.raises(InputError, match=message):
        write_crfsuite(tokens, io.StringIO(), labels)


@pytest.mark.parametrize(
    ("weights", "message"), [([], "weight is None"), ([-1], "weight is -1"), ([1, 2], "more weights")]
)
def test_weights_are_one_for_each(weights, message):
    with pytest.raises(InputError, match=message):
        write_crfsuite([[{"a": 1}]], io.StringIO(), [["B"]], weights)


TRAIN = """B\tw=a\tw=a\tlength:0.25
I\tw=b\tc\\:d

@weight:2
B\tw=a\tlength:3
O\tw=b

O\tc\\:d:2
"""


def test_a_model_of_a_file_has_the_weights_of_crfsuite(tmp_path):
    """Numbers, attributes that come twice, escapes and weights mean what they mean to CRFsuite's library."""
    pycrfsuite = pytest.importorskip("pycrfsuite")
    trainer = pycrfsuite.Trainer(verbose=False, params={"c2": 1.0, "feature.possible_transitions": False})
    first = [["w=a", "w=a"], ["w=b", "c:d"]], ["B", "I"]
    second = [{"w=a": 1.0, "length": 3.0}, {"w=b": 1.0}], ["B", "O"]
    for X, y in (first, second, second, ([{"c:d": 2.0}], ["O"])):
        trainer.append(X, y)
    path = str(tmp_path / "model")
    trainer.train(path)
    opened = pycrfsuite.Tagger()
    opened.open(path)
    wanted = opened.info().state_features

    # The library takes no token with one attribute twice and another with a number: that one is left out on both sides.
    file = read_crfsuite(io.StringIO(TRAIN.replace("\tlength:0.25", "")))
    tagger = weft.Tagger(weft.CRF(c2=1.0, tol=1e-9)).fit(file.tokens, file.labels, sample_weight=file.weights)
    found = tagger.state_features_
    assert found.keys() == wanted.keys()
    assert found == pytest.approx(wanted, abs=2e-3)
