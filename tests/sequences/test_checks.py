import numpy as np
import pytest

from weft.errors import InputError
from weft.sequences.checks import as_sequences, check_same_lengths, locate


@pytest.mark.parametrize(
    "values",
    [["ab", "c"], ("ab", "c"), [["a"], ["b", "c"]], np.array([[1, 2], [3, 4]]), [np.zeros((2, 3))], iter(["ab"])],
)
def test_lists_of_sequences_pass(values):
    expected = [1] if hasattr(values, "__next__") else range(len(values))
    assert len(as_sequences(values, "X")) == len(expected)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ("abc", r"X is one string, 'abc'; a list of sequences is wanted: wrap it as \[X\]"),
        (b"abc", r"X is one string, b'abc'"),
        ("a\nb", r"X is one string, 'a\\nb'"),
        (3, "X is a int; a list of sequences is wanted"),
        (None, "X is a NoneType; a list of sequences is wanted"),
        ([], "X is empty; at least one sequence is wanted"),
        ({"a": "b"}, "X is a dict; a list of sequences is wanted: pass its values"),
        (["ab", ""], r"X\[1\] has length 0; drop empty sequences"),
        ([np.zeros((0, 2))], r"X\[0\] has length 0"),
        ([1, 2], r"X\[0\] is 1 of type int; a sequence"),
        (np.zeros(3), r"X\[0\] is .* a sequence"),
        (np.array("abc"), r"X is a ndarray; a list of sequences is wanted"),
        (["ab", None], r"X\[1\] is None of type NoneType"),
        ([lambda: "very\nlong"], r"X\[0\] is .* of type function"),
    ],
)
def test_everything_else_is_refused_in_one_line(values, message):
    with pytest.raises(InputError, match=message) as caught:
        as_sequences(values, "X")
    assert "\n" not in str(caught.value)


def test_lengths_must_agree():
    check_same_lengths(["ab", "c"], [[1, 2], [3]])
    with pytest.raises(InputError, match="X has 1 sequences but y has 2; each sequence needs its own"):
        check_same_lengths(["ab"], ["ab", "c"])
    with pytest.raises(InputError, match=r"X\[1\] has 1 tokens but y\[1\] has 2 labels; one label per token"):
        check_same_lengths(["ab", "c"], ["ab", "cd"])


def test_locate_inverts_concatenation():
    lengths = [2, 1, 3]
    places = [(i, t) for i, length in enumerate(lengths) for t in range(length)]
    assert [locate(flat, lengths) for flat in range(6)] == places
