"""Tests of `weft.reports.numbers`."""

from hypothesis import given, settings
from hypothesis import strategies as st

from weft.reports.numbers import percent


@given(st.floats(0.0, 1.0))
@settings(max_examples=100)
def test_percent_never_calls_a_part_the_whole(value):
    shown = percent(value)
    assert (shown == "100") == (value == 1.0)
    assert (shown == "0") == (value == 0.0)
    assert abs(float(shown.lstrip("<>")) - 100 * value) <= 0.1001
