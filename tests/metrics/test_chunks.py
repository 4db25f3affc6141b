"""Tests of `weft.metrics.chunks`."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft import metrics
from weft.errors import InputError


def conlleval_counts(y_true, y_pred):
    """Chunks wanted, found and right, counted in one pass by the start and end rules of conlleval."""

    def split(tag):
        prefix, _, kind = tag.partition("-")
        return prefix, kind

    def ends(previous, current):
        (p, p_kind), (c, c_kind) = previous, current
        return (p in "BI" and c in "BOS") or p in "ES" or (p != "O" and p_kind != c_kind)

    def starts(previous, current):
        (p, p_kind), (c, c_kind) = previous, current
        return c in "BS" or (p in "OES" and c in "IE") or (c != "O" and p_kind != c_kind)

    wanted = found = right = 0
    outside = ("O", "")
    for truth, guess in zip(y_true, y_pred, strict=True):
        previous_truth = previous_guess = outside
        in_correct = False
        for tag_truth, tag_guess in zip([*truth, "O"], [*guess, "O"], strict=True):
            now_truth, now_guess = split(tag_truth), split(tag_guess)
            end_truth, end_guess = ends(previous_truth, now_truth), ends(previous_guess, now_guess)
            if in_correct:
                if end_truth and end_guess and previous_truth[1] == previous_guess[1]:
                    right += 1
                    in_correct = False
                elif end_truth != end_guess or now_truth[1] != now_guess[1]:
                    in_correct = False
            start_truth, start_guess = starts(previous_truth, now_truth), starts(previous_guess, now_guess)
            if start_truth and start_guess and now_truth[1] == now_guess[1]:
                in_correct = True
            wanted += start_truth
            found += start_guess
            previous_truth, previous_guess = now_truth, now_guess
    return wanted, found, right


def tag_pairs(prefixes):
    tags = ["O", *(f"{prefix}-{kind}" for prefix in prefixes for kind in ("X", "Y"))]
    pair = st.lists(st.tuples(st.sampled_from(tags), st.sampled_from(tags)), min_size=1, max_size=8)
    return st.lists(pair, min_size=1, max_size=3)


def check_against_conlleval(pairs, scheme):
    y_true = [[truth for truth, _ in pair] for pair in pairs]
    y_pred = [[guess for _, guess in pair] for pair in pairs]
    scores = metrics.chunk_scores(y_true, y_pred, scheme=scheme)
    assert (scores.support, scores.predicted, scores.correct) == conlleval_counts(y_true, y_pred)
    assert scores.support == sum(each.support for each in scores.per_type.values())
    assert metrics.chunk_f1(y_true, y_pred, scheme=scheme) == scores.f1


@settings(max_examples=300)
@given(tag_pairs("BI"), st.sampled_from(["IOB1", "IOB2"]))
def test_chunks_are_counted_as_conlleval_counts_them(pairs, scheme):
    check_against_conlleval(pairs, scheme)


@settings(max_examples=300)
@given(tag_pairs("BIES"))
def test_bioes_chunks_are_counted_as_conlleval_counts_them(pairs):
    check_against_conlleval(pairs, "BIOES")


def test_chunk_scores_by_hand():
    # Wanted: NP(0,2) VP(3,4) NP(4,5); found: NP(0,2) NP(3,5), the last from an I that follows O.
    y_true = [["B-NP", "I-NP", "O", "B-VP", "B-NP"]]
    y_pred = [["B-NP", "I-NP", "O", "I-NP", "I-NP"]]
    scores = metrics.chunk_scores(y_true, y_pred)
    assert scores.precision == 1 / 2
    assert scores.recall == 1 / 3
    assert scores.f1 == pytest.approx(0.4)
    assert scores.per_type["NP"].support == 2
    assert scores.per_type["NP"].precision == 1 / 2
    assert scores.per_type["VP"].f1 == 0.0


def test_chunk_scores_are_zero_without_chunks():
    scores = metrics.chunk_scores([["O", "O"]], [["O", "O"]])
    assert (scores.precision, scores.recall, scores.f1, scores.support) == (0.0, 0.0, 0.0, 0)


def test_type_may_hold_a_dash():
    assert list(metrics.chunk_scores([["B-a-b"]], [["B-a-b"]]).per_type) == ["a-b"]


@pytest.mark.parametrize("tag", ["NP", "X-NP", "E-NP", "", 3])
def test_chunk_scores_name_a_tag_of_another_scheme(tag):
    with pytest.raises(InputError, match="of sequence 1 is not IOB2"):
        metrics.chunk_scores([["O"], [tag]], [["O"], ["O"]])


def test_chunk_scores_name_an_unknown_scheme():
    with pytest.raises(InputError, match="'IOBES'; needed one of IOB2"):
        metrics.chunk_scores([["O"]], [["O"]], scheme="IOBES")
