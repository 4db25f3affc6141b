"""Chains of labels, of any order: the dense fast path of the derivation graph.

A chain of order k remembers its last k labels. Its states are (block, label) pairs: a block is the history of
the k - 1 labels before the current one, and has `width` columns, one per label. A first-order chain has one
block. ``arcs[state, z]`` scores the step from a state to label z, which lands in block ``successor[state]``.
`width` is the number of labels rounded up to whole vector registers, so that inner loops run along memory
without a tail; padding scores ``-inf``. Every function is tested equal to the same query on the graph.

The log partition is computed in scaled probabilities (each column sums to one), four times faster than in
logarithms. They lose a path that is behind by more than floats can hold and wins later, so a sequence whose
scores span too much for that (`scaled_tables`) is done in the log domain.

All passes take real numbers or complex ones, whose imaginary parts are derivatives (`weft.core.complex_step`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weft.core.complex_step import exponential
from weft.core.jit import jit, jit_fast, jit_inline
from weft.structures.chain.loops.exponentials import exponentiate

LANES = 4
"""Doubles in one vector register of the machines we target."""

TINY = 1e-200
"""A column sum below this has lost digits to underflow."""


SAFE_SPAN = 640.0
"""Logarithms that scaled numbers may span; doubles hold about 708 either way, the rest covers sums over states."""


def padded_width(n_labels: int) -> int:
    """Round up the number of labels to whole vector registers.

    Examples
    --------
    >>> padded_width(22), padded_width(24)
    (24, 24)
    """
    return -(-n_labels // LANES) * LANES


def scaled_tables(tables: Any, mixing: int) -> Any:
    """Exponentials of the tables, and what decides whether scaled probabilities are safe.

    If any state can reach any other in `mixing` steps, then forward and backward numbers of a position differ by
    at most the span of that many steps, so nothing is lost while one step more than that spans at most `SAFE_SPAN`.

    Parameters
    ----------
    tables : (arcs, successor, start, end)
    mixing : int

    Returns
    -------
    (exp(arcs), exp(arcs) by the label that they lead to, exp(start), exp(end), span of the arcs, span of start and
    end, mixing, successor)
        Where exponentials might overflow they are zero and the span is infinite. For a chain of one block, whose steps
        all lead there, the successor is None: Numba leaves out what the others need.
    """
    arcs, successor, start, end = tables
    if arcs.shape[0] == arcs.shape[1]:
        successor = None
    arc_span, ends_span = _finite_span(arcs), _finite_span(start) + _finite_span(end)
    if arc_span + ends_span > SAFE_SPAN:
        none = np.zeros_like(arcs), np.zeros_like(arcs.T, order="C"), np.zeros_like(start), np.zeros_like(end)
        return *none, np.inf, np.inf, mixing, successor
    exp_arcs = exponential(arcs)
    arrivals = np.ascontiguousarray(exp_arcs.T)
    return exp_arcs, arrivals, exponential(start), exponential(end), arc_span, ends_span, mixing, successor


def stepped_tables(tables: Any, direction: Any, step: float) -> Any:
    """Tables with a step along those of a direction as imaginary parts."""
    arcs, successor, start, end = tables
    return arcs + 1j * step * direction[0], successor, start + 1j * step * direction[2], end + 1j * step * direction[3]


def _finite_span(values: Any) -> float:
    """Largest minus smallest of the finite real parts and zero."""
    finite = values.real[np.isfinite(values)]
    return float(finite.max(initial=0.0) - finite.min(initial=0.0))


@jit_fast
def _range_of(row):
    """Largest of the real parts, and smallest of the finite ones; two at a time, for one would wait for the other.

    Comparisons are written out: Numba compiles `max` and `min` once for each way to call them.
    """
    top, other_top, low, other_low = -np.inf, -np.inf, np.inf, np.inf
    for z in range(0, len(row), 2):
        a, b = row[z].real, row[z + 1].real
        top = a if a > top else top
        other_top = b if b > other_top else other_top
        low = a if -np.inf < a < low else low
        other_low = b if -np.inf < b < other_low else other_low
    top, low = other_top if other_top > top else top, other_low if other_low < low else low
    return top, low if low < top else top


@jit_fast
def _products(rows, vector, results):
    """Inner product of each row with a vector; four rows at a time share what is read of it."""
    width = len(vector)
    for s in range(0, len(results), LANES):
        a, b, c, d = rows[s], rows[s + 1], rows[s + 2], rows[s + 3]
        zero = results.dtype.type(0.0)
        first, second, third, fourth = zero, zero, zero, zero
        for z in range(width):
            value = vector[z]
            first += a[z] * value
            second += b[z] * value
            third += c[z] * value
            fourth += d[z] * value
        results[s], results[s + 1], results[s + 2], results[s + 3] = first, second, third, fourth


@jit_fast
def forward(scores, exponentials, successor, emission, alpha, scale):
    """Fill `alpha` with columns that sum to one and `emission` with exp(score - row maximum).

    Returns the log partition, or NaN when scaled probabilities are not safe.
    """
    exp_arcs, arrivals, exp_start, exp_end, arc_span, ends_span, mixing, _ = exponentials
    length, width = scores.shape
    largest_span = (SAFE_SPAN - ends_span) / ((mixing if mixing < length else length) + 1) - arc_span
    n_states = alpha.shape[1]
    log_partition = 0.0
    for t in range(length):
        row = scores[t]
        local = emission[t]
        top, bottom = _range_of(row)
        if not top - bottom <= largest_span:
            return np.nan
        for z in range(width):
            local[z] = row[z] - top
        log_partition += top
    exponentiate(emission[:length])
    for t in range(length):
        local = emission[t]
        here = alpha[t]
        if t == 0:
            for s in range(n_states):
                here[s] = 0.0
            for z in range(width):
                here[z] = exp_start[z]
        elif successor is None:
            _products(arrivals, alpha[t - 1], here)
        else:
            before = alpha[t - 1]
            for s in range(n_states):
                here[s] = 0.0
            for s in range(n_states):
                mass = before[s]
                departures = exp_arcs[s]
                block = here[successor[s] : successor[s] + width]
                for z in range(width):
                    block[z] += mass * departures[z]
        total = alpha.dtype.type(0.0)
        for base in range(0, n_states, width):
            block = here[base : base + width]
            if t == length - 1:
                for z in range(width):
                    block[z] *= exp_end[z]
            for z in range(width):
                block[z] *= local[z]
                total += block[z]
        if not total.real > TINY:
            return np.nan
        inverse = 1.0 / total.real
        for s in range(n_states):
            here[s] *= inverse
        scale[t] = inverse
        log_partition += np.log(total.real)
    return log_partition + (total - total.real) * inverse


@jit_fast
def _add_arcs(alpha, arrivals, weight, arc_sums):
    """Add ``weight * alpha[t - 1]`` times ``arrivals[t]`` to `arc_sums`; two steps at a time, for fewer reads of it."""
    length, width = arrivals.shape
    for t in range(1, length - 1, 2):
        masses, later_masses, block, later_block = alpha[t - 1], alpha[t], arrivals[t], arrivals[t + 1]
        for s in range(width):
            mass, later_mass, sums = weight * masses[s], weight * later_masses[s], arc_sums[s]
            for z in range(width):
                sums[z] += mass * block[z] + later_mass * later_block[z]
    if length % 2 == 0:
        block = arrivals[length - 1]
        for s in range(width):
            mass, sums = weight * alpha[length - 2, s], arc_sums[s]
            for z in range(width):
                sums[z] += mass * block[z]


@jit_fast
def _backward(exp_arcs, successor, exp_end, emission, alpha, scale, weight, marginals, arc_sums):
    """Fill `marginals` and add ``weight * alpha_s v_z`` to `arc_sums`; exp(arcs) is multiplied in later, once.

    The factors v of each step take the place of `emission`.
    """
    length, width = marginals.shape
    n_states = alpha.shape[1]
    beta = np.empty(n_states, alpha.dtype)
    arrival = np.empty(n_states, alpha.dtype)
    whole = alpha.dtype.type(0.0)
    for s in range(n_states):
        whole += alpha[length - 1, s]
    for s in range(n_states):
        beta[s] = whole.real / whole  # columns sum to one but for their derivative
    for t in range(length - 1, -1, -1):
        row = marginals[t]
        here = alpha[t]
        for z in range(width):
            row[z] = weight * here[z] * beta[z]
        if successor is not None:
            for base in range(width, n_states, width):
                for z in range(width):
                    row[z] += weight * here[base + z] * beta[base + z]
        if t == 0:
            break
        local = emission[t]
        inverse = scale[t]
        for z in range(width):
            local[z] *= inverse
        if t == length - 1:
            for z in range(width):
                local[z] *= exp_end[z]
        if successor is None:
            for z in range(width):
                local[z] *= beta[z]
            _products(exp_arcs, local, beta)
        else:
            for base in range(0, n_states, width):
                for z in range(width):
                    arrival[base + z] = local[z] * beta[base + z]
            before = alpha[t - 1]
            for s in range(n_states):
                block = arrival[successor[s] : successor[s] + width]
                departures = exp_arcs[s]
                sums = arc_sums[s]
                mass = weight * before[s]
                total = alpha.dtype.type(0.0)
                for z in range(width):
                    total += departures[z] * block[z]
                for z in range(width):
                    sums[z] += mass * block[z]
                beta[s] = total
    if successor is None:
        _add_arcs(alpha, emission[:length], weight, arc_sums)


@jit_inline
def forward_backward(scores, exponentials, workspace, weight, arc_sums):
    """Log partition of one sequence; `scores` becomes its label marginals times `weight`, in place.

    With complex numbers everywhere but in `scale`, imaginary parts hold the derivative along those of the scores.

    Parameters
    ----------
    scores : ndarray of shape (length, width)
    exponentials : tuple
        From `scaled_tables`.
    workspace : (emission, alpha, scale)
        Buffers of shapes (>= length, width), (>= length, n_states), (>= length,).
    weight : float
    arc_sums : ndarray of shape (n_states, width)
        Expected arcs are added without their factor exp(arcs), which the caller multiplies in once.

    Returns
    -------
    float
        NaN, with `scores` untouched, if this sequence needs `forward_backward_log`.
    """
    exp_arcs, exp_end, successor = exponentials[0], exponentials[3], exponentials[7]
    emission, alpha, scale = workspace
    log_partition = forward(scores, exponentials, successor, emission, alpha, scale)
    if not np.isnan(log_partition.real):
        _backward(exp_arcs, successor, exp_end, emission, alpha, scale, weight, scores, arc_sums)
    return log_partition


@jit
def _log_sum_onward(arcs, scores, beta, base):
    """Log of the summed weights of one step to any label and everything after it."""
    top = -np.inf
    for z in range(len(scores)):
        top = max(top, (arcs[z] + scores[z] + beta[base + z]).real)
    total = beta.dtype.type(0.0)
    if top == -np.inf:
        return total - np.inf
    for z in range(len(scores)):
        total += exponential(arcs[z] + scores[z] + beta[base + z] - top)
    return top + np.log(total)


@jit
def backward_log(scores, tables, beta):
    """Log of the summed weights of all that can follow each state into `beta`; the result is the log partition."""
    arcs, successor, start, end = tables
    length, width = scores.shape
    n_states = arcs.shape[0]
    for t in range(length - 1, -1, -1):
        for s in range(n_states):
            if t == length - 1:
                beta[t, s] = end[s % width]
            else:
                beta[t, s] = _log_sum_onward(arcs[s], scores[t + 1], beta[t + 1], successor[s])
    return _log_sum_onward(start, scores[0], beta[0], 0)


@jit
def forward_backward_log(scores, tables, weight, arc_sums):
    """`forward_backward` in the log domain: slower, safe for weights of any size.

    Expected arcs are added with their factor. Returns ``-inf`` if every path is forbidden.
    """
    arcs, successor, start, _ = tables
    length, width = scores.shape
    n_states = arcs.shape[0]
    beta = np.empty((length, n_states), dtype=scores.dtype)
    log_partition = backward_log(scores, tables, beta)
    # Walk forward with posterior probabilities: P(next | state) needs only beta.
    occupancy = np.zeros((length, n_states), dtype=scores.dtype)
    if log_partition.real > -np.inf:
        for z in range(width):
            occupancy[0, z] = exponential(start[z] + scores[0, z] + beta[0, z] - log_partition)
        for t in range(1, length):
            for s in range(n_states):
                if occupancy[t - 1, s].real > 0.0:
                    base = successor[s]
                    for z in range(width):
                        share = arcs[s, z] + scores[t, z] + beta[t, base + z]
                        if share.real > -np.inf:
                            mass = occupancy[t - 1, s] * exponential(share - beta[t - 1, s])
                            occupancy[t, base + z] += mass
                            arc_sums[s, z] += weight * mass
    for t in range(length):
        for z in range(width):
            scores[t, z] = 0.0
        for s in range(n_states):
            scores[t, s % width] += weight * occupancy[t, s]
    return log_partition
