"""Compiled loops over pairs of sequences: best alignments, expected features, covariances, draws.

`corpus` is `PairCorpus.arrays`; `gap_features` holds the features of an opening and of an extension; `pair_features`
that of each pair of symbols. Results go to one row of `out` per pair if it has that many rows, else to the first.
"""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit
from weft.structures.alignment.loops.covariance import dual_backward, dual_forward
from weft.structures.alignment.loops.passes import FIRST, PAIR, SECOND, backward, draw, forward, viterbi

__all__ = ["count_moves", "covariance_products", "decode_pairs", "draw_pairs", "expected_features"]


@jit
def _sizes(corpus, begin, end):
    """Largest sizes among some pairs: first, second, cells."""
    _, first_offsets, _, second_offsets = corpus
    longest_first, longest_second, most_cells = 0, 0, 0
    for i in range(begin, end):
        n = first_offsets[i + 1] - first_offsets[i]
        m = second_offsets[i + 1] - second_offsets[i]
        longest_first = max(longest_first, n)
        longest_second = max(longest_second, m)
        most_cells = max(most_cells, (n + 1) * (m + 1))
    return longest_first, longest_second, most_cells


@jit
def _number_letters(symbols, row_of, letters, kinds):
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
def _gather(kinds, second, expected, pair_features, factor, out):
    for row in range(len(kinds)):
        features = pair_features[kinds[row]]
        for j in range(len(second)):
            out[features[second[j]]] += factor * expected[row, j]


@jit
def decode_pairs(begin, end, corpus, table, opening, sizes, bonus_columns, bonus, moves, offsets, n_moves):
    """Best alignments of the pairs `begin` to `end`; `table` and `opening` are reduced.

    `sizes` has, for ties, those of the weights and of what the reduction took from each symbol.
    """
    first, first_offsets, second, second_offsets = corpus
    longest_first, longest_second, most_cells = _sizes(corpus, begin, end)
    most_rows = min(longest_first, len(table))
    row_of = np.full(len(table), -1, dtype=np.int64)
    kinds = np.empty(most_rows, dtype=np.int64)
    letters = np.empty(longest_first, dtype=np.int64)
    profiles = np.empty(most_rows * longest_second)
    cells = np.empty((3, most_cells))
    rows = np.empty((3, longest_second + 1))
    for i in range(begin, end):
        x = first[first_offsets[i] : first_offsets[i + 1]]
        y = second[second_offsets[i] : second_offsets[i + 1]]
        n, m = len(x), len(y)
        n_rows = _number_letters(x, row_of, letters, kinds)
        profile = profiles[: n_rows * m].reshape((n_rows, m))
        _fill_profile(kinds[:n_rows], y, table, profile)
        size = (n + 1) * (m + 1)
        tables = (
            cells[0, :size].reshape((n + 1, m + 1)),
            cells[1, :size].reshape((n + 1, m + 1)),
            cells[2, :size].reshape((n + 1, m + 1)),
        )
        columns = bonus_columns[first_offsets[i] : first_offsets[i + 1]] if len(bonus_columns) else bonus_columns
        room = moves[offsets[i] : offsets[i + 1]]
        size = max(sizes[0], sizes[1] * (n + m))
        n_moves[i] = viterbi(letters[:n], profile, opening, columns, bonus, tables, rows, room, size)


