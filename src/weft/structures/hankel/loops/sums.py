"""Log partition, marginals and expected windows of a chain of bi-symbols; arguments as in `windows`."""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit
from weft.structures.chain.loops.tokens import add_marginals
from weft.structures.hankel.loops.windows import (
    fill_line,
    fill_nodes,
    fill_transitions,
    find_row,
    lay_out_positions,
    longest_sequence,
    n_positions,
    next_codes,
    widest_choice,
)

__all__ = ["partition_and_mean"]

NEGLIGIBLE = 1e-14
"""States less probable than this are left out of sums."""


@jit
def _arcs(positions, starts, n, arc_starts):
    """Where the arcs of each position begin: one for each state before it and each candidate."""
    arc_starts[0] = 0
    for i in range(n):
        before = positions[4, i - 1] if i > 0 else 1
        arc_starts[i + 1] = arc_starts[i] + before * positions[0, i]


@jit
def _forward(n, length, positions, starts, arc_starts, all_labels, shape, table, chain, nodes, buffers, weights, alpha):
    """Fill `weights` with exp(score - maximum) of every arc, node included, and `alpha` with columns of sum one.

    Returns the log partition, ``-inf`` if every path is forbidden.
    """
    codes, transitions, line = buffers
    total = 0.0
    for i in range(n):
        next_codes(i, positions, starts, shape, codes)
        fill_transitions(i, positions, all_labels, chain, shape, length, transitions)
        count = positions[0, i]
        n_before = positions[4, i - 1] if i > 0 else 1
        n_rest = positions[4, i] // count
        largest = -np.inf
        for s in range(n_before):
            code = codes[starts[i - 1] + s] if i > 0 else 0
            fill_line(i, code, s % positions[0, i - 1] if i > 0 else 0, positions, shape, table, transitions, line)
            for c in range(count):
                value = line[c] + nodes[i, c]
                weights[arc_starts[i] + s * count + c] = value
                largest = max(largest, value)
        if largest == -np.inf:
            return -np.inf
        here = alpha[starts[i] : starts[i + 1]]
        here[:] = 0.0
        for s in range(n_before):
            mass = alpha[starts[i - 1] + s] if i > 0 else 1.0
            block = here[(s % n_rest) * count : (s % n_rest) * count + count]
            arcs = weights[arc_starts[i] + s * count : arc_starts[i] + (s + 1) * count]
            for c in range(count):
                arcs[c] = np.exp(arcs[c] - largest)
                block[c] += mass * arcs[c]
        mass = here.sum()
        if not mass > 0.0:
            return -np.inf
        here /= mass
        total += np.log(mass) + largest
    return total


