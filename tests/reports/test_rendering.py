"""Tests of `weft.reports.rendering`."""

import subprocess
import sys

from hypothesis import given, settings
from hypothesis import strategies as st

from weft.reports.rendering import Markup, drawing, render, shape

TEXT = st.text(max_size=20)


@given(TEXT)
@settings(max_examples=50)
def test_no_text_becomes_markup(text):
    shown = drawing([shape("text", text)], 1, 1, text)
    head, body = shown.split(' aria-label="')
    assert head == '<svg viewBox="0 0 1 1" width="1" height="1" role="img"'
    assert body.count("<") == 3  # <text>, </text> and </svg>
    assert body.count('"') == 1
    assert body.count(">") == 4
    shown.encode("utf-8")


def test_control_characters_and_surrogates_can_be_written():
    assert "<text>a␀b?␡</text>" in drawing([shape("text", "a\0b\ud800\x7f")], 1, 1, "")


def test_markup_is_not_escaped_twice():
    content = Markup("&nbsp;") + Markup("<b>{}</b>").format("<")
    assert render("section.html", note="", content=content, missing=None) == "&nbsp;<b>&lt;</b>"


def test_templates_are_found_and_jinja_is_imported_only_for_a_page():
    loaded = "print('jinja2' in sys.modules)"
    code = f"import sys, weft, weft.reports; {loaded}; weft.reports.page('t', 'l', []); {loaded}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
