"""Probabilities of pairs of positions against the list of all alignments."""

import numpy as np
import pytest

from alignment_oracle import aligned, all_moves, feature_vector
from weft.errors import InputError
from weft.structures.alignment.batch import AlignmentBatch
from weft.structures.alignment.posteriors import all_pairs, likely_pairs
from weft.structures.alignment.structure import Alignment

PAIRS = [("ABA", "AB"), ("B", "BAB")]
STRUCTURE = Alignment("substitution", "AB")
BATCH = AlignmentBatch(STRUCTURE, STRUCTURE.encode(PAIRS), n_jobs=2)


def enumerated(weights):
    for pair in PAIRS:
        outputs = all_moves(*map(len, pair))
        scores = np.array([feature_vector(STRUCTURE, pair, moves) @ weights for moves in outputs])
        wanted = np.zeros(tuple(map(len, pair)))
        for moves, share in zip(outputs, np.exp(scores - np.logaddexp.reduce(scores)), strict=True):
            for place in aligned(moves):
                wanted[place] += share
        yield wanted


@pytest.mark.parametrize("scale", [0.0, 1.0, 400.0])  # the last is summed in logarithms
@pytest.mark.parametrize("threshold", [0.1, 0.5, 1e-9])
def test_they_equal_enumeration_and_few_are_those_of_all(scale, threshold):
    weights = scale * np.random.default_rng(5).normal(size=BATCH.n_features)
    every, likely = all_pairs(BATCH, weights, "wait"), likely_pairs(BATCH, weights, threshold)
    for found, few, wanted in zip(every, likely, enumerated(weights), strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-8)
        np.testing.assert_allclose(few.toarray(), np.where(found >= threshold, found, 0.0), atol=1e-12)


def test_what_does_not_fit_into_memory_is_refused_with_what_to_do():
    plain = Alignment("match")
    batch = AlignmentBatch(plain, plain.encode([("A" * 3_000_000, "A" * 3_000_000)]))
    with pytest.raises(InputError, match="ask for those above a threshold"):
        batch.marginals(np.zeros(4))
    with pytest.raises(InputError, match="threshold is 0.0; need a probability above 0".replace(".", r"\.")):
        likely_pairs(BATCH, np.zeros(BATCH.n_features), 0.0)
