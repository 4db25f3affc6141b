"""Loops over the sequences of a corpus: score the tokens, run the chain, gather what was asked.

A model is (sequence offsets, token layout, label of each pair, token weights, chain tables), see `ChainBatch`.
"""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit, jit_inline, jit_rows
from weft.structures.chain.loops import passes
from weft.structures.chain.loops.decoding import kbest, viterbi
from weft.structures.chain.loops.tokens import (
    add_loss,
    add_marginals,
    longest_of,
    score_tokens,
    token_size,
    update_pairs,
)


@jit_inline
def _fresh_scores(begin, length, layout, pair_labels, weights, n_labels, buffer):
    scores = buffer[:length]
    for t in range(length):
        for z in range(scores.shape[1]):
            scores[t, z] = 0.0 if z < n_labels else -np.inf
    score_tokens(begin, layout, pair_labels, weights, scores)
    return scores


@jit_inline
def _workspace(longest, width, n_states, dtype):
    return np.empty((longest, width), dtype), np.empty((longest, n_states), dtype), np.empty(longest, np.float64)


@jit_inline
def _collect(begin, scores, layout, pair_labels, n_labels, sums, ends, marginals):
    """Put the label marginals of a sequence where they are wanted."""
    pair_sums, row_sums, _ = sums
    start_sums, end_sums = ends
    length, width = scores.shape
    if len(marginals) > 0:
        for t in range(length):
            for z in range(n_labels):
                marginals[begin + t, z] = scores[t, z]
    else:
        for z in range(width):
            start_sums[z] += scores[0, z]
            end_sums[z] += scores[length - 1, z]
        add_marginals(begin, layout, pair_labels, scores, pair_sums, row_sums)


@jit_rows
def partition_and_mean(model, exponentials, n_labels, sample_weight, sums, ends, log_partitions, marginals):
    """Log partition of each sequence into `log_partitions`; expected features are added to `sums` and `ends`.

    If `marginals` has a row per token, it gets the label probabilities (times the sample weight of the sequence), and
    the sums are left alone. A sequence that scaled probabilities cannot hold gets NaN and is left to
    `partition_and_mean_log`, which is compiled only when it is needed.
    """
    offsets, layout, pair_labels, weights, tables = model
    n_states, width = tables[0].shape
    longest = longest_of(offsets)
    buffer = np.empty((longest, width), np.float64)
    workspace = _workspace(longest, width, n_states, np.float64)
    arc_sums = np.empty((n_states, width), np.float64)
    arc_sums[:] = 0.0  # np.zeros compiles for longer
    for i in range(len(offsets) - 1):
        begin = offsets[i]
        length = offsets[i + 1] - begin
        scores = _fresh_scores(begin, length, layout, pair_labels, weights, n_labels, buffer)
        value = passes.forward_backward(scores, exponentials, workspace, sample_weight[i], arc_sums)
        log_partitions[i] = value
        if not np.isnan(value):
            _collect(begin, scores, layout, pair_labels, n_labels, sums, ends, marginals)
    for s in range(n_states):
        for z in range(width):
            sums[2][s, z] += arc_sums[s, z] * exponentials[0][s, z]


@jit
def partition_and_mean_log(model, n_labels, sample_weight, sums, ends, log_partitions, marginals):
    """`partition_and_mean` in the log domain for the sequences whose log partition is still NaN."""
    offsets, layout, pair_labels, weights, tables = model
    buffer = np.empty((longest_of(offsets), tables[0].shape[1]), np.float64)
    for i in range(len(offsets) - 1):
        if np.isnan(log_partitions[i]):
            begin = offsets[i]
            length = offsets[i + 1] - begin
            scores = _fresh_scores(begin, length, layout, pair_labels, weights, n_labels, buffer)
            log_partitions[i] = passes.forward_backward_log(scores, tables, sample_weight[i], sums[2])
            _collect(begin, scores, layout, pair_labels, n_labels, sums, ends, marginals)


