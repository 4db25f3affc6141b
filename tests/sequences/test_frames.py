"""Tables of pandas, polars and Arrow."""

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import weft

COLUMNS = {"sentence": [1, 1, 2], "word": ["a", "cat", "dogs"], "size": [1.0, 3.0, 4.0], "tag": ["D", "N", "N"]}
WIDE = {"tokens": [["a", "cat"], ["dogs"]], "tags": [["D", "N"], ["N"]], "text": ["a cat", "dogs"]}
FRAMES = {"pandas": pandas.DataFrame, "polars": polars.DataFrame, "pyarrow": pyarrow.table}


@pytest.mark.parametrize("library", FRAMES)
def test_long_and_wide(library):
    long, wide = FRAMES[library](COLUMNS), FRAMES[library](WIDE)
    X, y = weft.read_frame(long, "word", "tag", group="sentence")
    assert (X, y) == (WIDE["tokens"], WIDE["tags"]) == weft.read_frame(wide, "tokens", "tags")
    assert weft.read_frame(long, ["word", "size"], group="sentence")[1] == [{"word": "dogs", "size": 4.0}]
    assert weft.read_frame(wide, "text") == WIDE["text"]
    assert weft.Tagger().fit(X, y).predict(X) == y


@pytest.mark.parametrize("library", FRAMES)
@pytest.mark.parametrize("missing", [None, float("nan"), "", pandas.NA])
def test_a_group_may_be_named_on_the_first_row_of_each_sequence(library, missing):
    if missing is not None and library != "pandas":
        missing = ""
    groups = ["Sentence: 1", missing, "Sentence: 2"]
    X, y = weft.read_frame(FRAMES[library]({**COLUMNS, "sentence": groups}), "word", "tag", group="sentence")
    assert (X, y) == (WIDE["tokens"], WIDE["tags"])


def test_cells_that_are_arrays():
    frame = pandas.DataFrame({"tokens": [np.array(["a", "b"]), np.array(["c"])]})
    assert weft.read_frame(frame, "tokens") == [["a", "b"], ["c"]]


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (
            lambda f: weft.read_frame(f, "wrd"),
            "no column 'wrd'; did you mean 'word'\\? It has sentence, word, size, tag",
        ),
        (lambda f: weft.read_frame(f, ["word", "size"]), "2 columns of inputs given; need one, or group="),
        (lambda f: weft.read_frame(f.iloc[[0, 2, 1]], "word", group="sentence"), "row 2: sentence 1 comes again after"),
        (
            lambda f: weft.read_frame(f.assign(sentence=[None, "a", "b"]), "word", group="sentence"),
            "row 0 of column 'sentence' is missing; the first row of a sequence needs it",
        ),
        (lambda f: weft.read_frame(f.assign(word=["a", None, "b"]), "word"), "row 1 of column 'word' is missing"),
        (lambda f: weft.read_frame(COLUMNS["word"], "word"), "a list given; need a DataFrame"),
    ],
)
def test_what_cannot_be_meant_is_refused(ask, message):
    with pytest.raises(weft.InputError, match=message):
        ask(pandas.DataFrame(COLUMNS))
