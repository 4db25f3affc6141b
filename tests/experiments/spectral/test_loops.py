"""Tests of `weft.experiments.spectral.loops`."""

import itertools

import numpy as np
import pytest

from weft.experiments.spectral.loops import best_path


def test_best_path_is_that_of_enumeration():
    rng = np.random.default_rng(2)
    weights = rng.normal(size=(3, 2, 2))
    begins, symbols, gold = np.array([0, 2, 3]), np.array([0, 1, 0]), np.array([1, 2, 0])
    pairs, states = best_path(weights, symbols, begins, gold)

    def score(path, way):
        return sum(weights[b, way[t], way[t + 1]] + (b != gold[t]) for t, b in enumerate(path))

    every = [
        (score(path, way), path)
        for path in itertools.product([0, 1], [2], [0, 1])
        for way in itertools.product(range(2), repeat=4)
    ]
    assert score(pairs, states) == pytest.approx(max(every)[0])