@jit
def expected_features(
    begin, end, corpus, table, opening, pair_features, gap_features, importance, out, log_partitions, posteriors, places
):
    """Expected features and reduced log partitions; NaN where numbers were lost, and `out` is then untouched.

    `table` and `opening` are exponentials of reduced scores. `posteriors` receives the probability of each pair of
    positions from ``places[i]`` on, unless it is empty.
    """
    first, first_offsets, second, second_offsets = corpus
    longest_first, longest_second, most_cells = _sizes(corpus, begin, end)
    most_rows = min(longest_first, len(table))
    row_of = np.full(len(table), -1, dtype=np.int64)
    kinds = np.empty(most_rows, dtype=np.int64)
    letters = np.empty(longest_first, dtype=np.int64)
    profiles = np.empty((2, most_rows * longest_second))
    cells = np.empty((3, most_cells))
    rows = np.empty((5, longest_second + 1))
    log_scales = np.empty(longest_first + 1)
    no_posterior = np.empty((0, 0))
    for i in range(begin, end):
        if importance[i] == 0.0:
            log_partitions[i] = 0.0
            continue
        x = first[first_offsets[i] : first_offsets[i + 1]]
        y = second[second_offsets[i] : second_offsets[i + 1]]
        n, m = len(x), len(y)
        n_rows = _number_letters(x, row_of, letters, kinds)
        profile = profiles[0, : n_rows * m].reshape((n_rows, m))
        _fill_profile(kinds[:n_rows], y, table, profile)
        size = (n + 1) * (m + 1)
        tables = (
            cells[0, :size].reshape((n + 1, m + 1)),
            cells[1, :size].reshape((n + 1, m + 1)),
            cells[2, :size].reshape((n + 1, m + 1)),
        )
        log_total = forward(letters[:n], profile, opening, tables, log_scales)
        log_partitions[i] = np.nan
        if not np.isfinite(log_total):
            continue
        expected = profiles[1, : n_rows * m].reshape((n_rows, m))
        expected[:] = 0.0
        posterior = posteriors[places[i] : places[i] + n * m].reshape((n, m)) if len(posteriors) else no_posterior
        openings, extensions = backward(
            letters[:n], profile, opening, tables, log_scales, log_total, rows, expected, posterior
        )
        if np.isnan(openings):
            continue
        log_partitions[i] = log_total
        target = out[i] if len(out) > 1 else out[0]
        _gather(kinds[:n_rows], y, expected, pair_features, importance[i], target)
        target[gap_features[0]] += importance[i] * openings
        target[gap_features[1]] += importance[i] * extensions


@jit
def covariance_products(
    begin,
    end,
    corpus,
    model,
    slopes,
    bonus_columns,
    bonus,
    pair_features,
    gap_features,
    importance,
    out,
    means,
):
    """Covariances of the features with the score of a direction, and its reduced mean; NaN where numbers were lost.

    `model` is (table, opening) in exponentials; `slopes` their derivatives along the direction.
    """
    first, first_offsets, second, second_offsets = corpus
    table, opening = model
    slope_table, opening_slope = slopes
    longest_first, longest_second, most_cells = _sizes(corpus, begin, end)
    most_rows = min(longest_first, len(table))
    row_of = np.full(len(table), -1, dtype=np.int64)
    kinds = np.empty(most_rows, dtype=np.int64)
    letters = np.empty(longest_first, dtype=np.int64)
    profiles = np.empty((3, most_rows * longest_second))
    cells = np.empty((6, most_cells))
    rows = np.empty((8, longest_second + 1))
    log_scales = np.empty(longest_first + 1)
    for i in range(begin, end):
        x = first[first_offsets[i] : first_offsets[i + 1]]
        y = second[second_offsets[i] : second_offsets[i + 1]]
        n, m = len(x), len(y)
        n_rows = _number_letters(x, row_of, letters, kinds)
        profile = profiles[0, : n_rows * m].reshape((n_rows, m))
        profile_slopes = profiles[1, : n_rows * m].reshape((n_rows, m))
        expected = profiles[2, : n_rows * m].reshape((n_rows, m))
        _fill_profile(kinds[:n_rows], y, table, profile)
        _fill_profile(kinds[:n_rows], y, slope_table, profile_slopes)
        expected[:] = 0.0
        size = (n + 1) * (m + 1)
        tables = (
            cells[0, :size].reshape((n + 1, m + 1)),
            cells[1, :size].reshape((n + 1, m + 1)),
            cells[2, :size].reshape((n + 1, m + 1)),
        )
        slope_tables = (
            cells[3, :size].reshape((n + 1, m + 1)),
            cells[4, :size].reshape((n + 1, m + 1)),
            cells[5, :size].reshape((n + 1, m + 1)),
        )
        columns = bonus_columns[first_offsets[i] : first_offsets[i + 1]] if len(bonus_columns) else bonus_columns
        here = (letters[:n], profile, opening)
        there = (profile_slopes, opening_slope)
        log_total, mean = dual_forward(here, there, columns, bonus, tables, slope_tables, log_scales)
        means[i] = np.nan
        if not (np.isfinite(log_total) and np.isfinite(mean)):
            continue
        openings, extensions = dual_backward(
            here, there, columns, bonus, tables, slope_tables, log_scales, log_total, mean, rows, expected
        )
        if not np.isfinite(openings):
            continue
        means[i] = mean
        target = out[i] if len(out) > 1 else out[0]
        _gather(kinds[:n_rows], y, expected, pair_features, importance[i], target)
        target[gap_features[0]] += importance[i] * openings
        target[gap_features[1]] += importance[i] * extensions


