import itertools
import math
import time

import numpy as np
import pytest
import scipy.sparse
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from weft import core
from weft.core import DerivationGraph
from weft.errors import InputError
from weft.testing import oracles
from weft.testing.strategies import derivation_graphs, feature_matrices, part_scores

TOLERANCE = {"rtol": 1e-9, "atol": 1e-9}
OFFSETS = st.sampled_from([0.0, 0.0, 1e3, -1e3])


@st.composite
def problems(draw):
    graph = draw(derivation_graphs())
    scores = draw(part_scores(graph, offset=draw(OFFSETS)))
    return graph, scores


@st.composite
def solvable_problems(draw):
    graph, scores = draw(problems())
    assume(oracles.exact_count(graph, scores) > 0)
    return graph, scores, oracles.enumerate_derivations(graph, scores)


def coin(n_tosses):
    """A chain of tosses, each with two parts to choose from: 2 ** n_tosses derivations."""
    heads = np.repeat(np.arange(n_tosses), 2)
    tails = np.stack([heads - 1, np.full_like(heads, -1)], axis=1)
    return DerivationGraph.build(heads, tails, np.arange(2 * n_tosses), n_tosses, 2 * n_tosses)


@given(problems())
@settings(max_examples=60)
@pytest.mark.nojit
def test_log_partition_and_log_count(problem):
    graph, scores = problem
    derivations = oracles.enumerate_derivations(graph, scores)
    values = oracles.derivation_scores(graph, scores, derivations)
    largest = max(values, default=0.0)
    expected = largest + math.log(math.fsum(math.exp(v - largest) for v in values)) if values else -math.inf
    assert core.log_partition(graph, scores) == pytest.approx(expected, rel=1e-12, abs=1e-9)
    count = len(derivations)
    assert count == oracles.exact_count(graph, scores)
    log_count = math.log(count) if count else -math.inf
    assert core.log_count(graph, scores) == pytest.approx(log_count, abs=1e-9)
    everything = oracles.exact_count(graph)
    expected = math.log(everything) if everything else -math.inf
    assert core.log_count(graph) == pytest.approx(expected, abs=1e-9)


@given(solvable_problems())
@settings(max_examples=60)
@pytest.mark.nojit
def test_argmax_is_a_best_derivation(problem):
    graph, scores, derivations = problem
    best = core.argmax(graph, scores)
    assert tuple(best.edges) in derivations
    expected = max(oracles.derivation_scores(graph, scores, derivations))
    # Scores that differ by less than a billionth of their size count as equal.
    assert best.score == pytest.approx(expected, rel=1.1e-9, abs=1e-9)
    assert scores[best.parts].sum() == pytest.approx(expected, rel=1.1e-9, abs=1e-9)
    parts = graph.parts[best.edges]
    np.testing.assert_array_equal(best.parts, parts[parts >= 0])


