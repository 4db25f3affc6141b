"""Sums in logarithms: the same in blocks of any size, and without the graph, which lists every step."""

from __future__ import annotations

import numpy as np
import pytest

from weft.structures.alignment import batch as batch_module
from weft.structures.alignment.batch import AlignmentBatch
from weft.structures.alignment.loops.logarithms import log_space_sums
from weft.structures.alignment.structure import Alignment


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
