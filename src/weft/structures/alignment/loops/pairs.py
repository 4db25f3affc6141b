"""Compiled loops over pairs of sequences: best alignments, expected features, covariances, draws.

`corpus` is `PairCorpus.arrays`; `gap_features` holds the features of an opening and of an extension; `pair_features`
that of each pair of symbols. Results go to one row of `out` per pair if it has that many rows, else to the first.
"""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit
from weft.structures.alignment.loops.passes import FIRST, PAIR, SECOND, backward, block_rows, draw, forward, viterbi

__all__ = [
    "count_moves",
    "decode_pairs",
    "draw_pairs",
    "expected_features",
    "number_letters",
    "score_moves",
    "write_rows",
]


@jit
def _sizes(corpus, begin, end):
    """Largest sizes among some pairs: first, second, cells of a block, cells of the first rows of blocks."""
    _, first_offsets, _, second_offsets = corpus
    longest_first, longest_second, most_cells, most_kept = 0, 0, 0, 0
    for i in range(begin, end):
        n = first_offsets[i + 1] - first_offsets[i]
        m = second_offsets[i + 1] - second_offsets[i]
        n_rows = block_rows(n, m)
        longest_first = max(longest_first, n)
        longest_second = max(longest_second, m)
        most_cells = max(most_cells, (n_rows + 1) * (m + 1))
        most_kept = max(most_kept, (n // n_rows + 1) * (m + 1))
    return longest_first, longest_second, most_cells, most_kept


@jit
def number_letters(symbols, row_of, letters, kinds):
    """Number the distinct symbols of the first sequence; `row_of` is all -1 before, and `forget` makes it so again."""
    n_rows = 0
    for i in range(len(symbols)):
        symbol = symbols[i]
        if row_of[symbol] < 0:
            row_of[symbol] = n_rows
            kinds[n_rows] = symbol
            n_rows += 1
        letters[i] = row_of[symbol]
    for row in range(n_rows):
        row_of[kinds[row]] = -1
    return n_rows


@jit
def _fill_profile(kinds, second, table, profile):
    for row in range(len(kinds)):
        of_symbol = table[kinds[row]]
        for j in range(len(second)):
            profile[row, j] = of_symbol[second[j]]


@jit
def _fill_planes(kinds, second, planes, profile):
    for row in range(len(kinds)):
        for plane in range(len(planes)):
            of_symbol, here = planes[plane, kinds[row]], profile[row, plane]
            for j in range(len(second)):
                here[j] = of_symbol[second[j]]


@jit
def _gather(kinds, second, expected, pair_features, factor, out):
    for row in range(len(kinds)):
        features = pair_features[kinds[row]]
        for j in range(len(second)):
            out[features[second[j]]] += factor * expected[row, j]


@jit
def decode_pairs(begin, end, corpus, table, opening, sizes, bonus_columns, bonus, moves, offsets, n_moves):
    """Best alignments of those pairs `begin` to `end` that have none yet (-1 moves); `table`, `opening` are reduced.

    `sizes` has, for ties, those of the weights and of what the reduction took from each symbol.
    """
    first, first_offsets, second, second_offsets = corpus
    longest_first, longest_second, most_cells, most_kept = _sizes(corpus, begin, end)
    most_rows = min(longest_first, len(table))
    row_of = np.full(len(table), -1, dtype=np.int64)
    kinds = np.empty(most_rows, dtype=np.int64)
    letters = np.empty(longest_first, dtype=np.int64)
    profiles = np.empty(most_rows * longest_second)
    cells = np.empty((3, most_cells))
    first_rows = np.empty(3 * most_kept)
    rows = np.empty((3, longest_second + 1))
    for i in range(begin, end):
        if n_moves[i] >= 0:
            continue
        x = first[first_offsets[i] : first_offsets[i + 1]]
        y = second[second_offsets[i] : second_offsets[i + 1]]
        n, m = len(x), len(y)
        n_rows = number_letters(x, row_of, letters, kinds)
        profile = profiles[: n_rows * m].reshape((n_rows, m))
        _fill_profile(kinds[:n_rows], y, table, profile)
        block = block_rows(n, m)
        size, n_blocks = (block + 1) * (m + 1), n // block + 1
        tables = (
            cells[0, :size].reshape((block + 1, m + 1)),
            cells[1, :size].reshape((block + 1, m + 1)),
            cells[2, :size].reshape((block + 1, m + 1)),
        )
        kept = first_rows[: 3 * n_blocks * (m + 1)].reshape((3, n_blocks, m + 1))
        columns = bonus_columns[first_offsets[i] : first_offsets[i + 1]] if len(bonus_columns) else bonus_columns
        room = moves[offsets[i] : offsets[i + 1]]
        size = max(sizes[0], sizes[1] * (n + m))
        n_moves[i] = viterbi(letters[:n], profile, opening, columns, bonus, tables, kept, rows, room, size)


@jit
def expected_features(
    begin,
    end,
    corpus,
    planes,
    opening,
    bonus_columns,
    bonus,
    pair_features,
    gap_features,
    sample_weight,
    out,
    log_partitions,
    means,
    posteriors,
    places,
    entries,
):
    """Expected features, or covariances with the score of a direction, and reduced log partitions.

    `planes` has exponentials of reduced scores of each pair of symbols, shape (1, n_symbols, n_symbols), or two of
    that: the second are derivatives along the direction, and `means` receives its expected reduced score. `opening` has
    both of an opening. Where numbers were lost the log partition is NaN, and `out` untouched. `posteriors` receives the
    probability of each pair of positions from ``places[i]`` on, unless it is empty. `entries` has a threshold, room for
    the positions and probabilities of pairs that reach it, from ``places[i]`` on, and for their number; or no room.
    """
    first, first_offsets, second, second_offsets = corpus
    longest_first, longest_second, most_cells, most_kept = _sizes(corpus, begin, end)
    n_planes = len(planes)
    most_rows = min(longest_first, planes.shape[1])
    row_of = np.full(planes.shape[1], -1, dtype=np.int64)
    kinds = np.empty(most_rows, dtype=np.int64)
    letters = np.empty(longest_first, dtype=np.int64)
    profiles = np.empty(most_rows * n_planes * longest_second)
    counts = np.empty(most_rows * longest_second)
    cells = np.empty((3, n_planes * most_cells))
    first_rows = np.empty(3 * n_planes * most_kept)
    scratch = np.empty(4 * n_planes * (longest_second + 1))
    log_scales = np.empty(longest_first + 1)
    no_posterior = np.empty((0, 0))
    for i in range(begin, end):
        if n_planes == 1 and sample_weight[i] == 0.0:
            log_partitions[i] = 0.0
            continue
        x = first[first_offsets[i] : first_offsets[i + 1]]
        y = second[second_offsets[i] : second_offsets[i + 1]]
        n, m = len(x), len(y)
        n_rows = number_letters(x, row_of, letters, kinds)
        profile = profiles[: n_rows * n_planes * m].reshape((n_rows, n_planes, m))
        _fill_planes(kinds[:n_rows], y, planes, profile)
        block = block_rows(n, m)
        size, n_blocks = n_planes * (block + 1) * (m + 1), n // block + 1
        tables = (
            cells[0, :size].reshape((block + 1, n_planes, m + 1)),
            cells[1, :size].reshape((block + 1, n_planes, m + 1)),
            cells[2, :size].reshape((block + 1, n_planes, m + 1)),
        )
        kept = first_rows[: 3 * n_blocks * n_planes * (m + 1)].reshape((3, n_blocks, n_planes, m + 1))
        columns = bonus_columns[first_offsets[i] : first_offsets[i + 1]] if len(bonus_columns) else bonus_columns
        log_total, mean = forward(letters[:n], profile, opening, columns, bonus, tables, kept, log_scales)
        log_partitions[i] = np.nan
        if not (np.isfinite(log_total) and np.isfinite(mean)):
            continue
        expected = counts[: n_rows * m].reshape((n_rows, m))
        expected[:] = 0.0
        rows = scratch[: 4 * n_planes * (m + 1)].reshape((4, n_planes, m + 1))
        posterior = posteriors[places[i] : places[i] + n * m].reshape((n, m)) if len(posteriors) else no_posterior
        threshold, entry_first, entry_second, entry_values, n_entries = entries
        there = slice(places[i], places[i + 1]) if len(entry_values) else slice(0, 0)
        openings, extensions, found = backward(
            letters[:n],
            profile,
            opening,
            columns,
            bonus,
            tables,
            kept,
            log_scales,
            log_total,
            mean,
            rows,
            expected,
            posterior,
            (threshold, entry_first[there], entry_second[there], entry_values[there]),
        )
        if not np.isfinite(openings):
            continue
        if len(entry_values):
            n_entries[i] = found
        log_partitions[i] = log_total
        if n_planes == 2:
            means[i] = mean
        target = out[i] if len(out) > 1 else out[0]
        _gather(kinds[:n_rows], y, expected, pair_features, sample_weight[i], target)
        target[gap_features[0]] += sample_weight[i] * openings
        target[gap_features[1]] += sample_weight[i] * extensions


@jit
def _uses_up(corpus, moves, offsets, n_moves, i):
    """Whether the moves of an alignment are moves, and consume all symbols of its pair and no more."""
    _, first_offsets, _, second_offsets = corpus
    n_first, n_second = 0, 0
    if offsets[i] < 0 or n_moves[i] < 0 or offsets[i] + n_moves[i] > len(moves):
        return False
    for k in range(offsets[i], offsets[i] + n_moves[i]):
        if moves[k] > SECOND:
            return False
        n_first += moves[k] != SECOND
        n_second += moves[k] != FIRST
    return n_first == first_offsets[i + 1] - first_offsets[i] and n_second == second_offsets[i + 1] - second_offsets[i]


@jit
def count_moves(corpus, moves, offsets, n_moves, pair_features, gap_features, sample_weight, out):
    """Features of given alignments; the number of the first that does not use up its pair, -1 if all do."""
    first, first_offsets, second, second_offsets = corpus
    for i in range(len(n_moves)):
        if not _uses_up(corpus, moves, offsets, n_moves, i):
            return i
        target = out[i] if len(out) > 1 else out[0]
        a, b = first_offsets[i], second_offsets[i]
        last = PAIR
        for k in range(offsets[i], offsets[i] + n_moves[i]):
            move = moves[k]
            if move == PAIR:
                target[pair_features[first[a], second[b]]] += sample_weight[i]
            else:
                target[gap_features[1 if move == last else 0]] += sample_weight[i]
            if move != SECOND:
                a += 1
            if move != FIRST:
                b += 1
            last = move
    return -1


@jit
def score_moves(begin, end, corpus, moves, offsets, n_moves, table, gaps, bonus_columns, bonus, out):
    """Scores of given alignments; the number of the first that does not use up its pair, -1 if all do.

    `table` has the score of each pair of symbols, `gaps` those of an opening and of an extension, neither reduced.
    """
    first, first_offsets, second, second_offsets = corpus
    for i in range(begin, end):
        if not _uses_up(corpus, moves, offsets, n_moves, i):
            return i
        a, b = first_offsets[i], second_offsets[i]
        last = PAIR
        score = 0.0
        for k in range(offsets[i], offsets[i] + n_moves[i]):
            move = moves[k]
            if move == PAIR:
                score += table[first[a], second[b]]
                if len(bonus_columns) and bonus_columns[a] == b - second_offsets[i]:
                    score += bonus
            else:
                score += gaps[1 if move == last else 0]
            if move != SECOND:
                a += 1
            if move != FIRST:
                b += 1
            last = move
        out[i] = score
    return -1


@jit
def write_rows(moves, offsets, n_moves, first, second, rows):
    """Symbols of both sequences of all pairs in the columns of their alignments; `rows` has gaps in all of them."""
    a, b, column = 0, 0, 0
    for i in range(len(n_moves)):
        for move in moves[offsets[i] : offsets[i] + n_moves[i]]:
            if move != SECOND:
                rows[0, column] = first[a]
                a += 1
            if move != FIRST:
                rows[1, column] = second[b]
                b += 1
            column += 1


@jit
def draw_pairs(corpus, planes, opening, uniforms, moves, offsets, n_moves):
    """Draw alignments of each pair in proportion to their weights: one row of `moves` per draw.

    Returns the number of a pair whose numbers were lost, -1 if there is none.
    """
    first, first_offsets, second, second_offsets = corpus
    n_pairs = len(first_offsets) - 1
    longest_first, longest_second, most_cells, most_kept = _sizes(corpus, 0, n_pairs)
    most_rows = min(longest_first, planes.shape[1])
    row_of = np.full(planes.shape[1], -1, dtype=np.int64)
    kinds = np.empty(most_rows, dtype=np.int64)
    letters = np.empty(longest_first, dtype=np.int64)
    profiles = np.empty(most_rows * longest_second)
    cells = np.empty((3, most_cells))
    first_rows = np.empty(3 * most_kept)
    log_scales = np.empty(longest_first + 1)
    no_columns = np.empty(0, dtype=np.int32)
    for i in range(n_pairs):
        x = first[first_offsets[i] : first_offsets[i + 1]]
        y = second[second_offsets[i] : second_offsets[i + 1]]
        n, m = len(x), len(y)
        n_rows = number_letters(x, row_of, letters, kinds)
        profile = profiles[: n_rows * m].reshape((n_rows, 1, m))
        _fill_planes(kinds[:n_rows], y, planes, profile)
        block = block_rows(n, m)
        size, n_blocks = (block + 1) * (m + 1), n // block + 1
        tables = (
            cells[0, :size].reshape((block + 1, 1, m + 1)),
            cells[1, :size].reshape((block + 1, 1, m + 1)),
            cells[2, :size].reshape((block + 1, 1, m + 1)),
        )
        kept = first_rows[: 3 * n_blocks * (m + 1)].reshape((3, n_blocks, 1, m + 1))
        openings = (opening, 0.0)
        total = forward(letters[:n], profile, openings, no_columns, 0.0, tables, kept, log_scales)[0]
        if not np.isfinite(total):
            return i
        for s in range(len(moves)):
            here = slice(offsets[i], offsets[i + 1])
            n_moves[s, i] = draw(
                uniforms[s, here], letters[:n], profile, openings, tables, kept, log_scales, moves[s, here]
            )
    return -1