@given(solvable_problems(), st.integers(1, 80))
@settings(max_examples=100)
@pytest.mark.nojit
def test_kbest_lists_distinct_derivations_best_first(problem, k):
    graph, scores, derivations = problem
    found = core.kbest(graph, scores, k)
    edges = [tuple(derivation.edges) for derivation in found]
    assert len(set(edges)) == len(edges) == min(k, len(derivations))
    assert set(edges) <= set(derivations)
    values = oracles.derivation_scores(graph, scores, derivations)
    np.testing.assert_allclose([d.score for d in found], sorted(values, reverse=True)[:k], **TOLERANCE)
    np.testing.assert_allclose([scores[d.parts].sum() for d in found], [d.score for d in found], **TOLERANCE)
    assert all(one.score >= other.score for one, other in itertools.pairwise(found))
    assert edges[0] == tuple(core.argmax(graph, scores).edges)
    again = [tuple(derivation.edges) for derivation in core.kbest(graph, scores, k)]
    assert edges == again
    # A shorter list is the start of a longer one, also among equal scores.
    assert edges[: (k + 1) // 2] == [tuple(d.edges) for d in core.kbest(graph, scores, (k + 1) // 2)]


@given(solvable_problems(), st.data())
@settings(max_examples=60)
@pytest.mark.nojit
def test_marginals_and_moments(problem, data):
    graph, scores, derivations = problem
    features = data.draw(feature_matrices(graph))
    vector = np.array(data.draw(st.lists(st.floats(-2, 2), min_size=features.shape[1], max_size=features.shape[1])))
    weights = oracles.probabilities(graph, scores, derivations)
    expected = np.array(weights) @ oracles.part_occurrences(graph, derivations)
    np.testing.assert_allclose(core.marginals(graph, scores), expected, **TOLERANCE)
    mean, covariance = oracles.feature_moments(graph, scores, features.toarray())
    np.testing.assert_allclose(core.mean(graph, scores, features), mean, **TOLERANCE)
    np.testing.assert_allclose(core.covariance(graph, scores, features), covariance, **TOLERANCE)
    product = core.covariance_product(graph, scores, features, vector)
    np.testing.assert_allclose(product, covariance @ vector, **TOLERANCE)
    moments = core.moments(graph, scores, features)
    np.testing.assert_allclose(moments.mean, mean, **TOLERANCE)
    assert moments.log_weight == core.log_partition(graph, scores)


@given(derivation_graphs(), st.data())
@settings(max_examples=25)
def test_uniform_moments_equal_exact_fractions(graph, data):
    assume(oracles.exact_count(graph) > 0)
    rows = data.draw(st.lists(st.lists(st.integers(-3, 3), min_size=2, max_size=2),
                              min_size=graph.n_parts, max_size=graph.n_parts))  # fmt: skip
    count, mean, covariance = oracles.exact_uniform_moments(graph, rows)
    found = core.moments(graph, np.zeros(graph.n_parts), scipy.sparse.csr_matrix(rows))
    assert found.log_weight == pytest.approx(math.log(count), abs=1e-12)
    np.testing.assert_allclose(found.mean, np.array(mean, dtype=float), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found.covariance, np.array(covariance, dtype=float), rtol=1e-11, atol=1e-11)


@given(solvable_problems(), st.integers(0, 2**32 - 1))
@settings(max_examples=40)
@pytest.mark.nojit
def test_samples_are_derivations_and_depend_on_the_seed_alone(problem, seed):
    graph, scores, derivations = problem
    draws = core.sample(graph, scores, 5, random_state=seed)
    assert len(draws) == 5
    for one, other in zip(draws, core.sample(graph, scores, 5, np.random.default_rng(seed)), strict=True):
        assert tuple(one.edges) in derivations
        np.testing.assert_array_equal(one.edges, other.edges)
        assert one.score == pytest.approx(scores[one.parts].sum(), rel=1e-12)


def test_sample_frequencies_follow_the_probabilities():
    # Node 0: two axioms; node 1: three axioms; root: both, with shared tails, in three ways.
    graph = DerivationGraph.build(
        [0, 0, 1, 1, 1, 2, 2, 2],
        [[-1, -1]] * 5 + [[0, 1], [1, 1], [0, -1]],
        [0, 1, 2, 3, 4, 5, -1, 0], n_nodes=3, n_parts=6,
    )  # fmt: skip
    scores = 1e3 + np.array([0.3, -0.7, 0.0, 1.0, -0.2, -1000.0])
    scores[4] = -np.inf
    derivations = oracles.enumerate_derivations(graph, scores)
    expected = dict(zip(derivations, oracles.probabilities(graph, scores, derivations), strict=True))
    n_samples = 4000
    draws = [tuple(draw.edges) for draw in core.sample(graph, scores, n_samples, np.random.RandomState(3))]
    statistic = 0.0
    used = 0
    for edges, probability in expected.items():
        if probability * n_samples >= 5:
            used += 1
            statistic += (draws.count(edges) - probability * n_samples) ** 2 / (probability * n_samples)
    # Mean of a chi-square plus five standard deviations.
    assert used >= 4
    assert statistic < used + 5 * math.sqrt(2 * used)


def test_counts_beyond_the_range_of_floats():
    graph = coin(5000)
    exact = oracles.exact_count(graph)
    assert exact == 2**5000
    # A logarithm of a big integer, from its bit length: no float holds the integer itself.
    assert core.log_count(graph) == pytest.approx(5000 * math.log(2), rel=1e-13)
    assert math.log(exact) == pytest.approx(core.log_count(graph), rel=1e-13)
    scores = np.zeros(10000)
    scores[:2000:2] = -np.inf
    assert core.log_count(graph, scores) == pytest.approx(math.log(oracles.exact_count(graph, scores)), rel=1e-13)


def test_long_chains_keep_their_accuracy_and_need_no_recursion():
    n_tosses = 200_000
    graph = coin(n_tosses)
    scores = np.tile([1000.0, 1000.0 + math.log(3)], n_tosses)
    np.testing.assert_allclose(core.marginals(graph, scores), np.tile([0.25, 0.75], n_tosses), rtol=1e-6)
    best = core.argmax(graph, scores)
    np.testing.assert_array_equal(best.edges, np.arange(2 * n_tosses - 1, 0, -2))
    runners_up = core.kbest(graph, scores, 4)
    assert [d.score - best.score for d in runners_up] == pytest.approx([0.0] + [-math.log(3)] * 3, abs=1e-6)
    features = scipy.sparse.csr_array(np.tile([[0.0], [1.0]], (n_tosses, 1)))
    np.testing.assert_allclose(core.covariance(graph, scores, features), [[n_tosses * 3 / 16]], rtol=1e-6)
    product = core.covariance_product(graph, scores, features, [2.0])
    np.testing.assert_allclose(product, [n_tosses * 3 / 8], rtol=1e-6)
    share = core.sample(graph, scores, 1, random_state=0)[0].parts % 2
    assert abs(share.mean() - 0.75) < 5 * math.sqrt(3 / 16 / n_tosses)


@pytest.mark.parametrize(("length", "n_labels"), [(30, 7), (2000, 40)])
def test_a_dense_chain_of_many_labels_agrees_with_matrix_products(length, n_labels):
    generator = np.random.default_rng(0)
    potentials = generator.normal(size=(length - 1, n_labels, n_labels))
    labels = np.arange(n_labels)
    steps = np.arange(1, length)[:, None, None]
    heads = np.broadcast_to(steps * n_labels + labels[None, None, :], potentials.shape).ravel()
    sources = np.broadcast_to((steps - 1) * n_labels + labels[None, :, None], potentials.shape).ravel()
    root = length * n_labels
    tails = np.concatenate([np.full(n_labels, -1), sources, (length - 1) * n_labels + labels])
    graph = DerivationGraph.build(
        np.concatenate([labels, heads, np.full(n_labels, root)]),
        np.stack([tails, np.full_like(tails, -1)], axis=1),
        np.concatenate([np.full(n_labels, -1), np.arange(heads.size), np.full(n_labels, -1)]),
        root + 1,
        heads.size,
    )
    row, log_scale = np.ones(n_labels), 0.0
    best = np.zeros(n_labels)
    for step in potentials:
        row = row @ np.exp(step)
        log_scale += math.log(row.sum())
        row /= row.sum()
        best = (best[:, None] + step).max(axis=0)
    start = time.perf_counter()
    found = core.argmax(graph, potentials.ravel())
    middle = time.perf_counter()
    log_partition = core.log_partition(graph, potentials.ravel())
    end = time.perf_counter()
    print(f"{graph.n_edges} edges: argmax {middle - start:.4f} s, log partition {end - middle:.4f} s")
    assert found.score == pytest.approx(best.max(), rel=1e-12)
    assert log_partition == pytest.approx(log_scale, rel=1e-12)
    assert core.log_count(graph) == pytest.approx(length * math.log(n_labels), rel=1e-12)
    found = core.marginals(graph, potentials.ravel()).reshape(potentials.shape)
    np.testing.assert_allclose(found.sum(axis=(1, 2)), np.ones(length - 1), rtol=1e-12)


FORBIDDEN = np.full(2, -np.inf)
ONE = [[1.0], [1.0]]


@pytest.mark.nojit
def test_a_graph_without_derivations():
    graph = coin(1)
    assert core.log_partition(graph, FORBIDDEN) == -np.inf
    assert core.log_count(graph, FORBIDDEN) == -np.inf
    assert core.log_count(DerivationGraph.build([], [], [], 1, 0)) == -np.inf
    for query in (
        lambda: core.argmax(graph, FORBIDDEN),
        lambda: core.kbest(graph, FORBIDDEN, 2),
        lambda: core.marginals(graph, FORBIDDEN),
        lambda: core.mean(graph, FORBIDDEN, ONE),
        lambda: core.moments(graph, FORBIDDEN, ONE),
        lambda: core.covariance(graph, FORBIDDEN, ONE),
        lambda: core.covariance_product(graph, FORBIDDEN, ONE, [1.0]),
        lambda: core.sample(graph, FORBIDDEN, 1, 0),
    ):
        with pytest.raises(InputError, match="no derivation"):
            query()


@pytest.mark.parametrize(
    ("query", "message"),
    [
        (lambda graph: core.argmax(graph, [0.0]), r"scores of shape \(1,\) given; need \(2,\)"),
        (lambda graph: core.argmax(graph, [0.0, np.nan]), "part 1 has score nan"),
        (lambda graph: core.log_partition(graph, [np.inf, 0.0]), "part 0 has score inf"),
        (lambda graph: core.kbest(graph, [0.0, 0.0], 0), "k=0 given"),
        (lambda graph: core.kbest(graph, [0.0, 0.0], 1.5), "k=1.5 given"),
        (lambda graph: core.sample(graph, [0.0, 0.0], -1), "n_samples=-1 given"),
        (
            lambda graph: core.mean(graph, [0.0, 0.0], [[1.0]]),
            r"features of shape \(1, 1\) given; need \(2, d\)",
        ),
        (lambda graph: core.mean(graph, [0.0, 0.0], [[1.0], [np.nan]]), "features hold nan; need finite"),
        (
            lambda graph: core.covariance_product(graph, [0.0, 0.0], ONE, [1.0, 2.0]),
            r"vector of shape \(2,\)",
        ),
    ],
)
def test_bad_input_is_one_clear_line(query, message):
    with pytest.raises(InputError, match=message) as caught:
        query(coin(1))
    assert "\n" not in str(caught.value)


def test_a_derivation_too_large_for_memory_is_refused(monkeypatch):
    monkeypatch.setattr("weft.core.tracebacks.LARGEST_DERIVATION", 1000)
    monkeypatch.setattr("weft.core.k_best.LARGEST_DERIVATION", 1000)
    doubling = DerivationGraph.build(
        np.arange(60), [[-1, -1]] + [[node, node] for node in range(59)], np.zeros(60, dtype=int), 60, 1
    )
    for query in (lambda: core.argmax(doubling, [0.0]), lambda: core.kbest(doubling, [0.0], 1)):
        with pytest.raises(InputError, match="1000 edges"):
            query()
