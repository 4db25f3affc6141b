"""Tests of `weft.reports.pictures`."""

import numpy as np

from weft.reports import FeatureGroup, Report
from weft.reports.page import feature_cards
from weft.reports.pictures import heat_map


def test_bars_of_zero_weights_can_be_drawn():
    assert "0.00" in feature_cards(Report("t", "", [], [], [], features=[FeatureGroup("none", [("a", 0.0)])]))


def test_heat_maps_leave_unknown_cells_empty():
    shown = heat_map(np.array([[1.0, np.nan], [-2.0, 0.0]]), ["a", "b"], ["a", "b"], "numbers")
    assert shown.count("<rect") == 3
    assert "nan" not in shown
