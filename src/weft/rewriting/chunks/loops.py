"""Compiled loops over the lattices of chunk alignments.

A pair of sequences of n and m symbols has a lattice of (n + 1)(m + 1) cells; a step (a, b) consumes a input and b
output symbols and is scored by the number of its chunk pair. Words are ``(inputs, input_offsets, outputs,
output_offsets)``: `inputs[a - 1, t]` is the number of the chunk of a symbols that begins at t, -1 where the sequence
ends before; row b of `outputs` has chunks of b symbols, row 0 the empty one.
"""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit, jit_inline
from weft.core.ties import TIE_TOLERANCE, larger_size

LEAST_LOG = -1000.0
"""A chunk pair whose probability sank to zero in this arithmetic stays possible, with this logarithm."""
WIDEST = 600.0
"""Most by which the best way to a row times the best way from one may exceed the likelihood, as a logarithm. Rows lose
what is less than e^-708 of their largest cell; e^-108 of the likelihood is nothing."""
SAME = 1e-9
"""Two sums of the same numbers differ by less, relatively."""
NOTHING_BESIDE, LOG_OF_ZERO = 40.0, -745.0
"""Exponentials of logarithms so much smaller than another add nothing to it; of those below the second are zero."""


@jit_inline
def _slot(key, mask):
    mixed = key * np.int64(-7046029254386353131)
    return (mixed ^ (mixed >> np.int64(29))) & mask


@jit
def insert_keys(keys, table_keys, table_numbers):
    """Fill an open-addressing table with the keys, numbered by their place."""
    mask = np.int64(len(table_keys) - 1)
    for number in range(len(keys)):
        place = _slot(keys[number], mask)
        while table_keys[place] >= 0:
            place = (place + 1) & mask
        table_keys[place] = keys[number]
        table_numbers[place] = number


@jit_inline
def _number(key, table_keys, table_numbers):
    mask = np.int64(len(table_keys) - 1)
    place = _slot(key, mask)
    while table_keys[place] != key:
        if table_keys[place] < 0:
            return np.int32(-1)
        place = (place + 1) & mask
    return table_numbers[place]


@jit_inline
def _mark_reachable(n, m, steps, reachable):
    """Cells that lie on a path from (0, 0) to (n, m); True if there is a path."""
    for i in range(n + 1):
        for j in range(m + 1):
            reachable[i, j] = False
    reachable[n, m] = True
    for i in range(n - 1, -1, -1):
        for j in range(m, -1, -1):
            for k in range(len(steps)):
                a, b = steps[k, 0], steps[k, 1]
                if i + a <= n and j + b <= m and reachable[i + a, j + b]:
                    reachable[i, j] = True
    return reachable[0, 0]


@jit
def is_possible(input_offsets, output_offsets, steps, possible):
    """Whether each pair of sequences has an alignment by the steps."""
    longest_input, longest_output = 0, 0
    for w in range(len(possible)):
        longest_input = max(longest_input, input_offsets[w + 1] - input_offsets[w])
        longest_output = max(longest_output, output_offsets[w + 1] - output_offsets[w])
    table = np.zeros((longest_input + 1, longest_output + 1), dtype=np.bool_)
    known = np.zeros((longest_input + 1, longest_output + 1), dtype=np.bool_)
    reachable = np.empty((longest_input + 1, longest_output + 1), dtype=np.bool_)
    for w in range(len(possible)):
        n = input_offsets[w + 1] - input_offsets[w]
        m = output_offsets[w + 1] - output_offsets[w]
        if not known[n, m]:
            known[n, m] = True
            table[n, m] = _mark_reachable(n, m, steps, reachable)
        possible[w] = table[n, m]


@jit
def collect_pairs(words, steps, n_outputs, first, table_keys, n_known):
    """Put the keys of all chunk pairs of the words from `first` on into a table, until it is half full.

    Returns
    -------
    (next word, number of keys)
    """
    inputs, input_offsets, outputs, output_offsets = words
    mask = np.int64(len(table_keys) - 1)
    n_words = len(input_offsets) - 1
    for w in range(first, n_words):
        begin, out_begin = input_offsets[w], output_offsets[w]
        n, m = input_offsets[w + 1] - begin, output_offsets[w + 1] - out_begin
        if 2 * (n_known + (n + 1) * (m + 1) * len(steps)) > len(table_keys):
            return w, n_known
        for i in range(n):
            for k in range(len(steps)):
                a, b = steps[k, 0], steps[k, 1]
                if i + a > n:
                    continue
                base = np.int64(inputs[a - 1, begin + i]) * n_outputs
                for j in range(m + 1 - b):
                    key = base + (outputs[b, out_begin + j] if b > 0 else 0)
                    place = _slot(key, mask)
                    while table_keys[place] != key:
                        if table_keys[place] < 0:
                            table_keys[place] = key
                            n_known += 1
                            break
                        place = (place + 1) & mask
    return n_words, n_known


