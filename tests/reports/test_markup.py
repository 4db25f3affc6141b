"""Tests of `weft.reports.markup`."""

from hypothesis import given, settings
from hypothesis import strategies as st

from weft.reports.markup import Markup, percent, tag

TEXT = st.text(max_size=20)


@given(TEXT)
@settings(deadline=None, max_examples=50)
def test_no_text_becomes_markup(text):
    shown = tag("p", text, title=text)
    body = shown.removeprefix('<p title="').removesuffix("</p>")
    assert body.count("<") == 0
    assert body.count('"') == 1
    assert body.count(">") == 1
    shown.encode("utf-8")


def test_control_characters_and_surrogates_can_be_written():
    assert tag("p", "a\0b\ud800\x7f") == "<p>a␀b?␡</p>"


def test_markup_is_not_escaped_twice():
    assert tag("p", tag("b", "<"), Markup("&nbsp;")) == "<p><b>&lt;</b>&nbsp;</p>"


@given(st.floats(0.0, 1.0))
@settings(deadline=None, max_examples=100)
def test_percent_never_calls_a_part_the_whole(value):
    shown = percent(value)
    assert (shown == "100") == (value == 1.0)
    assert (shown == "0") == (value == 0.0)
    assert abs(float(shown.lstrip("<>")) - 100 * value) <= 0.1001
