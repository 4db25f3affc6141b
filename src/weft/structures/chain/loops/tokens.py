"""Scores of tokens from the weights of (attribute, label) pairs, laid out so that the loops run along memory.

An attribute seen with many labels has a dense row of weights, one per label, added with vector instructions;
an attribute seen with few labels has a short list of pairs. `lay_out_tokens` sorts the attributes of each token
into the two kinds once and spells the short lists out, so that the hot loops have no branch to mispredict:
measured on CoNLL-2000 that is four times faster than looking at each attribute in turn. Weights and sums of so many
attributes do not fit into the nearest caches, so the loops ask for what comes `AHEAD` steps later: a fifth of a fit.
"""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit, jit_fast, jit_inline
from weft.core.prefetch import LINE, prefetch
from weft.core.ties import mean_size

AHEAD = 16
"""Steps by which dense rows and pairs are asked for before they are used; 4 and 8 gain less on CoNLL-2000."""


@jit_inline
def longest_of(offsets):
    """Length of the longest sequence; written out, for np.max(np.diff(...)) takes seconds to compile."""
    longest = 0
    for i in range(len(offsets) - 1):
        longest = max(longest, offsets[i + 1] - offsets[i])
    return longest


@jit
def mark_pairs(token_offsets, attribute_ids, labels, mask):
    """Set ``mask[attribute, label]`` for every pair that occurs at a token."""
    for t in range(len(labels)):
        label = labels[t]
        for k in range(token_offsets[t], token_offsets[t + 1]):
            mask[attribute_ids[k], label] = True


@jit
def missing_pairs(token_offsets, attribute_ids, labels, pair_offsets, pair_labels, n_labels):
    """Pairs of tokens that a chain lacks, as often as they occur: ``attribute * n_labels + label``, and their places.

    The place of a pair is where it would stand among those of the chain, which are sorted.
    """
    codes, places = np.empty(len(attribute_ids), dtype=np.int64), np.empty(len(attribute_ids), dtype=np.int64)
    n_missing, n_known = 0, len(pair_offsets) - 1
    for t in range(len(labels)):
        label = labels[t]
        for k in range(token_offsets[t], token_offsets[t + 1]):
            attribute = np.int64(attribute_ids[k])
            place = end = np.int64(len(pair_labels))
            if attribute < n_known:
                place, end = pair_offsets[attribute], pair_offsets[attribute + 1]
            while place < end and pair_labels[place] < label:
                place += 1
            if place == end or pair_labels[place] != label:
                codes[n_missing], places[n_missing] = attribute * n_labels + label, place
                n_missing += 1
    return codes[:n_missing], places[:n_missing]


@jit
def open_places(pairs, places, result):
    """Numbers of pairs, with room before each of some places, which ascend; what is there stays."""
    begin = 0
    for k in range(len(places)):
        for j in range(begin, places[k]):
            result[j + k] = pairs[j]
        begin = places[k]
    for j in range(begin, len(pairs)):
        result[j + len(places)] = pairs[j]


@jit
def spread_pairs(pairs, pair_offsets, pair_labels, attributes, rows):
    """Numbers of the pairs of some attributes as rows with a column per label, zero where there is no pair."""
    for k in range(len(attributes)):
        row = rows[k]
        for z in range(len(row)):
            row[z] = 0.0
        for j in range(pair_offsets[attributes[k]], pair_offsets[attributes[k] + 1]):
            row[pair_labels[j]] = pairs[j]


@jit
def collect_rows(rows, pair_offsets, pair_labels, attributes, pairs):
    """The way back of `spread_pairs`."""
    for k in range(len(attributes)):
        row = rows[k]
        for j in range(pair_offsets[attributes[k]], pair_offsets[attributes[k] + 1]):
            pairs[j] = row[pair_labels[j]]


@jit
def lay_out_tokens(
    first, last, token_offsets, attribute_ids, values, pair_offsets, dense_row, pair_labels, pairs, width
):
    """Dense rows and pairs of the tokens ``first:last``.

    Returns
    -------
    (row_offsets, rows, row_values, entry_offsets, entries, entry_values)
        Two compressed lists per token: numbers of dense rows, and numbers of single pairs. The value arrays are
        empty when every value is one.
    spread : ndarray of shape (n_rows, width)
        If `width` is not 0, the weights of these rows, one after the other, and then their numbers are those of here.
    """
    n_tokens = last - first
    weighted = len(values) > 0
    row_offsets = np.empty(n_tokens + 1, dtype=np.int64)
    entry_offsets = np.empty(n_tokens + 1, dtype=np.int64)
    row_offsets[0] = entry_offsets[0] = 0
    n_rows = 0
    n_entries = 0
    for t in range(n_tokens):
        for k in range(token_offsets[first + t], token_offsets[first + t + 1]):
            attribute = attribute_ids[k]
            if dense_row[attribute] >= 0:
                n_rows += 1
            else:
                n_entries += pair_offsets[attribute + 1] - pair_offsets[attribute]
        row_offsets[t + 1] = n_rows
        entry_offsets[t + 1] = n_entries
    rows = np.empty(n_rows, dtype=np.int32)
    entries = np.empty(n_entries, dtype=np.int32)
    row_values = np.empty(n_rows if weighted else 0, dtype=np.float64)
    entry_values = np.empty(n_entries if weighted else 0, dtype=np.float64)
    spread = np.zeros((n_rows if width else 0, width), dtype=np.float64)
    row = 0
    entry = 0
    for k in range(token_offsets[first], token_offsets[last]):
        attribute = attribute_ids[k]
        if dense_row[attribute] >= 0:
            rows[row] = row if width else dense_row[attribute]
            if width:
                for j in range(pair_offsets[attribute], pair_offsets[attribute + 1]):
                    spread[row, pair_labels[j]] = pairs[j]
            if weighted:
                row_values[row] = values[k]
            row += 1
        else:
            for j in range(pair_offsets[attribute], pair_offsets[attribute + 1]):
                entries[entry] = j
                if weighted:
                    entry_values[entry] = values[k]
                entry += 1
    return (row_offsets, rows, row_values, entry_offsets, entries, entry_values), spread