@jit_rows
def log_partitions(model, exponentials, n_labels, values):
    """Log partition of each sequence into `values`; NaN for one that is left to `log_partitions_log`."""
    offsets, layout, pair_labels, weights, tables = model
    n_states, width = tables[0].shape
    longest = longest_of(offsets)
    buffer = np.empty((longest, width), np.float64)
    emission, alpha, scale = _workspace(longest, width, n_states, np.float64)
    for i in range(len(offsets) - 1):
        begin = offsets[i]
        length = offsets[i + 1] - begin
        scores = _fresh_scores(begin, length, layout, pair_labels, weights, n_labels, buffer)
        values[i] = passes.forward(scores, exponentials, exponentials[7], emission, alpha, scale)


@jit
def log_partitions_log(model, n_labels, values):
    """`log_partitions` in the log domain for the sequences whose value is still NaN; -inf if all is forbidden."""
    offsets, layout, pair_labels, weights, tables = model
    n_states, width = tables[0].shape
    longest = longest_of(offsets)
    buffer, beta = np.empty((longest, width), np.float64), np.empty((longest, n_states), np.float64)
    for i in range(len(offsets) - 1):
        if np.isnan(values[i]):
            begin = offsets[i]
            length = offsets[i + 1] - begin
            scores = _fresh_scores(begin, length, layout, pair_labels, weights, n_labels, buffer)
            values[i] = passes.backward_log(scores, tables, beta[:length])


@jit
def _draw(steps, scores, beta, base, total, uniform):
    """Label of a random step, by a number between 0 and 1; `total` is the log of the weights of all steps."""
    chosen = 0
    for z in range(len(scores)):
        share = steps[z] + scores[z] + beta[base + z]
        if share > -np.inf:
            chosen = z
            uniform -= np.exp(share - total)
            if uniform < 0.0:
                break
    return chosen


@jit
def draw_sequences(model, n_labels, uniforms, labels, log_partitions):
    """Random labels of each sequence into the rows of `labels`, one for each number of `uniforms`.

    The log partition of each sequence goes into `log_partitions`; -inf if all is forbidden, then nothing is drawn.
    """
    offsets, layout, pair_labels, weights, tables = model
    arcs, successor, start, _ = tables
    n_states, width = arcs.shape
    longest = longest_of(offsets)
    buffer, beta = np.empty((longest, width), np.float64), np.empty((longest, n_states), np.float64)
    for i in range(len(offsets) - 1):
        begin = offsets[i]
        length = offsets[i + 1] - begin
        scores = _fresh_scores(begin, length, layout, pair_labels, weights, n_labels, buffer)
        log_partitions[i] = passes.backward_log(scores, tables, beta[:length])
        if log_partitions[i] == -np.inf:
            continue
        for k in range(len(labels)):
            state = _draw(start, scores[0], beta[0], 0, log_partitions[i], uniforms[k, begin])
            labels[k, begin] = state
            for t in range(1, length):
                base = successor[state]
                z = _draw(arcs[state], scores[t], beta[t], base, beta[t - 1, state], uniforms[k, begin + t])
                labels[k, begin + t] = z
                state = base + z


@jit_inline
def _stepped_scores(begin, scores, layout, pair_labels, direction, direction_scores, stepped):
    """Scores as real parts, and as imaginary parts a step along the direction and towards labels that are not gold."""
    direction_weights, has_weights, gold, loss, step = direction
    length, width = scores.shape
    along = direction_scores[:length]
    along[:] = 0.0
    if has_weights:
        score_tokens(begin, layout, pair_labels, direction_weights, along)
    if len(gold) > 0:
        add_loss(gold[begin : begin + length], loss, along)
    for t in range(length):
        for z in range(width):
            stepped[t, z] = complex(scores[t, z], step * along[t, z])
    return stepped[:length]


@jit_inline
def _collect_slopes(begin, slopes, step, scores, layout, pair_labels, n_labels, sums, ends):
    """Covariances are imaginary parts over the step; they take the place of the scores."""
    for t in range(scores.shape[0]):
        for z in range(scores.shape[1]):
            scores[t, z] = slopes[t, z].imag / step
    _collect(begin, scores, layout, pair_labels, n_labels, sums, ends, scores[:0])


