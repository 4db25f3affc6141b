"""Compiled pieces that every pass over a chain of bi-symbols shares.

A *bi-symbol* is an input symbol with its label. A sequence is padded with the boundary bi-symbol; each position has
candidates, the labels seen with its symbol, which are one run of columns of the score matrix. A state of the chain is
one candidate for each of the last ``order - 1`` positions, numbered in mixed radix, the oldest position first, and its
*code* spells the same in bi-symbols. The score of a window of n bi-symbols stands in the row of its first n - 1 and the
column of its last one.

Arguments are tuples of arrays:

* ``candidates``: first bi-symbol of each symbol; label of each bi-symbol, then -1 for the boundary, then the labels of
  a symbol never seen; number of bi-symbols without the boundary.
* ``shape``: order, boundaries before and after a sequence, ``base ** (n - 1)`` for window lengths n, first row of the
  windows of each length (-1 for lengths that do not count).
* ``table``: score matrix, or an empty one and sorted row numbers, left and right factors of a matrix of low rank.
* ``chain``: scores of label steps, first and last labels; without rows if there are none.
* ``tokens``: layout, labels and weights of the sparse features, and whether there are any.
"""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit
from weft.structures.chain.loops.tokens import score_tokens


@jit
def longest_sequence(offsets):
    """Number of tokens of the longest sequence."""
    longest = 0
    for i in range(len(offsets) - 1):
        longest = max(longest, offsets[i + 1] - offsets[i])
    return longest


@jit
def widest_choice(candidates):
    """Largest number of candidates of any position."""
    begins, labels, n_pairs = candidates
    widest = max(1, len(labels) - n_pairs - 1)
    for s in range(len(begins) - 1):
        widest = max(widest, begins[s + 1] - begins[s])
    return widest


@jit
def n_positions(length, shape):
    """Length of a padded sequence."""
    return length + shape[1] + shape[2]


@jit
def lay_out_positions(symbols, candidates, shape, positions, starts):
    """Describe every position of a padded sequence.

    ``positions[:, i]`` gets the number of its candidates, their first column, the stride of their columns, the place of
    their labels, and the number of states; ``starts[i]`` the total number of states before it.
    """
    begins, _, n_pairs = candidates
    order, before, _, _, _ = shape
    n = n_positions(len(symbols), shape)
    n_unknown = len(candidates[1]) - n_pairs - 1
    starts[0] = 0
    for i in range(n):
        t = i - before
        if t < 0 or t >= len(symbols):
            positions[0, i], positions[1, i], positions[2, i], positions[3, i] = 1, n_pairs, 0, n_pairs
        elif symbols[t] < 0:
            # A symbol never seen scores like a boundary, whatever its label.
            positions[0, i], positions[1, i], positions[2, i], positions[3, i] = n_unknown, n_pairs, 0, n_pairs + 1
        else:
            first = begins[symbols[t]]
            positions[0, i], positions[1, i] = begins[symbols[t] + 1] - first, first
            positions[2, i], positions[3, i] = 1, first
        n_states = 1
        for j in range(max(0, i - order + 2), i + 1):
            n_states *= positions[0, j]
        positions[4, i] = n_states
        starts[i + 1] = starts[i] + n_states


@jit
def next_codes(i, positions, starts, shape, codes):
    """Codes of the states of position i from those of the position before."""
    order, _, _, powers, _ = shape
    count, first, stride = positions[0, i], positions[1, i], positions[2, i]
    n_before = positions[4, i - 1] if i > 0 else 1
    n_rest = positions[4, i] // count
    for s in range(n_before - n_rest, n_before):  # the oldest position is forgotten: any of its candidates will do
        code = codes[starts[i - 1] + s] % powers[order - 2] * powers[1] if i > 0 else 0
        for c in range(count):
            codes[starts[i] + (s - n_before + n_rest) * count + c] = code + first + c * stride


@jit
def find_row(row, row_numbers):
    """Place of a row among the sorted numbers of the rows that exist, -1 if it does not."""
    low, high = 0, len(row_numbers)
    while low < high:
        middle = (low + high) // 2
        if row_numbers[middle] < row:
            low = middle + 1
        else:
            high = middle
    return low if low < len(row_numbers) and row_numbers[low] == row else -1


