"""Sums in logarithms beside those of the graph, which lists every step."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.structures.alignment import batch as batch_module
from weft.structures.alignment.batch import AlignmentBatch
from weft.structures.alignment.graph import PairGraph
from weft.structures.alignment.loops.logarithms import log_space_sums
from weft.structures.alignment.structure import NO_ENTRIES, Alignment

WORDS = st.text("ACG", min_size=1, max_size=7)


@settings(max_examples=60)
@given(WORDS, WORDS, st.sampled_from([0.0, 1.0, 30.0, 1000.0]), st.integers(0, 10**6), st.booleans())
def test_all_answers_are_those_of_the_graph(a, b, size, seed, affine):
    structure = Alignment("substitution", "ACG", "affine" if affine else "linear")
    corpus = structure.encode([(a, b)])
    weights = size * np.random.default_rng(seed).normal(size=structure.n_features)
    graph = PairGraph(structure, corpus, 0, weights)
    probable = np.empty(len(a) * len(b))
    log_partition, mean, _ = AlignmentBatch(structure, corpus)._in_logarithms(0, weights, probable, NO_ENTRIES[:4])
    assert log_partition == pytest.approx(graph.log_partition, rel=1e-12, abs=1e-9)
    np.testing.assert_allclose(mean, graph.mean(), atol=1e-8)
    np.testing.assert_allclose(probable, graph.posterior(), atol=1e-8)


@pytest.mark.parametrize("block", [1, 2, 5, 22, 23, 40])
def test_sums_are_those_of_one_block(block):
    random, n, m = np.random.default_rng(1), 23, 17
    first, second = random.integers(3, size=n).astype(np.int32), random.integers(3, size=m).astype(np.int32)
    table, found = random.normal(size=(3, 3)), []
    for n_rows in (n, block):
        counts, posterior = np.zeros((3, 3)), np.empty((n, m))
        entries = (1e-3, np.zeros(n * m, dtype=np.int32), np.zeros(n * m, dtype=np.int32), np.zeros(n * m))
        room = np.full((3, n_rows + 1, m + 1), np.nan), np.full((3, n // n_rows + 1, m + 1), np.nan)
        sums = log_space_sums(first, second, table, -1.0, *room, counts, posterior, entries)
        found.append((*sums, counts, posterior, *entries[1:]))
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)
    above = np.zeros((n, m))
    above[entries[1][: sums[3]], entries[2][: sums[3]]] = entries[3][: sums[3]]
    np.testing.assert_array_equal(above, np.where(posterior >= 1e-3, posterior, 0.0))


def test_long_pairs_whose_sums_leave_the_range_need_little_memory(monkeypatch):
    structure = Alignment("match", gaps="linear")
    texts = ["".join(np.random.default_rng(seed).choice(list("ACGT"), size=600)) for seed in (0, 1)]
    batch = AlignmentBatch(structure, structure.encode([tuple(texts)]), n_jobs=1)
    weights = np.array([20.0, -20.0, 0.0])
    [whole] = batch.likely_pairs(weights, 0.1)
    monkeypatch.setattr(batch_module, "block_rows", lambda n, m: 25)
    monkeypatch.setattr(batch_module, "PairGraph", None)
    tracemalloc.start()
    try:
        log_partition, mean, _ = batch._in_logarithms(0, weights, np.empty(0), NO_ENTRIES[:4])
        assert tracemalloc.get_traced_memory()[1] < 2 * 10**6  # the tables of all cells have 8.6 MB
    finally:
        tracemalloc.stop()
    [likely] = batch.likely_pairs(weights, 0.1)
    np.testing.assert_array_equal(batch.log_partition_and_mean(weights)[1], mean)  # these are the ones that are asked
    assert (likely != whole).nnz == 0
    assert likely.nnz > 100
    assert log_partition > batch.argmax(weights)[1][0]
    assert 2 * (mean[0] + mean[1]) + mean[2] == pytest.approx(1200)


def test_scores_far_apart_need_no_graph(monkeypatch):
    monkeypatch.setattr(batch_module, "PairGraph", None)  # a call would fail
    structure = Alignment("substitution", "AC")
    pairs = [("A" * 40 + "C" * 40, "C" * 40 + "A" * 40)]
    batch = AlignmentBatch(structure, structure.encode(pairs))
    weights = np.array([50.0, -50.0, 40.0, -60.0, -1.0])
    log_partitions, means = batch._expected(weights, np.ones(1), separate=True)
    # The best is to pair the 40 A: of each forty that are left over, C before and C behind, one gap each.
    assert log_partitions[0] == pytest.approx(40 * 50.0 - 2 * 60.0 - 2 * 39 * 1.0)
    np.testing.assert_allclose(means[0], [40, 0, 0, 2, 78], atol=1e-6)
    assert (batch.most_accurate(weights, 1.0)[0] == np.repeat([2, 0, 1], 40)).all()
