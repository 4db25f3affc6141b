"""Sums over all local alignments of one sequence with many others at once.

The others are lanes of arrays ``(length, n_lanes)``, so that every step is one loop over equal steps of all lanes. A
lane's numbers do not depend on the other lanes. They are of single precision and grow without bound: where the total
of a lane is large, the whole lane is scaled down, and the logarithm of the factor kept.
"""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit

LARGE, DOWN = np.float32(1e12), np.float32(1e-18)
LOG_UP = float(-np.log(1e-18))


@jit
def _sums(matched, first_gaps, second_gaps, begun, before, opened, extended):
    """What may stand before a match, and gaps in the second sequence: from the last symbol of the first one."""
    for k in range(len(matched)):
        match, gap = matched[k], first_gaps[k]
        before[k] = begun[k] + match + gap + second_gaps[k]
        first_gaps[k] = opened * match + extended * gap


@jit
def _matches(matched, before, odds):
    """The next symbol of the first sequence beside each symbol of the others."""
    for k in range(len(matched)):
        matched[k] = odds[k] * before[k]


@jit
def _gaps(matched, first_gaps, second_gaps, carried, totals, opened, extended):
    """Gaps in the first sequence, from symbol to symbol of the others, and the sum over where alignments end."""
    length, n_lanes = matched.shape
    for lane in range(n_lanes):
        carried[lane] = np.float32(0.0)
    for j in range(length):
        for lane in range(n_lanes):
            gap, match = carried[lane], matched[j, lane]
            second_gaps[j, lane] = gap
            carried[lane] = opened * (match + first_gaps[j, lane]) + extended * gap
            totals[lane] += match


@jit
def _scale_down(matched, first_gaps, second_gaps, begun, totals, logs):
    """Multiply lanes with large totals by a small number."""
    length, n_lanes = matched.shape
    for lane in range(n_lanes):
        if totals[lane] > LARGE:
            logs[lane] += LOG_UP
            totals[lane] *= DOWN
            for j in range(length):
                matched[j, lane] *= DOWN
                first_gaps[j, lane] *= DOWN
                second_gaps[j, lane] *= DOWN
                begun[j, lane] *= DOWN


@jit
def local_sums(codes, offsets, rows, others, other_offsets, lanes, odds, opened, extended, gram):
    """Fill ``gram[rows[i], lanes[l]]`` with the logarithm of 1 + the sum over local alignments of their odds.

    Parameters
    ----------
    codes, offsets, others, other_offsets : arrays
        Symbols of both sides, as `SymbolTable.encode` gives them.
    rows, lanes : arrays of int
        Which sequences of each side.
    odds : float32 array of shape (n_symbols, n_symbols)
        Of two symbols beside each other.
    opened, extended : float32
        Odds of the first symbol of a gap and of each further one.
    """
    n_lanes, length = len(lanes), 0
    for lane in range(n_lanes):
        length = max(length, other_offsets[lanes[lane] + 1] - other_offsets[lanes[lane]])
    # Beyond the end of a sequence nothing matches.
    profile = np.zeros((len(odds), length * n_lanes), dtype=np.float32)
    for lane in range(n_lanes):
        first, last = other_offsets[lanes[lane]], other_offsets[lanes[lane] + 1]
        for place in range(first, last):
            for symbol in range(len(odds)):
                profile[symbol, (place - first) * n_lanes + lane] = odds[symbol, others[place]]
    matched = np.empty((length, n_lanes), dtype=np.float32)
    first_gaps, second_gaps, begun = np.empty_like(matched), np.empty_like(matched), np.empty_like(matched)
    before = np.empty((length + 1) * n_lanes, dtype=np.float32)
    carried, totals = np.empty(n_lanes, dtype=np.float32), np.empty(n_lanes, dtype=np.float32)
    logs = np.empty(n_lanes)
    for row in rows:
        matched[:], first_gaps[:], second_gaps[:], begun[:] = 0.0, 0.0, 0.0, 1.0
        totals[:], logs[:], before[:n_lanes] = 0.0, 0.0, 1.0
        for place in range(offsets[row], offsets[row + 1]):
            if length == 0:
                break
            flat = (matched.ravel(), first_gaps.ravel(), second_gaps.ravel(), begun.ravel())
            _sums(*flat, before[n_lanes:], opened, extended)
            before[:n_lanes] = begun[0]
            _matches(flat[0], before[: length * n_lanes], profile[codes[place]])
            _gaps(matched, first_gaps, second_gaps, carried, totals, opened, extended)
            _scale_down(matched, first_gaps, second_gaps, begun, totals, logs)
        for lane in range(n_lanes):
            start = np.float64(begun[0, lane]) if length else 1.0
            gram[row, lanes[lane]] = np.log(start + np.float64(totals[lane])) + logs[lane]
