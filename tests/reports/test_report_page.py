"""Pages from plain values: escaping, cuts that say so, sections that explain their absence."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.losses import edit
from weft.reports import Block, Case, Confusion, Curve, FeatureGroup, Picture, Report, Score, as_json, page, report_page
from weft.reports.automaton_pictures import gram_automaton
from weft.reports.axes import nice_ticks
from weft.reports.calibration import calibration_of
from weft.reports.confusion import confusion_of, confusion_table
from weft.reports.curves import curve_chart, history_curves
from weft.reports.differences import edit_columns
from weft.reports.errors import MOST_COLUMNS, error_list
from weft.reports.features import feature_cards
from weft.reports.markup import Markup, percent, tag
from weft.reports.pictures import heat_map
from weft.reports.tree_pictures import tree_drawing

TEXT = st.text(max_size=20)
SCORE = Score("accuracy", 0.5, 0.4, 0.6, "by bootstrap")


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


@given(st.text("abc", max_size=8), st.text("abc", max_size=8))
@settings(deadline=None, max_examples=100)
def test_edit_columns_spell_both_sides_with_fewest_edits(a, b):
    columns = edit_columns(a, b)
    assert "".join(x for x, _ in columns if x is not None) == a
    assert "".join(y for _, y in columns if y is not None) == b
    assert sum(x != y for x, y in columns) == edit(list(a), list(b))
    assert (None, None) not in columns


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
@settings(deadline=None, max_examples=100)
def test_ticks_lie_on_the_axis(low, length):
    ticks = nice_ticks(low, low + length)
    assert 1 <= len(ticks) <= 7
    slack = 1e-6 * (abs(low) + length)
    assert low - slack <= ticks[0]
    assert ticks[-1] <= low + length + slack


def test_large_confusions_are_cut_and_say_so():
    counts = {(f"L{i}", f"L{j}"): 1 + (i == j) * i for i in range(40) for j in range(40)}
    cut = confusion_of(counts, "tokens", most=10)
    assert len(cut.rows) == 10
    assert cut.n_names == 40
    assert cut.n_outside + sum(map(sum, cut.counts)) == sum(counts.values())
    shown = confusion_table(cut)
    assert "Shown are 10 of 40 names" in shown
    assert f"{cut.n_outside:,} tokens fall outside" in shown
    assert len(confusion_table(confusion_of(counts, "tokens"))) < 60_000


def test_cells_that_are_right_may_be_anywhere():
    confusion = Confusion("letters", ["gap"], ["a", "gap"], [[1, 3]], [(0, 1)], 1, 0, [("gap", "a", 1)])
    shown = confusion_table(confusion)
    assert "var(--right) / 0.75" in shown
    assert "100 %" in shown  # of all errors


def test_calibration_without_predictions_is_none():
    assert calibration_of([], [], "tokens") is None


def test_history_needs_two_entries_and_starts_again_after_a_second_fit():
    assert history_curves([{"iteration": 1, "objective": 1.0}]) == []
    again = [{"iteration": n, "objective": 1.0 / n, "score": 0.5} for n in (1, 2, 1, 2)]
    objective, score = history_curves(again)
    assert objective.x == [1.0, 2.0, 3.0, 4.0]
    assert score.is_share


def test_curves_of_one_point_and_of_constants_can_be_drawn():
    for y in ([1.0], [0.0]):
        assert "<circle" in curve_chart(Curve("c", "x", "y", [3.0], y))
    assert "NaN" not in curve_chart(Curve("c", "x", "y", [1.0, 2.0], [0.0, 0.0], is_share=True))


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


def test_bars_of_zero_weights_can_be_drawn():
    assert "0.00" in feature_cards([FeatureGroup("none", [("a", 0.0)])])


def test_heat_maps_leave_unknown_cells_empty():
    shown = heat_map(np.array([[1.0, np.nan], [-2.0, 0.0]]), ["a", "b"], ["a", "b"], "numbers")
    assert shown.count("<rect") == 3
    assert "nan" not in shown


def test_automata_share_ends():
    shown = gram_automaton([("ab", 1.0), ("cb", 1.0), ("c", 0.5)], "three strings")
    # 0 -a-> 1, 0 -c-> 2 (an end), 1 -b-> 3, 2 -b-> 3 (an end): four states, two of them ends
    assert shown.count("<circle") == 6
    assert shown.count("<path") == 4


def test_trees_mark_what_is_not_right():
    tree = ("S", ("A", ("B", "x"), ("C", "y")), ("D", "z"))
    assert tree_drawing(tree, {("S", 0, 2), ("A", 0, 1)}, "t").count("underline") == 0
    assert tree_drawing(tree, {("S", 0, 2)}, "t").count("underline") == 1
    assert tree_drawing(tree, None, "t").count("underline") == 0


def test_sections_without_content_say_why_or_are_left_out():
    shown = report_page(Report("t", "", [], [], [SCORE], missing={"calibration": "no <probabilities>"}))
    assert 'id="calibration"' in shown
    assert "no &lt;probabilities&gt;" in shown
    assert 'id="errors"' not in shown
    assert 'href="#errors"' not in shown


def test_json_has_no_drawings_and_no_numbers_that_json_lacks():
    picture = Picture("t", "c", tag("svg"), {"values": [1.0, float("nan")]})
    assert as_json(picture) == {"title": "t", "caption": "c", "values": {"values": [1.0, None]}, "wide": False}


@pytest.mark.parametrize("end", ["", "written by us"])
def test_page_has_one_headline_and_a_language(end):
    shown = page("t", "l", [("a", "A", tag("p", "x"))], end)
    assert shown.count("<h1>") == 1
    assert '<html lang="en">' in shown
    assert f"<footer>{end}</footer>" in shown
