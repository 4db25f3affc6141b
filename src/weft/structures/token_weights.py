"""Weights of (attribute, label) pairs, laid out so that scoring a token runs along memory.

An attribute seen with many labels gets a dense row of weights, one per label, added with vector
instructions; an attribute seen with few labels keeps a short list of (label, weight). Rare attributes,
which are most of a vocabulary, cost as little memory as in a sparse matrix; frequent ones, which are most
of the running text, cost as little time as in a dense one.
"""

from __future__ import annotations

from weft.core.jit import jit, jit_fast

__all__ = ["add_marginals", "count_pairs", "mark_pairs", "score_tokens", "update_pairs"]


@jit
def mark_pairs(token_offsets, attribute_ids, labels, mask):
    """Set ``mask[attribute, label]`` for every pair that occurs at a token."""
    for t in range(len(labels)):
        label = labels[t]
        for k in range(token_offsets[t], token_offsets[t + 1]):
            mask[attribute_ids[k], label] = True


@jit_fast
def score_tokens(begin, tokens, pairs, weights, scores):
    """Add the weight of every (attribute, label) of a run of tokens to ``scores``, one row per token."""
    token_offsets, attribute_ids, values = tokens
    pair_offsets, pair_labels, dense_row = pairs
    pair_weights, rows = weights
    width = scores.shape[1]
    weighted = len(values) > 0
    for t in range(scores.shape[0]):
        here = scores[t]
        for k in range(token_offsets[begin + t], token_offsets[begin + t + 1]):
            attribute = attribute_ids[k]
            row = dense_row[attribute]
            if weighted:
                value = values[k]
                if row >= 0:
                    source = rows[row]
                    for z in range(width):
                        here[z] += value * source[z]
                else:
                    for j in range(pair_offsets[attribute], pair_offsets[attribute + 1]):
                        here[pair_labels[j]] += value * pair_weights[j]
            elif row >= 0:
                source = rows[row]
                for z in range(width):
                    here[z] += source[z]
            else:
                for j in range(pair_offsets[attribute], pair_offsets[attribute + 1]):
                    here[pair_labels[j]] += pair_weights[j]


@jit_fast
def add_marginals(begin, tokens, pairs, marginals, sums, row_sums):
    """Transpose of `score_tokens`: add each token's label marginals to the sums of its attributes."""
    token_offsets, attribute_ids, values = tokens
    pair_offsets, pair_labels, dense_row = pairs
    width = marginals.shape[1]
    weighted = len(values) > 0
    for t in range(marginals.shape[0]):
        here = marginals[t]
        for k in range(token_offsets[begin + t], token_offsets[begin + t + 1]):
            attribute = attribute_ids[k]
            row = dense_row[attribute]
            if weighted:
                value = values[k]
                if row >= 0:
                    target = row_sums[row]
                    for z in range(width):
                        target[z] += value * here[z]
                else:
                    for j in range(pair_offsets[attribute], pair_offsets[attribute + 1]):
                        sums[j] += value * here[pair_labels[j]]
            elif row >= 0:
                target = row_sums[row]
                for z in range(width):
                    target[z] += here[z]
            else:
                for j in range(pair_offsets[attribute], pair_offsets[attribute + 1]):
                    sums[j] += here[pair_labels[j]]


@jit
def count_pairs(token_offsets, attribute_ids, values, pair_offsets, pair_labels, labels, importance, counts):
    """Add the value of every (attribute, given label) pair, times the token's importance, to `counts`."""
    weighted = len(values) > 0
    for t in range(len(labels)):
        label = labels[t]
        for k in range(token_offsets[t], token_offsets[t + 1]):
            attribute = attribute_ids[k]
            for j in range(pair_offsets[attribute], pair_offsets[attribute + 1]):
                if pair_labels[j] == label:
                    counts[j] += importance[t] * (values[k] if weighted else 1.0)
                    break


@jit
def update_pairs(token, tokens, pairs, gold, predicted, importance, clock, weights, averaged_weights):
    """Perceptron step at one token: raise the gold label's weights, lower those of the predicted one."""
    token_offsets, attribute_ids, values = tokens
    pair_offsets, pair_labels, dense_row = pairs
    pair_weights, rows = weights
    averaged_pairs, averaged_rows = averaged_weights
    weighted = len(values) > 0
    for k in range(token_offsets[token], token_offsets[token + 1]):
        attribute = attribute_ids[k]
        change = importance * (values[k] if weighted else 1.0)
        row = dense_row[attribute]
        for j in range(pair_offsets[attribute], pair_offsets[attribute + 1]):
            label = pair_labels[j]
            if label == gold:
                delta = change
            elif label == predicted:
                delta = -change
            else:
                continue
            if row >= 0:
                rows[row, label] += delta
                averaged_rows[row, label] += clock * delta
            else:
                pair_weights[j] += delta
                averaged_pairs[j] += clock * delta