@jit
def partition_and_mean(
    offsets,
    symbols,
    candidates,
    shape,
    table,
    chain,
    tokens,
    gold,
    cost,
    importance,
    log_partitions,
    marginals,
    cells,
    sums,
    ends,
):
    """Log partition of every sequence; marginals into `marginals`, or expected features added to the other arrays.

    `marginals` has a row per token and a column per label, or no row; then `cells` gets the expected windows, and
    `sums` and `ends` the sparse features, all times the importance of the sequence. A positive `cost` is added to
    labels that differ from `gold` (softmax margin). Probabilities are scaled to sum one at each position, so a state
    that is behind another by more than a factor e^700 there counts as zero.
    """
    all_labels = candidates[1]
    longest = longest_sequence(offsets)
    n_longest = n_positions(longest, shape)
    n_widest = widest_choice(candidates)
    positions = np.empty((5, n_longest), dtype=np.int64)
    starts = np.empty(n_longest + 1, dtype=np.int64)
    arc_starts = np.empty(n_longest + 1, dtype=np.int64)
    nodes = np.empty((n_longest, n_widest))
    transitions = np.zeros((n_widest, n_widest))
    scores = np.zeros((longest, tokens[2][1].shape[1]))
    line = np.empty(n_widest)
    node_sums = np.empty(n_widest)
    alpha, beta = np.empty(1024), np.empty(1024)
    codes = np.empty(1024, dtype=np.int64)
    weights = np.empty(4096)
    order, before, _, powers, row_begins = shape
    row_numbers = table[1]
    pair_sums, row_sums, arc_sums = sums
    start_sums, end_sums = ends
    for number in range(len(offsets) - 1):
        begin = offsets[number]
        length = offsets[number + 1] - begin
        lay_out_positions(symbols[begin : begin + length], candidates, shape, positions, starts)
        fill_nodes(begin, length, positions, all_labels, shape, chain, tokens, gold, cost, scores, nodes)
        n = n_positions(length, shape)
        _arcs(positions, starts, n, arc_starts)
        if starts[n] > len(alpha):
            alpha, beta = np.empty(2 * starts[n]), np.empty(2 * starts[n])
            codes = np.empty(2 * starts[n], dtype=np.int64)
        if arc_starts[n] > len(weights):
            weights = np.empty(2 * arc_starts[n])
        buffers = (codes, transitions, line)
        log_partitions[number] = _forward(
            n, length, positions, starts, arc_starts, all_labels, shape, table, chain, nodes, buffers, weights, alpha
        )
        if log_partitions[number] == -np.inf:
            continue
        share = importance[number]
        scores[:length] = 0.0
        beta[starts[n - 1] : starts[n]] = 1.0
        for i in range(n - 1, -1, -1):
            count = positions[0, i]
            n_before = positions[4, i - 1] if i > 0 else 1
            n_rest = positions[4, i] // count
            t = i - before
            mass = 0.0
            for s in range(n_before):
                arcs = weights[arc_starts[i] + s * count : arc_starts[i] + (s + 1) * count]
                block = beta[starts[i] + (s % n_rest) * count : starts[i] + (s % n_rest) * count + count]
                value = 0.0
                for c in range(count):
                    arcs[c] *= block[c]
                    value += arcs[c]
                source = alpha[starts[i - 1] + s] if i > 0 else 1.0
                if i > 0:
                    beta[starts[i - 1] + s] = value
                mass += source * value
            node_sums[:count] = 0.0
            for s in range(n_before):
                factor = (alpha[starts[i - 1] + s] if i > 0 else 1.0) / mass
                if i > 0 and factor * beta[starts[i - 1] + s] < NEGLIGIBLE:
                    continue  # once a model is sure, that is most states
                arcs = weights[arc_starts[i] + s * count : arc_starts[i] + (s + 1) * count]
                for c in range(count):
                    arcs[c] *= factor
                    node_sums[c] += arcs[c]
                if len(cells) > 0:
                    code = codes[starts[i - 1] + s] if i > 0 else 0
                    for gram in range(1, min(order, i + 1) + 1):
                        if row_begins[gram] < 0:
                            continue
                        row = row_begins[gram] + code % powers[gram - 1]
                        if len(row_numbers) > 0:
                            row = find_row(row, row_numbers)
                        if row >= 0:
                            _add_line(arcs, share, positions[1, i], positions[2, i], cells[row])
                if 0 < t < length and len(arc_sums) > 0 and len(chain[0]) > 0:
                    label = all_labels[positions[3, i - 1] + s % positions[0, i - 1]]
                    for c in range(count):
                        arc_sums[label, all_labels[positions[3, i] + c]] += share * arcs[c]
            if i > 0:
                beta[starts[i - 1] : starts[i - 1] + n_before] /= mass
            if 0 <= t < length:
                for c in range(count):
                    scores[t, all_labels[positions[3, i] + c]] = node_sums[c]
        if len(marginals) > 0:
            marginals[begin : begin + length] = scores[:length, : marginals.shape[1]]
        else:
            scores[:length] *= share
            start_sums += scores[0]
            end_sums += scores[length - 1]
            if tokens[3]:
                add_marginals(begin, tokens[0], tokens[1], scores[:length], pair_sums, row_sums)


@jit
def _add_line(arcs, share, first, stride, cells):
    if stride == 1:
        for c in range(len(arcs)):
            cells[first + c] += share * arcs[c]
    else:
        for c in range(len(arcs)):
            cells[first] += share * arcs[c]
