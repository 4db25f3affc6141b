"""What several tests of this folder begin with."""

import numpy as np
import pytest

from candidate_oracle import FIRST, LABELS
from weft.rewriting.candidates.batch import CandidateBatch
from weft.rewriting.candidates.chain import CandidateChain
from weft.rewriting.candidates.contexts import View


@pytest.fixture(scope="module")
def corpus():
    random = np.random.default_rng(0)
    lengths = random.integers(1, 5, 12)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    symbols = random.integers(0, 3, offsets[-1]).astype(np.int32)
    candidates = FIRST[symbols] + random.integers(0, np.diff(FIRST)[symbols])
    vowels = np.array([0, 1, 0])
    chain, found = CandidateChain.collect(
        symbols, offsets, candidates, FIRST, LABELS,
        views=[View(2, 2, vowels), View(2, 0, vowels)], trait_views=[View(1, 1, vowels, vowels)],
        traits=[[0], [1], [0, 2], [1], [2], []], min_count=1,
    )  # fmt: skip
    places = (candidates - FIRST[symbols]).astype(np.int16)
    return CandidateBatch(chain, symbols, offsets, found, places, n_jobs=2), random.normal(size=chain.n_features)
