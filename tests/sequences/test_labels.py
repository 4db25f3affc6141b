import numpy as np
import pytest

from weft.errors import InputError
from weft.sequences.labels import encode_labels, label_classes


@pytest.mark.parametrize(
    ("y", "expected"),
    [
        ([["b", "a"], ["c"]], ["a", "b", "c"]),
        (["ba", "c"], ["a", "b", "c"]),
        ([[2, 1], [1]], [1, 2]),
        (np.array([[2, 1], [1, 1]]), [1, 2]),
        ([["é", "日"]], ["é", "日"]),
        ([["b", 1]], [1, "b"]),
        ([[True, False]], [False, True]),
        ([("x", "y")], ["x", "y"]),
    ],
)
def test_classes_are_distinct_and_sorted(y, expected):
    classes = label_classes(y)
    assert classes.tolist() == expected
    ids = encode_labels(y, y, classes)
    assert ids.dtype == np.int32
    assert [classes[i] for i in ids] == [label for labels in y for label in labels]


def test_labels_of_arrays_are_plain_numbers():
    assert type(label_classes(np.array([[2, 1]]))[0]) is int


def test_known_labels_stay():
    assert label_classes([["b"]], known=["c", "a"]).tolist() == ["a", "b", "c"]


def test_a_label_unseen_in_training_is_named():
    classes = label_classes([["a", "b"]])
    with pytest.raises(
        InputError, match=r"y\[1\]\[0\] is the label 'z', unseen in training; known labels are 'a', 'b'"
    ):
        encode_labels(["xy", "x"], [["a", "b"], ["z"]], classes)
    many = label_classes([list(range(20))])
    with pytest.raises(InputError, match=r"known labels are 0, 1, 2, 3, 4, 5, 6, 7, \.\.\.:") as caught:
        encode_labels(["x"], [["z"]], many)
    assert "\n" not in str(caught.value)


def test_labels_that_are_no_labels_are_refused():
    with pytest.raises(InputError, match=r"y\[1\] holds a label of type list; labels are strings or numbers") as caught:
        label_classes([["a"], ["b", ["c"]]])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("missing", [float("nan"), np.float32("nan"), None])
def test_a_missing_label_is_no_label(missing):
    with pytest.raises(InputError, match=r"y\[1\]\[1\] is (nan|None), a missing label; .*drop the sequence"):
        label_classes([["a", "b"], ["b", missing, missing]])


def test_a_missing_label_in_an_array_is_found():
    with pytest.raises(InputError, match=r"y\[0\]\[1\] is nan"):
        label_classes(np.array([[0.0, np.nan]]))