@jit_rows
def covariance_products(model, exponentials, direction, n_labels, sample_weight, sums, ends, means):
    """Add the covariance of all features with a direction, and put its expected score into `means`.

    Tables and exponentials carry the step in their imaginary parts; `direction` is (token weights, whether any is not
    zero, gold, loss, step). If `gold` has an entry per token, `loss` times the Hamming distance to these labels is
    added to the score. A sequence that scaled probabilities cannot hold gets NaN and is left to
    `covariance_products_log`.
    """
    offsets, layout, pair_labels, weights, tables = model
    step = direction[4]
    n_states, width = tables[0].shape
    longest = longest_of(offsets)
    buffer, direction_scores = np.empty((longest, width), np.float64), np.empty((longest, width), np.float64)
    stepped = np.empty((longest, width), np.complex128)
    workspace = _workspace(longest, width, n_states, np.complex128)
    arc_sums = np.zeros((n_states, width), np.complex128)
    for i in range(len(offsets) - 1):
        begin = offsets[i]
        length = offsets[i + 1] - begin
        scores = _fresh_scores(begin, length, layout, pair_labels, weights, n_labels, buffer)
        slopes = _stepped_scores(begin, scores, layout, pair_labels, direction, direction_scores, stepped)
        value = passes.forward_backward(slopes, exponentials, workspace, sample_weight[i], arc_sums)
        means[i] = np.nan
        if not np.isnan(value.real):
            means[i] = value.imag / step
            _collect_slopes(begin, slopes, step, scores, layout, pair_labels, n_labels, sums, ends)
    for s in range(n_states):
        for z in range(width):
            sums[2][s, z] += (arc_sums[s, z] * exponentials[0][s, z]).imag / step


@jit
def covariance_products_log(model, direction, n_labels, sample_weight, sums, ends, means):
    """`covariance_products` in the log domain for the sequences whose mean is still NaN; -inf if all is forbidden."""
    offsets, layout, pair_labels, weights, tables = model
    step = direction[4]
    n_states, width = tables[0].shape
    longest = longest_of(offsets)
    buffer, direction_scores = np.empty((longest, width), np.float64), np.empty((longest, width), np.float64)
    stepped = np.empty((longest, width), np.complex128)
    arc_sums = np.zeros((n_states, width), np.complex128)
    for i in range(len(offsets) - 1):
        if np.isnan(means[i]):
            begin = offsets[i]
            length = offsets[i + 1] - begin
            scores = _fresh_scores(begin, length, layout, pair_labels, weights, n_labels, buffer)
            slopes = _stepped_scores(begin, scores, layout, pair_labels, direction, direction_scores, stepped)
            value = passes.forward_backward_log(slopes, tables, sample_weight[i], arc_sums)
            means[i] = value.imag / step if value.real > -np.inf else -np.inf
            _collect_slopes(begin, slopes, step, scores, layout, pair_labels, n_labels, sums, ends)
    sums[2][:] += arc_sums.imag / step


@jit
def decode_sequences(model, n_labels, gold, loss, labels, scores_of_best, size):
    """Best labels of each sequence into `labels` (one per token) and their score into `scores_of_best`.

    If `gold` has an entry per token, each label that differs from it scores `loss` more. `size` is that of ties.
    """
    offsets, layout, pair_labels, weights, tables = model
    n_states, width = tables[0].shape
    longest = longest_of(offsets)
    buffer = np.empty((longest, width), np.float64)
    best = np.empty((longest, n_states), np.float64)
    for i in range(len(offsets) - 1):
        begin = offsets[i]
        length = offsets[i + 1] - begin
        scores = _fresh_scores(begin, length, layout, pair_labels, weights, n_labels, buffer)
        if len(gold) > 0:
            add_loss(gold[begin : begin + length], loss, scores)
        scores_of_best[i] = viterbi(scores, tables, best[:length], labels[begin : begin + length], size)


@jit
def token_scores(model, n_labels, scores):
    """Score of every (token, label) into `scores`, padding included."""
    offsets, layout, pair_labels, weights, _ = model
    for t in range(len(scores)):
        for z in range(scores.shape[1]):
            scores[t, z] = 0.0 if z < n_labels else -np.inf
    score_tokens(offsets[0], layout, pair_labels, weights, scores)


