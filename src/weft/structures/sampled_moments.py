"""Moments estimated from drawn outputs, for when exact ones are too dear (MM section 3.2.2)."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["SampledMoments"]

Floats = NDArray[np.float64]

TOKENS_AT_ONCE = 200_000


class SampledMoments:
    """The queries of exact moments, over a population of drawn outputs and the reference itself.

    A product needs only the scores of the drawn outputs and a weighted sum of their features, so no feature
    vector of an output is ever stored.

    Parameters
    ----------
    batch
        Answers `observed(importance, labels)`, `scores(weights, labels, restrict)` and `repeated(n)`.
    drawn : ndarray of shape (n_samples, n_tokens)
        Outputs of the whole corpus, one row per draw.
    """

    def __init__(self, batch: Any, drawn: NDArray[np.int32]) -> None:
        self.batch = batch
        self.outputs = np.vstack([drawn, batch.reference()])
        # Many copies of a small corpus at once: a call per output would cost more than its work.
        at_once = max(1, min(len(self.outputs), TOKENS_AT_ONCE // self.outputs.shape[1]))
        copies = {n: batch.repeated(n) for n in {at_once, len(self.outputs) % at_once} - {0}}
        bounds = [*range(0, len(self.outputs), at_once), len(self.outputs)]
        self._groups = [(slice(i, j), copies[j - i]) for i, j in pairwise(bounds)]

    def _sum(self, importance: Floats) -> Floats:
        """Features of all outputs, each with its own importance per sequence, shape (n_outputs, n_sequences)."""
        total = np.zeros(self.batch.n_features)
        for group, copies in self._groups:
            total += copies.observed(importance[group].reshape(-1), self.outputs[group].reshape(-1))
        return total

    def _scores(self, vector: Floats) -> Floats:
        """Scores of all outputs, shape (n_outputs, n_sequences), minus their mean."""
        shape = (-1, self.batch.n_sequences)
        scores = np.concatenate(
            [
                copies.scores(vector, self.outputs[group].reshape(-1), restrict=False).reshape(shape)
                for group, copies in self._groups
            ]
        )
        return np.asarray(scores - scores.mean(axis=0))

    def _equal(self, importance: Floats) -> Floats:
        """The importance of each sequence, shared by its outputs."""
        return np.broadcast_to(importance / len(self.outputs), (len(self.outputs), len(importance)))

    @cached_property
    def mean(self) -> Floats:
        """Sum of the means."""
        return self._sum(self._equal(self.batch.importance))

    @cached_property
    def difference(self) -> Floats:
        """Sum of b_i."""
        return np.asarray(self.batch.observed() - self.mean)

    def product(self, vector: Floats) -> Floats:
        """Sum of C_i times a vector."""
        return self._sum(self._equal(self.batch.importance) * self._scores(vector))

    def outer_product(self, vector: Floats) -> Floats:
        """Sum of b_i (b_i . v); the reference is the last output."""
        return self._differences(self._scores(vector)[-1])

    def _differences(self, factors: Floats) -> Floats:
        """Sum of b_i times a number of each sequence."""
        weights = self.batch.importance * factors
        return np.asarray(self.batch.observed(weights) - self._sum(self._equal(weights)))

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
        return self._sum(self._equal(self.batch.importance) * (losses - losses.mean(axis=0)))

    def loss_weighted_difference(self) -> Floats:
        """Sum of mu_d,i b_i."""
        return self._differences(self._losses().mean(axis=0))