@jit
def fill_transitions(i, positions, labels, chain, shape, length, transitions):
    """Scores of the steps from each candidate of position i - 1 to each one of position i."""
    arcs = chain[0]
    t = i - shape[1]
    n_before = positions[0, i - 1] if i > 0 else 1
    for a in range(n_before):
        for c in range(positions[0, i]):
            transitions[a, c] = 0.0
            if len(arcs) > 0 and 0 < t < length:
                transitions[a, c] = arcs[labels[positions[3, i - 1] + a], labels[positions[3, i] + c]]


@jit
def fill_line(i, code, last, positions, shape, table, transitions, line):
    """Scores of all windows that end at position i, for each candidate there, after the state with this code."""
    order, _, _, powers, row_begins = shape
    matrix, row_numbers, left, right = table
    count, first, stride = positions[0, i], positions[1, i], positions[2, i]
    for c in range(count):
        line[c] = transitions[last, c]
    for length in range(1, min(order, i + 1) + 1):
        if row_begins[length] < 0:
            continue
        row = row_begins[length] + code % powers[length - 1]
        if len(matrix) > 0:
            scores = matrix[row]
            if stride == 1:
                for c in range(count):
                    line[c] += scores[first + c]
            else:
                for c in range(count):
                    line[c] += scores[first]
        else:
            place = find_row(row, row_numbers)
            if place >= 0:
                for c in range(count):
                    value = 0.0
                    for r in range(left.shape[1]):
                        value += left[place, r] * right[first + c * stride, r]
                    line[c] += value


@jit
def window_score(i, code, column, shape, table):
    """Score of all windows that end at position i with the bi-symbol `column`, after a state with this code."""
    order, _, _, powers, row_begins = shape
    matrix, row_numbers, left, right = table
    value = 0.0
    for length in range(1, min(order, i + 1) + 1):
        if row_begins[length] < 0:
            continue
        row = row_begins[length] + code % powers[length - 1]
        if len(matrix) > 0:
            value += matrix[row, column]
        else:
            place = find_row(row, row_numbers)
            if place >= 0:
                for r in range(left.shape[1]):
                    value += left[place, r] * right[column, r]
    return value


@jit
def fill_nodes(begin, length, positions, labels, shape, chain, tokens, gold, cost, scores, nodes):
    """Scores of single candidates: sparse features, first and last labels, and the cost of differing from `gold`."""
    layout, pair_labels, weights, has_tokens = tokens
    before = shape[1]
    if has_tokens:
        scores[:length] = 0.0
        score_tokens(begin, layout, pair_labels, weights, scores[:length])
    for i in range(n_positions(length, shape)):
        t = i - before
        for c in range(positions[0, i]):
            value = 0.0
            if 0 <= t < length:
                label = labels[positions[3, i] + c]
                if has_tokens:
                    value += scores[t, label]
                if len(chain[0]) > 0:
                    if t == 0:
                        value += chain[1][label]
                    if t == length - 1:
                        value += chain[2][label]
                if cost != 0.0 and label != gold[begin + t]:
                    value += cost
            nodes[i, c] = value


@jit
def workspace(offsets, candidates, shape, tokens):
    """What a pass over sequences writes to, with room for the longest one, in numbers of the type of the weights.

    Positions and where their states start, scores of single candidates, of steps between those of two positions, of
    tokens, and one line of scores.
    """
    longest, n_widest = longest_sequence(offsets), widest_choice(candidates)
    n_longest = n_positions(longest, shape)
    dtype = tokens[2][0].dtype
    return (
        np.empty((5, n_longest), dtype=np.int64),
        np.empty(n_longest + 1, dtype=np.int64),
        np.empty((n_longest, n_widest), dtype),
        np.zeros((n_widest, n_widest), dtype),
        np.zeros((longest, tokens[2][1].shape[1]), dtype),
        np.empty(n_widest, dtype),
    )


@jit
def prepare(number, offsets, symbols, candidates, shape, chain, tokens, gold, cost, work):
    """Lay out the positions of a sequence and score its single candidates; its first token, length and positions."""
    positions, starts, nodes, _, scores, _ = work
    begin = offsets[number]
    length = offsets[number + 1] - begin
    lay_out_positions(symbols[begin : begin + length], candidates, shape, positions, starts)
    fill_nodes(begin, length, positions, candidates[1], shape, chain, tokens, gold, cost, scores, nodes)
    return begin, length, n_positions(length, shape)
