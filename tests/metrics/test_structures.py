from __future__ import annotations

import pytest

from weft import metrics
from weft.errors import InputError


def test_base_pair_scores_micro_and_macro():
    y_true, y_pred = ["((..))", "(..)", "...."], ["(....)", "....", "...."]
    micro = metrics.base_pair_scores(y_true, y_pred)
    assert (micro.sensitivity, micro.ppv, micro.f1) == (1 / 3, 1.0, 0.5)
    macro = metrics.base_pair_scores(y_true, y_pred, average="macro")
    assert macro.sensitivity == pytest.approx((0.5 + 0.0 + 1.0) / 3)
    assert macro.f1 == pytest.approx((2 / 3 + 0.0 + 1.0) / 3)
    with pytest.raises(InputError, match="'weighted'"):
        metrics.base_pair_scores(y_true, y_pred, average="weighted")


def test_alignment_accuracy_counts_reproduced_columns():
    reference = [("AC-GT", "A-CGT")]
    assert metrics.alignment_accuracy(reference, reference) == 1.0
    assert metrics.alignment_accuracy(reference, [("ACGT", "ACGT")]) == 1.0
    assert metrics.alignment_accuracy(reference, [("ACGT----", "----ACGT")]) == 0.0


def test_alignment_accuracy_scores_upper_case_columns_of_the_reference():
    reference = [("acGT", "acGT")]
    # The prediction shifts the first two symbols; case does not matter in it.
    prediction = [("AC-GT", "-acGT")]
    assert metrics.alignment_accuracy(reference, prediction, scored="upper") == 1.0
    assert metrics.alignment_accuracy(reference, [("AC-GT", "A-CGT")]) == 3 / 4


@pytest.mark.parametrize(
    ("y_true", "y_pred", "message"),
    [
        ([("AC", "AC")], [("AG", "AC")], "another sequence than the reference in row 1"),
        ([("AC", "A-C")], [("AC", "AC")], "rows of 2 and 3 columns"),
        ([("A-", "-C")], [("A-", "-C")], "no reference alignment has a scored column"),
    ],
)
def test_alignment_accuracy_says_what_is_wrong(y_true, y_pred, message):
    with pytest.raises(InputError, match=message):
        metrics.alignment_accuracy(y_true, y_pred)


def test_alignment_accuracy_checks_scored():
    with pytest.raises(InputError, match="'core'"):
        metrics.alignment_accuracy([("A", "A")], [("A", "A")], scored="core")
