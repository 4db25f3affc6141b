"""Tests of `weft.experiments.spectral.latent_svm`."""

import numpy as np
import pytest

from weft.experiments.spectral import nettalk
from weft.experiments.spectral.joint_symbols import JointSymbols
from weft.experiments.spectral.latent_svm import LatentSVM
from weft.experiments.spectral.spectral_counts import SpectralCounts
from weft.experiments.tuning import TokenFrequencies


@pytest.mark.parametrize("model", [SpectralCounts(3), SpectralCounts(3, conditional=True), LatentSVM(4, C=10.0)])
def test_latent_states_carry_what_was_seen_before(model):
    rng = np.random.default_rng(3)
    X = ["".join(rng.choice(list("abc"), size=6)) for _ in range(200)]
    # The label of c is that of the letter before it, z if that is c too.
    label = {"a": "x", "b": "y", "c": "z"}
    y = [[label[before if s == "c" else s] for s, before in zip(word, "a" + word, strict=False)] for word in X]
    fitted = model.fit(X[:150], y[:150])
    test = X[150:], y[150:]
    alone = TokenFrequencies().fit(X[:150], y[:150])
    assert nettalk.accuracy(fitted, test) > nettalk.accuracy(alone, test) + 5.0
    assert fitted.predict(["q"]) == [[JointSymbols(X[:150], y[:150]).usual]]
