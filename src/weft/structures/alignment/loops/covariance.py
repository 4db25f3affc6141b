"""Covariances of what alignments are made of, by the passes of `passes` in dual numbers.

With scores moved by a small step along a direction, every sum moves by a derivative; the derivative of the expected
counts is their covariance with the direction's own score. Each table has a twin for derivatives, divided by the same
scale.
"""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit, jit_fast
from weft.structures.alignment.loops.passes import LARGE, LARGEST_OPENING, ROW_TOLERANCE, SMALL
from weft.structures.alignment.loops.rows import (
    add,
    add_scaled,
    dot,
    open_firsts,
    row_sum,
    running_sums,
    suffix_sums,
    two_running_sums,
)

__all__ = ["dual_backward", "dual_forward"]


@jit
def _sum_pairs(total, slope, weights, weight_slopes, out, out_slope):
    for j in range(len(weights)):
        out[j + 1] = total[j] * weights[j]
    for j in range(len(weights)):
        out_slope[j + 1] = slope[j] * weights[j] + total[j] * weight_slopes[j]


@jit
def _open_first_slopes(total, total_slope, first, first_slope, opening, opening_slope, out):
    for j in range(len(out)):
        out[j] = first_slope[j] + (total_slope[j] - first_slope[j]) * opening + (total[j] - first[j]) * opening_slope


@jit
def _add_seconds(total, slope, opening, opening_slope, second, second_slope):
    """Gaps of SECOND along a row; `total` holds the other two states, and all three afterwards."""
    two_running_sums(slope, opening, total, opening_slope, second_slope)
    running_sums(total, opening, second)
    add(second, total)
    add(second_slope, slope)


@jit
def dual_forward(model, slopes, bonus_columns, bonus, tables, slope_tables, log_scales):
    """`passes.forward` with derivatives.

    Parameters
    ----------
    model : (letters, profile, opening)
    slopes : (profile_slopes, opening_slope)
        Derivatives of the weights.
    bonus_columns : ndarray of int32, shape (n,) or (0,)
        Symbol of the second sequence whose pair with this one scores `bonus` more along the direction; -1 for none.
    bonus : float
    tables, slope_tables : tuples of three ndarrays of shape (n + 1, m + 1)
    log_scales : ndarray of shape (n + 1,)

    Returns
    -------
    log_total, mean : float
        Logarithm of the reduced sum, and its derivative: the expected reduced score of the direction.
    """
    letters, profile, opening = model
    if not opening < LARGEST_OPENING:
        return np.nan, np.nan
    profile_slopes, opening_slope = slopes
    n, m = len(letters), profile.shape[1]
    total, first, second = tables
    total_slope, first_slope, second_slope = slope_tables
    total[0, :] = 0.0
    first[0, :] = 0.0
    total_slope[0, :] = 0.0
    first_slope[0, :] = 0.0
    total[0, 0] = 1.0
    _add_seconds(total[0], total_slope[0], opening, opening_slope, second[0], second_slope[0])
    log_scales[0] = 0.0
    for i in range(n):
        row, row_slope = total[i + 1], total_slope[i + 1]
        row[0] = 0.0
        row_slope[0] = 0.0
        _sum_pairs(total[i], total_slope[i], profile[letters[i]], profile_slopes[letters[i]], row, row_slope)
        if len(bonus_columns) and bonus_columns[i] >= 0:
            row_slope[bonus_columns[i] + 1] += row[bonus_columns[i] + 1] * bonus
        open_firsts(total[i], first[i], opening, first[i + 1])
        _open_first_slopes(
            total[i], total_slope[i], first[i], first_slope[i], opening, opening_slope, first_slope[i + 1]
        )
        add(first[i + 1], row)
        add(first_slope[i + 1], row_slope)
        _add_seconds(row, row_slope, opening, opening_slope, second[i + 1], second_slope[i + 1])
        log_scales[i + 1] = log_scales[i]
        size = row_sum(row)
        if size > LARGE or size < SMALL:
            if not (size > 0.0 and size < np.inf):
                return np.nan, np.nan
            for table in (total, first, second, total_slope, first_slope, second_slope):
                table[i + 1] /= size
            log_scales[i + 1] += np.log(size)
    return np.log(total[n, m]) + log_scales[n], total_slope[n, m] / total[n, m]


@jit
def _complete_pairs(weights, weight_slopes, after, after_slope, out, out_slope):
    m = len(weights)
    for j in range(m):
        out[j] = weights[j] * after[j + 1]
    for j in range(m):
        out_slope[j] = weights[j] * after_slope[j + 1] + weight_slopes[j] * after[j + 1]
    out[m] = 0.0
    out_slope[m] = 0.0


@jit
def _add_covariances(total, slope, begun, begun_slope, mean, factor, out):
    """Add the covariances of the pairs of a row: derivatives of probabilities, minus probability times mean."""
    for j in range(len(out)):
        out[j] += factor * (total[j] * (begun_slope[j] - mean * begun[j]) + slope[j] * begun[j])


@jit
def _combine(a, b, factor, out):
    for j in range(len(out)):
        out[j] = a[j] + b[j] * factor


