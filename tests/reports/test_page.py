"""Pages from plain values: escaping, cuts that say so, sections that explain their absence."""

import pytest

from weft.reports import Block, Case, Picture, Report, Score, as_json, page, report_page
from weft.reports.confusion import confusion_of
from weft.reports.errors import MOST_COLUMNS, error_list
from weft.reports.rendering import Markup

SCORE = Score("accuracy", 0.5, 0.4, 0.6, "by bootstrap")


def test_long_blocks_are_cut_and_say_so():
    block = Block("", ("a", "b"), [(("x", "y"), "wrong")] * (MOST_COLUMNS + 7))
    shown = error_list([Case("one", "wrong", None, 1.0, [block])])
    assert "and 7 more columns" in shown
    assert shown.count('class="wrong"') == MOST_COLUMNS


def test_pages_of_large_models_stay_small():
    counts = {(f"L{i}", f"L{j}"): 1000 for i in range(100) for j in range(100)}
    block = Block("", ("a", "b"), [(("x", "y"), "wrong")] * 50_000)
    cases = [Case("one", "wrong", 0.5, 1.0, [block, block])] * 12
    report = Report("t", "", [], [], [SCORE], confusion=confusion_of(counts, "tokens"), cases=cases)
    assert len(report_page(report).encode()) < 600_000


def test_sections_without_content_say_why_or_are_left_out():
    shown = report_page(Report("t", "", [], [], [SCORE], missing={"calibration": "no <probabilities>"}))
    assert 'id="calibration"' in shown
    assert "no &lt;probabilities&gt;" in shown
    assert 'id="errors"' not in shown
    assert 'href="#errors"' not in shown


def test_json_has_no_drawings_and_no_numbers_that_json_lacks():
    picture = Picture("t", "c", Markup("<svg></svg>"), {"values": [1.0, float("nan")]})
    assert as_json(picture) == {"title": "t", "caption": "c", "values": {"values": [1.0, None]}, "wide": False}


@pytest.mark.parametrize("end", ["", "written by us"])
def test_page_has_one_headline_and_a_language(end):
    shown = page("t", "l", [("a", "A", Markup("<p>x</p>"))], end)
    assert shown.count("<h1>") == 1
    assert '<html lang="en">' in shown
    assert f"<footer>{end}</footer>" in shown
