"""Covariance of a chain's local features with one direction, by dual numbers."""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit_fast
from weft.structures.chain.loops.passes import forward

__all__ = ["covariance_product"]


@jit_fast
def covariance_product(
    scores, tables, exponentials, workspace, direction, direction_arcs, direction_ends, weight, sums
):
    """Covariance of all local features with one direction, by dual numbers (docs: explanation/one-idea).

    Each forward and backward number carries its derivative: the sum over partial paths of the direction's own
    score. Cost: about three passes, whatever the number of features.

    Parameters
    ----------
    scores, tables, exponentials, workspace, weight
        As in `forward_backward`; `scores` becomes Cov(label at position, direction) times `weight`.
    direction : ndarray of shape (length, width)
        Score of every (position, label) under the direction.
    direction_arcs : ndarray of shape (n_states, width)
    direction_ends : (start, end)
        Arrays of shape (width,).
    sums : (arc_sums, dual_arc_sums)
        Arrays of shape (n_states, width), to be completed by the caller:
        ``exp(arcs) * (dual_arc_sums + direction_arcs * arc_sums)``.

    Returns
    -------
    float
        Expected score under the direction; NaN if the sequence underflowed.
    """
    _, successor, _, _ = tables
    exp_arcs, exp_end = exponentials[0], exponentials[2]
    emission, alpha, scale = workspace
    direction_start, direction_end = direction_ends
    arc_sums, dual_arc_sums = sums
    length, width = scores.shape
    n_states = alpha.shape[1]
    log_partition = forward(scores, exponentials, successor, emission, alpha, scale)
    if np.isnan(log_partition):
        return np.nan
    dual_alpha = np.zeros((length, n_states))
    for z in range(width):
        dual_alpha[0, z] = alpha[0, z] * direction_start[z]
    for t in range(length):
        here = dual_alpha[t]
        if t > 0:
            for s in range(n_states):
                mass = alpha[t - 1, s]
                dual = dual_alpha[t - 1, s]
                base = successor[s]
                for z in range(width):
                    here[base + z] += (dual + mass * direction_arcs[s, z]) * exp_arcs[s, z]
            for base in range(0, n_states, width):
                for z in range(width):
                    here[base + z] *= emission[t, z] * scale[t]
                    if t == length - 1:
                        here[base + z] *= exp_end[z]
        for base in range(0, n_states, width):
            for z in range(width):
                here[base + z] += alpha[t, base + z] * direction[t, z]
                if t == length - 1:
                    here[base + z] += alpha[t, base + z] * direction_end[z]
    mean = dual_alpha[length - 1].sum()
    beta = np.ones(n_states)
    dual_beta = np.zeros(n_states)
    arrival = np.empty(n_states)
    dual_arrival = np.empty(n_states)
    for t in range(length - 1, -1, -1):
        scores[t, :] = 0.0
        for s in range(n_states):
            centred = dual_alpha[t, s] - mean * alpha[t, s]
            scores[t, s % width] += weight * (centred * beta[s] + alpha[t, s] * dual_beta[s])
        if t == 0:
            break
        for base in range(0, n_states, width):
            for z in range(width):
                local = emission[t, z] * scale[t]
                score = direction[t, z]
                if t == length - 1:
                    local *= exp_end[z]
                    score += direction_end[z]
                arrival[base + z] = local * beta[base + z]
                dual_arrival[base + z] = local * dual_beta[base + z] + arrival[base + z] * score
        for s in range(n_states):
            base = successor[s]
            mass = weight * alpha[t - 1, s]
            dual = weight * (dual_alpha[t - 1, s] - mean * alpha[t - 1, s])
            total = 0.0
            dual_total = 0.0
            for z in range(width):
                total += exp_arcs[s, z] * arrival[base + z]
                dual_total += exp_arcs[s, z] * (dual_arrival[base + z] + direction_arcs[s, z] * arrival[base + z])
                arc_sums[s, z] += mass * arrival[base + z]
                dual_arc_sums[s, z] += dual * arrival[base + z] + mass * dual_arrival[base + z]
            beta[s] = total
            dual_beta[s] = dual_total
    return mean
