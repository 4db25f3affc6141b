"""Moments of all outputs, summed over a batch: what moment learners ask of any structure (MM sections 3 and 4).

With C_i the covariance of the features over all outputs of sequence i, mu_i their mean, phi_i the features of the
reference, b_i = phi_i - mu_i and d the distance from the reference, a learner needs sums of C_i v, b_i, b_i b_i' v,
Cov_i(phi, d) and E_i[d] b_i. All follow from four questions to a batch: `covariance_with`, `log_partition_and_mean`,
`observed` and `scores`.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from weft.arrays import Floats

MAX_ROWS = 20_000_000
"""Numbers that the b_i of all sequences may take together; with more, a product asks for them anew."""
MAX_ENTRIES = 100_000_000
"""Entries of the features of drawn outputs that are kept (1.2 GB); with more, a product asks for them anew."""


class Moments:
    """Moments of all outputs of each sequence, summed with the weights of the sequences.

    Parameters
    ----------
    batch : Batch
        With references.
    base : ndarray, optional
        Weights of the distribution over outputs that the moments belong to; ``None`` means the uniform one.

    Examples
    --------
    >>> import weft
    >>> batch = weft.Tagger().fit(["ab"], ["xy"]).bind(["a"], ["x"])
    >>> moments = batch.moments()  # of two outputs: a is x, a is y
    >>> moments.mean[:2], moments.difference[:2], moments.product(np.eye(8)[0])[:2]
    (array([0.5, 0.5]), array([ 0.5, -0.5]), array([ 0.25, -0.25]))
    """

    def __init__(self, batch: Any, base: Floats | None = None) -> None:
        self.batch = batch
        self._given_base = base

    @property
    def base(self) -> Floats:
        """Weights of the distribution over outputs; made anew, zeros are not worth keeping."""
        return np.zeros(self.batch.n_features) if self._given_base is None else self._given_base

    # ------------------------------------------------------------ first moments

    @property
    def log_counts(self) -> Floats:
        """Logarithm of the number of outputs of each sequence (under a base, of their sum of weights)."""
        return np.asarray(self.batch.log_partitions(self.base))

    @cached_property
    def mean(self) -> Floats:
        """Sum of the means mu_i."""
        return np.asarray(self.batch.log_partition_and_mean(self.base)[1])

    @cached_property
    def difference(self) -> Floats:
        """Sum of b_i."""
        return np.asarray(self.batch.observed() - self.mean)

    def _differences(self, factors: Floats) -> Floats:
        """Sum of b_i, each times a number and its weight."""
        factors = self.batch.sample_weight * factors
        if self._rows is not None:
            return np.asarray(np.einsum("i,ij->j", factors, self._rows))
        other = self.batch.weighted(factors)
        total: Floats = other.observed()
        total -= other.log_partition_and_mean(self.base)[1]
        return total

    @cached_property
    def _rows(self) -> Floats | None:
        """The b_i as rows, if they are few and short."""
        batch = self.batch
        if batch.n_sequences * batch.n_features > MAX_ROWS or not hasattr(batch, "expectations"):
            return None
        return np.asarray(batch.features_of(batch.reference()) - batch.expectations(self.base))

    # ----------------------------------------------------------- second moments

    @property
    def is_dense(self) -> bool:
        """Whether the covariance is kept as a matrix, because there are few features and a pass is dear."""
        return bool(self.batch.n_features <= self.batch.dense_features)

    @cached_property
    def covariance(self) -> Floats:
        """Sum of C_i as a matrix."""
        columns = np.empty((self.batch.n_features, self.batch.n_features))  # of no features, a matrix all the same
        for row, unit in zip(columns, np.eye(self.batch.n_features), strict=True):
            row[:] = self.batch.covariance_product(self.base, unit)
        return np.asarray((columns + columns.T) / 2.0)

    def product(self, vector: Floats) -> Floats:
        """Sum of C_i times a vector."""
        if self.is_dense:
            return np.asarray(np.einsum("ij,j->i", self.covariance, vector))
        return np.asarray(self.batch.covariance_product(self.base, vector))

    def outer_product(self, vector: Floats) -> Floats:
        """Sum of b_i (b_i . v)."""
        if self._rows is not None:
            return self._differences(np.einsum("ij,j->i", self._rows, vector))
        return self._outer_product(vector, self.batch.covariance_with(self.base, vector)[1])

    def _outer_product(self, vector: Floats, mean_scores: Floats) -> Floats:
        return self._differences(self.batch.scores(vector, self.batch.reference()) - mean_scores)

    def second_product(self, vector: Floats) -> Floats:
        """Sum of (C_i + b_i b_i') times a vector: of the second moments about the references."""
        if self.is_dense or self._rows is not None:
            return self.product(vector) + self.outer_product(vector)
        total, mean_scores = self.batch.covariance_with(self.base, vector)
        total += self._outer_product(vector, mean_scores)
        return np.asarray(total)

    @property
    def diagonal(self) -> Floats:
        """Diagonal of the sum of C_i, or an estimate of it."""
        return self.covariance.diagonal().copy() if self.is_dense else np.asarray(self.batch.variances(self.base))

    # --------------------------------------------------------------------- loss

    @cached_property
    def _losses(self) -> tuple[Floats, Floats]:
        found: tuple[Floats, Floats] = self.batch.covariance_with(self.base, np.zeros(self.batch.n_features), loss=1.0)
        return found

    def loss_covariance(self) -> Floats:
        """Sum of c_d,i: covariance of the features with the distance from the reference (MM 4.3.1)."""
        return self._losses[0].copy()

    @property
    def mean_losses(self) -> Floats:
        """Mean distance from the reference, of each sequence."""
        return self._losses[1]

    def loss_weighted_difference(self) -> Floats:
        """Sum of mu_d,i b_i with mu_d,i the mean distance from the reference."""
        return self._differences(self.mean_losses)


class SampledMoments:
    """The same questions over drawn outputs and the reference itself (MM section 3.2.2).

    Parameters
    ----------
    batch : Batch
        With references.
    drawn : list of outputs
        Each has an output of every sequence.
    """

    def __init__(self, batch: Any, drawn: list[Any]) -> None:
        self.batch = batch
        self._reference = batch.features_of(batch.reference())
        self._drawn = drawn
        self._kept = None
        if (len(drawn) + 1) * self._reference.nnz <= MAX_ENTRIES:
            self._kept = [batch.features_of(each) for each in drawn]

    def _features(self, i: int) -> Any:
        """Features of outputs number i as sparse rows; the references are the last."""
        if i == len(self._drawn):
            return self._reference
        return self.batch.features_of(self._drawn[i]) if self._kept is None else self._kept[i]

    def _sum(self, factors: Floats) -> Floats:
        """Features of all outputs, each times a number and the weight of its sequence; shape (n_outputs, n_sequences).

        Each sequence shares its weight out among its outputs.
        """
        share = self.batch.sample_weight / len(factors)
        total = np.zeros(self.batch.n_features)
        for i, own in enumerate(factors):
            total += self._features(i).T @ (own * share)
        return total

    def _scores(self, vector: Floats) -> Floats:
        """Scores of all outputs, minus their mean; shape (n_outputs, n_sequences)."""
        scores = np.array([self._features(i) @ vector for i in range(len(self._drawn) + 1)])
        return np.asarray(scores - scores.mean(axis=0))

    @cached_property
    def mean(self) -> Floats:
        """Sum of the means."""
        return self._sum(np.ones((len(self._drawn) + 1, self.batch.n_sequences)))

    @cached_property
    def difference(self) -> Floats:
        """Sum of b_i."""
        return self._differences(np.ones(self.batch.n_sequences))

    def _differences(self, factors: Floats) -> Floats:
        """Sum of b_i, each times a number and its weight."""
        mean = self._sum(np.broadcast_to(factors, (len(self._drawn) + 1, len(factors))))
        return np.asarray(self._reference.T @ (factors * self.batch.sample_weight) - mean)

    def product(self, vector: Floats) -> Floats:
        """Sum of C_i times a vector."""
        return self._sum(self._scores(vector))

    def outer_product(self, vector: Floats) -> Floats:
        """Sum of b_i (b_i . v)."""
        return self._differences(self._scores(vector)[-1])

    def second_product(self, vector: Floats) -> Floats:
        """Sum of (C_i + b_i b_i') times a vector."""
        scores = self._scores(vector)
        return self._sum(scores) + self._differences(scores[-1])

    @property
    def diagonal(self) -> Floats:
        """Diagonal of the exact uniform moments, as the scale of the regulariser and as preconditioner."""
        return np.asarray(self.batch.moments().diagonal)

    @cached_property
    def _losses(self) -> Floats:
        """Distance of every output from its reference, shape (n_outputs, n_sequences)."""
        return np.array([*(self.batch.losses(each) for each in self._drawn), np.zeros(self.batch.n_sequences)])

    def loss_covariance(self) -> Floats:
        """Sum of c_d,i."""
        return self._sum(self._losses - self.mean_losses)

    @property
    def mean_losses(self) -> Floats:
        """Mean distance from the reference, of each sequence."""
        return np.asarray(self._losses.mean(axis=0))

    def loss_weighted_difference(self) -> Floats:
        """Sum of mu_d,i b_i."""
        return self._differences(self.mean_losses)
