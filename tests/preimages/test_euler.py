"""De Bruijn graphs against enumeration of strings, and the worked examples of RG 1.4."""

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.errors import InputError
from weft.preimages import DeBruijnGraph

FIGURE_3 = {"ab": 1, "bc": 2, "ca": 1, "cb": 1}

texts = st.text("abc", min_size=2, max_size=7)
multigraphs = st.dictionaries(st.text("abc", min_size=2, max_size=2), st.integers(0, 2), min_size=1, max_size=5)


def grams(text, n=2):
    return Counter(text[i : i + n] for i in range(len(text) - n + 1))


def strings_with(counts, n=2):
    """All strings with these counts of n-grams, by trying every string of the right length."""
    length = sum(counts.values()) + n - 1
    wanted = Counter({gram: count for gram, count in counts.items() if count})
    letters = sorted({letter for gram in wanted for letter in gram})
    return {"".join(t) for t in itertools.product(letters, repeat=length) if grams("".join(t), n) == wanted}


def recursive_walk(graph, start):
    """EULER of RG 1.4.6 as it is printed."""
    left = graph.counts.copy()

    def euler(vertex):
        path = []
        for edge in np.flatnonzero(graph.sources == vertex):
            while left[edge] > 0:
                left[edge] -= 1
                path = [int(edge), *euler(int(graph.targets[edge])), *path]
        return path

    return euler(start)


def test_figures_of_the_paper():
    assert DeBruijnGraph(FIGURE_3).preimage("a") == "abcbca"
    assert DeBruijnGraph(FIGURE_3).is_unique("a")
    figure_4 = DeBruijnGraph({**FIGURE_3, "cc": 1})
    assert list(figure_4.preimages("a")) == ["abcbcca", "abccbca"]
    assert not figure_4.is_unique("a")
    figure_5 = DeBruijnGraph({**FIGURE_3, "bc": 3})
    assert not figure_5.has_preimage("a")
    assert figure_5.string(figure_5.path("a")) == "abcbcca"
    for stop, expected in (("a", "abcba"), ("b", "abcab")):
        figure_6 = DeBruijnGraph({**FIGURE_3, "bc": 1}, stop=stop)
        assert figure_6.string(figure_6.path("a")) == expected


def test_counter_examples_to_theorem_5():
    unbalanced, disconnected = DeBruijnGraph({"ab": 1}), DeBruijnGraph({"aa": 1, "bb": 1})
    assert unbalanced.balance.any()
    assert unbalanced.preimage() == "ab"
    assert not disconnected.balance.any()
    assert not disconnected.has_preimage()
    with pytest.raises(InputError, match="not connected"):
        disconnected.preimage()


@settings(max_examples=60)
@given(multigraphs)
def test_existence_and_all_preimages(counts):
    graph, expected = DeBruijnGraph(counts), strings_with(counts)
    if graph.n_edges == 0:
        expected = set()
    assert graph.has_preimage() == bool(expected)
    found = list(graph.preimages())
    assert set(found) == expected
    assert len(found) == len(expected)
    assert np.exp(graph.log_n_preimages()) == pytest.approx(len(expected))
    assert graph.is_unique() == (len(expected) == 1)


@settings(max_examples=40)
@given(texts, st.integers(2, 3))
def test_counts_of_a_string_lead_back(text, n):
    text = text * 2 if len(text) < n else text
    graph = DeBruijnGraph(grams(text, n))
    start = text[: n - 1]
    assert grams(graph.preimage(start), n) == grams(text, n)
    found = list(graph.preimages(start))
    assert text in found
    assert graph.is_unique(start) == (len(found) == 1)
    assert list(graph.preimages(start, limit=1)) == found[:1]


@settings(max_examples=60)
@given(multigraphs)
def test_walks_use_every_edge_once_and_equal_the_recursion(counts):
    graph = DeBruijnGraph(counts)
    if graph.n_edges == 0:
        return
    path = graph.path()
    assert np.bincount(path, minlength=len(graph.counts)).tolist() == graph.counts.tolist()
    # |y| is the sum of the counts, and n - 1 symbols before them.
    assert len(graph.string(path)) == graph.n_edges + 1
    start = int(graph.sources[0])
    recursive = recursive_walk(graph, start)
    assert graph.path(graph.vertices[start])[: len(recursive)].tolist() == recursive


def test_a_long_string_needs_no_recursion():
    text = "".join(np.random.default_rng(0).choice(list("abcd"), 20_000))
    assert grams(DeBruijnGraph(grams(text, 3)).preimage(text[:2]), 3) == grams(text, 3)


def test_tokens_are_symbols():
    graph = DeBruijnGraph({("K", "AE"): 1, ("AE", "T"): 1})
    assert graph.preimage() == ["K", "AE", "T"]


@pytest.mark.parametrize(
    ("counts", "message"),
    [({}, "n-grams of lengths"), ({"a": 1}, "length"), ({"ab": 1, "abc": 1}, "length"), ({"ab": 0.5}, "count 0.5")],
)
def test_bad_counts(counts, message):
    with pytest.raises(InputError, match=message):
        DeBruijnGraph(counts)


def test_bad_start():
    with pytest.raises(InputError, match="not a vertex"):
        DeBruijnGraph({"ab": 1}).path("z")
