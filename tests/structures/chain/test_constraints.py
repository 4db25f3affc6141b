import itertools

import numpy as np
import pytest

from weft.errors import InputError
from weft.structures.chain.constraints import check_allowed, forbidden_labels

BIO = ["B-X", "B-Y", "I-X", "I-Y", "O"]
BIOES = ["B-X", "B-Y", "E-X", "E-Y", "I-X", "I-Y", "O", "S-X", "S-Y"]


def legal_bio(labels):
    return all(
        not label.startswith("I-") or before in ("B-" + label[2:], "I-" + label[2:])
        for before, label in itertools.pairwise(["O", *labels])
    )


def legal_bioes(labels):
    opened = None
    for label in labels:
        prefix, _, kind = label.partition("-")
        if opened is not None and (prefix not in "IE" or kind != opened):
            return False
        if opened is None and prefix in "IE":
            return False
        opened = kind if prefix in "BI" else None
    return opened is None


@pytest.mark.parametrize(("scheme", "classes", "legal"), [("BIO", BIO, legal_bio), ("BIOES", BIOES, legal_bioes)])
def test_schemes_allow_exactly_the_legal_sequences(scheme, classes, legal):
    forbidden = forbidden_labels(scheme, classes)
    for length in (1, 2, 3):
        for ids in itertools.product(range(len(classes)), repeat=length):
            labels = np.array(ids, dtype=np.int32)
            try:
                check_allowed(labels, np.array([0, length]), forbidden, classes)
                allowed = True
            except InputError:
                allowed = False
            assert allowed == legal([classes[z] for z in ids])


def test_pairs_name_steps_starts_and_ends():
    forbidden = forbidden_labels([("a", "b"), (None, "b"), ("a", None)], ["a", "b"])
    assert forbidden.steps.tolist() == [[False, True], [False, False]]
    assert forbidden.start.tolist() == [False, True]
    assert forbidden.end.tolist() == [True, False]
    assert forbidden_labels(None, ["a"]) is None


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([4, 2, 4, 4], r"y\[0\]\[1\] breaks the constraints: 'O' before 'I-X' is forbidden"),
        ([4, 4, 3, 4], r"y\[1\]\[0\] breaks the constraints: 'I-Y' at the start is forbidden"),
    ],
)
def test_illegal_labels_are_named_with_their_place(labels, message):
    with pytest.raises(InputError, match=message) as caught:
        check_allowed(np.array(labels, np.int32), np.array([0, 2, 4]), forbidden_labels("BIO", BIO), BIO)
    assert "\n" not in str(caught.value)
    assert "fix the labels or drop constraints" in str(caught.value)


def test_an_open_entity_at_the_end_is_named():
    with pytest.raises(InputError, match=r"y\[0\]\[1\] breaks the constraints: 'B-X' at the end"):
        check_allowed(np.array([6, 0], np.int32), np.array([0, 2]), forbidden_labels("BIOES", BIOES), BIOES)


@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        ("IOB3", "constraints is 'IOB3'; use 'BIO', 'BIOES', or a list"),
        ([("a",)], r"constraints holds \('a',\); pairs \(label, label\)"),
        (["ab"], r"constraints holds 'ab'; pairs \(label, label\)"),
        ([("a", "z")], "constraints names the label 'z', which is not in the training labels; remove it"),
        (7, r"constraints is 7; use 'BIO', 'BIOES', or a list"),
        ("BIO", "the label 'a' does not fit constraints='BIO'"),
    ],
)
def test_bad_constraints(constraints, message):
    with pytest.raises(InputError, match=message) as caught:
        forbidden_labels(constraints, ["a", "b"])
    assert "\n" not in str(caught.value)
