import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from weft.core import (
    Counting,
    DerivationGraph,
    Draw,
    Dual,
    Log,
    MaxPlus,
    inside,
    outside,
    posterior,
    traceback,
)
from weft.core.semirings import part_values, total
from weft.testing import oracles
from weft.testing.strategies import derivation_graphs, feature_matrices, part_scores


@st.composite
def solvable(draw):
    graph = draw(derivation_graphs())
    scores = draw(part_scores(graph))
    assume(oracles.exact_count(graph, scores) > 0)
    return graph, scores


def node_uses(graph, edges):
    """How often each node occurs in a derivation: each edge derives its head once."""
    heads = np.repeat(np.arange(graph.n_nodes), np.diff(graph.offsets))
    return np.bincount(heads[list(edges)], minlength=graph.n_nodes)


@given(solvable())
@settings(max_examples=40)
@pytest.mark.nojit
def test_inside_times_outside_is_the_value_of_all_occurrences(problem):
    graph, scores = problem
    derivations = oracles.enumerate_derivations(graph, scores)
    values = np.array(oracles.derivation_scores(graph, scores, derivations))
    uses = np.array([node_uses(graph, edges) for edges in derivations])
    log = inside(Log(), graph, scores)
    product = np.exp(log + outside(Log(), graph, scores, log))
    np.testing.assert_allclose(product, np.exp(values) @ uses, rtol=1e-9, atol=1e-12)
    counts = inside(Counting(), graph, scores)
    product = np.exp(counts + outside(Counting(), graph, scores, counts))
    np.testing.assert_allclose(product, uses.sum(axis=0), rtol=1e-9, atol=1e-12)
    best = inside(MaxPlus(), graph, scores)
    through = best + outside(MaxPlus(), graph, scores, best)
    expected = np.where(uses > 0, values[:, None], -np.inf).max(axis=0)
    np.testing.assert_allclose(through, expected, rtol=1e-9, atol=1e-9)


@given(solvable(), st.data())
@settings(max_examples=40)
@pytest.mark.nojit
def test_posteriors_equal_inside_times_outside_in_dual_numbers(problem, data):
    # E[n (v . phi)] = a' b + a b' over contexts and derivations of a node, then centred by the mean.
    graph, scores = problem
    projections = data.draw(feature_matrices(graph, max_features=1)).toarray().ravel()
    semiring = Dual(projections)
    below = inside(semiring, graph, scores)
    above = outside(semiring, graph, scores, below)
    through = below + above
    nodes, _ = posterior(semiring, graph, scores, below)
    reached = through.real > -np.inf
    occurrences = np.where(reached, np.exp(through.real - below[-1].real), 0.0)
    np.testing.assert_allclose(nodes.real, occurrences, rtol=1e-9, atol=1e-12)
    centred = occurrences[reached] * (through.imag[reached] - below[-1].imag)
    np.testing.assert_allclose(nodes.imag[reached], centred, rtol=1e-9, atol=1e-9)
    assert (nodes[~reached] == 0).all()
    np.testing.assert_allclose(below.real, inside(Log(), graph, scores), rtol=1e-12, atol=1e-12)


@pytest.mark.nojit
def test_posterior_of_nothing_is_zero():
    graph = DerivationGraph.build([0, 1, 1], [[-1, -1], [0, -1], [0, 0]], [0, -1, 1], 2, 2)
    scores = np.array([-np.inf, 0.0])
    for semiring in (Log(), Dual(np.ones(2))):
        nodes, parts = posterior(semiring, graph, scores, inside(semiring, graph, scores))
        assert not nodes.any()
        assert not parts.any()


@pytest.mark.nojit
def test_totals_of_nothing_and_of_extremes():
    nothing = np.full(2, -np.inf)
    for semiring in (MaxPlus(), Log(), Counting(), Draw(np.random.default_rng(0))):
        assert total(semiring, nothing, 2) == -np.inf
        assert total(semiring, nothing, 0) == -np.inf
    assert total(Log(), np.array([1e5, 1e5]), 2) == pytest.approx(1e5 + math.log(2), rel=1e-15)
    dual = Dual(np.array([3.0, 5.0]))
    values = part_values(dual, np.array([-np.inf, 2.0]))
    assert total(dual, values, 2) == 2 + 5j
    assert total(dual, values, 1).real == -np.inf


@pytest.mark.nojit
def test_ties_go_to_the_first_edge():
    graph = DerivationGraph.build([0, 0, 0], [[-1, -1]] * 3, [0, 1, 2], 1, 3)
    scores = np.array([0.0, 1.0, 1.0])
    np.testing.assert_array_equal(traceback(MaxPlus(), graph, scores, inside(MaxPlus(), graph, scores)), [1])
