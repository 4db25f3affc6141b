"""Learning step by step on alignments: passes of the averaged perceptron and of the structural SVM."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from weft.core.vectors import dot_in_order
from weft.structures.online import PerceptronState

if TYPE_CHECKING:
    from weft.structures.alignment.batch import AlignmentBatch

__all__ = ["frank_wolfe_passes", "perceptron_passes", "plain_weights"]

Floats = NDArray[np.float64]


def perceptron_passes(
    batch: AlignmentBatch, state: PerceptronState, random: np.random.Generator
) -> Iterator[tuple[PerceptronState, int]]:
    """State and number of missed reference pairs after each pass, each in a new random order.

    The step goes to the best alignment that agrees with the reference. A prediction with all reference pairs is right,
    unless the whole alignment is known and its gaps differ.
    """
    weights, totals, clock = state.weights.copy(), state.totals.copy(), state.clock
    singles = [batch.single(index) for index in range(batch.n_sequences)]
    while True:
        n_wrong = 0
        for index in random.permutation(batch.n_sequences).tolist():
            single = singles[index]
            clock += 1.0
            predicted = single.decode(weights)
            missed = int(single.missed(predicted)[0])
            if missed == 0 and single.has_partial_references:
                continue
            difference = single.best_references(weights)[0] - single.count(predicted)[0]
            if not difference.any():
                continue
            n_wrong += max(missed, 1)
            step = batch.importance[index] * difference
            weights += step
            totals += clock * step
        yield PerceptronState(weights.copy(), totals.copy(), clock), n_wrong


def plain_weights(batch: AlignmentBatch) -> Floats:
    """Weights that prefer equal symbols and few, long gaps."""
    structure = batch.structure
    weights = np.zeros(structure.n_features)
    same = structure.pair_features(batch.corpus.n_symbols).diagonal()
    weights[same] = 1.0
    opening, extension = structure.gap_features
    weights[opening] = -1.0
    weights[extension] = -0.5
    return weights


def frank_wolfe_passes(
    batch: AlignmentBatch, strength: float, random: np.random.Generator
) -> Iterator[tuple[Floats, float, float]]:
    """Weights, dual value and duality gap after each pass of block-coordinate Frank-Wolfe.

    The loss is the number of missed reference pairs. A partial reference is completed once, by the best alignment that
    agrees with it under `plain_weights`: with a completion that followed the weights the problem would not be convex.
    The dual variables of a pair are kept as its expected features and loss. Inner products are added in a fixed order,
    so that the steps are the same on every processor.
    """
    n_pairs = batch.n_sequences
    reference = batch.best_references(plain_weights(batch))
    beliefs, losses = reference.copy(), np.zeros(n_pairs)
    strengths = strength * batch.importance
    weights = np.zeros(batch.n_features)
    singles = [batch.single(index) for index in range(n_pairs)]
    while True:
        gap_total = 0.0
        for index in random.permutation(n_pairs).tolist():
            single, c = singles[index], strengths[index]
            if c <= 0.0:
                continue
            found = single.decode(weights, loss=1.0)
            difference = beliefs[index] - single.count(found)[0]
            missed = float(single.missed(found)[0])
            gap = c * (missed - losses[index] - dot_in_order(difference, weights))
            gap_total += max(gap, 0.0)
            squared = dot_in_order(difference, difference)
            if gap > 0.0 and squared > 0.0:
                step = min(gap / (c * c * squared), 1.0)
                weights += step * c * difference
                beliefs[index] -= step * difference
                losses[index] += step * (missed - losses[index])
        yield weights.copy(), dot_in_order(strengths, losses) - 0.5 * dot_in_order(weights, weights), gap_total