@jit_inline
def _edge_numbers(words, w, n, m, steps, n_outputs, table, numbers):
    """Number of the chunk pair of each step from each cell; -1 where there is none."""
    inputs, input_offsets, outputs, output_offsets = words
    table_keys, table_numbers = table
    begin, out_begin = input_offsets[w], output_offsets[w]
    for i in range(n):
        for k in range(len(steps)):
            a, b = steps[k, 0], steps[k, 1]
            base = np.int64(inputs[a - 1, begin + i]) * n_outputs if i + a <= n else np.int64(-1)
            for j in range(m + 1):
                number = np.int32(-1)
                if base >= 0 and j + b <= m:
                    number = _number(base + (outputs[b, out_begin + j] if b > 0 else 0), table_keys, table_numbers)
                numbers[i, j, k] = number


@jit
def number_edges(words, steps, n_outputs, table, starts, numbers):
    """The same for all words, one after the other from `starts` on."""
    _, input_offsets, _, output_offsets = words
    for w in range(len(input_offsets) - 1):
        n, m = input_offsets[w + 1] - input_offsets[w], output_offsets[w + 1] - output_offsets[w]
        own = numbers[starts[w] : starts[w + 1]].reshape((n, m + 1, len(steps)))
        _edge_numbers(words, w, n, m, steps, n_outputs, table, own)


@jit_inline
def _edge_weights(n, m, numbers, probabilities, weights):
    """Probability of the chunk pair of each step from each cell; 0 where there is none."""
    for i in range(n):
        for j in range(m + 1):
            for k in range(numbers.shape[2]):
                number = numbers[i, j, k]
                weights[i, j, k] = probabilities[number] if number >= 0 else 0.0


@jit_inline
def _scaled_backward(n, m, steps, weights, backward, backward_log):
    """Probability of all ways from each cell to the end; every row in units of its largest, whose log is kept."""
    n_steps = len(steps)
    for j in range(m + 1):
        backward[n, j] = 0.0
    backward[n, m] = 1.0
    backward_log[n] = 0.0
    for i in range(n - 1, -1, -1):
        row = backward[i]
        for j in range(m + 1):
            row[j] = 0.0
        reference = backward_log[i + 1]
        for k in range(n_steps):
            a, b = steps[k, 0], steps[k, 1]
            if i + a > n:
                continue
            factor = 1.0 if a == 1 else np.exp(backward_log[i + a] - reference)
            for j in range(m + 1 - b):
                row[j] += factor * weights[i, j, k] * backward[i + a, j + b]
        largest = 0.0
        for j in range(m + 1):
            largest = max(largest, row[j])
        if largest > 0.0:
            for j in range(m + 1):
                row[j] /= largest
            backward_log[i] = reference + np.log(largest)
        else:
            backward_log[i] = reference


@jit_inline
def _scaled_forward(n, m, steps, weights, forward, forward_log):
    """Probability of all ways to each cell, likewise; a row that no way leads to has the log -inf."""
    n_steps = len(steps)
    for i in range(n + 1):
        for j in range(m + 1):
            forward[i, j] = 0.0
        forward_log[i] = -np.inf
    forward[0, 0] = 1.0
    forward_log[0] = 0.0
    for i in range(n + 1):
        largest = 0.0
        for j in range(m + 1):
            largest = max(largest, forward[i, j])
        if not largest > 0.0:
            forward_log[i] = -np.inf
            continue
        for j in range(m + 1):
            forward[i, j] /= largest
        scale = forward_log[i] + np.log(largest)
        forward_log[i] = scale
        for k in range(n_steps):
            a, b = steps[k, 0], steps[k, 1]
            if i + a > n:
                continue
            target = forward[i + a]
            ahead = 1.0
            if forward_log[i + a] == -np.inf:
                forward_log[i + a] = scale
            else:
                ahead = np.exp(scale - forward_log[i + a])
            for j in range(m + 1 - b):
                flow = forward[i, j] * weights[i, j, k]
                if flow > 0.0:
                    target[j + b] += ahead * flow


