"""Tests of `weft.experiments.moments.random_hmm`."""

import numpy as np

from weft.experiments.moments.random_hmm import concentrated_hmm


def test_rows_of_random_models_are_concentrated_distributions():
    random = np.random.RandomState(0)
    models = [concentrated_hmm(3, 5, random) for _ in range(50)]
    for hmm in models:
        np.testing.assert_allclose(hmm.transitions.sum(axis=1), 1.0)
        np.testing.assert_allclose(hmm.emissions.sum(axis=1), 1.0)
    # A flat Dirichlet distribution over five symbols has a largest share of 0.46 on average.
    assert np.mean([hmm.emissions.max(axis=1).mean() for hmm in models]) > 0.55
