"""Moments of all parse trees, summed over a corpus: what moment learners ask of a grammar or any graph."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from weft.structures.grammar.batch import GrammarBatch
    from weft.structures.grammar.structure import Steps
    from weft.structures.graph_batch import GraphBatch

__all__ = ["GrammarMoments", "SampledGrammarMoments"]

Floats = NDArray[np.float64]

MAX_DENSE = 64
"""Up to so many features the covariance is built once, a column per pass; with more, each product takes a pass."""


class _DifferenceMoments:
    """What exact and sampled moments share: everything that follows from the mean of each sequence."""

    def __init__(self, batch: GrammarBatch | GraphBatch) -> None:
        self.batch = batch

    @property
    def means(self) -> Floats:
        """Mean features of each sequence, shape (n_sequences, n_features)."""
        raise NotImplementedError

    @property
    def mean_losses(self) -> Floats:
        """Mean distance to the reference of each sequence."""
        raise NotImplementedError

    @cached_property
    def differences(self) -> Floats:
        """b_i: features of each reference minus their mean."""
        return self.batch.gathered(self.batch.counts()) - self.means

    @property
    def mean(self) -> Floats:
        """Sum of the means mu_i."""
        return np.asarray(self.batch.importance @ self.means)

    @property
    def difference(self) -> Floats:
        """Sum of b_i."""
        return np.asarray(self.batch.importance @ self.differences)

    def outer_product(self, vector: Floats) -> Floats:
        """Sum of b_i (b_i . v)."""
        return np.asarray((self.batch.importance * (self.differences @ vector)) @ self.differences)

    def loss_weighted_difference(self) -> Floats:
        """Sum of mu_d,i b_i with mu_d,i the mean distance to the reference."""
        return np.asarray((self.batch.importance * self.mean_losses) @ self.differences)


class GrammarMoments(_DifferenceMoments):
    """Sums over a corpus of C_i, b_i = phi(x_i, y_i) - mu_i and their relatives (MM section 3).

    Parameters
    ----------
    batch : GrammarBatch or GraphBatch
        With references.
    base : ndarray, optional
        Weights of the distribution over outputs that the moments belong to; ``None`` means the uniform one.
    """

    def __init__(self, batch: GrammarBatch | GraphBatch, base: Floats | None = None) -> None:
        super().__init__(batch)
        self.base = np.zeros(batch.n_features) if base is None else base

    @cached_property
    def means(self) -> Floats:
        """Mean features of each sequence."""
        return self.batch.gathered(self.batch.expectations(self.base)[1])

    @cached_property
    def covariance(self) -> Floats:
        """Sum of C_i as a matrix."""
        columns = [self.batch.covariance_product(self.base, unit) for unit in np.eye(self.batch.n_features)]
        return (np.array(columns) + np.array(columns).T) / 2.0

    @property
    def is_dense(self) -> bool:
        """Whether there are few enough features for the matrix."""
        return self.batch.n_features <= MAX_DENSE

    def product(self, vector: Floats) -> Floats:
        """Sum of C_i times a vector."""
        if self.is_dense:
            return np.asarray(self.covariance @ vector)
        return self.batch.covariance_product(self.base, vector)

    @property
    def diagonal(self) -> Floats:
        """Diagonal of the sum of C_i; with many features that of independent rare events, their mean."""
        return self.covariance.diagonal().copy() if self.is_dense else self.mean

    @property
    def mean_losses(self) -> Floats:
        """Mean distance to the reference: its marks, plus one for each other mark and minus one for each hit."""
        marked, _ = self.batch.marginals(self.base)
        bonus = [self.batch.loss_bonus(i) for i in range(self.batch.n_sequences)]
        return np.array([(b < 0).sum() + (p * b).sum() for p, b in zip(marked, bonus, strict=True)])

    def loss_covariance(self) -> Floats:
        """Sum of c_d,i: covariance of the features with the distance to the reference (MM 4.3.1)."""
        _, rows = self.batch.covariance_with(self.base, np.zeros(self.batch.n_features), loss=True)
        return self.batch.gathered(self.batch.importance @ rows)


class SampledGrammarMoments(_DifferenceMoments):
    """The same queries over drawn outputs and the reference itself (MM section 3.2.2).

    Parameters
    ----------
    batch : GrammarBatch or GraphBatch
    drawn : list of lists of derivations
        Outputs drawn for each sequence.
    """

    def __init__(self, batch: GrammarBatch | GraphBatch, drawn: list[list[Steps]]) -> None:
        super().__init__(batch)
        self.outputs = [[*own, reference] for own, reference in zip(drawn, batch.reference(), strict=True)]
        self.features = np.array([[batch.features_of(i, each) for each in own] for i, own in enumerate(self.outputs)])

    @cached_property
    def means(self) -> Floats:
        """Mean features of each sequence."""
        return np.asarray(self.features.mean(axis=1))

    @cached_property
    def centred(self) -> Floats:
        """Features minus their mean, divided by the root of the number of outputs."""
        return np.asarray((self.features - self.means[:, None]) / np.sqrt(self.features.shape[1]))

    def product(self, vector: Floats) -> Floats:
        """Sum of C_i times a vector."""
        return np.asarray(np.einsum("i,isf,is->f", self.batch.importance, self.centred, self.centred @ vector))

    @property
    def diagonal(self) -> Floats:
        """Diagonal of the sum of C_i."""
        return np.asarray(np.einsum("i,isf,isf->f", self.batch.importance, self.centred, self.centred))

    @cached_property
    def losses(self) -> Floats:
        """Distance of every output to the reference, shape (n_sequences, n_outputs)."""
        found = []
        for i, own in enumerate(self.outputs):
            reference = self.batch.marked(i, own[-1])
            found.append([np.abs(self.batch.marked(i, steps) - reference).sum() for steps in own])
        return np.array(found)

    @property
    def mean_losses(self) -> Floats:
        """Mean distance to the reference of each sequence."""
        return np.asarray(self.losses.mean(axis=1))

    def loss_covariance(self) -> Floats:
        """Sum of c_d,i."""
        centred = (self.losses - self.mean_losses[:, None]) / np.sqrt(self.losses.shape[1])
        return np.asarray(np.einsum("i,isf,is->f", self.batch.importance, self.centred, centred))
