"""Graphs that are joined answer as each does alone, whoever computes a block and wherever blocks are cut."""

from contextlib import contextmanager

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from weft import core
from weft.core import DerivationGraph, joined, shards
from weft.core.joined import JoinedGraphs
from weft.core.loops import tie_size
from weft.core.ties import usual_size
from weft.errors import InputError
from weft.structures import GraphBatch
from weft.structures.graph_batch import EDGES_PER_COST
from weft.testing.strategies import derivation_graphs

N_FEATURES = 3


@st.composite
def problems(draw):
    """Several graphs with derivations, some of them twice, features and weights in tenths: with ties."""
    graphs = [
        graph
        for graph in draw(st.lists(derivation_graphs(), min_size=1, max_size=6))
        if core.log_count(graph) > -np.inf
    ]
    graphs = [*graphs, coin(), *graphs[:2]]
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows = [scipy.sparse.csr_array(random.integers(-1, 2, size=(graph.n_parts, N_FEATURES))) for graph in graphs]
    weights = random.integers(-3, 4, size=N_FEATURES) / 10
    return graphs, rows, weights, random.integers(0, 3, size=len(graphs)) / 2, random.normal(size=N_FEATURES)


def coin():
    """One input with two outputs."""
    return DerivationGraph.build([0, 0], [[-1, -1], [-1, -1]], [0, 1], n_nodes=1, n_parts=2)


def same(found, wanted):
    """Equal to the last bit, whatever is nested in what."""
    if isinstance(wanted, list | tuple):
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted, strict=True):
            same(one, other)
    else:
        np.testing.assert_array_equal(found, wanted)


