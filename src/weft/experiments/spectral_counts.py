"""The spectral hidden Markov model of joint symbols, from counts: a baseline of SP section 5."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.experiments.joint_symbols import JointSymbols
from weft.learners.spectral.operator_model import InputOutputOOM

__all__ = ["SpectralCounts"]

Floats = NDArray[np.float64]


class SpectralCounts:
    """Operators from the counts of one, two and three successive bi-symbols, by one singular value decomposition.

    The method of Hsu et al. (2009) for hidden Markov models, on joint symbols. Labels are chosen one by one by their
    marginal score, all states and all other labels summed over.

    Parameters
    ----------
    n_states : int

    Examples
    --------
    >>> SpectralCounts(2).fit(["abab", "ba"], ["xyxy", "yx"]).predict(["ab"])
    [['x', 'y']]
    """

    def __init__(self, n_states: int = 50) -> None:
        self.n_states = n_states

    def fit(self, X: Sequence[Any], y: Sequence[Any]) -> SpectralCounts:
        """Count and decompose."""
        self.joint_ = JointSymbols(X, y)
        flat, offsets = self.joint_.encode(X, y)
        n = len(self.joint_.pairs)
        inside = np.ones(len(flat), dtype=bool)
        inside[offsets[:-1]] = False  # has a bi-symbol of the same word before it
        second = np.flatnonzero(inside)
        third = second[inside[second - 1]]
        singles = np.bincount(flat, minlength=n) / len(flat)
        doubles = np.zeros((n, n))
        np.add.at(doubles, (flat[second - 1], flat[second]), 1.0 / max(len(second), 1))
        triples = np.zeros((n, n, n))
        np.add.at(triples, (flat[third - 1], flat[third - 2], flat[third]), 1.0 / max(len(third), 1))
        shifted = {pair: triples[i] for i, pair in enumerate(self.joint_.pairs)}
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
