"""Learning step by step on chains of candidates; the questions of the contract have a test of their own."""

import itertools

import numpy as np
import pytest

from candidate_oracle import labellings
from weft.errors import InputError
from weft.estimators.tag.tagger import Tagger
from weft.learners.crf import CRF
from weft.learners.monitor import Monitor
from weft.learners.perceptron import Perceptron
from weft.learners.structured_svm import StructuredSVM
from weft.rewriting.candidates.batch import CandidateBatch
from weft.structures.online import PerceptronState


def test_learners_fit_the_references(corpus):
    batch, _ = corpus
    for learner in (
        StructuredSVM(C=10.0),
        CRF(c2=0.01, max_iter=50),
        Perceptron(20),
        Perceptron(20, early_update=True),
    ):
        with Monitor() as monitor:
            weights = learner.learn(batch, np.zeros(batch.n_features), monitor, np.random.default_rng(0))
        assert np.mean(batch.argmax(weights)[0] == batch.reference()) > 0.8


def test_early_updates_stop_where_the_reference_is_lost(corpus):
    batch, _ = corpus
    random = np.random.default_rng(3)
    n_shorter = 0
    for i, (a, b) in enumerate(itertools.pairwise(batch.offsets.tolist())):
        symbols, offsets = batch.symbols[a:b], np.array([0, b - a])
        gold = batch.reference()[a:b]
        one = CandidateBatch(batch.chain, symbols, offsets, batch.chain.find(symbols, offsets), gold, n_jobs=1)
        weights = random.normal(size=batch.n_features)
        state, _ = next(one.early_update_passes(PerceptronState(weights, np.zeros_like(weights)), random))
        change = state.weights - weights
        # The shortest beginning that another one with the same last candidate beats, by enumeration.
        for length in range(1, b - a + 1):
            every = [places for places in labellings(batch, i) if (places[length:] == gold[length:]).all()]
            same = [places for places in every if places[length - 1] == gold[length - 1]]
            value = dict(zip(map(tuple, every), (beginning(one, p, length) @ weights for p in every), strict=True))
            if max(value[tuple(places)] for places in same) > value[tuple(gold)] + 1e-9:
                break
        n_shorter += length < b - a
        best = max(every, key=lambda places: value[tuple(places)])
        assert change == pytest.approx(beginning(one, gold, length) - beginning(one, best, length))
    assert n_shorter > 0
    with pytest.raises(InputError, match="ChainBatch has no early updates"):
        Tagger(Perceptron(early_update=True)).fit(["ab"], ["xy"])


def beginning(one, places, length):
    """Features of the first positions of a labelling, with the contexts of the whole sequence."""
    row_offsets, contexts = one.found
    found = (row_offsets[: length + 1], contexts[: row_offsets[length]])
    part = CandidateBatch(one.chain, one.symbols[:length], np.array([0, length]), found, places[:length], n_jobs=1)
    return part.observed()
