"""Tests of `weft.learners.spectral.fobos`."""

import numpy as np
import pytest

from spectral_words import LABELS, WORDS, fitted
from weft.learners.spectral.fobos import Fobos
from weft.learners.spectral.matrices import WholeMatrix
from weft.structures.hankel.batch import HankelBatch


def batch_of(tagger):
    gold = np.concatenate([np.searchsorted(tagger.classes_, labels) for labels in LABELS]).astype(np.int32)
    return HankelBatch(tagger.chain_, tagger.encode(WORDS), gold)


def test_mini_batches_collect_the_threshold_of_a_pass():
    tagger = fitted(tau=0.1, max_iter=1)
    batch = batch_of(tagger)
    runs = [
        Fobos(
            batch,
            WholeMatrix(np.eye(tagger.chain_.n_rows, tagger.chain_.n_columns), "nuclear"),
            np.zeros(0),
            1e6,
            1e-9,
            0.0,
            n,
        )
        for n in (1, 4)
    ]
    for run in runs:
        run.run_pass(np.random.default_rng(0))
    taken = [tagger.chain_.n_columns - run.matrix.penalty for run in runs]
    # Steps fall as 1 / sqrt(t): four quarters of a threshold at t = 1, 2, 3, 4.
    assert taken[1] / taken[0] == pytest.approx(np.mean(1 / np.sqrt([1, 2, 3, 4])), rel=1e-3)
