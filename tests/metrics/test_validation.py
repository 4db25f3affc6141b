"""Tests of `weft.metrics.validation`."""

from __future__ import annotations

import pytest

from weft import metrics
from weft.errors import InputError


@pytest.mark.parametrize("metric", [metrics.token_accuracy, metrics.sequence_accuracy, metrics.chunk_f1])
@pytest.mark.parametrize(
    ("y_true", "y_pred", "message"),
    [
        ([["O"]], [["O"], ["O"]], "y_true has 1 sequences and y_pred 2"),
        ([["O"], ["O", "O"]], [["O"], ["O"]], "sequence 1 has length 2 in y_true and 1 in y_pred"),
        ([], [], "are empty"),
        ([[]], [[]], "every sequence is empty"),
        ("OO", [["O"], ["O"]], "y_true is one string"),
        ([["O"]], "O", "y_pred is one string"),
    ],
)
def test_lengths_are_checked(metric, y_true, y_pred, message):
    with pytest.raises(InputError, match=message) as caught:
        metric(y_true, y_pred)
    assert "\n" not in str(caught.value)
