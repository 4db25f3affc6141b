"""Learning step by step on a grammar or any graph: passes of the averaged perceptron and of the structural SVM."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from weft.core.vectors import dot_in_order

if TYPE_CHECKING:
    from weft.structures.grammar.batch import GrammarBatch
    from weft.structures.graph_batch import GraphBatch

__all__ = ["PerceptronState", "frank_wolfe_passes", "perceptron_passes"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PerceptronState:
    """Weights after some steps, and what their average over all steps needs.

    Attributes
    ----------
    weights : ndarray
        Weights now.
    totals : ndarray
        Sum over all changes of the step at which it was made times the change.
    clock : float
        Number of steps so far.
    """

    weights: Floats
    totals: Floats
    clock: float = 0.0

    @property
    def average(self) -> Floats:
        """Mean of the weights over all steps."""
        found = self.totals / -max(self.clock, 1.0)
        found += self.weights
        return found


def perceptron_passes(
    batch: GrammarBatch | GraphBatch, state: PerceptronState, random: np.random.Generator
) -> Iterator[tuple[PerceptronState, int]]:
    """State and number of wrong marks after each pass of the averaged perceptron, each in a new random order."""
    wanted = batch.gathered(batch.counts())
    references = batch.reference()
    weights, totals, clock = state.weights.copy(), state.totals.copy(), state.clock
    while True:
        n_wrong = 0
        for i in random.permutation(batch.n_sequences):
            steps, _ = batch.best_of(i, weights)
            difference = batch.importance[i] * (wanted[i] - batch.features_of(i, steps))
            wrong = int(np.abs(batch.marked(i, steps) - batch.marked(i, references[i])).sum())
            if wrong:
                n_wrong += wrong
                weights += difference
                totals += clock * difference
            clock += 1.0
        yield PerceptronState(weights.copy(), totals.copy(), clock), n_wrong


def frank_wolfe_passes(
    batch: GrammarBatch | GraphBatch, strength: float, random: np.random.Generator
) -> Iterator[tuple[Floats, float, float]]:
    """Weights, dual value and duality gap after each pass of the structural SVM, in a new random order each time.

    The loss is the number of marks that only one of two trees sets. The gap is that of each sequence when it was
    visited, summed over the pass. Inner products are added in a fixed order, so that the steps are the same on every
    processor.
    """
    wanted = batch.gathered(batch.counts())
    bonuses = [batch.loss_bonus(i) for i in range(batch.n_sequences)]
    n_marks = np.array([(bonus < 0).sum() for bonus in bonuses], dtype=np.float64)
    strengths = strength * batch.importance
    shares = np.zeros_like(wanted)  # w_i of each sequence; the weights are their sum
    losses = np.zeros(batch.n_sequences)
    weights = np.zeros(batch.n_features)
    while True:
        gap = 0.0
        for i in random.permutation(batch.n_sequences):
            steps, augmented = batch.best_of(i, weights, bonuses[i])
            features = batch.features_of(i, steps)
            loss = n_marks[i] + augmented - dot_in_order(features, weights)
            corner = strengths[i] * (wanted[i] - features)
            away = shares[i] - corner
            own_gap = dot_in_order(away, weights) - losses[i] + strengths[i] * loss
            gap += own_gap
            distance = dot_in_order(away, away)
            step = min(max(own_gap / distance, 0.0), 1.0) if distance > 0.0 else 1.0
            change = -step * away
            weights += change
            shares[i] += change
            losses[i] += step * (strengths[i] * loss - losses[i])
        yield weights.copy(), float(losses.sum()) - 0.5 * dot_in_order(weights, weights), gap