@jit_inline
def _is_within_numbers(n, m, steps, forward, forward_log, backward, backward_log):
    """Whether nothing that counts has sunk below the smallest number in the two passes.

    What is lost at row i is at most F(i) B(i + a) tiny of the likelihood L, where F and B are the largest of the
    rows. Both passes find L, so that a loss in one of them alone shows in their difference.
    """
    if not (backward[0, 0] > 0.0 and forward[n, m] > 0.0):
        return False
    log_likelihood = backward_log[0] + np.log(backward[0, 0])
    other = forward_log[n] + np.log(forward[n, m])
    if not abs(other - log_likelihood) <= SAME * max(1.0, abs(log_likelihood)):
        return False
    for i in range(n + 1):
        if not forward_log[i] + backward_log[i] - log_likelihood <= WIDEST:
            return False
        for k in range(len(steps)):
            ahead = i + steps[k, 0]
            if ahead <= n and not forward_log[i] + backward_log[ahead] - log_likelihood <= WIDEST:
                return False
    return True


@jit_inline
def _log_sum(terms):
    """Logarithm of the sum of exponentials."""
    largest = -np.inf
    for k in range(len(terms)):
        largest = max(largest, terms[k])
    if largest == -np.inf:
        return largest
    total = 0.0
    for k in range(len(terms)):
        if terms[k] > largest - NOTHING_BESIDE:
            total += np.exp(terms[k] - largest)
    return largest + np.log(total)


@jit
def log_space_counts(n, m, steps, numbers, probabilities, least, sample_weight, weights, forward, backward, counts):
    """Add the expected counts of one pair in logarithms, which no length makes too small; its log-likelihood.

    No chunk pair has a logarithm below `least`. The arrays are room to work in.
    """
    n_steps = len(steps)
    terms = np.empty(n_steps)
    for i in range(n):
        for j in range(m + 1):
            for k in range(n_steps):
                number = numbers[i, j, k]
                weights[i, j, k] = max(np.log(probabilities[number]), least) if number >= 0 else -np.inf
    for i in range(n, -1, -1):
        for j in range(m, -1, -1):
            if i == n:
                backward[i, j] = 0.0 if j == m else -np.inf
                continue
            for k in range(n_steps):
                a, b = steps[k, 0], steps[k, 1]
                inside = i + a <= n and j + b <= m
                terms[k] = weights[i, j, k] + backward[i + a, j + b] if inside else -np.inf
            backward[i, j] = _log_sum(terms)
    log_likelihood = backward[0, 0]
    if log_likelihood == -np.inf:
        return log_likelihood
    for i in range(n + 1):
        for j in range(m + 1):
            if i == 0:
                forward[i, j] = 0.0 if j == 0 else -np.inf
                continue
            for k in range(n_steps):
                before, above = i - steps[k, 0], j - steps[k, 1]
                inside = before >= 0 and above >= 0
                terms[k] = forward[before, above] + weights[before, above, k] if inside else -np.inf
            forward[i, j] = _log_sum(terms)
    for i in range(n):
        for j in range(m + 1):
            for k in range(n_steps):
                a, b = steps[k, 0], steps[k, 1]
                if i + a <= n and j + b <= m:
                    # The logarithm of a probability: rounding alone lifts it above zero.
                    posterior = forward[i, j] + weights[i, j, k] + backward[i + a, j + b] - log_likelihood
                    if posterior > LOG_OF_ZERO:
                        counts[numbers[i, j, k]] += sample_weight * np.exp(min(posterior, 0.0))
    return log_likelihood


