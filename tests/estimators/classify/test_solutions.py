"""What a classifier keeps of a fit, and begins the next one with."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import weft

KERNEL = weft.NGramKernel(2)
X = ["acacgt", "acgcac", "cacaca", "gtgtac", "tgtggt", "gttgtg"] * 5
Y = ["good", "good", "good", "bad", "bad", "bad"] * 5


def test_warm_start_goes_on_from_the_dual_variables():
    svc = weft.SequenceSVC(KERNEL, C=0.05, warm_start=True, random_state=0).fit(X, Y)
    cold = svc.n_iter_
    assert svc.fit(X, Y).n_iter_ < cold
    assert svc.fit(X[:24], Y[:24]).alpha_.shape == (1, 24)


def test_too_few_passes_warn():
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        weft.SequenceSVC(KERNEL, max_iter=1).fit(X, Y)


def test_examples_that_count_are_kept_where_there_are_no_features():
    kernel = weft.RBFOver(KERNEL)
    svc = weft.SequenceSVC(kernel, C=1.0, bias=True).fit(X, Y)
    used = np.flatnonzero(svc.alpha_[0])
    assert svc.support_ == [X[i] for i in used]
    signs = np.where(np.array(Y) == "good", 1.0, -1.0)
    np.testing.assert_allclose(svc.weights_[0], (svc.alpha_[0] * signs)[used])
    np.testing.assert_allclose(svc.bias_, svc.weights_.sum(axis=1))
