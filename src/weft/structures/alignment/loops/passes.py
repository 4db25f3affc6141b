"""Global alignment of two sequences without a graph: dynamic programming over (i, j, last move).

Moves are numbered PAIR (consume a symbol of both), FIRST (of the first sequence only) and SECOND. A run of moves of
one kind FIRST or SECOND is a gap: its first move scores `opening`, each further one `extension`; a change of
direction opens a new gap.

All alignments of n and m symbols have 2 #PAIR + #FIRST + #SECOND = n + m, so that `extension` may be taken from each
gap move and twice from each pair without changing anything but a constant: `profile` and `opening` come reduced in this
way, an extension is free, and the recurrence along a row becomes a running sum or maximum.

The tables of a long pair would not fit into memory. They are filled block after block of rows, `kept` holds the first
row of each, and the way back fills a block again when it comes to it: the same numbers, in memory that grows with the
root of the cells, for one more pass. Other pairs are one block. Row i of a block that begins at b is in place i - b.
"""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit
from weft.core.ties import TIE_TOLERANCE, larger_size
from weft.structures.alignment.loops.rows import (
    add,
    add_expected,
    add_scaled,
    extend_firsts,
    gap_sums,
    larger,
    open_firsts,
    pair_backward,
    pair_forward,
    row_sum,
    running_sums,
    scaled_sum,
    suffix_sums,
)

__all__ = ["FIRST", "PAIR", "SECOND", "backward", "block_rows", "draw", "forward", "viterbi"]

PAIR, FIRST, SECOND = 0, 1, 2

MANY_CELLS = 1 << 23
"""Pairs with more cells are aligned in blocks; the tables of fewer take some 200 MB."""

LARGE, USUAL, SMALL = 1e130, 1e120, 1e95
"""A row whose sum leaves this range is rescaled to the one in the middle: large, since what is lost is too small. The
product of two such rows is still a number."""
LARGEST_OPENING = 1e5
"""What may open a gap is what is left of a sum without one state; a larger factor would bring out its rounding."""
ROW_TOLERANCE = 1e-7
"""Each row is entered exactly once: a probability of that further from 1 means that numbers were lost."""


@jit
def block_rows(n, m, many_cells=MANY_CELLS):
    """Rows that are filled together, for n and m symbols: all, or of many cells about the root of their number."""
    if n == 0 or (n + 1) * (m + 1) <= many_cells:
        return max(n, 1)
    return int(np.sqrt(n)) + 1