@jit
def expected_counts(words, steps, n_outputs, table, known, probabilities, sample_weight, longest, counts):
    """Add the expected count of each chunk pair to `counts`; the log-likelihood of the words.

    `known` is what `number_edges` fills, (starts, numbers), or has no numbers: then they are looked up again.
    Every row of cells is scaled by its largest value. In long pairs the cells that count may be too small beside that;
    such pairs are counted in logarithms. There a pair has a likelihood even if each of its alignments has a chunk
    pair whose probability sank to zero.
    """
    _, input_offsets, _, output_offsets = words
    longest_input, longest_output = longest
    n_steps = len(steps)
    starts, known_numbers = known
    room = np.empty(0 if len(known_numbers) else longest_input * (longest_output + 1) * n_steps, dtype=np.int32)
    weights = np.empty((longest_input, longest_output + 1, n_steps))
    forward = np.empty((longest_input + 1, longest_output + 1))
    backward = np.empty((longest_input + 1, longest_output + 1))
    forward_log = np.empty(longest_input + 1)
    backward_log = np.empty(longest_input + 1)
    total = 0.0
    for w in range(len(input_offsets) - 1):
        weight = sample_weight[w]
        if weight == 0.0:
            continue
        n = input_offsets[w + 1] - input_offsets[w]
        m = output_offsets[w + 1] - output_offsets[w]
        if len(known_numbers):
            numbers = known_numbers[starts[w] : starts[w + 1]].reshape((n, m + 1, n_steps))
        else:
            numbers = room[: n * (m + 1) * n_steps].reshape((n, m + 1, n_steps))
            _edge_numbers(words, w, n, m, steps, n_outputs, table, numbers)
        _edge_weights(n, m, numbers, probabilities, weights)
        _scaled_backward(n, m, steps, weights, backward, backward_log)
        _scaled_forward(n, m, steps, weights, forward, forward_log)
        if not _is_within_numbers(n, m, steps, forward, forward_log, backward, backward_log):
            log_likelihood = -np.inf
            for least in (-np.inf, LEAST_LOG):
                if log_likelihood == -np.inf:
                    log_likelihood = log_space_counts(
                        n, m, steps, numbers, probabilities, least, weight, weights, forward, backward, counts
                    )  # fmt: skip
            total += weight * log_likelihood
            continue
        log_likelihood = backward_log[0] + np.log(backward[0, 0])
        total += weight * log_likelihood
        for i in range(n):
            if forward_log[i] == -np.inf:
                continue
            for k in range(n_steps):
                a, b = steps[k, 0], steps[k, 1]
                if i + a > n:
                    continue
                posterior = weight * np.exp(forward_log[i] + backward_log[i + a] - log_likelihood)
                for j in range(m + 1 - b):
                    flow = forward[i, j] * weights[i, j, k]
                    if flow > 0.0:
                        counts[numbers[i, j, k]] += posterior * flow * backward[i + a, j + b]
    return total


@jit
def best_steps(words, steps, n_outputs, table, log_probabilities, longest, chosen, scores):
    """Number of the step that begins at each input symbol on the best path into `chosen`, -1 inside a chunk."""
    _, input_offsets, _, output_offsets = words
    longest_input, longest_output = longest
    n_steps = len(steps)
    numbers = np.empty((longest_input, longest_output + 1, n_steps), dtype=np.int32)
    weights = np.empty((longest_input, longest_output + 1, n_steps))
    best = np.empty((longest_input + 1, longest_output + 1))
    for w in range(len(input_offsets) - 1):
        begin = input_offsets[w]
        n = input_offsets[w + 1] - begin
        m = output_offsets[w + 1] - output_offsets[w]
        _edge_numbers(words, w, n, m, steps, n_outputs, table, numbers)
        _edge_weights(n, m, numbers, log_probabilities, weights)
        for j in range(m + 1):
            best[n, j] = -np.inf
        best[n, m] = 0.0
        for i in range(n - 1, -1, -1):
            for j in range(m + 1):
                value = -np.inf
                for k in range(n_steps):
                    a, b = steps[k, 0], steps[k, 1]
                    if numbers[i, j, k] >= 0:
                        value = max(value, weights[i, j, k] + best[i + a, j + b])
                best[i, j] = value
        scores[w] = best[0, 0]
        tolerance = TIE_TOLERANCE * larger_size(0.0, best[0, 0])
        i, j = 0, 0
        while i < n:
            where = 0
            for k in range(n_steps):
                if numbers[i, j, k] >= 0:
                    through = weights[i, j, k] + best[i + steps[k, 0], j + steps[k, 1]]
                    if through > -np.inf and through >= best[i, j] - tolerance:
                        where = k
                        break
            chosen[begin + i] = where
            for inside in range(1, steps[where, 0]):
                chosen[begin + i + inside] = -1
            i, j = i + steps[where, 0], j + steps[where, 1]
