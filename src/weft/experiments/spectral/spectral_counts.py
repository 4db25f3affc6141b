"""The spectral hidden Markov model of joint symbols, from counts: a baseline of SP section 5."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from weft.arrays import Floats
from weft.experiments.spectral.joint_symbols import JointSymbols
from weft.learners.spectral.operator_model import InputOutputOOM


class SpectralCounts:
    """Operators from the counts of one, two and three successive bi-symbols, by one singular value decomposition.

    The method of Hsu et al. (2009) for hidden Markov models, on joint symbols. Labels are chosen one by one by their
    marginal score, all states and all other labels summed over.

    Parameters
    ----------
    n_states : int
    conditional : bool
        The method of Balle et al. (2011) for transducers: labels before and after stand for the past and the future,
        and the bi-symbol between them counts by its share of the occurrences of its letter. Operators then tell
        P(label, next state | letter, state), and letters are not modelled.

    Examples
    --------
    >>> SpectralCounts(2).fit(["abab", "ba"], ["xyxy", "yx"]).predict(["ab"])
    [['x', 'y']]
    """

    def __init__(self, n_states: int = 50, conditional: bool = False) -> None:
        self.n_states = n_states
        self.conditional = conditional

    def fit(self, X: Sequence[Any], y: Sequence[Any]) -> SpectralCounts:
        """Count and decompose."""
        self.joint_ = JointSymbols(X, y)
        flat, offsets = self.joint_.encode(X, y)
        pairs = self.joint_.pairs
        inside = np.ones(len(flat), dtype=bool)
        inside[offsets[:-1]] = False  # has a bi-symbol of the same word before it
        second = np.flatnonzero(inside)
        third = second[inside[second - 1]]
        middle = flat[third - 1]
        sides, shares = flat, np.full(len(third), 1.0 / max(len(third), 1))
        if self.conditional:
            letters = self.joint_.symbols_of([s for s, _ in pairs])[middle]
            sides = np.unique([z for _, z in pairs], return_inverse=True)[1][flat]
            shares = 1.0 / np.bincount(letters)[letters]
        singles = np.bincount(sides) / len(sides)
        n = len(singles)
        doubles = np.zeros((n, n))
        np.add.at(doubles, (sides[second - 1], sides[second]), 1.0 / max(len(second), 1))
        triples = np.zeros((len(pairs), n, n))
        np.add.at(triples, (middle, sides[third - 2], sides[third]), shares)
        shifted = {pair: triples[i] for i, pair in enumerate(pairs)}
        self.model_ = InputOutputOOM.from_hankel(doubles, shifted, singles, singles, n_states=self.n_states)
        return self

    def predict(self, X: Sequence[Any]) -> list[list[Any]]:
        """Labels of the largest marginal scores."""
        return [self._label(word) for word in X]

    def _label(self, word: Sequence[Any]) -> list[Any]:
        joint, model = self.joint_, self.model_
        operators = [
            {z: model.operators[s, z] for s, z in joint.pairs[joint.begins[i] : joint.begins[i + 1]]} if i >= 0 else {}
            for s, i in zip(word, joint.symbols_of(word), strict=True)
        ]
        sums = [sum(each.values()) if each else np.eye(model.n_states) for each in operators]
        ends = [model.final]
        for matrix in reversed(sums[1:]):
            ends.append(_scaled(matrix @ ends[-1]))
        state, labels = model.initial, []
        for each, matrix, end in zip(operators, sums, reversed(ends), strict=True):
            scores = {z: float(state @ operator @ end) for z, operator in each.items()}
            labels.append(max(scores, key=lambda z: scores[z]) if scores else joint.usual)
            state = _scaled(state @ matrix)
        return labels


def _scaled(vector: Floats) -> Floats:
    """The same direction: products of many operators leave the range of floats."""
    return np.asarray(vector / max(float(np.abs(vector).max()), 1e-300))