@jit
def _keep(tables, kept, begin):
    """Note the first row of a block; from the second block on that is the last row of the one before."""
    n_rows = len(tables[0]) - 1
    for t in range(3):
        if begin > 0:
            tables[t][0] = tables[t][n_rows]
        kept[t, begin // n_rows].reshape(-1)[:] = tables[t][0].reshape(-1)


@jit
def _restore(tables, kept, begin):
    """Put the first row of a block back in its place."""
    for t in range(3):
        tables[t][0].reshape(-1)[:] = kept[t, begin // (len(tables[0]) - 1)].reshape(-1)


@jit
def _best_pairs(before, scores, out):
    for j in range(len(scores)):
        out[j + 1] = before[j] + scores[j]


@jit
def _best_firsts(not_first, first, opening, out):
    for j in range(len(out)):
        opened = not_first[j] + opening
        out[j] = opened if opened > first[j] else first[j]


@jit
def _best_seconds(not_second, opening, out):
    """Running maxima, four cells at a time: what a step waits for is one comparison for four cells."""
    best = -np.inf
    out[0] = best
    m = len(out) - 1
    n_blocks = m // 4
    for block in range(n_blocks):
        j = 4 * block
        first = not_second[j] + opening
        second = not_second[j + 1] + opening
        third = not_second[j + 2] + opening
        fourth = not_second[j + 3] + opening
        second = second if second > first else first
        third = third if third > second else second
        fourth = fourth if fourth > third else third
        out[j + 1] = first if first > best else best
        out[j + 2] = second if second > best else best
        out[j + 3] = third if third > best else best
        best = fourth if fourth > best else best
        out[j + 4] = best
    for j in range(4 * n_blocks, m):
        opened = not_second[j] + opening
        best = opened if opened > best else best
        out[j + 1] = best


@jit
def _best_rows(begin, end, letters, profile, opening, bonus_columns, bonus, tables, rows):
    """Rows after `begin` up to `end`, from that of `begin`."""
    m = profile.shape[1]
    pair, first, second = tables
    best, not_first, not_second = rows[0, : m + 1], rows[1, : m + 1], rows[2, : m + 1]
    for i in range(begin, end):
        k = i - begin
        larger(pair[k], second[k], not_first)
        larger(not_first, first[k], best)
        pair[k + 1, 0] = -np.inf
        _best_pairs(best, profile[letters[i]], pair[k + 1])
        if len(bonus_columns) and bonus_columns[i] >= 0:
            pair[k + 1, bonus_columns[i] + 1] += bonus
        _best_firsts(not_first, first[k], opening, first[k + 1])
        larger(pair[k + 1], first[k + 1], not_second)
        _best_seconds(not_second, opening, second[k + 1])


@jit
def viterbi(letters, profile, opening, bonus_columns, bonus, tables, kept, rows, moves, size=0.0):
    """Best alignment; a pair wins ties (`weft.core.ties`), then a gap in the second sequence.

    Parameters
    ----------
    letters : ndarray of int, shape (n,)
        Row of `profile` of each symbol of the first sequence.
    profile : ndarray of shape (n_rows, m)
        Reduced score of pairing each symbol of the second sequence.
    opening : float
        Reduced.
    bonus_columns : ndarray of int32, shape (n,) or (0,)
        Symbol of the second sequence whose pair with this one scores `bonus` more; -1 for none.
    bonus : float
    tables : tuple of three ndarrays of shape (rows of a block + 1, m + 1)
        Scratch: best scores that end with each move.
    kept : ndarray of shape (3, n_blocks, m + 1)
        Scratch.
    rows : ndarray of shape (3, m + 1)
        Scratch.
    moves : ndarray of uint8, shape (n + m,)
        Receives the moves.
    size : float
        Of the numbers that the reduced scores are differences of, for ties.

    Returns
    -------
    int
        Number of moves.
    """
    n, m = len(letters), profile.shape[1]
    pair, first, second = tables
    n_rows = len(pair) - 1
    pair[0, :] = -np.inf
    first[0, :] = -np.inf
    pair[0, 0] = 0.0
    rows[0, : m + 1] = pair[0]
    _best_seconds(rows[0, : m + 1], opening, second[0])
    step = max(min(n, m) >> 2, 1)
    begin = 0
    for begin in range(0, max(n, 1), n_rows):
        _keep(tables, kept, begin)
        end = min(begin + n_rows, n)
        _best_rows(begin, end, letters, profile, opening, bonus_columns, bonus, tables, rows)
        # Sizes of a few cells of the diagonal: gaps are short there, so that they lie near the best alignments.
        for i in range((begin // step + 1) * step, min(end + 1, min(n, m)), step):
            size = larger_size(size, max(pair[i - begin, i], first[i - begin, i], second[i - begin, i]))
    i, j = n, m
    size = larger_size(size, max(pair[i - begin, j], first[i - begin, j], second[i - begin, j]))
    tolerance = TIE_TOLERANCE * size
    n_moves = 0
    state = _best_state(pair[i - begin, j], first[i - begin, j], second[i - begin, j], tolerance)
    while i + j > 0:
        if i == 0 or j == 0:  # whatever the scores say, not even NaN leads out of the table
            state = SECOND if i == 0 else FIRST
        moves[n_moves] = state
        n_moves += 1
        if state != SECOND:
            i -= 1
        if state != FIRST:
            j -= 1
        if i < begin:
            begin -= n_rows
            _restore(tables, kept, begin)
            _best_rows(begin, begin + n_rows, letters, profile, opening, bonus_columns, bonus, tables, rows)
        open_pair = 0.0 if state == PAIR else opening
        open_first = opening if state == SECOND else 0.0
        open_second = opening if state == FIRST else 0.0
        k = i - begin
        state = _best_state(pair[k, j] + open_pair, first[k, j] + open_first, second[k, j] + open_second, tolerance)
    for k in range(n_moves // 2):
        moves[k], moves[n_moves - 1 - k] = moves[n_moves - 1 - k], moves[k]
    return n_moves


@jit
def _best_state(pair, first, second, tolerance):
    floor = max(pair, max(first, second)) - tolerance
    if pair >= floor:
        return PAIR
    return FIRST if first >= floor else SECOND


# ------------------------------------------------------------------------------------------------ sums

# A row of a table has one plane, or two: then the second has derivatives along a direction. With scores moved by a
# small step along it, every sum moves by a derivative, and that of the expected counts is their covariance with the
# score of the direction. Derivatives are divided by the same scales.


@jit
def _sum_rows(begin, end, letters, profile, opening, bonus_columns, bonus, tables, log_scales):
    """Rows after `begin` up to `end`, from that of `begin`; whether their numbers stayed in range."""
    total, first, second = tables
    for i in range(begin, end):
        k = i - begin
        row = total[k + 1]
        pair_forward(total[k], profile[letters[i]], row)
        if len(bonus_columns) and bonus_columns[i] >= 0:
            row[1, bonus_columns[i] + 1] += row[0, bonus_columns[i] + 1] * bonus
        open_firsts(total[k], first[k], opening, first[k + 1])
        add(first[k + 1], row)
        running_sums(row, opening, second[k + 1])
        add(second[k + 1], row)
        log_scales[i + 1] = log_scales[i]
        size = row_sum(row[0])
        if size > LARGE or size < SMALL:
            if not (size > 0.0 and size < np.inf):
                return False
            factor = USUAL / size
            row *= factor
            first[k + 1] *= factor
            second[k + 1] *= factor
            log_scales[i + 1] -= np.log(factor)
    return True


@jit
def forward(letters, profile, opening, bonus_columns, bonus, tables, kept, log_scales):
    """Sums of the weights of all partial alignments.

    Parameters
    ----------
    letters : ndarray of int, shape (n,)
    profile : ndarray of shape (n_rows, n_planes, m)
        Exponentials of reduced scores, and their derivatives.
    opening : (float, float)
        Exponential of the reduced score, and its derivative.
    bonus_columns : ndarray of int32, shape (n,) or (0,)
        With two planes: symbol of the second sequence whose pair with this one scores `bonus` more along the direction;
        -1 for none.
    bonus : float
    tables : tuple of three ndarrays of shape (rows of a block + 1, n_planes, m + 1)
        Receives for each cell of the last block the sum of all alignments of the two prefixes, of those that end with
        FIRST and of those that end with SECOND, each row divided by ``exp(log_scales[i])``.
    kept : ndarray of shape (3, n_blocks, n_planes, m + 1)
        Receives the first rows of the blocks.
    log_scales : ndarray of shape (n + 1,)

    Returns
    -------
    log_total, mean : float
        Logarithm of the reduced sum over all alignments, not finite if it left the range of numbers; and its
        derivative, the expected reduced score of the direction.
    """
    if not opening[0] < LARGEST_OPENING:
        return np.nan, np.nan
    n, m = len(letters), profile.shape[2]
    total, first, second = tables
    n_rows = len(total) - 1
    total[0] = 0.0
    first[0] = 0.0
    total[0, 0, 0] = 1.0
    running_sums(total[0], opening, second[0])
    add(second[0], total[0])
    log_scales[0] = 0.0
    begin = 0
    for begin in range(0, max(n, 1), n_rows):
        _keep(tables, kept, begin)
        end = min(begin + n_rows, n)
        if not _sum_rows(begin, end, letters, profile, opening, bonus_columns, bonus, tables, log_scales):
            return np.nan, np.nan
    last = total[n - begin]
    mean = last[1, m] / last[0, m] if total.shape[1] == 2 else 0.0
    return np.log(last[0, m]) + log_scales[n], mean


@jit
def backward(
    letters,
    profile,
    opening,
    bonus_columns,
    bonus,
    tables,
    kept,
    log_scales,
    log_total,
    mean,
    rows,
    expected,
    posterior,
    entries,
):
    """Expected counts of what an alignment is made of; with two planes, their covariances with the direction's score.

    Parameters
    ----------
    letters, profile, opening, bonus_columns, bonus, tables, kept, log_scales
        As `forward` left them.
    log_total, mean : float
        What it returned.
    rows : ndarray of shape (4, n_planes, m + 1)
        Scratch.
    expected : ndarray of shape (n_rows, m)
        Receives, added, the expected number of pairs of each row of the profile with each symbol.
    posterior : ndarray of shape (n, m) or (0, 0)
        Receives the probability of each pair.
    entries : (float, ndarray of int32, ndarray of int32, ndarray)
        A threshold, and room for positions and probability of each pair that reaches it, or none.

    Returns
    -------
    openings, extensions : float
        Expected numbers; NaN if numbers were lost, and then the other results are worth nothing.
    n_entries : int
        Number of pairs that reach the threshold.
    """
    n, m = len(letters), profile.shape[2]
    total, first, second = tables
    n_rows = len(total) - 1
    begin = (max(n, 1) - 1) // n_rows * n_rows
    # Sums over completions after each move: of the row below, then of this one.
    pair, firsts, seconds, begun = rows[0], rows[1], rows[2], rows[3]
    rows[:] = 0.0
    begun[0, m] = 1.0
    log_scale = 0.0
    openings, extensions, n_entries = 0.0, 0.0, 0
    for i in range(n, -1, -1):
        if i < begin:
            begin -= n_rows
            _restore(tables, kept, begin)
            _sum_rows(begin, begin + n_rows, letters, profile, opening, bonus_columns, bonus, tables, log_scales)
        here, here_first, here_second = total[i - begin], first[i - begin], second[i - begin]
        if i < n:
            pair_backward(profile[letters[i]], pair, begun)
            if len(bonus_columns) and bonus_columns[i] >= 0:
                begun[1, bonus_columns[i]] += begun[0, bonus_columns[i]] * bonus
            factor = np.exp(log_scales[i] + log_scale - log_total)
            paired = add_expected(here, begun, factor, mean, expected[letters[i]])
            for j in range(posterior.shape[1]):
                posterior[i, j] = here[0, j] * begun[0, j] * factor
            if len(entries[3]):
                n_entries = _add_entries(i, here[0], begun[0], factor, entries, n_entries)
            sums = gap_sums(here, here_first, firsts, 0)
            opened, extended = _expected_gaps(sums, opening, factor, mean, len(begun))
            openings += opened
            extensions += extended
            if not abs((paired + sums[0] + sums[1] * opening[0]) * factor - 1.0) < ROW_TOLERANCE:
                return np.nan, np.nan, 0
        # Begin with a pair (or end), or open a gap of FIRST; then those that go on with SECOND.
        scaled_sum(begun, firsts, opening, pair)
        suffix_sums(pair, seconds)
        extend_firsts(begun, seconds, opening, firsts)
        add_scaled(seconds, opening, pair)
        size = row_sum(pair[0])
        if size > LARGE or size < SMALL:
            if not (size > 0.0 and size < np.inf):
                return np.nan, np.nan, 0
            factor = USUAL / size
            rows[:3] *= factor
            log_scale -= np.log(factor)
        factor = np.exp(log_scales[i] + log_scale - log_total)
        sums = gap_sums(here, here_second, seconds, 1)
        opened, extended = _expected_gaps(sums, opening, factor, mean, len(begun))
        openings += opened
        extensions += extended
    return openings, extensions, n_entries


@jit
def _add_entries(i, total, begun, factor, entries, n_entries):
    """Write down the pairs of a row that reach the threshold."""
    threshold, first, second, values = entries
    for j in range(len(total) - 1):
        value = total[j] * begun[j] * factor
        if value >= threshold and n_entries < len(values):
            first[n_entries], second[n_entries], values[n_entries] = i, j, value
            n_entries += 1
    return n_entries


@jit
def _expected_gaps(sums, opening, factor, mean, n_planes):
    """Expected numbers of openings and extensions of a row, or with two planes their derivatives."""
    extended, entered, extended_slope, entered_slope = sums
    if n_planes == 1:
        return factor * (entered * opening[0]), factor * extended
    opened_slope = entered_slope * opening[0] + entered * (opening[1] - mean * opening[0])
    return factor * opened_slope, factor * (extended_slope - mean * extended)


@jit
def draw(uniforms, letters, profile, opening, tables, kept, log_scales, moves):
    """Draw an alignment in proportion to its weight, from the tables of `forward`, walking back from the end.

    Parameters
    ----------
    uniforms : ndarray of shape (n + m,)
        Numbers drawn uniformly between 0 and 1.
    letters, profile, opening, tables, kept, log_scales
        As `forward` left them; of several blocks, any may be in the tables.
    moves : ndarray of uint8, shape (n + m,)

    Returns
    -------
    int
        Number of moves.
    """
    total, first, second = tables[0][:, 0], tables[1][:, 0], tables[2][:, 0]
    i, j, n_moves = len(letters), profile.shape[2], 0
    n_rows = len(total) - 1
    begin = i + 1 if i > n_rows else 0
    no_columns = np.empty(0, dtype=np.int32)
    open_first, open_second, open_pair = 1.0, 1.0, 1.0
    while i + j > 0:
        if i < begin:
            begin = (i - 1) // n_rows * n_rows if i > 0 else 0
            end = min(begin + n_rows, len(letters))
            _restore(tables, kept, begin)
            _sum_rows(begin, end, letters, profile, opening, no_columns, 0.0, tables, log_scales)
        a = first[i - begin, j] * open_first
        b = second[i - begin, j] * open_second
        c = max(total[i - begin, j] - first[i - begin, j] - second[i - begin, j], 0.0) * open_pair
        if i == 0 or j == 0:
            c = 0.0
        point = uniforms[n_moves] * (a + b + c)
        open_first, open_second, open_pair = opening[0], opening[0], opening[0]
        if j == 0 or (i > 0 and point < a):
            state = FIRST
            open_first = 1.0
            i -= 1
        elif i == 0 or point < a + b or c == 0.0:
            state = SECOND
            open_second = 1.0
            j -= 1
        else:
            state = PAIR
            open_first, open_second, open_pair = 1.0, 1.0, 1.0
            i -= 1
            j -= 1
        moves[n_moves] = state
        n_moves += 1
    for k in range(n_moves // 2):
        moves[k], moves[n_moves - 1 - k] = moves[n_moves - 1 - k], moves[k]
    return n_moves