@contextmanager
def bound(block_edges, *arguments, **settings):
    """A batch whose chunks, and the blocks of these, have a few edges at most."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(joined, "BLOCK_EDGES", block_edges)
        patch.setattr(shards, "LEAST_COST", block_edges / EDGES_PER_COST)
        patch.setattr(shards, "WEIGHTS_PER_COST", 1000)
        yield GraphBatch(*arguments, **settings)


# Blocks of one input, of a few and of all.
BLOCKS = pytest.mark.parametrize("block_edges", [1, 12, joined.BLOCK_EDGES])


@BLOCKS
@pytest.mark.nojit
@settings(max_examples=40)
@given(problem=problems())
def test_each_input_answers_as_its_graph_does_alone(block_edges, problem):
    graphs, rows, weights, sample_weight, direction = problem
    with bound(block_edges, graphs, rows, sample_weight=sample_weight, n_jobs=3) as batch:
        check_against_single_graphs(batch, graphs, rows, weights, sample_weight, direction)


def check_against_single_graphs(batch, graphs, rows, weights, sample_weight, direction):
    scores = [own @ weights for own in rows]
    each = list(zip(graphs, scores, strict=True))
    same(batch.log_partitions(weights), [core.log_partition(*own) for own in each])
    same(batch.marginals(weights), [core.marginals(*own) for own in each])
    best = [core.argmax(*own) for own in each]
    same(batch.argmax(weights), ([own.parts for own in best], [own.score for own in best]))
    ranked = [[(own.parts, own.score) for own in core.kbest(*pair, 4)] for pair in each]
    same(batch.kbest(weights, 4), ranked)
    random = np.random.default_rng(0)
    drawn = [[own.parts for own in core.sample(*pair, 3, random)] for pair in each]
    same(batch.sample(weights, 3, np.random.default_rng(0)), list(zip(*drawn, strict=True)))
    means = np.array([core.mean(graph, own, f) for (graph, own), f in zip(each, rows, strict=True)])
    np.testing.assert_allclose(batch.expectations(weights), means, rtol=1e-12, atol=1e-12)
    total, mean = batch.log_partition_and_mean(weights)
    assert total == pytest.approx(sample_weight @ batch.log_partitions(weights))
    np.testing.assert_allclose(mean, sample_weight @ means, rtol=1e-12, atol=1e-12)
    products = [core.covariance_product(graph, own, f, direction) for (graph, own), f in zip(each, rows, strict=True)]
    product, mean_scores = batch.covariance_with(weights, direction)
    np.testing.assert_allclose(mean_scores, means @ direction, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(product, sample_weight @ np.array(products), rtol=1e-9, atol=1e-12)


@BLOCKS
@settings(max_examples=40)
@given(problem=problems())
def test_answers_are_the_same_for_any_number_of_threads(block_edges, problem):
    graphs, rows, weights, sample_weight, direction = problem
    references = [core.argmax(graph, np.zeros(graph.n_parts)).parts for graph in graphs]
    answers = []
    for n_jobs in (1, 3):
        with bound(block_edges, graphs, rows, references, sample_weight, n_jobs=n_jobs) as batch:
            answers.append(
                [
                    batch.log_partition_and_mean(weights),
                    batch.covariance_with(weights, direction, loss=0.5),
                    batch.score_moments(weights),
                    batch.argmax(weights),
                    batch.argmax(weights, loss=1.0),
                    batch.kbest(weights, 3),
                    batch.marginals(weights),
                    batch.observed(),
                    batch.expectations(weights),
                    batch.scores(weights, references),
                ]
            )
    same(answers[1], answers[0])


def test_blocks_have_a_bounded_number_of_edges(monkeypatch):
    monkeypatch.setattr(joined, "BLOCK_EDGES", 7)
    long = DerivationGraph.build([0] * 9, [[-1, -1]] * 9, [0] * 9, n_nodes=1, n_parts=2)
    graphs = [coin()] * 5 + [long] + [coin()]
    rows = [scipy.sparse.eye_array(2)] * len(graphs)
    found = JoinedGraphs(graphs, rows)
    assert list(found.blocks(slice(0, 7))) == [(0, 3), (3, 5), (5, 6), (6, 7)]
    assert list(found.blocks(slice(2, 5))) == [(2, 5)]
    some = found.select(np.array([5, 0, 0, 1, 2]))
    assert list(some.blocks(slice(0, 5))) == [(0, 1), (1, 4), (4, 5)]


def test_graphs_of_equal_shape_are_kept_once():
    other = DerivationGraph.build([0, 0], [[-1, -1], [-1, -1]], [1, 0], n_nodes=1, n_parts=2)
    graphs = [coin(), other, coin()]
    arrays = JoinedGraphs(graphs, [scipy.sparse.eye_array(2)] * 3).arrays
    assert arrays.topologies.tolist() == [0, 1, 0]
    assert arrays.parts.tolist() == [0, 1, 1, 0]


@BLOCKS
@pytest.mark.parametrize("n_jobs", [1, 3])
def test_the_first_input_without_a_derivation_is_named(block_edges, n_jobs):
    closed = DerivationGraph.build([0], [[-1, -1]], [0], n_nodes=1, n_parts=2)
    graphs = [coin(), closed, coin(), closed]
    with bound(block_edges, graphs, [scipy.sparse.eye_array(2)] * 4, n_jobs=n_jobs) as batch:
        check_names_of_inputs(batch)


def check_names_of_inputs(batch):
    weights = np.array([-np.inf, 1.0])
    for query in (
        batch.argmax,
        batch.log_partitions,
        batch.log_partition_and_mean,
        batch.marginals,
        lambda w: batch.kbest(w, 2),
        lambda w: batch.covariance_product(w, np.ones(2)),
        lambda w: batch.sample(w, 2, np.random.default_rng(0)),
    ):
        with pytest.raises(InputError, match=r"x\[1\] has no derivation of finite score"):
            query(weights)
    for query in (batch.argmax, batch.log_partitions, batch.log_partition_and_mean):
        with pytest.raises(InputError, match=r"part 1 of x\[0\] has score nan"):
            query(np.array([0.0, np.nan]))


def test_a_bonus_that_makes_a_score_infinite_is_named():
    found = JoinedGraphs([coin()], [scipy.sparse.eye_array(2)])
    with pytest.raises(InputError, match=r"part 1 of x\[0\] has score inf"):
        found.argmax(np.array([0.0, 1e308]), (0, 1), np.array([0.0, 1e308]))


def test_an_input_alone_has_a_derivation_where_another_has_none():
    graphs, weights = [coin()], np.array([-np.inf, 1.0])
    assert GraphBatch(graphs[:1], [scipy.sparse.eye_array(2)]).argmax(weights)[0][0].tolist() == [1]


def test_a_walk_that_cannot_go_on_names_its_input():
    tails = [[-1, -1], [0, 1], [2, 0], [1, -1]]
    graph = DerivationGraph.build([0, 2, 3, 3], tails, [0, 0, 0, -1], n_nodes=4, n_parts=1)
    batch = GraphBatch([graph, graph], [np.zeros((1, 1)), np.ones((1, 1))])
    with pytest.raises(InputError, match=r"x\[0\]"):
        batch.argmax(np.array([1e308]))


def test_ties_of_an_input_do_not_depend_on_its_neighbours():
    """What is a tie beside scores of a million is none for an input with small scores."""
    rows = [scipy.sparse.csr_array([[0.0], [1e-7]]), scipy.sparse.csr_array([[1e6], [1e6 + 1e-7]])]
    batch = GraphBatch([coin()] * 2, rows)
    assert [parts.tolist() for parts in batch.argmax(np.ones(1))[0]] == [[1], [0]]
    assert batch.select([1]).argmax(np.ones(1))[0][0].tolist() == [0]
    assert batch.select([0]).argmax(np.ones(1))[0][0].tolist() == [1]


@given(st.lists(st.sampled_from([0.0, 0.1, -0.2, 0.3, -1e6, -np.inf, 5.0]), max_size=30), st.integers(0, 4000))
def test_the_size_of_scores_is_that_of_the_rule_for_ties(values, n_more):
    scores = np.concatenate([values, np.random.default_rng(n_more).normal(size=n_more)])
    for size in (0.0, 0.15, 0.25, 3.0, 1e7):
        assert tie_size(size, scores) == max(size, usual_size(scores))


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (lambda batch: batch.joined.part_scores(np.zeros(2), (2, 3)), "inputs 2 to 2"),
        (lambda batch: batch.joined.argmax(np.zeros(2), (-1, 0)), "inputs -1 to -1"),
        (lambda batch: batch.joined.argmax(np.zeros(2), (0, 1), np.zeros(3)), r"bonus of shape \(3,\)"),
        (lambda batch: batch.features_of([[0], [-1]]), r"y\[1\] make no output"),
        (lambda batch: batch.scores(np.zeros(2), [[0]]), "1 outputs for 2 inputs"),
        (lambda batch: batch.scores(np.zeros(2), [[0], [2]]), r"y\[1\] make no output"),
        (lambda batch: batch.covariance_product(np.zeros(2), np.zeros(1)), "weights of shape"),
        (lambda batch: batch.weighted(np.ones(3)), "sample_weight of shape"),
        (lambda batch: batch.kbest(np.zeros(2), 0), "k=0 given"),
    ],
)
def test_what_does_not_fit_is_refused(query, message):
    batch = GraphBatch([coin()] * 2, [scipy.sparse.eye_array(2)] * 2)
    with pytest.raises(InputError, match=message):
        query(batch)
