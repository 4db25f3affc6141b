"""Operators from counts, against the model that made the data."""

from itertools import product

import numpy as np
import pytest

from weft.experiments.spectral.spectral_counts import SpectralCounts

# P(label, next state | letter, state): two states, the next one depends on the letter, the label on both.
OPERATORS = {
    ("a", "x"): np.array([[0.72, 0.08], [0.02, 0.18]]),
    ("a", "y"): np.array([[0.18, 0.02], [0.08, 0.72]]),
    ("b", "x"): np.array([[0.06, 0.54], [0.27, 0.03]]),
    ("b", "y"): np.array([[0.04, 0.36], [0.63, 0.07]]),
}
LENGTH = 4


def probability(x, y):
    """P(y | x), the first state being either with the same probability, which letters in turn keep."""
    state = np.array([0.5, 0.5])
    for pair in zip(x, y, strict=True):
        state = state @ OPERATORS[pair]
    return float(state.sum())


def test_a_transducer_comes_back_from_data_in_its_proportions():
    # Every word as often as its probability says, letters being drawn at random: no sampling error is left.
    words = ["".join(x) for x in product("ab", repeat=LENGTH)]
    outputs = ["".join(y) for y in product("xy", repeat=LENGTH)]
    counts = {(x, y): round(200 * probability(x, y)) for x in words for y in outputs}
    X = [x for (x, _), n in counts.items() for _ in range(n)]
    y = [z for (_, z), n in counts.items() for _ in range(n)]
    model = SpectralCounts(2, conditional=True).fit(X, y)
    for (x, z), n in counts.items():
        assert model.model_.score(x, z) == pytest.approx(n / 200, abs=0.01)
    for x, labels in zip(words, model.predict(words), strict=True):
        for place, label in enumerate(labels):
            right = sum(probability(x, z) for z in outputs if z[place] == "x")
            assert abs(right - 0.5) < 0.02 or label == ("x" if right > 0.5 else "y")