@jit
def count_moves(corpus, moves, offsets, n_moves, pair_features, gap_features, importance, out):
    """Features of given alignments; the number of the first that does not use up its pair, -1 if all do."""
    first, first_offsets, second, second_offsets = corpus
    for i in range(len(n_moves)):
        target = out[i] if len(out) > 1 else out[0]
        a, b = first_offsets[i], second_offsets[i]
        n_first, n_second = 0, 0
        if offsets[i] < 0 or n_moves[i] < 0 or offsets[i] + n_moves[i] > len(moves):
            return i
        for k in range(offsets[i], offsets[i] + n_moves[i]):
            n_first += moves[k] != SECOND
            n_second += moves[k] != FIRST
        if n_first != first_offsets[i + 1] - a or n_second != second_offsets[i + 1] - b:
            return i
        last = PAIR
        for k in range(offsets[i], offsets[i] + n_moves[i]):
            move = moves[k]
            if move == PAIR:
                target[pair_features[first[a], second[b]]] += importance[i]
            else:
                target[gap_features[1 if move == last else 0]] += importance[i]
            if move != SECOND:
                a += 1
            if move != FIRST:
                b += 1
            last = move
    return -1


@jit
def draw_pairs(corpus, table, opening, uniforms, moves, offsets, n_moves):
    """Draw alignments of each pair in proportion to their weights: one row of `moves` per draw.

    Returns the number of a pair whose numbers were lost, -1 if there is none.
    """
    first, first_offsets, second, second_offsets = corpus
    n_pairs = len(first_offsets) - 1
    longest_first, longest_second, most_cells = _sizes(corpus, 0, n_pairs)
    most_rows = min(longest_first, len(table))
    row_of = np.full(len(table), -1, dtype=np.int64)
    kinds = np.empty(most_rows, dtype=np.int64)
    letters = np.empty(longest_first, dtype=np.int64)
    profiles = np.empty(most_rows * longest_second)
    cells = np.empty((3, most_cells))
    log_scales = np.empty(longest_first + 1)
    for i in range(n_pairs):
        x = first[first_offsets[i] : first_offsets[i + 1]]
        y = second[second_offsets[i] : second_offsets[i + 1]]
        n, m = len(x), len(y)
        n_rows = _number_letters(x, row_of, letters, kinds)
        profile = profiles[: n_rows * m].reshape((n_rows, m))
        _fill_profile(kinds[:n_rows], y, table, profile)
        size = (n + 1) * (m + 1)
        tables = (
            cells[0, :size].reshape((n + 1, m + 1)),
            cells[1, :size].reshape((n + 1, m + 1)),
            cells[2, :size].reshape((n + 1, m + 1)),
        )
        if not np.isfinite(forward(letters[:n], profile, opening, tables, log_scales)):
            return i
        for s in range(len(moves)):
            here = slice(offsets[i], offsets[i + 1])
            n_moves[s, i] = draw(uniforms[s, here], n, m, opening, tables, moves[s, here])
    return -1
