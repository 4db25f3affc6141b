"""Tests of `weft.rewriting.candidates.loops.frank_wolfe`."""

import itertools

import numpy as np
import pytest

from candidate_oracle import features, labellings


def test_the_structural_svm_reaches_its_optimum(corpus):
    batch, _ = corpus
    spaces = []
    for i, (a, b) in enumerate(itertools.pairwise(batch.offsets.tolist())):
        every = labellings(batch, i)
        rows = np.array([features(batch, i, places) for places in every])
        gold = batch.reference()[a:b]
        costs = np.array([np.sum(places != gold) for places in every])
        spaces.append((costs, rows - rows[int(costs.argmin())]))
    C = 0.7
    passes = batch.frank_wolfe_passes(C, np.random.default_rng(0))
    gaps, duals = [], []
    for _ in range(400):
        weights, dual, gap, _ = next(passes)
        gaps.append(gap)
        duals.append(dual)
        primal = 0.5 * weights @ weights + C * sum(np.max(costs + rows @ weights) for costs, rows in spaces)
        assert dual <= primal + 1e-9  # weak duality, with the primal from enumeration
    assert gaps[-1] < 0.01 * gaps[0]
    assert np.all(np.diff(duals) >= -1e-9)
    assert primal == pytest.approx(dual, rel=0.03)
