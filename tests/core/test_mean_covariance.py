from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from weft import core
from weft.core import DerivationGraph, Moments
from weft.testing import oracles
from weft.testing.strategies import derivation_graphs, feature_matrices, part_scores


def semiring_inside(graph, scores, features):
    """Run the mean/covariance semiring rule by rule over the graph."""
    dense = features.toarray()
    of_node = []
    for node in range(graph.n_nodes):
        sets = []
        for edge in range(graph.offsets[node], graph.offsets[node + 1]):
            part = graph.parts[edge]
            item = Moments.one(dense.shape[1])
            if part >= 0:
                item = item.shifted(dense[part], scores[part]) if scores[part] > -np.inf else None
            for tail in graph.tails[edge]:
                if tail >= 0 and item is not None:
                    item = item.times(of_node[tail])
            sets.append(item)
        of_node.append(Moments.union(sets))
    return of_node[-1]


@given(derivation_graphs(), st.data())
@settings(max_examples=50)
@pytest.mark.nojit
def test_the_graph_pass_equals_the_semiring(graph, data):
    scores = data.draw(part_scores(graph))
    features = data.draw(feature_matrices(graph))
    expected = semiring_inside(graph, scores, features)
    assert (expected is None) == (oracles.exact_count(graph, scores) == 0)
    assume(expected is not None)
    found = core.moments(graph, scores, features)
    assert found.log_weight == pytest.approx(expected.log_weight, rel=1e-12, abs=1e-12)
    np.testing.assert_allclose(found.mean, expected.mean, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(found.covariance, expected.covariance, rtol=1e-10, atol=1e-10)


def test_golden_labelling_moments():
    # Golden L1 of the corrected formulas for Magic Moments (2008): two labels, x = (0, 1, 0, 2), 16 outputs.
    # Features: emission of symbol q by label p at 3 p + q, transition p to z at 6 + 2 p + z.
    symbols, n_labels = [0, 1, 0, 2], 2
    heads, tails, rows = [], [], []
    for position, symbol in enumerate(symbols):
        for label in range(n_labels):
            for previous in range(n_labels) if position else [None]:
                row = np.zeros(10)
                row[3 * label + symbol] = 1
                if previous is not None:
                    row[6 + 2 * previous + label] = 1
                heads.append(n_labels * position + label)
                tails.append([-1 if previous is None else n_labels * (position - 1) + previous, -1])
                rows.append(row)
    parts = [*range(len(rows)), -1, -1]
    heads += [8, 8]
    tails += [[6, -1], [7, -1]]
    graph = DerivationGraph.build(heads, tails, parts, n_nodes=9, n_parts=len(rows))
    found = core.moments(graph, np.zeros(len(rows)), np.array(rows))
    assert np.exp(found.log_weight) == pytest.approx(16)
    np.testing.assert_allclose(found.mean, [1, 0.5, 0.5, 1, 0.5, 0.5, 0.75, 0.75, 0.75, 0.75], rtol=1e-14)
    assert np.trace(found.covariance) == pytest.approx(17 / 4, rel=1e-13)
    assert (found.covariance**2).sum() == pytest.approx(91 / 16, rel=1e-13)
    assert np.linalg.matrix_rank(found.covariance, tol=1e-10) == 5
    np.testing.assert_allclose(16 * found.covariance[0], [8, 0, 0, -8, 0, 0, 6, 2, -2, -6], atol=1e-13)
    np.testing.assert_allclose(16 * found.covariance[6], [6, 4, 2, -6, -4, -2, 13, -3, -3, -7], atol=1e-13)
    count, mean, covariance = oracles.exact_uniform_moments(graph, np.array(rows, dtype=int))
    assert (count, mean[6], covariance[6][6]) == (16, Fraction(3, 4), Fraction(13, 16))


def test_golden_parses_of_a_hairpin():
    # Golden G1 of the corrected formulas for Magic Moments (2008): grammar G6 on "gaac" has two parses, and
    # the covariance is u u^T / 4 for the difference u of their rule counts. Binary edges throughout.
    # Parts: S->LS 0, S->L 1, L->gFc 2, L->a 3, L->c 4, L->g 5, F->LS 6.
    # Nodes: letters L 0..3 (g, a, a, c); S over 3, 2-3, 1-3; S(2) and F(1-2); L(0-3); root S(0-3).
    letter_g, letter_a1, letter_a2, letter_c, s_3, s_23, s_13, s_2, f_12, l_03, root = range(11)
    edges = [
        (letter_g, -1, -1, 5), (letter_a1, -1, -1, 3), (letter_a2, -1, -1, 3), (letter_c, -1, -1, 4),
        (s_3, letter_c, -1, 1), (s_23, letter_a2, s_3, 0), (s_13, letter_a1, s_23, 0),
        (s_2, letter_a2, -1, 1), (f_12, letter_a1, s_2, 6), (l_03, f_12, -1, 2), (root, letter_g, s_13, 0),
        (root, l_03, -1, 1),
    ]  # fmt: skip
    table = np.array(edges)
    graph = DerivationGraph.build(table[:, 0], table[:, 1:3], table[:, 3], n_nodes=11, n_parts=7)
    found = core.moments(graph, np.zeros(7), np.eye(7))
    difference = np.array([3, -1, -1, 0, 1, 1, -1])
    np.testing.assert_allclose(found.covariance, np.outer(difference, difference) / 4, atol=1e-14)
    product = core.covariance_product(graph, np.zeros(7), np.eye(7), np.arange(7.0))
    np.testing.assert_allclose(product, found.covariance @ np.arange(7.0), atol=1e-13)


def test_many_edges_and_features_flush_the_block():
    generator = np.random.default_rng(1)
    n_edges, n_features = 1001, 37
    graph = DerivationGraph.build(
        np.zeros(n_edges, dtype=int), np.full((n_edges, 2), -1), np.arange(n_edges), 1, n_edges
    )
    features = generator.normal(size=(n_edges, n_features)) + 1e6
    found = core.covariance(graph, np.zeros(n_edges), features)
    np.testing.assert_allclose(found, np.cov(features.T, bias=True), rtol=1e-7, atol=1e-9)
    np.testing.assert_array_equal(found, found.T)
