"""A pair that is summed in logarithms, against the list of all its alignments and beside the graph."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alignment_oracle import all_moves, feature_vector
from weft.structures.alignment.batch import AlignmentBatch
from weft.structures.alignment.graph import PairGraph
from weft.structures.alignment.logarithms import sums_in_logarithms
from weft.structures.alignment.structure import NO_ENTRIES, Alignment

WORDS = st.text("ACG", min_size=1, max_size=7)


@pytest.mark.parametrize("gaps", ["affine", "linear"])
@pytest.mark.parametrize("scale", [1.0, 400.0])
def test_sums_equal_enumeration(gaps, scale):
    structure, pair = Alignment("substitution", "AB", gaps), ("ABBA", "BA")
    corpus = structure.encode([("A", "B"), pair])
    weights = scale * np.random.default_rng(7).normal(size=structure.n_features)
    posterior = np.empty(8)
    total, mean, n_likely = sums_in_logarithms(structure, corpus, 1, weights, posterior, NO_ENTRIES[:4])
    rows = np.array([feature_vector(structure, pair, moves) for moves in all_moves(4, 2)])
    log_total = np.logaddexp.reduce(rows @ weights)
    assert total == pytest.approx(log_total)
    np.testing.assert_allclose(mean, np.exp(rows @ weights - log_total) @ rows, atol=1e-8)
    assert posterior.sum() == pytest.approx(mean[: structure.n_pair_features].sum())
    assert n_likely == 0


@settings(max_examples=60)
@given(WORDS, WORDS, st.sampled_from([0.0, 1.0, 30.0, 1000.0]), st.integers(0, 10**6), st.booleans())
def test_all_answers_are_those_of_the_graph(a, b, size, seed, affine):
    structure = Alignment("substitution", "ACG", "affine" if affine else "linear")
    corpus = structure.encode([(a, b)])
    weights = size * np.random.default_rng(seed).normal(size=structure.n_features)
    graph = PairGraph(structure, corpus, 0, weights)
    probable = np.empty(len(a) * len(b))
    log_partition, mean, _ = sums_in_logarithms(structure, corpus, 0, weights, probable, NO_ENTRIES[:4])
    assert log_partition == pytest.approx(graph.log_partition, rel=1e-12, abs=1e-9)
    np.testing.assert_allclose(mean, graph.mean(), atol=1e-8)
    np.testing.assert_allclose(probable, graph.posterior(), atol=1e-8)


def test_long_pairs_whose_sums_leave_the_range_need_little_memory(monkeypatch):
    structure = Alignment("match", gaps="linear")
    texts = ["".join(np.random.default_rng(seed).choice(list("ACGT"), size=600)) for seed in (0, 1)]
    batch = AlignmentBatch(structure, structure.encode([tuple(texts)]), n_jobs=1)
    weights = np.array([20.0, -20.0, 0.0])
    [whole] = batch.likely_pairs(weights, 0.1)
    monkeypatch.setattr("weft.structures.alignment.logarithms.block_rows", lambda n, m: 25)
    monkeypatch.setattr("weft.structures.alignment.batch.PairGraph", None)
    tracemalloc.start()
    try:
        log_partition, mean, _ = sums_in_logarithms(structure, batch.corpus, 0, weights, np.empty(0), NO_ENTRIES[:4])
        assert tracemalloc.get_traced_memory()[1] < 2 * 10**6  # the tables of all cells have 8.6 MB
    finally:
        tracemalloc.stop()
    [likely] = batch.likely_pairs(weights, 0.1)
    np.testing.assert_array_equal(batch.log_partition_and_mean(weights)[1], mean)  # these are the ones that are asked
    assert (likely != whole).nnz == 0
    assert likely.nnz > 100
    assert log_partition > batch.argmax(weights)[1][0]
    assert 2 * (mean[0] + mean[1]) + mean[2] == pytest.approx(1200)
