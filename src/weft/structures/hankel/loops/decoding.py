"""Best labellings of a chain of bi-symbols of any order; arguments as in `weft.structures.hankel.loops.windows`."""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit
from weft.core.ties import TIE_TOLERANCE, insert_ranked, larger_size
from weft.structures.chain.loops.tokens import score_tokens, token_size
from weft.structures.hankel.loops.windows import (
    fill_line,
    fill_transitions,
    find_row,
    longest_sequence,
    n_positions,
    next_codes,
    prepare,
    window_score,
    workspace,
)


@jit
def _raise_maxima(i, positions, starts, codes, shape, table, transitions, has_steps, line, best):
    """Best score of any path into each state of position i > 0, before the scores of its own candidate."""
    order, _, _, _, row_begins = shape
    matrix = table[0]
    count, first, stride = positions[0, i], positions[1, i], positions[2, i]
    n_rest = positions[4, i] // count
    n_last = positions[0, i - 1]
    here = best[starts[i] : starts[i + 1]]
    here[:] = -np.inf
    single = len(matrix) > 0 and stride == 1 and i + 1 >= order
    for length in range(1, order):
        single = single and row_begins[length] < 0
    s = starts[i - 1]
    last = 0
    columns = here.reshape((n_rest, count))
    while s < starts[i]:
        if single and n_rest == n_last and codes[s + n_rest - 1] - codes[s] == n_rest - 1:
            # The rows of the states that differ in their last label alone are neighbours: one block of the matrix.
            row = row_begins[order] + codes[s]
            scores_block = matrix[row : row + n_rest, first : first + count]
            values = best[s : s + n_rest]
            for rest in range(n_rest):
                value = values[rest]
                if has_steps:
                    for c in range(count):
                        candidate = value + (scores_block[rest, c] + transitions[rest, c])
                        columns[rest, c] = candidate if candidate > columns[rest, c] else columns[rest, c]
                else:
                    for c in range(count):
                        candidate = value + scores_block[rest, c]
                        columns[rest, c] = candidate if candidate > columns[rest, c] else columns[rest, c]
            s += n_rest
            continue
        for rest in range(n_rest):
            block = here[rest * count : rest * count + count]
            value = best[s]
            if single:  # the common case, without a copy: windows of one length in a whole matrix
                scores = matrix[row_begins[order] + codes[s], first : first + count]
                if has_steps:
                    steps = transitions[last]
                    for c in range(count):
                        candidate = value + (scores[c] + steps[c])
                        block[c] = candidate if candidate > block[c] else block[c]
                else:
                    for c in range(count):
                        candidate = value + scores[c]
                        block[c] = candidate if candidate > block[c] else block[c]
            else:
                fill_line(i, codes[s], last, positions, shape, table, transitions, line)
                for c in range(count):
                    candidate = value + line[c]
                    block[c] = candidate if candidate > block[c] else block[c]
            s += 1
            last = last + 1 if last + 1 < n_last else 0


@jit
def _largest(values):
    """Largest of some scores; four at a time, because each comparison waits for the one before."""
    n = len(values) // 4 * 4
    first, second, third, fourth = -np.inf, -np.inf, -np.inf, -np.inf
    for s in range(0, n, 4):
        first = values[s] if values[s] > first else first
        second = values[s + 1] if values[s + 1] > second else second
        third = values[s + 2] if values[s + 2] > third else third
        fourth = values[s + 3] if values[s + 3] > fourth else fourth
    for s in range(n, len(values)):
        first = values[s] if values[s] > first else first
    return max(max(first, second), max(third, fourth))