@jit
def kbest_sequences(offsets, scores, tables, labels, values, size):
    """The k best labellings of each sequence into `labels` (k, n_tokens), their scores into `values` (n, k)."""
    for i in range(len(offsets) - 1):
        begin, end = offsets[i], offsets[i + 1]
        kbest(scores[begin:end], tables, labels[:, begin:end], values[i], size)


@jit
def score_sequences(model, n_labels, labels, values):
    """Score of the given labels of each sequence into `values`."""
    offsets, layout, pair_labels, weights, tables = model
    arcs, successor, start, end = tables
    width = arcs.shape[1]
    buffer = np.empty((longest_of(offsets), width), np.float64)
    for i in range(len(offsets) - 1):
        begin = offsets[i]
        length = offsets[i + 1] - begin
        scores = _fresh_scores(begin, length, layout, pair_labels, weights, n_labels, buffer)
        state = labels[begin]
        total = start[state] + scores[0, state]
        for t in range(1, length):
            z = labels[begin + t]
            total += arcs[state, z] + scores[t, z]
            state = successor[state] + z
        values[i] = total + end[state % width]


@jit
def _update_path(labels, change, clock, tables, grams, averages):
    """Add `change` to the weight of every label n-gram and boundary of one path, and to the arcs they score."""
    arcs, successor, start, end = tables
    arc_features, feature_offsets, feature_arcs, gram_weights, boundary = grams
    averaged_grams, averaged_start, averaged_end = averages
    width = arcs.shape[1]
    flat_arcs = arcs.reshape(arcs.size)
    state = labels[0]
    if boundary:
        start[state] += change
        averaged_start[state] += clock * change
    for t in range(1, len(labels)):
        z = labels[t]
        for column in range(arc_features.shape[1]):
            feature = arc_features[state * width + z, column]
            if feature >= 0:
                gram_weights[feature] += change
                averaged_grams[feature] += clock * change
                for k in range(feature_offsets[feature], feature_offsets[feature + 1]):
                    flat_arcs[feature_arcs[k]] += change
        state = successor[state] + z
    if boundary:
        end[state % width] += change
        averaged_end[state % width] += clock * change


@jit
def perceptron_pass(order, model, grams, row_mask, n_labels, gold, sample_weight, clock, averages):
    """One pass of the averaged perceptron (Collins 2002) over the sequences in `order`.

    Weights and tables change in place. `averages` has their layout and collects ``clock * change``, with the number of
    steps before as the clock, so that the average of the weights after each step is ``weights - averages / clock`` and
    a step without an error costs nothing.

    Returns
    -------
    clock : float
    n_wrong : int
        Tokens whose label was wrong when they were visited.
    """
    offsets, layout, pair_labels, weights, tables = model
    averaged_weights, averaged_path = averages
    n_states, width = tables[0].shape
    longest = longest_of(offsets)
    buffer = np.empty((longest, width), np.float64)
    best = np.empty((longest, n_states), np.float64)
    predicted = np.empty(longest, dtype=np.int32)
    n_wrong = 0
    size = token_size(weights, tables[0])
    for i in order:
        begin = offsets[i]
        length = offsets[i + 1] - begin
        scores = _fresh_scores(begin, length, layout, pair_labels, weights, n_labels, buffer)
        viterbi(scores, tables, best[:length], predicted[:length], size)
        wrong_here = 0
        for t in range(length):
            if predicted[t] != gold[begin + t]:
                wrong_here += 1
                update_pairs(
                    begin + t,
                    layout,
                    pair_labels,
                    row_mask,
                    gold[begin + t],
                    predicted[t],
                    sample_weight[i],
                    clock,
                    weights,
                    averaged_weights,
                )
        if wrong_here > 0:
            n_wrong += wrong_here
            _update_path(gold[begin : begin + length], sample_weight[i], clock, tables, grams, averaged_path)
            _update_path(predicted[:length], -sample_weight[i], clock, tables, grams, averaged_path)
        clock += 1.0
    return clock, n_wrong
