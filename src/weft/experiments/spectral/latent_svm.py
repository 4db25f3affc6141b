"""The latent SVM over states before and after each bi-symbol: a baseline of SP section 5."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from weft.experiments.spectral.joint_symbols import JointSymbols
from weft.experiments.spectral.loops import best_path, fill_states, hinge_pass


class LatentSVM:
    """Hinge loss with the best latent state sequence on both sides (Yu and Joachims 2009), by alternating steps.

    The score is that of an operator model read as a linear one: a weight for each bi-symbol with the states before
    and after it. States of the references are filled in, then held while a convex hinge loss is lowered by
    subgradient steps, and so on.

    Parameters
    ----------
    n_states : int
    C : float
        Price of the loss against the squared norm.
    n_rounds, n_passes : int
        How often states are filled in, and passes over the data in between.
    random_state : int

    Examples
    --------
    >>> LatentSVM(2).fit(["abab", "ba"] * 5, ["xyxy", "yx"] * 5).predict(["ab"])
    [['x', 'y']]
    """

    def __init__(
        self, n_states: int = 8, C: float = 1.0, *, n_rounds: int = 5, n_passes: int = 5, random_state: int = 0
    ) -> None:
        self.n_states = n_states
        self.C = C
        self.n_rounds = n_rounds
        self.n_passes = n_passes
        self.random_state = random_state

    def fit(self, X: Sequence[Any], y: Sequence[Any]) -> LatentSVM:
        """Alternate between filling in states and lowering the loss."""
        self.joint_ = JointSymbols(X, y)
        flat, offsets = self.joint_.encode(X, y)
        symbols = np.concatenate([self.joint_.symbols_of(word) for word in X])
        random = np.random.default_rng(self.random_state)
        weights = 0.1 * random.normal(size=(len(self.joint_.pairs), self.n_states, self.n_states))
        ridge = 1.0 / (self.C * len(X))
        clock, total = 0, np.zeros_like(weights)
        for _ in range(self.n_rounds):
            filled = fill_states(weights, flat, offsets)
            total[:] = 0.0
            for _ in range(self.n_passes):
                order = random.permutation(len(X))
                clock = hinge_pass(
                    weights, total, flat, symbols, offsets, self.joint_.begins, filled, order, ridge, clock
                )
            weights = total / (self.n_passes * len(X))
        self.weights_ = weights
        return self

    def predict(self, X: Sequence[Any]) -> list[list[Any]]:
        """Labels of the best scores; the most frequent label for letters never seen."""
        answers = []
        no_gold = np.empty(0, dtype=np.int64)
        for word in X:
            symbols = self.joint_.symbols_of(word)
            known = np.flatnonzero(symbols >= 0)
            labels = [self.joint_.usual] * len(word)
            if len(known):
                best, _ = best_path(self.weights_, symbols[known], self.joint_.begins, no_gold)
                for place, pair in zip(known, best, strict=True):
                    labels[place] = self.joint_.pairs[pair][1]
            answers.append(labels)
        return answers
