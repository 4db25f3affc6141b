"""Moments of all outputs, summed over a corpus: what moment learners ask of a chain."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from weft.structures.chain.loops.uniform import uniform_covariances, uniform_expectations
from weft.structures.chain.scores import score_moments

if TYPE_CHECKING:
    from weft.structures.chain.batch import ChainBatch, Chunk

__all__ = ["ChainMoments"]

Floats = NDArray[np.float64]


class ChainMoments:
    """Sums over a corpus of C_i, b_i = phi(x_i, y_i) - mu_i and their relatives (MM section 3).

    Parameters
    ----------
    batch : ChainBatch
        With reference labels.
    base : ndarray, optional
        Weights of the distribution over outputs that the moments belong to; ``None`` means the uniform one. For a
        fully connected first-order chain the uniform moments come in closed form: a product costs one pass over the
        token features and no dynamic programme.
    """

    def __init__(self, batch: ChainBatch, base: Floats | None = None) -> None:
        self.batch = batch
        self.is_closed = base is None and batch.features.has_closed_form
        self._given_base = base

    @property
    def base(self) -> Floats:
        """Weights of the distribution over outputs; made anew, zeros are not worth keeping."""
        return np.zeros(self.batch.n_features) if self._given_base is None else self._given_base

    # ------------------------------------------------------------ first moments

    @cached_property
    def mean(self) -> Floats:
        """Sum of the means mu_i."""
        return self._mean(self.batch.importance)

    @cached_property
    def difference(self) -> Floats:
        """Sum of b_i: features of the references minus their means."""
        total = self.batch.observed()
        total -= self._mean(self.batch.importance)
        return total

    def _mean(self, importance: Floats) -> Floats:
        if not self.is_closed:
            return self.batch.log_partition_and_mean(self.base, importance)[1]

        def work(model: Any, chunk: Chunk, sums: Any, ends: Any) -> float:
            uniform_expectations(model, self.batch.features.n_labels, importance[chunk.sequences], sums)
            return 0.0

        return self.batch.sum_over_chunks(self.base, work)[1]

    # ----------------------------------------------------------- second moments

    def product(self, vector: Floats) -> Floats:
        """Sum of C_i times a vector."""
        return self._covariance(vector, None)

    def _covariance(self, vector: Floats, gold: NDArray[np.int32] | None) -> Floats:
        if not self.is_closed:
            return self.batch.covariance_with(self.base, vector, gold)[0]
        features = self.batch.features
        tables = features.tables(vector, restrict=False)

        def work(model: Any, chunk: Chunk, sums: Any, ends: Any) -> float:
            here = np.empty(0, dtype=np.int32) if gold is None else gold[chunk.tokens]
            importance = self.batch.importance[chunk.sequences]
            uniform_covariances(model, (model[3], tables), here, features.n_labels, importance, sums)
            return 0.0

        # Under the uniform distribution no weights act, so the direction takes their place.
        return self.batch.sum_over_chunks(vector, work)[1]

    def outer_product(self, vector: Floats) -> Floats:
        """Sum of b_i (b_i . v)."""
        projections = self.batch.scores(vector, self.batch.reference(), restrict=False) - self._mean_scores(vector)
        importance = self.batch.importance * projections
        total = self.batch.observed(importance)
        total -= self._mean(importance)
        return total

    def _mean_scores(self, vector: Floats) -> Floats:
        """mu_i . v for every sequence."""
        if not self.is_closed:
            return self.batch.covariance_with(self.base, vector)[1]
        return score_moments(self.batch, vector)[0]

    @property
    def diagonal(self) -> Floats:
        """Diagonal of the sum of C_i: exact in closed form, else that of the uniform fully connected chain."""
        features = self.batch.features
        h = features.n_labels
        lengths, importance = self.batch.corpus.lengths, self.batch.importance
        attribute = np.repeat(self.batch.squared_columns() * (1 / h) * (1 - 1 / h), np.diff(features.pair_offsets))
        n_steps, n_inner = importance @ (lengths - 1), importance @ np.maximum(lengths - 2, 0)
        grams = np.array(
            [
                n_steps * (1 / h**n - 1 / h ** (2 * n))
                + n_inner * (2 * (len(set(gram)) == 1) / h**3 - 2 / h**4) * (n == 2)
                for gram in features.grams.grams
                for n in [len(gram)]
            ]
        ).reshape(-1)
        ends = np.full(2 * h if features.boundary else 0, importance.sum() * (1 / h) * (1 - 1 / h))
        return np.concatenate([attribute, grams, ends])

    # -------------------------------------------------------------- Hamming loss

    def loss_covariance(self) -> Floats:
        """Sum of c_d,i: covariance of the features with the Hamming distance to the reference (MM 4.3.1)."""
        return self._covariance(np.zeros(self.batch.n_features), self.batch.reference())

    def loss_weighted_difference(self) -> Floats:
        """Sum of mu_d,i b_i with mu_d,i the mean Hamming distance to the reference."""
        importance = self.batch.importance * self.mean_losses
        return self.batch.observed(importance) - self._mean(importance)

    @property
    def mean_losses(self) -> Floats:
        """Mean Hamming distance to the reference, of each sequence."""
        if self.is_closed:
            return np.asarray(self.batch.corpus.lengths * (1 - 1 / self.batch.features.n_labels), dtype=np.float64)
        zero = np.zeros(self.batch.n_features)
        return self.batch.covariance_with(self.base, zero, self.batch.reference())[1]
