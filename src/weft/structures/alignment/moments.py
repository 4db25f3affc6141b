"""Moments of all alignments, summed over a corpus: what moment learners ask."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from weft.core.ties import LEAST_DEVIATION

if TYPE_CHECKING:
    from weft.structures.alignment.batch import AlignmentBatch
    from weft.structures.alignment.pair_corpus import Alignments

__all__ = ["AlignmentMoments", "SampledAlignmentMoments", "alignment_z_scores"]

Floats = NDArray[np.float64]


class AlignmentMoments:
    """Sums over pairs of C_i, b_i = phi(x_i, y_i) - mu_i and their relatives (MM section 3).

    Parameters
    ----------
    batch : AlignmentBatch
        With references.
    base : ndarray, optional
        Weights of the distribution over alignments; ``None`` means the uniform one.
    """

    def __init__(self, batch: AlignmentBatch, base: Floats | None = None) -> None:
        self.batch = batch
        self.base = np.zeros(batch.n_features) if base is None else base

    @cached_property
    def _differences(self) -> Floats:
        """The b_i, shape (n_pairs, d)."""
        return np.asarray(self.batch.count(self.batch.reference()) - self._means)

    @cached_property
    def _means(self) -> Floats:
        return self.batch.expectations(self.base)[1]

    @cached_property
    def mean(self) -> Floats:
        """Sum of the means mu_i."""
        return np.asarray(self.batch.importance @ self._means)

    @cached_property
    def difference(self) -> Floats:
        """Sum of b_i."""
        return np.asarray(self.batch.importance @ self._differences)

    def product(self, vector: Floats) -> Floats:
        """Sum of C_i times a vector."""
        return self.batch.covariance_product(self.base, vector)

    def outer_product(self, vector: Floats) -> Floats:
        """Sum of b_i (b_i . v)."""
        return np.asarray((self.batch.importance * (self._differences @ vector)) @ self._differences)

    @property
    def diagonal(self) -> Floats:
        """Estimate of the diagonal of the sum of C_i: counts of rare events have a variance like their mean."""
        return self.mean.copy()

    def loss_covariance(self) -> Floats:
        """Sum of c_d,i: covariance of the features with the number of missed reference pairs (MM 4.3.1)."""
        return self._losses[0].copy()

    @property
    def mean_losses(self) -> Floats:
        """Mean number of missed reference pairs, of each pair of sequences."""
        return self._losses[1]

    @cached_property
    def _losses(self) -> tuple[Floats, Floats]:
        return self.batch.covariance_with(self.base, np.zeros(self.batch.n_features), loss=1.0)

    def loss_weighted_difference(self) -> Floats:
        """Sum of mu_d,i b_i with mu_d,i the mean number of missed reference pairs."""
        return np.asarray((self.batch.importance * self.mean_losses) @ self._differences)


class SampledAlignmentMoments:
    """The same from drawn alignments and the reference itself (MM section 3.2.2); keeps one d x d matrix."""

    def __init__(self, batch: AlignmentBatch, drawn: list[Alignments]) -> None:
        self.batch = batch
        reference = batch.count(batch.reference())
        features = np.stack([*(batch.count(each) for each in drawn), reference])  # (n_outputs, n_pairs, d)
        losses = np.stack([*(batch.missed(each) for each in drawn), np.zeros(batch.n_sequences)])
        means = features.mean(axis=0)
        self._differences = reference - means
        self.mean_losses = losses.mean(axis=0)
        self.mean = batch.importance @ means
        self.difference = batch.importance @ self._differences
        features -= means
        scaled = features * (batch.importance / len(features))[:, None]
        self._loss_covariance = np.einsum("sp,spd->d", losses - self.mean_losses, scaled)
        d = batch.n_features
        self._covariance = features.reshape(-1, d).T @ scaled.reshape(-1, d)

    def product(self, vector: Floats) -> Floats:
        """Sum of C_i times a vector."""
        return np.asarray(self._covariance @ vector)

    def outer_product(self, vector: Floats) -> Floats:
        """Sum of b_i (b_i . v)."""
        return np.asarray((self.batch.importance * (self._differences @ vector)) @ self._differences)

    @property
    def diagonal(self) -> Floats:
        """Diagonal of the sum of C_i."""
        return np.diag(self._covariance).copy()

    def loss_covariance(self) -> Floats:
        """Sum of c_d,i."""
        return np.asarray(self._loss_covariance)

    def loss_weighted_difference(self) -> Floats:
        """Sum of mu_d,i b_i."""
        return np.asarray((self.batch.importance * self.mean_losses) @ self._differences)


def alignment_z_scores(batch: AlignmentBatch, weights: Floats, alignments: Alignments | None = None) -> Floats:
    """Standard deviations by which the best or another alignment of each pair scores above the mean over all.

    Examples
    --------
    >>> from weft.structures.alignment.structure import Alignment
    >>> from weft.structures.alignment.batch import AlignmentBatch
    >>> structure = Alignment("match", gaps="linear")
    >>> batch = AlignmentBatch(structure, structure.encode([("A", "A")]))
    >>> alignment_z_scores(batch, np.array([1.0, 0.0, 0.0])).round(3)  # one alignment of three scores 1
    array([1.414])
    """
    covariances, means = batch.covariance_with(np.zeros(batch.n_features), weights, separate=True)
    deviations = np.sqrt(np.maximum(covariances @ weights, 0.0))
    scores = batch.scores(weights, batch.decode(weights) if alignments is None else alignments)
    varied = deviations > LEAST_DEVIATION * (np.abs(means) + np.abs(scores))
    return np.divide(scores - means, deviations, out=np.zeros_like(means), where=varied)
