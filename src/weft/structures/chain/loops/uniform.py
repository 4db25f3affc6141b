"""Moments of a fully connected first-order chain under the uniform distribution: no chain to run at all.

Labels are then independent and uniform, so every moment is a count. With token features X the
covariance of the (attribute, label) features is ``X'X (x) (I/h - 11'/h^2)``; a product with it costs one pass over X.
"""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit
from weft.structures.chain.loops.tokens import add_loss, add_marginals, longest_of, score_tokens


@jit
def _centred_scores(begin, length, layout, pair_labels, weights, has_weights, gold, loss, n_labels, buffer):
    """Scores of a direction, `loss` more for labels that are not gold, each row centred; and the sum of the centres."""
    scores = buffer[:length]
    scores[:, :] = 0.0
    if has_weights:
        score_tokens(begin, layout, pair_labels, weights, scores)
    if len(gold) > 0:
        add_loss(gold[begin : begin + length], loss, scores)
    total = 0.0
    for t in range(length):
        mean = 0.0
        for z in range(n_labels):
            mean += scores[t, z]
        mean /= n_labels
        total += mean
        for z in range(n_labels):
            scores[t, z] -= mean
        for z in range(n_labels, scores.shape[1]):
            scores[t, z] = 0.0
    return scores, total


@jit
def uniform_covariances(model, direction_model, gold, loss, n_labels, sample_weight, sums, means):
    """Add the covariance of every feature with a score, times the sample weight of its sequence.

    The score is that of a direction, a weight vector as token weights, whether any of these is not zero, and arc
    table, and, if `gold` has an entry per token, `loss` times the Hamming distance to these labels. Its mean over all
    outputs goes into `means`.
    """
    offsets, layout, pair_labels, _, _ = model
    direction_weights, has_weights, direction_tables = direction_model
    pair_sums, row_sums, arc_sums = sums
    width = direction_tables[0].shape[1]
    steps = direction_tables[0][:n_labels, :n_labels]
    grand = steps.mean()
    after = np.zeros(width)  # what a step to label z adds, its origin unknown
    before = np.zeros(width)  # what a step from label p adds, its target unknown
    for p in range(n_labels):
        before[p] = steps[p].mean() - grand
        after[p] = steps[:, p].mean() - grand
    buffer = np.empty((longest_of(offsets), width))
    left = np.zeros(width)
    entered = np.zeros(width)
    n_steps = 0.0
    n_inner = 0.0
    for i in range(len(offsets) - 1):
        begin = offsets[i]
        length = offsets[i + 1] - begin
        weight = sample_weight[i]
        scores, centre = _centred_scores(
            begin, length, layout, pair_labels, direction_weights, has_weights, gold, loss, n_labels, buffer
        )
        means[i] = centre + (length - 1) * grand
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
