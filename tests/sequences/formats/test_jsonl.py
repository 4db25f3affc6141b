import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.errors import InputError
from weft.sequences.formats import iter_jsonl, read_jsonl, write_jsonl

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
SCALAR = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), TEXT)
VALUE = st.recursive(SCALAR, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3))


@settings(max_examples=80)
@given(objects=st.lists(st.dictionaries(TEXT, VALUE, max_size=3), max_size=4))
def test_round_trip(objects):
    stream = io.StringIO(newline="")
    write_jsonl(objects, stream)
    assert list(iter_jsonl(io.BytesIO(stream.getvalue().encode()))) == objects


@settings(max_examples=100)
@given(content=st.one_of(st.binary(max_size=40), st.text(alphabet='{}[]":,1eNa\n ', max_size=40).map(str.encode)))
def test_any_bytes_are_objects_or_an_input_error(content):
    try:
        objects = list(iter_jsonl(io.BytesIO(content)))
    except InputError:
        return
    assert all(isinstance(item, dict) for item in objects)


def test_keys_are_chosen_and_others_ignored():
    text = '{"x": "abc", "y": 1, "id": 7}\n\n{"x": [[0.5]], "y": null}\n'
    file = read_jsonl(io.StringIO(text), input_key="x", label_key="y")
    assert (file.inputs, file.labels) == (["abc", [[0.5]]], [1, None])
    assert read_jsonl(io.StringIO(text), input_key="x", label_key=None).labels is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"tokens": [], "labels": []}\n{"tokens": []}\n', "line 2: keys 'tokens', needed 'labels'"),
        ("{}\n", r"line 1: keys \(none\), needed 'tokens'"),
        ("[1]\n", "line 1: a JSON list, needed an object"),
        ('{"tokens": \n', "line 1: not JSON"),
        ('{"tokens": [NaN], "labels": []}\n', "NaN is not a JSON number"),
        ("[" * 100_000 + "\n", "nested too deeply"),
        ('{"tokens": ' + "1" * 5000 + "}\n", "line 1: not JSON .*digits"),
        ('{"tokens": -' + "1" * 400 + "}\n", "line 1: .*whole number of 401 digits, at most 300"),
        ('{"tokens": [1e400]}\n', "line 1: .*1e400 is too large"),
        ('{"tokens": [-1E+00400]}\n', "too large"),
        ('{"tokens": [' + "1" * 400 + ".0]}\n", "too large"),
        ('\n{"tokens": 1, "labels": 2, "tokens": 3}\n', "line 2: .*key 'tokens' comes twice"),
        ('{"tokens": [{"a": 1, "a": 1}]}\n', "key 'a' comes twice"),
        ('{"tokens": ' + "[" * 101 + "]" * 101 + "}\n", "line 1: JSON nested too deeply, at most 100"),
        ('{"a":' * 101 + "1" + "}" * 101 + "\n", "nested too deeply"),
    ],
)
def test_bad_lines_name_the_line(text, message):
    with pytest.raises(InputError, match=message):
        read_jsonl(io.StringIO(text))


def test_large_numbers_and_nested_values_within_the_limits_are_read():
    text = '{"a": [1e308, 12345678901234567890, 1e-400, ' + "[" * 97 + "]" * 97 + "]}"
    [item] = iter_jsonl(io.StringIO(text))
    assert item["a"][:3] == [1e308, 12345678901234567890, 0.0]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1, 2}, b"bytes", "\ud800"])
def test_what_cannot_be_read_back_is_not_written(tmp_path, value):
    with pytest.raises(InputError, match="to write"):
        write_jsonl([{"tokens": "fine"}, {"tokens": value}], tmp_path / "out.jsonl")
    assert list(tmp_path.iterdir()) == []
