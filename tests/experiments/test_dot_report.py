"""Pictures of reports with many methods."""

import pytest

from weft.experiments.dot_report import DotReport, SetReport
from weft.experiments.report import Measurement


def report():
    found = [
        Measurement("3", "trie", (100.0,), 120.0, "transitions"),
        Measurement("4", "trie", (9000.0,), None, "transitions"),
        Measurement("4", "minimal", (400.0,), None, "transitions"),
        Measurement("4", "test", (95.0,), None, "F1 in %"),
    ]
    return DotReport("toy", "A toy", "%", found, axis="n")


def test_each_method_has_a_line_where_it_was_measured():
    assert report().lines("transitions") == ["trie", "minimal"]
    assert report().lines("F1 in %") == ["test"]


def test_dots_are_measured_circles_published_and_wide_ranges_logarithmic():
    figure = pytest.importorskip("matplotlib.figure", reason="plots need matplotlib")
    axes = figure.Figure().subplots()
    entries = report()._dots(axes, "transitions")
    assert list(entries) == ["n = 3", "n = 4"]
    assert axes.get_xscale() == "log"
    points = [tuple(zip(*line.get_data(), strict=True)) for line in axes.lines]
    assert points[0] == ((100.0, 0),)
    assert points[1] == ((120.0, 0),)
    assert points[2] == ((9000.0, 0), (400.0, 1))
    assert axes.lines[1].get_markerfacecolor() == "none"


def test_picture_and_figures_are_written(tmp_path):
    pytest.importorskip("matplotlib", reason="plots need matplotlib")
    paths = report().write(tmp_path)
    assert [path.name for path in paths] == ["toy.json", "toy.png"]
    assert all(path.stat().st_size > 500 for path in paths)


def test_each_set_has_a_line_with_all_that_was_measured_of_it(tmp_path):
    figure = pytest.importorskip("matplotlib.figure", reason="plots need matplotlib")
    sets = SetReport("toy", "A toy", "%", report().measurements)
    axes = figure.Figure().subplots()
    assert list(sets._dots(axes, "transitions")) == ["trie", "minimal"]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["3", "4"]
    points = [tuple(zip(*line.get_data(), strict=True)) for line in axes.lines]
    assert points[0] == ((100.0, 0), (9000.0, 1))
    assert points[1] == ((120.0, 0),)
    assert points[2] == ((400.0, 1),)
    assert axes.get_xscale() == "log"
    assert [path.name for path in sets.write(tmp_path)] == ["toy.json", "toy.png"]
