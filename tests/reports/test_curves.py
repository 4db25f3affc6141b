"""Tests of `weft.reports.curves`."""

from weft.reports import Curve
from weft.reports.curves import curve_chart, history_curves


def test_history_needs_two_entries_and_starts_again_after_a_second_fit():
    assert history_curves([{"iteration": 1, "objective": 1.0}]) == []
    again = [{"iteration": n, "objective": 1.0 / n, "score": 0.5} for n in (1, 2, 1, 2)]
    objective, score = history_curves(again)
    assert objective.x == [1.0, 2.0, 3.0, 4.0]
    assert score.is_share


def test_curves_of_one_point_and_of_constants_can_be_drawn():
    for y in ([1.0], [0.0]):
        assert "<circle" in curve_chart(Curve("c", "x", "y", [3.0], y)).figure
    assert "NaN" not in curve_chart(Curve("c", "x", "y", [1.0, 2.0], [0.0, 0.0], is_share=True)).figure
