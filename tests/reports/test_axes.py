"""Tests of `weft.reports.axes`."""

from hypothesis import given, settings
from hypothesis import strategies as st

from weft.reports.axes import nice_ticks


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
@settings(max_examples=100)
def test_ticks_lie_on_the_axis(low, length):
    ticks = nice_ticks(low, low + length)
    assert 1 <= len(ticks) <= 7
    slack = 1e-6 * (abs(low) + length)
    assert low - slack <= ticks[0]
    assert ticks[-1] <= low + length + slack
