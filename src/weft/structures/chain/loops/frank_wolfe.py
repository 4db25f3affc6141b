"""One pass of block-coordinate Frank-Wolfe over the sequences of a corpus (Lacoste-Julien et al. 2013)."""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit
from weft.structures.chain.loops.decoding import viterbi
from weft.structures.chain.loops.tokens import add_loss, score_tokens, token_size


@jit
def _gather_difference(begin, layout, pair_labels, difference, scratch, stamps, touched, mark):
    """Map a difference per (token, label) to pairs and rows; return how many of each were touched."""
    row_offsets, rows, row_values, entry_offsets, entries, entry_values = layout
    pair_scratch, row_scratch = scratch
    pair_stamps, row_stamps = stamps
    touched_pairs, touched_rows = touched
    weighted = len(row_values) + len(entry_values) > 0
    n_pairs, n_rows = 0, 0
    for t in range(difference.shape[0]):
        here = difference[t]
        for k in range(row_offsets[begin + t], row_offsets[begin + t + 1]):
            row = rows[k]
            if row_stamps[row] != mark:
                row_stamps[row] = mark
                touched_rows[n_rows] = row
                n_rows += 1
                row_scratch[row] = 0.0
            value = row_values[k] if weighted else 1.0
            for z in range(len(here)):
                row_scratch[row, z] += value * here[z]
        for k in range(entry_offsets[begin + t], entry_offsets[begin + t + 1]):
            j = entries[k]
            if pair_stamps[j] != mark:
                pair_stamps[j] = mark
                touched_pairs[n_pairs] = j
                n_pairs += 1
                pair_scratch[j] = 0.0
            pair_scratch[j] += here[pair_labels[j]] * (entry_values[k] if weighted else 1.0)
    return n_pairs, n_rows


@jit
def _add_path(labels, change, successor, arc_features, width, n_grams, n_labels, boundary, target):
    """Add `change` to the n-grams and boundaries of a path in a vector [n-grams, start, end]."""
    state = labels[0]
    if boundary:
        target[n_grams + labels[0]] += change
        target[n_grams + n_labels + labels[len(labels) - 1]] += change
    for t in range(1, len(labels)):
        z = labels[t]
        for column in range(arc_features.shape[1]):
            feature = arc_features[state * width + z, column]
            if feature >= 0:
                target[feature] += change
        state = successor[state] + z