@jit
def decode(offsets, sequences, symbols, candidates, shape, table, chain, tokens, gold, cost, predicted, values):
    """Best labels of the given sequences into `predicted`, their scores into `values`, ``-inf`` if none is allowed.

    With a positive `cost` each label that differs from `gold` scores that much more: the loss-augmented decoding of
    the margin (SP section 2.4). Ties (`weft.core.ties`) go to the candidate that comes first, the more frequent one.
    """
    all_labels = candidates[1]
    work = workspace(offsets, candidates, shape, tokens)
    positions, starts, nodes, transitions, _, line = work
    size_of_weights = token_size(tokens[2], chain[0]) if tokens[3] else 0.0
    best = np.empty(1024)
    codes = np.empty(1024, dtype=np.int64)
    for number in sequences:
        begin, length, n = prepare(number, offsets, symbols, candidates, shape, chain, tokens, gold, cost, work)
        if starts[n] > len(best):
            best = np.empty(2 * starts[n])
            codes = np.empty(2 * starts[n], dtype=np.int64)
        size, top = size_of_weights, 0.0
        for i in range(n):
            next_codes(i, positions, starts, shape, codes)
            fill_transitions(i, positions, all_labels, chain, shape, length, transitions)
            count = positions[0, i]
            n_rest = positions[4, i] // count
            here = best[starts[i] : starts[i + 1]]
            if i == 0:
                fill_line(i, 0, 0, positions, shape, table, transitions, line)
                here[:] = line[:count]
            else:
                _raise_maxima(i, positions, starts, codes, shape, table, transitions, len(chain[0]) > 0, line, best)
            for q in range(n_rest):
                for c in range(count):
                    here[q * count + c] += nodes[i, c]
            top = _largest(here)
            size = larger_size(size, top)
        tolerance = TIE_TOLERANCE * size
        state = 0
        while best[starts[n - 1] + state] < top - tolerance:
            state += 1
        values[number] = top
        for i in range(n - 1, -1, -1):
            count = positions[0, i]
            c = state % count
            if 0 <= i - shape[1] < length:
                predicted[begin + i - shape[1]] = all_labels[positions[3, i] + c]
            if i == 0:
                break
            # The forward pass keeps maxima only; the predecessor is found again among those that lead here.
            fill_transitions(i, positions, all_labels, chain, shape, length, transitions)
            column = positions[1, i] + c * positions[2, i]
            n_rest = positions[4, i] // count
            origin = state // count
            value = -np.inf
            reached = best[starts[i] + state] - nodes[i, c]
            for s in range(state // count, positions[4, i - 1], n_rest):
                candidate = best[starts[i - 1] + s] + transitions[s % positions[0, i - 1], c]
                candidate += window_score(i, codes[starts[i - 1] + s], column, shape, table)
                if candidate >= reached - tolerance:
                    origin = s
                    break
                if candidate > value:  # for scores so large that none reaches what it should, by rounding
                    value = candidate
                    origin = s
            state = origin


@jit
def kbest(offsets, symbols, candidates, shape, table, chain, tokens, labels, values):
    """The k best labellings of every sequence into ``labels[rank]``, their scores into `values`, ``-inf`` for none.

    Equal scores (`weft.core.ties`) come in the order of the states before them.
    """
    all_labels = candidates[1]
    n_ranks = values.shape[1]
    work = workspace(offsets, candidates, shape, tokens)
    positions, starts, nodes, transitions, _, line = work
    size_of_weights = token_size(tokens[2], chain[0]) if tokens[3] else 0.0
    for number in range(len(offsets) - 1):
        begin, length, n = prepare(number, offsets, symbols, candidates, shape, chain, tokens, symbols, 0.0, work)
        best = np.full((starts[n], n_ranks), -np.inf)
        origin = np.full((starts[n], n_ranks), -1)
        codes = np.empty(starts[n], dtype=np.int64)
        size, tolerance = size_of_weights, 0.0
        for i in range(n):
            next_codes(i, positions, starts, shape, codes)
            fill_transitions(i, positions, all_labels, chain, shape, length, transitions)
            count = positions[0, i]
            n_rest = positions[4, i] // count
            if i == 0:
                fill_line(i, 0, 0, positions, shape, table, transitions, line)
                for c in range(count):
                    best[c, 0] = line[c]
            else:
                for s in range(positions[4, i - 1]):
                    source = starts[i - 1] + s
                    last = s % positions[0, i - 1]
                    fill_line(i, codes[source], last, positions, shape, table, transitions, line)
                    for c in range(count):
                        target = starts[i] + (s % n_rest) * count + c
                        for rank in range(n_ranks):
                            value = best[source, rank] + line[c]
                            if not value > best[target, n_ranks - 1] + tolerance:
                                break  # ranks only get worse
                            insert_ranked(best[target], origin[target], value, source * n_ranks + rank, tolerance)
            for q in range(starts[i], starts[i + 1]):
                for rank in range(n_ranks):
                    best[q, rank] += nodes[i, (q - starts[i]) % count]
            size = larger_size(size, _largest(best[starts[i] : starts[i + 1], 0]))
            tolerance = TIE_TOLERANCE * size
        finals = np.full(n_ranks, -1)
        values[number] = -np.inf
        for q in range(starts[n - 1], starts[n]):
            for rank in range(n_ranks):
                if best[q, rank] > values[number, n_ranks - 1] + tolerance:
                    insert_ranked(values[number], finals, best[q, rank], q * n_ranks + rank, tolerance)
        for rank in range(n_ranks):
            place = finals[rank]
            for i in range(n - 1, -1, -1):
                if place < 0:
                    break
                c = (place // n_ranks - starts[i]) % positions[0, i]
                if 0 <= i - shape[1] < length:
                    labels[rank, begin + i - shape[1]] = all_labels[positions[3, i] + c]
                place = origin[place // n_ranks, place % n_ranks]
        for rank in range(1, n_ranks):  # equal scores may come in any order of their last digits
            values[number, rank] = min(values[number, rank], values[number, rank - 1])


@jit
def _choose(labels, symbols, candidates, shape, chosen):
    """Bi-symbol at every position of a padded sequence; -1 for a label that its symbol was never seen with."""
    begins, all_labels, n_pairs = candidates
    for i in range(n_positions(len(symbols), shape)):
        t = i - shape[1]
        chosen[i] = n_pairs
        if 0 <= t < len(symbols) and symbols[t] >= 0:
            chosen[i] = -1
            for pair in range(begins[symbols[t]], begins[symbols[t] + 1]):
                if all_labels[pair] == labels[t]:
                    chosen[i] = pair


@jit
def path_scores(offsets, sequences, symbols, candidates, shape, table, chain, tokens, labels, values):
    """Score of the given labels of the given sequences, ``-inf`` if a label is no candidate."""
    longest = longest_sequence(offsets)
    chosen = np.empty(n_positions(longest, shape), dtype=np.int64)
    scores = np.empty((longest, tokens[2][1].shape[1]))
    order, _, _, powers, _ = shape
    for number in sequences:
        begin = offsets[number]
        length = offsets[number + 1] - begin
        _choose(labels[begin : begin + length], symbols[begin : begin + length], candidates, shape, chosen)
        value = 0.0
        code = 0
        for i in range(n_positions(length, shape)):
            if chosen[i] < 0:
                value = -np.inf
                break
            value += window_score(i, code, chosen[i], shape, table)
            code = code % powers[order - 2] * powers[1] + chosen[i]
        if tokens[3]:
            scores[:length] = 0.0
            score_tokens(begin, tokens[0], tokens[1], tokens[2], scores[:length])
        for t in range(length):
            label = labels[begin + t]
            if tokens[3]:
                value += scores[t, label]
            if len(chain[0]) > 0:
                value += chain[0][labels[begin + t - 1], label] if t > 0 else chain[1][label]
                if t == length - 1:
                    value += chain[2][label]
        values[number] = value


@jit
def window_steps(offsets, sequences, symbols, candidates, shape, row_numbers, gold, predicted, amounts, cells, steps):
    """Windows in which two labellings differ: (row, column) into `cells`, plus or minus an amount into `steps`.

    Those of `gold` get plus the amount of the sequence, those of `predicted` minus. Returns how many there are; with
    sorted `row_numbers` rows are places among them.
    """
    longest = longest_sequence(offsets)
    ours = np.empty(n_positions(longest, shape), dtype=np.int64)
    theirs = np.empty(n_positions(longest, shape), dtype=np.int64)
    order, _, _, powers, row_begins = shape
    found = 0
    for number in sequences:
        begin = offsets[number]
        end = offsets[number + 1]
        _choose(gold[begin:end], symbols[begin:end], candidates, shape, ours)
        _choose(predicted[begin:end], symbols[begin:end], candidates, shape, theirs)
        code = 0
        other_code = 0
        for i in range(n_positions(end - begin, shape)):
            for length in range(1, min(order, i + 1) + 1):
                if row_begins[length] < 0:
                    continue
                row = row_begins[length] + code % powers[length - 1]
                other_row = row_begins[length] + other_code % powers[length - 1]
                if row == other_row and ours[i] == theirs[i]:
                    continue
                cells[found, 0] = find_row(row, row_numbers) if len(row_numbers) > 0 else row
                cells[found, 1] = ours[i]
                steps[found] = amounts[number]
                cells[found + 1, 0] = find_row(other_row, row_numbers) if len(row_numbers) > 0 else other_row
                cells[found + 1, 1] = theirs[i]
                steps[found + 1] = -amounts[number]
                found += 2
            code = code % powers[order - 2] * powers[1] + ours[i]
            other_code = other_code % powers[order - 2] * powers[1] + theirs[i]
    return found


@jit
def list_windows(offsets, symbols, candidates, shape, row_numbers, labels, n_columns, ends, cells):
    """Cells of the windows of the given labels of every sequence; those of sequence i end at ``ends[i]``.

    With sorted `row_numbers` rows are places among them.

    A sequence with a label that its symbol was never seen with has -1 there, and the list stops.
    """
    chosen = np.empty(n_positions(longest_sequence(offsets), shape), dtype=np.int64)
    order, _, _, powers, row_begins = shape
    found = 0
    for number in range(len(offsets) - 1):
        begin = offsets[number]
        end = offsets[number + 1]
        _choose(labels[begin:end], symbols[begin:end], candidates, shape, chosen)
        code = 0
        for i in range(n_positions(end - begin, shape)):
            if chosen[i] < 0:
                ends[number] = -1
                return
            for length in range(1, min(order, i + 1) + 1):
                if row_begins[length] >= 0:
                    row = row_begins[length] + code % powers[length - 1]
                    row = find_row(row, row_numbers) if len(row_numbers) > 0 else row
                    cells[found] = row * n_columns + chosen[i]
                    found += 1
            code = code % powers[order - 2] * powers[1] + chosen[i]
        ends[number] = found
