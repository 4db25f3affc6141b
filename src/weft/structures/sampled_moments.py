"""Moments estimated from drawn outputs, for when exact ones are too dear (MM section 3.2.2)."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["SampledMoments"]

Floats = NDArray[np.float64]


class SampledMoments:
    """The queries of exact moments, over a population of drawn outputs and the reference itself.

    A product needs only the scores of the drawn outputs and a weighted sum of their features, so no feature
    vector of an output is ever stored.

    Parameters
    ----------
    batch
        Answers `observed(importance, labels)` and `scores(weights, labels, restrict)`.
    drawn : ndarray of shape (n_samples, n_tokens)
        Outputs of the whole corpus, one row per draw.
    """

    def __init__(self, batch: Any, drawn: NDArray[np.int32]) -> None:
        self.batch = batch
        self.outputs = [*drawn, batch.reference()]

    def _sum(self, importance: list[Floats]) -> Floats:
        """Features of all outputs, each with its own importance per sequence."""
        total = np.zeros(self.batch.n_features)
        for labels, weights in zip(self.outputs, importance, strict=True):
            total += self.batch.observed(weights, labels)
        return total

    def _scores(self, vector: Floats) -> Floats:
        """Scores of all outputs, shape (n_outputs, n_sequences), minus their mean."""
        scores = np.array([self.batch.scores(vector, labels, restrict=False) for labels in self.outputs])
        return np.asarray(scores - scores.mean(axis=0))

    @property
    def _equal(self) -> list[Floats]:
        return [self.batch.importance / len(self.outputs)] * len(self.outputs)

    @cached_property
    def mean(self) -> Floats:
        """Sum of the means."""
        return self._sum(self._equal)

    @cached_property
    def difference(self) -> Floats:
        """Sum of b_i."""
        return np.asarray(self.batch.observed() - self.mean)

    def product(self, vector: Floats) -> Floats:
        """Sum of C_i times a vector."""
        share = self.batch.importance / len(self.outputs)
        return self._sum([share * row for row in self._scores(vector)])

    def outer_product(self, vector: Floats) -> Floats:
        """Sum of b_i (b_i . v); the reference is the last output."""
        return self._differences(self._scores(vector)[-1])

    def _differences(self, factors: Floats) -> Floats:
        """Sum of b_i times a number of each sequence."""
        weights = self.batch.importance * factors
        mean = self._sum([weights / len(self.outputs)] * len(self.outputs))
        return np.asarray(self.batch.observed(weights) - mean)

    @property
    def diagonal(self) -> Floats:
        """Diagonal of the exact uniform moments, as the scale of the regulariser and as preconditioner."""
        return np.asarray(self.batch.moments().diagonal)

    def _losses(self) -> Floats:
        """Hamming distance of every output to the reference, shape (n_outputs, n_sequences)."""
        offsets = self.batch.corpus.offsets[:-1]
        return np.array([np.add.reduceat(row != self.outputs[-1], offsets) for row in self.outputs], dtype=np.float64)

    def loss_covariance(self) -> Floats:
        """Sum of c_d,i."""
        losses = self._losses()
        share = self.batch.importance / len(self.outputs)
        return self._sum([share * row for row in losses - losses.mean(axis=0)])

    def loss_weighted_difference(self) -> Floats:
        """Sum of mu_d,i b_i."""
        return self._differences(self._losses().mean(axis=0))