@jit_fast
def score_tokens(begin, layout, pair_labels, weights, scores):
    """Add the weight of every (attribute, label) of a run of tokens to ``scores``, one row per token."""
    row_offsets, rows, row_values, entry_offsets, entries, entry_values = layout
    pair_weights, row_weights = weights
    width = scores.shape[1]
    weighted = len(row_values) + len(entry_values) > 0
    last_row, last_entry = len(rows) - 1, len(entries) - 1
    for t in range(scores.shape[0]):
        here = scores[t]
        for k in range(row_offsets[begin + t], row_offsets[begin + t + 1]):
            soon = row_weights[rows[k + AHEAD if k + AHEAD < last_row else last_row]]
            prefetch(soon, 0)
            prefetch(soon, LINE)
            prefetch(soon, 2 * LINE)  # what is left of wider rows comes by itself
            source, value = row_weights[rows[k]], row_values[k] if weighted else 1.0
            for z in range(width):
                here[z] += value * source[z]
        for k in range(entry_offsets[begin + t], entry_offsets[begin + t + 1]):
            j, later = entries[k], entries[k + AHEAD if k + AHEAD < last_entry else last_entry]
            prefetch(pair_labels, later)
            prefetch(pair_weights, later)
            here[pair_labels[j]] += pair_weights[j] * (entry_values[k] if weighted else 1.0)


@jit
def add_loss(gold, loss, scores):
    """Add `loss` to the score of every label of a run of tokens that is not the gold one."""
    for t in range(scores.shape[0]):
        for z in range(scores.shape[1]):
            if z != gold[t]:
                scores[t, z] += loss


@jit
def token_size(weights, arcs):
    """Size of the weights that scores of tokens are sums of, and of steps between labels, for ties."""
    pair_weights, row_weights = weights
    size = max(mean_size(pair_weights), mean_size(arcs.reshape(arcs.size)))
    return max(size, mean_size(row_weights.reshape(row_weights.size)))


@jit_fast
def add_marginals(begin, layout, pair_labels, marginals, pair_sums, row_sums):
    """Transpose of `score_tokens`: add each token's label marginals to the sums of its attributes."""
    row_offsets, rows, row_values, entry_offsets, entries, entry_values = layout
    width = marginals.shape[1]
    weighted = len(row_values) + len(entry_values) > 0
    last_row, last_entry = len(rows) - 1, len(entries) - 1
    for t in range(marginals.shape[0]):
        here = marginals[t]
        for k in range(row_offsets[begin + t], row_offsets[begin + t + 1]):
            soon = row_sums[rows[k + AHEAD if k + AHEAD < last_row else last_row]]
            prefetch(soon, 0)
            prefetch(soon, LINE)
            prefetch(soon, 2 * LINE)  # what is left of wider rows comes by itself
            target, value = row_sums[rows[k]], row_values[k] if weighted else 1.0
            for z in range(width):
                target[z] += value * here[z]
        for k in range(entry_offsets[begin + t], entry_offsets[begin + t + 1]):
            j, later = entries[k], entries[k + AHEAD if k + AHEAD < last_entry else last_entry]
            prefetch(pair_labels, later)
            prefetch(pair_sums, later)
            pair_sums[j] += here[pair_labels[j]] * (entry_values[k] if weighted else 1.0)


@jit
def count_pairs(
    offsets, token_offsets, attribute_ids, values, pair_offsets, pair_labels, labels, sample_weight, counts
):
    """Add the value of every (attribute, given label) pair, times the sample weight of its sequence, to `counts`."""
    weighted = len(values) > 0
    for i in range(len(sample_weight)):
        for t in range(offsets[i], offsets[i + 1]):
            label = labels[t]
            for k in range(token_offsets[t], token_offsets[t + 1]):
                attribute = attribute_ids[k]
                for j in range(pair_offsets[attribute], pair_offsets[attribute + 1]):
                    if pair_labels[j] == label:
                        counts[j] += sample_weight[i] * (values[k] if weighted else 1.0)
                        break


