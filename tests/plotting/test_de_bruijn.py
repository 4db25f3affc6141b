"""The picture of a de Bruijn graph shows every vertex, and every step of the path once."""

import pytest

from weft.plotting import DeBruijnDisplay
from weft.preimages import DeBruijnGraph

matplotlib = pytest.importorskip("matplotlib")


def shown(display):
    return [text.get_text() for text in display.ax_.texts if text.get_text()]


def test_vertices_and_steps(tmp_path):
    display = DeBruijnDisplay.from_counts({"ab": 1, "bc": 2, "ca": 1, "cb": 1, "cc": 1}, start="a").plot()
    texts = shown(display)
    assert {"a", "b", "c"} <= set(texts)
    numbers = sorted(int(n) for text in texts if text[0].isdigit() for n in text.split(", "))
    assert numbers == list(range(1, 7))
    assert display.text_ in display.ax_.get_title()
    display.figure_.savefig(tmp_path / "graph.png")
    assert (tmp_path / "graph.png").stat().st_size > 5000


def test_tokens_and_given_axes():
    from matplotlib.figure import Figure

    axes = Figure().subplots()
    display = DeBruijnDisplay.from_counts({("K", "AE"): 1, ("AE", "T"): 1}, ax=axes)
    assert display.ax_ is axes
    assert display.text_ == "K AE T"


def test_nothing_to_walk():
    graph = DeBruijnGraph({"ab": 0})
    assert DeBruijnDisplay(graph, graph.path()).plot().ax_.get_title() == "no n-grams"