@jit
def frank_wolfe_pass(order, model, grams, row_mask, n_labels, gold, strength, beliefs):
    """Visit the sequences in `order`: one Frank-Wolfe step with exact line search each.

    Parameters
    ----------
    order : ndarray of int
    model : tuple
        As in `corpus`; its weights and tables change in place.
    grams : (arc_features, feature_offsets, feature_arcs, path_weights, boundary)
        `path_weights` is [n-grams, start, end] and changes in place.
    row_mask : ndarray of bool
    n_labels : int
    gold : ndarray of int32
    strength : ndarray of shape (n_sequences,)
        C times the sample weight of each sequence.
    beliefs : (token_beliefs, path_beliefs, expected_losses)
        Expected outputs under the dual variables: (n_tokens, width), (n_sequences, n_path) and (n_sequences,).

    Returns
    -------
    float
        Sum of the block gaps, each at the weights of its visit: the duality gap once the weights stand still.
    """
    offsets, layout, pair_labels, weights, tables = model
    arcs, successor, start, end = tables
    arc_features, feature_offsets, feature_arcs, path_weights, boundary = grams
    token_beliefs, path_beliefs, expected_losses = beliefs
    pair_weights, row_weights = weights
    n_states, width = arcs.shape
    n_path = len(path_weights)
    n_grams = len(feature_offsets) - 1
    longest = 0
    most_rows, most_entries = 0, 0
    for i in range(len(offsets) - 1):
        longest = max(longest, offsets[i + 1] - offsets[i])
        most_rows = max(most_rows, layout[0][offsets[i + 1]] - layout[0][offsets[i]])
        most_entries = max(most_entries, layout[3][offsets[i + 1]] - layout[3][offsets[i]])
    plain_buffer = np.empty((longest, width))
    buffer = np.empty((longest, width))
    best = np.empty((longest, n_states))
    predicted = np.empty(longest, dtype=np.int32)
    scratch = (np.zeros(len(pair_weights)), np.zeros(row_weights.shape))
    stamps = (np.empty(len(pair_weights), dtype=np.int64), np.empty(len(row_weights), dtype=np.int64))
    stamps[0][:] = -1
    stamps[1][:] = -1
    touched = (np.empty(most_entries, dtype=np.int64), np.empty(most_rows, dtype=np.int64))
    path_difference = np.empty(n_path)
    flat_arcs = arcs.reshape(arcs.size)
    gap_total = 0.0
    size = token_size(weights, arcs)
    for i in order:
        if strength[i] <= 0.0:
            continue
        begin = offsets[i]
        length = offsets[i + 1] - begin
        plain = plain_buffer[:length]
        plain[:, :] = 0.0
        score_tokens(begin, layout, pair_labels, weights, plain)
        scores = buffer[:length]
        for t in range(length):  # number by number, here and below: arrays in one piece take a second to compile
            for z in range(width):
                scores[t, z] = plain[t, z] if z < n_labels else -np.inf
        add_loss(gold[begin : begin + length], 1.0, scores)
        labels = predicted[:length]
        viterbi(scores, tables, best[:length], labels, size)
        # d = E[phi] - phi(predicted), first per token and label, then per n-gram.
        belief = token_beliefs[begin : begin + length]
        difference = scores
        loss, expected_score = 0.0, 0.0
        for t in range(length):
            for z in range(width):
                difference[t, z] = belief[t, z]
            difference[t, labels[t]] -= 1.0
            loss += labels[t] != gold[begin + t]
            for z in range(n_labels):
                expected_score += difference[t, z] * plain[t, z]
        for f in range(n_path):
            path_difference[f] = path_beliefs[i, f]
        _add_path(labels, -1.0, successor, arc_features, width, n_grams, n_labels, boundary, path_difference)
        squared = 0.0
        for f in range(n_path):
            expected_score += path_difference[f] * path_weights[f]
            squared += path_difference[f] ** 2
        n_pairs, n_rows = _gather_difference(begin, layout, pair_labels, difference, scratch, stamps, touched, i)
        for k in range(n_pairs):
            squared += scratch[0][touched[0][k]] ** 2
        for k in range(n_rows):
            row = touched[1][k]
            for z in range(n_labels):
                if row_mask[row, z]:
                    squared += scratch[1][row, z] ** 2
        c = strength[i]
        gap = c * (loss - expected_losses[i] - expected_score)
        gap_total += max(gap, 0.0)
        if gap > 0.0:
            # Without a difference of features nothing but the loss changes, the more the better.
            step = min(gap / (c * c * squared), 1.0) if squared > 0.0 else 1.0
            change = step * c
            for k in range(n_pairs):
                j = touched[0][k]
                pair_weights[j] += change * scratch[0][j]
            for k in range(n_rows):
                row = touched[1][k]
                for z in range(n_labels):
                    if row_mask[row, z]:
                        row_weights[row, z] += change * scratch[1][row, z]
            for f in range(n_path):
                delta = change * path_difference[f]
                if delta != 0.0:
                    path_weights[f] += delta
                    if f < n_grams:
                        for k in range(feature_offsets[f], feature_offsets[f + 1]):
                            flat_arcs[feature_arcs[k]] += delta
                    elif f < n_grams + n_labels:
                        start[f - n_grams] += delta
                    else:
                        end[f - n_grams - n_labels] += delta
            for t in range(length):
                for z in range(width):
                    belief[t, z] *= 1.0 - step
                belief[t, labels[t]] += step
            for f in range(n_path):
                path_beliefs[i, f] -= step * path_difference[f]
            expected_losses[i] += step * (loss - expected_losses[i])
    return gap_total