@jit
def count_arcs(offsets, labels, successor, order, sample_weight, arcs, starts, ends):
    """Add the sample weight of each sequence to the arcs between its states and to its first and last label."""
    for i in range(len(sample_weight)):
        state = np.int64(labels[offsets[i]])
        starts[labels[offsets[i]]] += sample_weight[i]
        ends[labels[offsets[i + 1] - 1]] += sample_weight[i]
        for t in range(offsets[i] + 1, offsets[i + 1]):
            label = labels[t]
            arcs[state, label] += sample_weight[i]
            state = np.int64(label) if order == 1 else successor[state] + label


@jit
def sort_entries(columns, values):
    """Put entries in the order of their columns; those of one column stay in theirs, so that sums have one order.

    Runs are merged, twice as long each time; np.argsort takes half a second to compile.
    """
    n = len(columns)
    merged_columns, merged_values = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.float64)
    length = 1
    while length < n:
        for begin in range(0, n, 2 * length):
            left, right = begin, min(begin + length, n)
            middle, end = right, min(begin + 2 * length, n)
            for k in range(begin, end):
                if left < middle and (right == end or columns[left] <= columns[right]):
                    merged_columns[k], merged_values[k] = columns[left], values[left]
                    left += 1
                else:
                    merged_columns[k], merged_values[k] = columns[right], values[right]
                    right += 1
        for k in range(n):
            columns[k], values[k] = merged_columns[k], merged_values[k]
        length *= 2


@jit
def list_features(offsets, tokens, pairs, grams, n_labels, boundary, labels, ends, columns, values):
    """Features of the given labels of each sequence: rising numbers into `columns`, each once, and `values`.

    `tokens` are (offsets, attributes, values), `pairs` (offsets, labels), `grams` (successor, features of each arc,
    number of grams). Those of sequence i end at ``ends[i]``.
    """
    token_offsets, attribute_ids, token_values = tokens
    pair_offsets, pair_labels = pairs
    successor, arc_features, n_grams = grams
    n_pairs, width = len(pair_labels), len(arc_features) // len(successor)
    weighted = len(token_values) > 0
    n_entries = 0
    for i in range(len(offsets) - 1):
        first = n_entries
        state = np.int64(labels[offsets[i]])
        for t in range(offsets[i], offsets[i + 1]):
            label = labels[t]
            for k in range(token_offsets[t], token_offsets[t + 1]):
                attribute = attribute_ids[k]
                for j in range(pair_offsets[attribute], pair_offsets[attribute + 1]):
                    if pair_labels[j] == label:
                        columns[n_entries] = j
                        values[n_entries] = token_values[k] if weighted else 1.0
                        n_entries += 1
                        break
            if t > offsets[i]:
                for k in range(arc_features.shape[1]):
                    feature = arc_features[state * width + label, k]
                    if feature >= 0:
                        columns[n_entries] = n_pairs + feature
                        values[n_entries] = 1.0
                        n_entries += 1
                state = successor[state] + label
        if boundary:
            columns[n_entries] = n_pairs + n_grams + labels[offsets[i]]
            columns[n_entries + 1] = n_pairs + n_grams + n_labels + labels[offsets[i + 1] - 1]
            values[n_entries] = values[n_entries + 1] = 1.0
            n_entries += 2
        sort_entries(columns[first:n_entries], values[first:n_entries])
        last, n_entries = n_entries, first
        for k in range(first, last):
            if n_entries > first and columns[n_entries - 1] == columns[k]:
                values[n_entries - 1] += values[k]
            else:
                columns[n_entries], values[n_entries] = columns[k], values[k]
                n_entries += 1
        ends[i] = n_entries


@jit
def update_pairs(token, layout, pair_labels, row_mask, gold, predicted, sample_weight, clock, weights, totals):
    """Perceptron step at one token: raise the gold label's weights, lower those of the predicted one.

    `row_mask` tells which entries of the dense rows are weights of the model.
    """
    row_offsets, rows, row_values, entry_offsets, entries, entry_values = layout
    pair_weights, row_weights = weights
    pair_totals, row_totals = totals
    weighted = len(row_values) + len(entry_values) > 0
    for k in range(row_offsets[token], row_offsets[token + 1]):
        row = rows[k]
        change = sample_weight * (row_values[k] if weighted else 1.0)
        if row_mask[row, gold]:
            row_weights[row, gold] += change
            row_totals[row, gold] += clock * change
        if row_mask[row, predicted]:
            row_weights[row, predicted] -= change
            row_totals[row, predicted] -= clock * change
    for k in range(entry_offsets[token], entry_offsets[token + 1]):
        j = entries[k]
        change = sample_weight * (entry_values[k] if weighted else 1.0)
        label = pair_labels[j]
        if label == gold:
            pair_weights[j] += change
            pair_totals[j] += clock * change
        elif label == predicted:
            pair_weights[j] -= change
            pair_totals[j] -= clock * change
