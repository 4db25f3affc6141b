"""Forward-backward splitting (SP Algorithm 1): subgradient steps on the hinge, proximal steps on the penalty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.arrays import Floats, Integers
from weft.core.vectors import product
from weft.learners.spectral.matrices import HankelMatrix

SHRINKS_PER_PASS = 5
"""Mini-batches collect their thresholds: a few proximal steps per pass are as good as many, and cost less."""


@dataclass
class Fobos:
    """State of a minimisation of ``sum of hinge losses + tau R(H) + c2 ||w||^2``, one pass at a time.

    The step after t updates is ``step / sqrt(t)``. With mini-batches each update sees the losses of its sequences
    alone, and the thresholds of several updates are collected before they are applied.

    Attributes
    ----------
    batch : HankelBatch
    matrix : HankelMatrix
    sparse : ndarray
        Weights of the sparse features.
    tau, c2, step : float
    n_batches : int
        Mini-batches in a pass; 1 for all sequences at once.
    t : int
        Updates so far.
    """

    batch: Any
    matrix: HankelMatrix
    sparse: Floats
    tau: float
    step: float
    c2: float = 0.0
    n_batches: int = 1
    t: int = 0

    def weights(self) -> Floats:
        """Weight vector of the batch; a copy."""
        return np.concatenate([self.sparse, self.matrix.flat()])

    def penalty(self) -> float:
        """What is added to the losses."""
        return self.tau * self.matrix.penalty + self.c2 * product(self.sparse, self.sparse)

    def run_pass(self, random: np.random.Generator) -> float:
        """Go over all sequences once; the objective at the points where the losses were measured."""
        if self.n_batches == 1:
            before = self.penalty()
            loss = self._update(None)
            self._shrink(self.step / np.sqrt(self.t))
            return loss + before
        order = random.permutation(self.batch.n_sequences)
        every = max(1, round(self.n_batches / SHRINKS_PER_PASS))
        loss, collected = 0.0, 0.0
        for number, sequences in enumerate(np.array_split(order, self.n_batches), start=1):
            loss += self._update(np.sort(sequences))
            collected += self.step / np.sqrt(self.t) / self.n_batches
            if number % every == 0 or number == self.n_batches:
                self._shrink(collected)
                collected = 0.0
        return loss + self.penalty()

    def _update(self, sequences: Integers | None) -> float:
        """Step against the subgradient of the losses of some sequences; their sum."""
        self.t += 1
        rate = self.step / np.sqrt(self.t)
        weights = self.weights() if len(self.sparse) else self.matrix.flat()
        predicted, losses = self.batch.most_violating(weights, sequences)
        cells, signs = self.batch.window_steps(predicted, sequences)
        self.matrix.add(cells, rate * signs)
        if len(self.sparse):
            self.sparse = self.sparse + rate * self.batch.sparse_steps(predicted, sequences)
        return product(self.batch.sample_weight, losses)

    def _shrink(self, rate: float) -> None:
        self.matrix.shrink(rate * self.tau)
        if self.c2:
            self.sparse = self.sparse / (1.0 + 2.0 * rate * self.c2)
