"""Moments of a fully connected first-order chain under the uniform distribution: no chain to run at all.

Labels are then independent and uniform, so every moment is a count. With token features X the
covariance of the (attribute, label) features is ``X'X (x) (I/h - 11'/h^2)``; a product with it costs one pass over X.
"""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit
from weft.structures.chain.loops.tokens import add_marginals, score_tokens

__all__ = ["uniform_covariances", "uniform_expectations"]


@jit
def uniform_expectations(model, n_labels, importance, sums):
    """Add the mean of every feature, times the importance of its sequence."""
    offsets, layout, pair_labels, _, tables = model
    pair_sums, row_sums, arc_sums = sums
    width = tables[0].shape[1]
    longest = np.max(np.diff(offsets))
    share = np.zeros((longest, width))
    n_steps = 0.0
    for i in range(len(offsets) - 1):
        begin = offsets[i]
        length = offsets[i + 1] - begin
        share[:length, :n_labels] = importance[i] / n_labels
        add_marginals(begin, layout, pair_labels, share[:length], pair_sums, row_sums)
        n_steps += importance[i] * (length - 1)
    arc_sums[:n_labels, :n_labels] += n_steps / n_labels**2


@jit
def _centred_scores(begin, length, layout, pair_labels, weights, gold, n_labels, buffer):
    """Scores of a direction, each row centred over the labels; with `gold`, one for every other label."""
    scores = buffer[:length]
    scores[:, :] = 0.0
    if len(gold) > 0:
        for t in range(length):
            scores[t, :n_labels] = 1.0
            scores[t, gold[begin + t]] = 0.0
    else:
        score_tokens(begin, layout, pair_labels, weights, scores)
    for t in range(length):
        mean = 0.0
        for z in range(n_labels):
            mean += scores[t, z]
        mean /= n_labels
        for z in range(n_labels):
            scores[t, z] -= mean
        for z in range(n_labels, scores.shape[1]):
            scores[t, z] = 0.0
    return scores


@jit
def uniform_covariances(model, direction_model, gold, n_labels, importance, sums):
    """Add the covariance of every feature with a direction, times the importance of its sequence.

    The direction is a weight vector, as token weights and arc table, or, if `gold` has an entry per token, the
    Hamming distance to these labels; the arc table is then zero.
    """
    offsets, layout, pair_labels, _, _ = model
    direction_weights, direction_tables = direction_model
    pair_sums, row_sums, arc_sums = sums
    width = direction_tables[0].shape[1]
    steps = direction_tables[0][:n_labels, :n_labels]
    grand = steps.mean()
    after = np.zeros(width)  # what a step to label z adds, its origin unknown
    before = np.zeros(width)  # what a step from label p adds, its target unknown
    for p in range(n_labels):
        before[p] = steps[p].mean() - grand
        after[p] = steps[:, p].mean() - grand
    buffer = np.empty((np.max(np.diff(offsets)), width))
    left = np.zeros(width)
    entered = np.zeros(width)
    n_steps = 0.0
    n_inner = 0.0
    for i in range(len(offsets) - 1):
        begin = offsets[i]
        length = offsets[i + 1] - begin
        weight = importance[i]
        scores = _centred_scores(begin, length, layout, pair_labels, direction_weights, gold, n_labels, buffer)
        for t in range(length):
            for z in range(n_labels):
                if t > 0:
                    entered[z] += weight * scores[t, z]
                if t < length - 1:
                    left[z] += weight * scores[t, z]
        for t in range(length):
            for z in range(n_labels):
                total = scores[t, z]
                if t > 0:
                    total += after[z]
                if t < length - 1:
                    total += before[z]
                scores[t, z] = weight * total / n_labels
        add_marginals(begin, layout, pair_labels, scores, pair_sums, row_sums)
        n_steps += weight * (length - 1)
        n_inner += weight * max(length - 2, 0)
    for p in range(n_labels):
        for z in range(n_labels):
            total = left[p] + entered[z] + n_steps * (steps[p, z] - grand) + n_inner * (after[p] + before[z])
            arc_sums[p, z] += total / n_labels**2
