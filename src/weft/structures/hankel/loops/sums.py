"""Sums over all labellings of a chain of bi-symbols; arguments as in `windows`.

Passes take real numbers or complex ones, whose imaginary parts are derivatives (`weft.core.complex_step`).
"""

from __future__ import annotations

import numpy as np

from weft.core.complex_step import exponential
from weft.core.jit import jit
from weft.structures.chain.loops.scores import merge
from weft.structures.chain.loops.tokens import add_marginals
from weft.structures.hankel.loops.windows import (
    fill_line,
    fill_transitions,
    find_row,
    next_codes,
    prepare,
    workspace,
)

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
                largest = max(largest, value.real)
        if largest == -np.inf:
            return -np.inf
        here = alpha[starts[i] : starts[i + 1]]
        here[:] = 0.0
        for s in range(n_before):
            mass = alpha[starts[i - 1] + s] if i > 0 else 1.0
            block = here[(s % n_rest) * count : (s % n_rest) * count + count]
            arcs = weights[arc_starts[i] + s * count : arc_starts[i] + (s + 1) * count]
            for c in range(count):
                arcs[c] = exponential(arcs[c] - largest)
                block[c] += mass * arcs[c]
        mass = here.sum()
        if not mass.real > 0.0:
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
    sample_weight,
    log_partitions,
    marginals,
    cells,
    sums,
    ends,
):
    """Log partition of every sequence; marginals into `marginals`, or expected features added to the other arrays.

    `marginals` has a row per token and a column per label, or no row; then `cells` gets the expected windows, and
    `sums` and `ends` the sparse features, all times the sample weight of the sequence. A positive `cost` is added to
    labels that differ from `gold` (softmax margin). Probabilities are scaled to sum one at each position, so a state
    that is behind another by more than a factor e^700 there counts as zero.
    """
    all_labels = candidates[1]
    work = workspace(offsets, candidates, shape, tokens)
    positions, starts, nodes, transitions, scores, line = work
    arc_starts = np.empty_like(starts)
    dtype = nodes.dtype
    node_sums = np.empty_like(line)
    alpha, beta = np.empty(1024, dtype), np.empty(1024, dtype)
    codes = np.empty(1024, dtype=np.int64)
    weights = np.empty(4096, dtype)
    order, before, _, powers, row_begins = shape
    row_numbers = table[1]
    pair_sums, row_sums, arc_sums = sums
    start_sums, end_sums = ends
    for number in range(len(offsets) - 1):
        begin, length, n = prepare(number, offsets, symbols, candidates, shape, chain, tokens, gold, cost, work)
        _arcs(positions, starts, n, arc_starts)
        if starts[n] > len(alpha):
            alpha, beta = np.empty(2 * starts[n], dtype), np.empty(2 * starts[n], dtype)
            codes = np.empty(2 * starts[n], dtype=np.int64)
        if arc_starts[n] > len(weights):
            weights = np.empty(2 * arc_starts[n], dtype)
        buffers = (codes, transitions, line)
        log_partitions[number] = _forward(
            n, length, positions, starts, arc_starts, all_labels, shape, table, chain, nodes, buffers, weights, alpha
        )
        if log_partitions[number].real == -np.inf:
            continue
        share = sample_weight[number]
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
                if i > 0 and (factor * beta[starts[i - 1] + s]).real < NEGLIGIBLE:
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


@jit
def _drawn(shares, first, last, stride, uniform):
    """Place of a random one of some shares, by a number between 0 and 1."""
    total = 0.0
    for s in range(first, last, stride):
        total += shares[s]
    uniform *= total
    chosen = first
    for s in range(first, last, stride):
        if shares[s] > 0.0:
            chosen = s
            uniform -= shares[s]
            if uniform < 0.0:
                break
    return chosen


