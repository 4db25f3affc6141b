"""Tests of `weft.metrics.strings`."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft import metrics
from weft.errors import InputError


def test_phone_error_rate_takes_the_nearest_reference():
    assert metrics.phone_error_rate(["abc", "de"], ["abd", "de"]) == 1 / 5
    assert metrics.phone_error_rate([["abc", "abd"], ["de"]], ["abd", "dx"], several=True) == 1 / 5
    # Two references at distance one: the longer one counts, whatever the order.
    for references in (["ab", "abcd"], ["abcd", "ab"]):
        assert metrics.phone_error_rate([references], ["abc"], several=True) == 1 / 4


def test_word_error_rate_accepts_any_reference():
    references = [[["K", "AE"], ["K", "EH"]], [["T"]]]
    assert metrics.word_error_rate(references, [("K", "EH"), ["D"]], several=True) == 1 / 2
    assert metrics.word_error_rate(["ab", "c"], ["ab", "d"]) == 1 / 2


def test_error_rates_say_what_is_wrong_with_references():
    with pytest.raises(InputError, match="references of sequence 0 are 'abc'"):
        metrics.word_error_rate(["abc"], ["abc"], several=True)
    with pytest.raises(InputError, match="references of sequence 1 are"):
        metrics.phone_error_rate([["a"], []], ["a", "b"], several=True)
    with pytest.raises(InputError, match="every reference is empty"):
        metrics.phone_error_rate([""], ["a"])


@settings(max_examples=40)
@given(st.lists(st.tuples(st.text(max_size=5), st.text(max_size=5)), min_size=1, max_size=4))
def test_edit_similarity_lies_between_zero_and_one(pairs):
    y_true, y_pred = zip(*pairs, strict=True)
    similarity = metrics.normalized_edit_similarity(y_true, y_pred)
    assert 0.0 <= similarity <= 1.0
    assert metrics.normalized_edit_similarity(y_true, y_true) == 1.0
    assert similarity == pytest.approx(metrics.normalized_edit_similarity(y_pred, y_true))