@jit
def _combine_slopes(a, slope, factor, b, factor_slope, out):
    for j in range(len(out)):
        out[j] = a[j] + slope[j] * factor + b[j] * factor_slope


@jit
def _extend_firsts(begun, seconds, opening, firsts):
    m = len(begun) - 1
    for j in range(m):
        firsts[j] += begun[j] + seconds[j + 1] * opening
    firsts[m] += begun[m]


@jit
def _extend_first_slopes(begun_slope, seconds_slope, opening, seconds, opening_slope, firsts_slope):
    m = len(begun_slope) - 1
    for j in range(m):
        firsts_slope[j] += begun_slope[j] + seconds_slope[j + 1] * opening + seconds[j + 1] * opening_slope
    firsts_slope[m] += begun_slope[m]


@jit_fast
def _gap_sums(total, total_slope, gap, gap_slope, after, after_slope):
    """Sums over a row of gaps that go on and of those that may open, and their derivatives."""
    extended, entered, extended_slope, entered_slope = 0.0, 0.0, 0.0, 0.0
    for j in range(len(after)):
        extended += gap[j] * after[j]
        entered += (total[j] - gap[j]) * after[j]
        extended_slope += gap_slope[j] * after[j] + gap[j] * after_slope[j]
        entered_slope += (total_slope[j] - gap_slope[j]) * after[j] + (total[j] - gap[j]) * after_slope[j]
    return extended, entered, extended_slope, entered_slope


@jit
def dual_backward(
    model, slopes, bonus_columns, bonus, tables, slope_tables, log_scales, log_total, mean, rows, expected
):
    """Covariances of the counts with the score of the direction.

    Parameters
    ----------
    model, slopes, bonus_columns, bonus, tables, slope_tables, log_scales
        As `dual_forward` left them.
    log_total, mean : float
        What it returned.
    rows : ndarray of shape (8, m + 1)
        Scratch.
    expected : ndarray of shape (n_rows, m)
        Receives, added, the covariance with the number of pairs of each row of the profile with each symbol.

    Returns
    -------
    openings, extensions : float
        Covariances with their numbers; NaN if numbers were lost.
    """
    letters, profile, opening = model
    profile_slopes, opening_slope = slopes
    n, m = len(letters), profile.shape[1]
    total, first, second = tables
    total_slope, first_slope, second_slope = slope_tables
    pair, firsts, seconds = rows[0, : m + 1], rows[1, : m + 1], rows[2, : m + 1]
    pair_slope, firsts_slope, seconds_slope = rows[3, : m + 1], rows[4, : m + 1], rows[5, : m + 1]
    begun, begun_slope = rows[6, : m + 1], rows[7, : m + 1]
    rows[:] = 0.0
    begun[m] = 1.0
    log_scale = 0.0
    openings, extensions = 0.0, 0.0
    for i in range(n, -1, -1):
        if i < n:
            letter = letters[i]
            _complete_pairs(profile[letter], profile_slopes[letter], pair, pair_slope, begun, begun_slope)
            if len(bonus_columns) and bonus_columns[i] >= 0:
                begun_slope[bonus_columns[i]] += begun[bonus_columns[i]] * bonus
            factor = np.exp(log_scales[i] + log_scale - log_total)
            _add_covariances(total[i], total_slope[i], begun, begun_slope, mean, factor, expected[letter])
            extended, entered, extended_slope, entered_slope = _gap_sums(
                total[i], total_slope[i], first[i], first_slope[i], firsts, firsts_slope
            )
            openings += factor * (entered_slope * opening + entered * (opening_slope - mean * opening))
            extensions += factor * (extended_slope - mean * extended)
            if not abs((dot(total[i], begun) + extended + entered * opening) * factor - 1.0) < ROW_TOLERANCE:
                return np.nan, np.nan
        # Begin with a pair (or end), or open a gap of FIRST; then those that go on with SECOND.
        _combine(begun, firsts, opening, pair)
        _combine_slopes(begun_slope, firsts_slope, opening, firsts, opening_slope, pair_slope)
        suffix_sums(pair, seconds)
        suffix_sums(pair_slope, seconds_slope)
        _extend_firsts(begun, seconds, opening, firsts)
        _extend_first_slopes(begun_slope, seconds_slope, opening, seconds, opening_slope, firsts_slope)
        add_scaled(seconds[1:], opening, pair[:m])
        _combine_slopes(pair_slope[:m], seconds_slope[1:], opening, seconds[1:], opening_slope, pair_slope[:m])
        size = row_sum(pair)
        if size > LARGE or size < SMALL:
            if not (size > 0.0 and size < np.inf):
                return np.nan, np.nan
            rows[:6] /= size
            log_scale += np.log(size)
        factor = np.exp(log_scales[i] + log_scale - log_total)
        extended, entered, extended_slope, entered_slope = _gap_sums(
            total[i], total_slope[i], second[i], second_slope[i], seconds[1:], seconds_slope[1:]
        )
        openings += factor * (entered_slope * opening + entered * (opening_slope - mean * opening))
        extensions += factor * (extended_slope - mean * extended)
    return openings, extensions