@jit
def draw(offsets, symbols, candidates, shape, table, chain, tokens, uniforms, labels, log_partitions):
    """Random labels of every sequence into the rows of `labels`, by the numbers of `uniforms`, one per position.

    Log partitions of the sequences go into `log_partitions`; -inf if all is forbidden, then nothing is drawn.
    """
    all_labels = candidates[1]
    work = workspace(offsets, candidates, shape, tokens)
    positions, starts, nodes, transitions, _, line = work
    arc_starts = np.empty_like(starts)
    before = shape[1]
    for number in range(len(offsets) - 1):
        begin, length, n = prepare(number, offsets, symbols, candidates, shape, chain, tokens, symbols, 0.0, work)
        _arcs(positions, starts, n, arc_starts)
        alpha, shares = np.empty(starts[n]), np.empty(starts[n])
        codes, weights = np.empty(starts[n], dtype=np.int64), np.empty(arc_starts[n])
        buffers = (codes, transitions, line)
        log_partitions[number] = _forward(
            n, length, positions, starts, arc_starts, all_labels, shape, table, chain, nodes, buffers, weights, alpha
        )
        if log_partitions[number] == -np.inf:
            continue
        first_uniform = begin + number * (n - length)
        for k in range(len(labels)):
            state = _drawn(alpha, starts[n - 1], starts[n], 1, uniforms[k, first_uniform + n - 1]) - starts[n - 1]
            for i in range(n - 1, -1, -1):
                count = positions[0, i]
                c = state % count
                if 0 <= i - before < length:
                    labels[k, begin + i - before] = all_labels[positions[3, i] + c]
                if i > 0:
                    n_rest = positions[4, i] // count
                    for s in range(state // count, positions[4, i - 1], n_rest):
                        shares[s] = alpha[starts[i - 1] + s] * weights[arc_starts[i] + s * count + c]
                    number_before = positions[4, i - 1]
                    state = _drawn(shares, state // count, number_before, n_rest, uniforms[k, first_uniform + i - 1])


@jit
def score_moments(offsets, symbols, candidates, shape, table, chain, tokens, means, variances):
    """Mean and variance of the score of every sequence over all its labellings, each counting the same.

    A forward pass with the share, mean score and spread of the paths that end in each state.
    """
    all_labels = candidates[1]
    work = workspace(offsets, candidates, shape, tokens)
    positions, starts, nodes, transitions, _, line = work
    total, centre, spread = np.zeros(1), np.zeros(1), np.zeros(1)
    for number in range(len(offsets) - 1):
        _, length, n = prepare(number, offsets, symbols, candidates, shape, chain, tokens, symbols, 0.0, work)
        shares, centres, spreads = np.zeros(starts[n]), np.zeros(starts[n]), np.zeros(starts[n])
        codes = np.empty(starts[n], dtype=np.int64)
        for i in range(n):
            next_codes(i, positions, starts, shape, codes)
            fill_transitions(i, positions, all_labels, chain, shape, length, transitions)
            count = positions[0, i]
            n_before = positions[4, i - 1] if i > 0 else 1
            n_rest = positions[4, i] // count
            for s in range(n_before):
                source = starts[i - 1] + s if i > 0 else 0
                share = shares[source] if i > 0 else 1.0
                if share > 0.0:
                    last = s % positions[0, i - 1] if i > 0 else 0
                    fill_line(i, codes[source] if i > 0 else 0, last, positions, shape, table, transitions, line)
                    for c in range(count):
                        value = line[c] + nodes[i, c]
                        if value > -np.inf:
                            target = starts[i] + (s % n_rest) * count + c
                            here = centres[source] + value if i > 0 else value
                            merge(shares, centres, spreads, target, share, here, spreads[source] if i > 0 else 0.0)
            # Shares may be rescaled at will, spreads with them; otherwise they overflow in long sequences.
            scale = 1.0 / max(shares[starts[i] : starts[i + 1]].sum(), 1e-300)
            shares[starts[i] : starts[i + 1]] *= scale
            spreads[starts[i] : starts[i + 1]] *= scale
        total[0], centre[0], spread[0] = 0.0, 0.0, 0.0
        for s in range(starts[n - 1], starts[n]):
            merge(total, centre, spread, 0, shares[s], centres[s], spreads[s])
        means[number] = centre[0]
        variances[number] = spread[0] / total[0] if total[0] > 0.0 else 0.0
