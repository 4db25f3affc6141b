"""All input forms become the same matrix that a slow reading of them gives."""

import numpy as np
import pycrfsuite
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.errors import InputError
from weft.sequences.corpus import SparseTokens
from weft.sequences.encoder import TokenEncoder, input_kind


def rows_of(corpus, names):
    """Every token as a dict {column name: value}."""
    tokens = corpus.tokens
    assert isinstance(tokens, SparseTokens)
    values = tokens.values if len(tokens.values) else np.ones(len(tokens.ids))
    rows = []
    for begin, end in zip(tokens.offsets[:-1], tokens.offsets[1:], strict=True):
        row = {}
        for i, value in zip(tokens.ids[begin:end], values[begin:end], strict=True):
            row[names[i]] = row.get(names[i], 0.0) + value
        rows.append(row)
    return rows


FORMS = {
    "strings": (["ab", "日é𝔸"], "symbols", [{c: 1.0} for c in "ab日é𝔸"]),
    "tokens": ([["ab", "c"], ("d",)], "symbols", [{"ab": 1.0}, {"c": 1.0}, {"d": 1.0}]),
    "int arrays": ([np.array([3, 1]), np.array([3], dtype=np.int8)], "symbols", [{3: 1.0}, {1: 1.0}, {3: 1.0}]),
    "text arrays": ([np.array(["a", "bc"])], "symbols", [{"a": 1.0}, {"bc": 1.0}]),
    "ints": ([[3, 1], [0]], "symbols", [{3: 1.0}, {1: 1.0}, {0: 1.0}]),
    "strings and tokens": (["ab", ["a", "xyz"]], "symbols", [{"a": 1.0}, {"b": 1.0}, {"a": 1.0}, {"xyz": 1.0}]),
    "object arrays": ([np.array(["a", "b"], dtype=object)], "symbols", [{"a": 1.0}, {"b": 1.0}]),
    "attributes": ([[["a", "b"], []], [["b", "b"]]], "attributes", [{"a": 1.0, "b": 1.0}, {}, {"b": 2.0}]),
    "attribute tuples": ([[("a", "b")], [("b",)]], "attributes", [{"a": 1.0, "b": 1.0}, {"b": 1.0}]),
    "attribute sets": ([[{"a", "b"}], [frozenset("b")]], "attributes", [{"a": 1.0, "b": 1.0}, {"b": 1.0}]),
    "dicts": ([[{"w": "x", "n": 2}, {}], [{"w": "y"}]], "dicts", [{"w:x": 1.0, "n": 2.0}, {}, {"w:y": 1.0}]),
    "no attribute at all": ([[[], []]], "attributes", [{}, {}]),
    "empty dicts": ([[{}], [{}, {}]], "dicts", [{}, {}, {}]),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_read(form):
    X, kind, expected = FORMS[form]
    assert input_kind(X) == kind
    encoder = TokenEncoder()
    corpus = encoder.encode_training(X)
    assert encoder.kind == kind
    assert rows_of(corpus, encoder.feature_names) == expected
    assert corpus.lengths.tolist() == [len(sequence) for sequence in X]
    again = encoder.encode(X)
    assert rows_of(again, encoder.feature_names) == expected
    assert encoder.encode(corpus) is corpus
    assert corpus.n_columns == len(encoder.feature_names)


def test_float_arrays_stay_dense():
    X = [np.arange(6.0).reshape(2, 3), np.ones((1, 3), dtype=np.float32), np.array([[1, 2, 3]])]
    encoder = TokenEncoder()
    corpus = encoder.encode_training(X)
    assert encoder.kind == "vectors"
    np.testing.assert_array_equal(corpus.tokens, np.concatenate(X))
    assert corpus.tokens.dtype == np.float64
    assert encoder.feature_names == [0, 1, 2]


def test_unknown_symbols_and_attributes_are_left_out():
    encoder = TokenEncoder()
    encoder.encode_training(["ab"])
    assert rows_of(encoder.encode(["xbx"]), "ab") == [{}, {"b": 1.0}, {}]
    encoder = TokenEncoder()
    encoder.encode_training([[{"w": "a", "n": 1.5}]])
    found = encoder.encode([[{"w": "b", "n": 2.5, "m": 3.0}, {"w": "a"}]])
    assert rows_of(found, encoder.feature_names) == [{"n": 2.5}, {"w:a": 1.0}]
    assert encoder.feature_names == ["w:a", "n"]


TEXT = st.text(alphabet="ab:é日 ", max_size=3)
NUMBERS = st.booleans() | st.integers(-5, 5) | st.floats(-4, 4, width=16)
KEYS = st.text(alphabet="klm", min_size=1, max_size=2)
FLAT = TEXT | NUMBERS
VALUES = FLAT | st.lists(TEXT, max_size=3, unique=True) | st.sets(TEXT, max_size=3)
DICTS = st.dictionaries(KEYS, VALUES | st.dictionaries(KEYS, VALUES, max_size=2), max_size=3)


@given(st.lists(DICTS, min_size=1, max_size=4))
@settings(max_examples=200)
def test_feature_dicts_are_read_as_crfsuite_reads_them(sequence):
    expected = pycrfsuite.ItemSequence(sequence).items()
    encoder = TokenEncoder()
    found = rows_of(encoder.encode_training([sequence]), encoder.feature_names)
    assert found == expected


@given(st.lists(st.dictionaries(KEYS, FLAT, max_size=3), min_size=1, max_size=4))
@settings(max_examples=100)
def test_flat_dicts_are_read_as_crfsuite_reads_them(sequence):
    encoder = TokenEncoder()
    found = rows_of(encoder.encode_training([sequence]), encoder.feature_names)
    assert found == pycrfsuite.ItemSequence(sequence).items()


def test_numpy_values_count_as_numbers():
    encoder = TokenEncoder()
    row = {"a": np.float32(0.5), "b": np.int64(2), "c": np.bool_(True), "d": np.str_("x")}
    assert rows_of(encoder.encode_training([[row]]), encoder.feature_names) == [
        {"a": 0.5, "b": 2.0, "c": 1.0, "d:x": 1.0}
    ]


def test_equal_numbers_of_different_type_are_the_same_feature():
    encoder = TokenEncoder()
    corpus = encoder.encode_training([[{"a": 1}, {"a": True}, {"a": 1.0}, {"a": 0}, {"a": False}, {"a": "1"}]])
    values = [row.get("a") for row in rows_of(corpus, encoder.feature_names)]
    assert values == [1.0, 1.0, 1.0, 0.0, 0.0, None]


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[{"a": 1.0}, {"b": 2.0, "a": float("nan")}]], r"X\[0\]\[1\] has 'a' = nan; finite numbers"),
        ([[{}], [{"a": {"b": float("inf")}}]], r"X\[1\]\[0\] has 'a:b' = inf; finite numbers"),
        ([[{"a": float("-inf")}]], r"X\[0\]\[0\] has 'a' = -inf; finite numbers"),
        ([[{"a": None}]], "a feature dict in X has a value that is neither a string, a number"),
        ([[{"a": object()}]], "a feature dict in X has a value that is neither a string, a number"),
        ([np.array([[1.0, np.nan]])], r"X\[0\]\[0, 1\] is nan; finite numbers"),
        ([np.zeros((1, 2)), np.array([[1.0, 2.0], [np.inf, 1.0]])], r"X\[1\]\[1, 0\] is inf"),
        ([np.zeros((1, 2)), np.zeros((1, 3))], r"X\[1\] has 3 columns but 2 were needed"),
        ([np.zeros((1, 2, 3))], r"X\[0\] is an array of shape \(1, 2, 3\)"),
        ([np.zeros(3)], r"X\[0\] is an array of shape \(3,\) and dtype float64; needed floats of shape \(length, d\)"),
        (["ab", [{"a": 1}]], r"X\[1\] holds dicts but the tokens before it are symbols"),
        ([[["a"]], [{"a": 1}]], r"X\[1\] holds dicts but the tokens before it are attributes"),
        ([["a", ["b"]]], r"X\[0\] holds .* but the tokens before it are"),
        ([["a"], np.zeros((1, 2))], r"X\[1\] holds vectors but the tokens before it are symbols"),
        ([[0.5, 1.5]], r"X.* holds a token of type float, which may be a missing value; a sequence is"),
        ([["a", None]], r"X.* holds a token of type NoneType"),
        ([[[0.1, 0.2], [0.3, 0.4]]], r"X\[0\]\[0\] has an attribute of type float; attributes are strings"),
        ([[["a"], ["b", float("nan")]]], r"X\[0\]\[1\] has an attribute of type float; attributes are strings"),
        ([[["a"], [["b"]]]], r"X\[0\]\[1\] has an attribute of type list"),
    ],
)
def test_bad_tokens_are_refused_in_one_line(X, message):
    with pytest.raises(InputError, match=message) as caught:
        TokenEncoder().encode_training(X)
    assert "\n" not in str(caught.value)


def test_another_form_than_in_training_is_refused():
    encoder = TokenEncoder()
    encoder.encode_training(["ab"])
    with pytest.raises(InputError, match="X holds dicts but the model was fitted on symbols; pass the form"):
        encoder.encode([[{"a": 1}]])
    vectors = TokenEncoder()
    vectors.encode_training([np.zeros((1, 2))])
    with pytest.raises(InputError, match=r"X\[0\] has 3 columns but 2 were needed"):
        vectors.encode([np.zeros((1, 3))])


def test_a_copy_grows_alone():
    encoder = TokenEncoder()
    corpus = encoder.encode_training(["ab"])
    other = encoder.copy()
    grown = other.encode_training(["bc"])
    assert encoder.feature_names == ["a", "b"]
    assert other.feature_names == ["a", "b", "c"]
    assert corpus.encoder_key == grown.encoder_key == encoder.key
    assert TokenEncoder().key != encoder.key


def test_new_columns_follow_the_old_ones():
    encoder = TokenEncoder()
    encoder.encode_training(["ab"])
    corpus = encoder.encode_training(["ca"])
    assert encoder.feature_names == ["a", "b", "c"]
    assert corpus.tokens.ids.tolist() == [2, 0]
    assert corpus.n_columns == 3
