"""The dense chain on its own; `tests/structures/chain/test_batch.py` has the comparison with brute force."""

import itertools

import numpy as np
import pytest

from chain_oracle import first_order_graph
from weft import core
from weft.structures.chain.loops import decoding, passes


def tables_of(rng, n_labels, scale=1.0):
    """A first-order chain in the padded layout, and the same numbers without padding."""
    width = passes.padded_width(n_labels)
    arcs = np.full((width, width), -np.inf)
    arcs[:n_labels, :n_labels] = scale * rng.normal(size=(n_labels, n_labels))
    start, end = np.full(width, -np.inf), np.zeros(width)
    start[:n_labels] = scale * rng.normal(size=n_labels)
    end[:n_labels] = scale * rng.normal(size=n_labels)
    tables = (arcs, np.zeros(width, dtype=np.int64), start, end)
    return tables, (arcs[:n_labels, :n_labels], start[:n_labels], end[:n_labels])


def padded(emissions):
    length, n_labels = emissions.shape
    scores = np.full((length, passes.padded_width(n_labels)), -np.inf)
    scores[:, :n_labels] = emissions
    return scores


@pytest.mark.nojit
@pytest.mark.parametrize("n_labels", [1, 3, 4, 5])
@pytest.mark.parametrize("length", [1, 2, 6])
def test_log_domain_equals_the_derivation_graph(n_labels, length):
    rng = np.random.default_rng(10 * n_labels + length)
    tables, (arcs, start, end) = tables_of(rng, n_labels)
    emissions = rng.normal(size=(length, n_labels))
    graph, part_scores = first_order_graph(emissions, arcs, start, end)
    marginals = padded(emissions)
    arc_sums = np.zeros_like(tables[0])
    value = passes.forward_backward_log(marginals, tables, 2.0, arc_sums)
    assert value == pytest.approx(core.log_partition(graph, part_scores), rel=1e-12)
    expected = 2.0 * core.marginals(graph, part_scores)
    n_emissions = length * n_labels
    np.testing.assert_allclose(marginals[:, :n_labels].reshape(-1), expected[:n_emissions], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(
        arc_sums[:n_labels, :n_labels].reshape(-1), expected[n_emissions:], rtol=1e-10, atol=1e-12
    )
    assert not arc_sums[n_labels:].any()
    assert not marginals[:, n_labels:].any()


@pytest.mark.parametrize("scale", [1.0, 1000.0])
def test_viterbi_and_kbest_equal_the_derivation_graph(scale):
    rng = np.random.default_rng(3)
    tables, (arcs, start, end) = tables_of(rng, 3, scale)
    emissions = scale * rng.normal(size=(7, 3))
    graph, part_scores = first_order_graph(emissions, arcs, start, end)
    expected = core.kbest(graph, part_scores, 9)
    labels = np.zeros((9, 7), dtype=np.int32)
    values = np.empty(9)
    decoding.kbest(padded(emissions), tables, labels, values)
    np.testing.assert_allclose(values, [derivation.score for derivation in expected], rtol=1e-12)
    for row, derivation in zip(labels, expected, strict=True):
        np.testing.assert_array_equal(row, np.sort(derivation.parts[derivation.parts < 21]) % 3)
    best = np.zeros(7, dtype=np.int32)
    value = decoding.viterbi(padded(emissions), tables, np.empty((7, 4)), best)
    np.testing.assert_array_equal(best, labels[0])
    assert value == values[0]


def test_the_first_of_equal_paths_is_the_smallest():
    tables, _ = tables_of(np.random.default_rng(0), 2, scale=0.0)
    labels = np.zeros((8, 3), dtype=np.int32)
    values = np.empty(8)
    decoding.kbest(np.where(np.arange(4) < 2, 0.0, -np.inf) + np.zeros((3, 4)), tables, labels, values)
    np.testing.assert_array_equal(values, np.zeros(8))
    assert sorted(map(tuple, labels.tolist())) == list(itertools.product([0, 1], repeat=3))
    assert labels[0].tolist() == [0, 0, 0]


def test_padded_width_is_the_next_multiple():
    widths = [passes.padded_width(n) for n in range(1, 10)]
    assert widths == [4, 4, 4, 4, 8, 8, 8, 8, 12]
