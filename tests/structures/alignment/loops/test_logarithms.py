"""Sums in logarithms beside those of the graph, which lists every step."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.structures.alignment import batch as batch_module
from weft.structures.alignment.batch import AlignmentBatch
from weft.structures.alignment.graph import PairGraph
from weft.structures.alignment.structure import Alignment

WORDS = st.text("ACG", min_size=1, max_size=7)


@settings(deadline=None, max_examples=60)
@given(WORDS, WORDS, st.sampled_from([0.0, 1.0, 30.0, 1000.0]), st.integers(0, 10**6), st.booleans())
def test_all_answers_are_those_of_the_graph(a, b, size, seed, affine):
    structure = Alignment("substitution", "ACG", "affine" if affine else "linear")
    corpus = structure.encode([(a, b)])
    weights = size * np.random.default_rng(seed).normal(size=structure.n_features)
    graph = PairGraph(structure, corpus, 0, weights)
    log_partition, mean, probable = AlignmentBatch(structure, corpus)._in_logarithms(0, weights)
    assert log_partition == pytest.approx(graph.log_partition, rel=1e-12, abs=1e-9)
    np.testing.assert_allclose(mean, graph.mean(), atol=1e-8)
    np.testing.assert_allclose(probable.reshape(-1), graph.posterior(), atol=1e-8)


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
