"""Mean and variance of the score of each sequence over all its outputs, in one pass over the tokens."""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit
from weft.structures.chain.loops.tokens import longest_of, score_tokens


@jit
def uniform_score_moments(offsets, layout, pair_labels, weights, arcs, n_labels, means, variances):
    """Of a fully connected first-order chain, where labels are independent and uniform.

    With the arc table split into ``grand + before[p] + after[z] + rest[p, z]`` all terms are uncorrelated, so that
    variances add: one term per token, and the mean square of `rest` per step.
    """
    width = arcs.shape[1]
    steps = arcs[:n_labels, :n_labels]
    grand = steps.mean()
    before = np.empty(n_labels)
    after = np.empty(n_labels)
    for z in range(n_labels):
        before[z] = steps[z].mean() - grand
        after[z] = steps[:, z].mean() - grand
    rest = 0.0
    for p in range(n_labels):
        for z in range(n_labels):
            rest += (steps[p, z] - grand - before[p] - after[z]) ** 2
    rest /= n_labels**2
    buffer = np.empty((longest_of(offsets), width))
    for i in range(len(offsets) - 1):
        begin = offsets[i]
        length = offsets[i + 1] - begin
        scores = buffer[:length]
        scores[:, :] = 0.0
        score_tokens(begin, layout, pair_labels, weights, scores)
        mean = (length - 1) * grand
        variance = (length - 1) * rest
        for t in range(length):
            centre = scores[t, :n_labels].mean()
            mean += centre
            square = 0.0
            for z in range(n_labels):
                value = scores[t, z] - centre
                if t > 0:
                    value += after[z]
                if t < length - 1:
                    value += before[z]
                square += value * value
            variance += square / n_labels
        means[i] = mean
        variances[i] = variance


@jit
def merge(shares, centres, spreads, state, share, centre, spread):
    """Join a set of partial paths to those of a state; spreads are centred sums of squares."""
    if share > 0.0:
        total = shares[state] + share
        gap = centre - centres[state]
        spreads[state] += spread + gap * gap * shares[state] * share / total
        centres[state] += gap * share / total
        shares[state] = total


@jit
def chain_score_moments(offsets, layout, pair_labels, weights, tables, restricted, n_labels, means, variances):
    """Of any chain: a forward pass with the share, mean score and spread of the paths that end in each state.

    `tables` hold the scores; an arc or boundary that has ``-inf`` in `restricted` is in no output.
    """
    arcs, successor, start, end = tables
    open_arcs, _, open_start, open_end = restricted
    n_states, width = arcs.shape
    buffer = np.empty((longest_of(offsets), width))
    shares = np.zeros(n_states)
    centres = np.zeros(n_states)
    spreads = np.zeros(n_states)
    next_shares = np.zeros(n_states)
    next_centres = np.zeros(n_states)
    next_spreads = np.zeros(n_states)
    total = np.zeros(1)
    total_centre = np.zeros(1)
    total_spread = np.zeros(1)
    for i in range(len(offsets) - 1):
        begin = offsets[i]
        length = offsets[i + 1] - begin
        scores = buffer[:length]
        scores[:, :] = 0.0
        score_tokens(begin, layout, pair_labels, weights, scores)
        shares[:] = 0.0
        spreads[:] = 0.0
        for z in range(n_labels):
            if open_start[z] > -np.inf:
                shares[z] = 1.0
                centres[z] = start[z] + scores[0, z]
        for t in range(1, length):
            next_shares[:] = 0.0
            next_centres[:] = 0.0
            next_spreads[:] = 0.0
            for p in range(n_states):
                if shares[p] > 0.0:
                    for z in range(n_labels):
                        if open_arcs[p, z] > -np.inf:
                            centre = centres[p] + arcs[p, z] + scores[t, z]
                            target = successor[p] + z
                            merge(next_shares, next_centres, next_spreads, target, shares[p], centre, spreads[p])
            # Shares may be rescaled at will, spreads with them; otherwise they overflow in long sequences.
            scale = 1.0 / max(next_shares.sum(), 1e-300)
            shares[:] = next_shares * scale
            centres[:] = next_centres
            spreads[:] = next_spreads * scale
        total[0] = 0.0
        total_centre[0] = 0.0
        total_spread[0] = 0.0
        for p in range(n_states):
            if shares[p] > 0.0 and open_end[p % width] > -np.inf:
                merge(total, total_centre, total_spread, 0, shares[p], centres[p] + end[p % width], spreads[p])
        means[i] = total_centre[0]
        variances[i] = total_spread[0] / total[0] if total[0] > 0.0 else 0.0
