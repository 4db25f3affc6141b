"""Tests of `weft.structures.grammar.loops.accuracy`."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rna_oracle import structures
from weft.structures.grammar.loops.accuracy import most_accurate_pairs


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.3, 1.0, 4.0]))
@settings(max_examples=30)
def test_the_most_accurate_structure_equals_enumeration(seed, gamma):
    n = 9
    random = np.random.default_rng(seed)
    probabilities = np.triu(random.random((n, n)) * (random.random((n, n)) < 0.5), 1)
    probabilities /= max(1.0, (probabilities + probabilities.T).sum(axis=1).max())
    unpaired = 1.0 - (probabilities + probabilities.T).sum(axis=1)

    def accuracy(pairs):
        alone = np.ones(n, dtype=bool)
        alone[pairs.ravel()] = False
        return 2.0 * gamma * probabilities[pairs[:, 0], pairs[:, 1]].sum() + unpaired[alone].sum()

    allowed = np.triu(np.ones((n, n), dtype=bool), 1)
    best = max(accuracy(pairs) for pairs in structures((0,) * n, 0, allowed))
    found = most_accurate_pairs(probabilities, gamma)
    assert accuracy(found) == pytest.approx(best)
    assert found[:, 0].tolist() == sorted(found[:, 0].tolist())
