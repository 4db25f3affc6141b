"""Loops over one row of an alignment table: few arrays each, so that the compiler can vectorise them.

A row of a sum has one plane or two: its numbers and, if there are two, their derivatives along a direction. A number
of its own comes as (value, derivative). All arithmetic on such rows is here, each rule with its derivative, so that the
passes need not know which of the two they compute.
"""

from __future__ import annotations

from weft.core.jit import jit, jit_fast, jit_inline

__all__ = [
    "add",
    "add_expected",
    "add_scaled",
    "extend_firsts",
    "gap_sums",
    "larger",
    "open_firsts",
    "pair_backward",
    "pair_forward",
    "row_sum",
    "running_sums",
    "scaled_sum",
    "suffix_sums",
]


@jit
def larger(a, b, out):
    """Write the larger of two numbers."""
    for j in range(len(out)):
        out[j] = a[j] if a[j] > b[j] else b[j]


@jit_fast
def row_sum(a):
    """Sum of a row."""
    value = 0.0
    for j in range(len(a)):
        value += a[j]
    return value


# ------------------------------------------------------------------------------------------ rows of planes


@jit
def _add(a, out):
    for j in range(len(out)):
        out[j] += a[j]


@jit_inline
def add(a, out):
    """Add `a` to `out`."""
    for plane in range(len(a)):
        _add(a[plane], out[plane])


@jit
def _multiply(a, b, out):
    for j in range(len(out)):
        out[j] = a[j] * b[j]


@jit
def _product_slopes(a, slope, b, b_slope, out):
    for j in range(len(out)):
        out[j] = slope[j] * b[j] + a[j] * b_slope[j]


@jit_inline
def _multiply_planes(a, a_begin, b, out, out_begin):
    """Products of the row `b` and as many elements of `a`, each from a place on."""
    m = b.shape[1]
    _multiply(a[0, a_begin : a_begin + m], b[0], out[0, out_begin : out_begin + m])
    if len(out) == 2:
        _product_slopes(
            a[0, a_begin : a_begin + m],
            a[1, a_begin : a_begin + m],
            b[0],
            b[1],
            out[1, out_begin : out_begin + m],
        )


@jit_inline
def pair_forward(before, weights, out):
    """Write what goes on with a pair, into the cell after it."""
    for plane in range(len(out)):
        out[plane, 0] = 0.0
    _multiply_planes(before, 0, weights, out, 1)


@jit_inline
def pair_backward(weights, after, out):
    """Write completions that begin with a pair."""
    _multiply_planes(after, 1, weights, out, 0)
    for plane in range(len(out)):
        out[plane, -1] = 0.0


@jit
def _open_values(total, first, opening, out):
    for j in range(len(out)):
        out[j] = first[j] + (total[j] - first[j]) * opening


@jit
def _open_slopes(total, total_slope, first, first_slope, opening, opening_slope, out):
    for j in range(len(out)):
        out[j] = first_slope[j] + (total_slope[j] - first_slope[j]) * opening + (total[j] - first[j]) * opening_slope


@jit_inline
def open_firsts(total, first, opening, out):
    """Extend the gaps of `first`, and open new ones after everything else."""
    _open_values(total[0], first[0], opening[0], out[0])
    if len(out) == 2:
        _open_slopes(total[0], total[1], first[0], first[1], opening[0], opening[1], out[1])


@jit
def _scaled_values(a, b, factor, out):
    for j in range(len(b)):
        out[j] = a[j] + b[j] * factor


@jit
def _scaled_slopes(a, slope, factor, b, factor_slope, out):
    for j in range(len(b)):
        out[j] = a[j] + slope[j] * factor + b[j] * factor_slope


@jit_inline
def scaled_sum(a, b, factor, out):
    """Write ``a + factor * b``."""
    _scaled_values(a[0], b[0], factor[0], out[0])
    if len(out) == 2:
        _scaled_slopes(a[1], b[1], factor[0], b[0], factor[1], out[1])


@jit
def _add_scaled_values(a, factor, out):
    for j in range(len(a)):
        out[j] += a[j] * factor


@jit
def _add_scaled_slopes(slope, factor, a, factor_slope, out):
    for j in range(len(a)):
        out[j] += slope[j] * factor + a[j] * factor_slope


@jit_inline
def add_scaled(a, factor, out):
    """Add ``factor * a`` of the cell after each."""
    _add_scaled_values(a[0, 1:], factor[0], out[0])
    if len(out) == 2:
        _add_scaled_slopes(a[1, 1:], factor[0], a[0, 1:], factor[1], out[1])


@jit
def _extended_values(begun, after, opening, firsts):
    for j in range(len(after)):
        firsts[j] += begun[j] + after[j] * opening
    firsts[-1] += begun[-1]


@jit
def _extended_slopes(begun_slope, after_slope, opening, after, opening_slope, firsts_slope):
    for j in range(len(after)):
        firsts_slope[j] += begun_slope[j] + after_slope[j] * opening + after[j] * opening_slope
    firsts_slope[-1] += begun_slope[-1]


@jit_inline
def extend_firsts(begun, seconds, opening, firsts):
    """Add completions that begin with a pair or open a gap of SECOND to those that go on with FIRST."""
    _extended_values(begun[0], seconds[0, 1:], opening[0], firsts[0])
    if len(firsts) == 2:
        _extended_slopes(begun[1], seconds[1, 1:], opening[0], seconds[0, 1:], opening[1], firsts[1])


@jit_fast
def _add_products(total, begun, factor, out):
    value = 0.0
    for j in range(len(out)):
        product = total[j] * begun[j]
        value += product
        out[j] += factor * product
    return value


@jit_fast
def _add_covariances(total, slope, begun, begun_slope, mean, factor, out):
    value = 0.0
    for j in range(len(out)):
        value += total[j] * begun[j]
        out[j] += factor * (total[j] * (begun_slope[j] - mean * begun[j]) + slope[j] * begun[j])
    return value


@jit_inline
def add_expected(total, begun, factor, mean, out):
    """Add the probabilities of the pairs of a row, or with two planes their derivatives: covariances.

    Returns the sum of the probabilities, without `factor`.
    """
    if len(total) == 2:
        return _add_covariances(total[0], total[1], begun[0], begun[1], mean, factor, out)
    return _add_products(total[0], begun[0], factor, out)


@jit_fast
def _value_sums(total, gap, after):
    extended, every = 0.0, 0.0
    for j in range(len(after)):
        extended += gap[j] * after[j]
        every += total[j] * after[j]
    return extended, every - extended


@jit_fast
def _value_and_slope_sums(total, total_slope, gap, gap_slope, after, after_slope):
    extended, entered, extended_slope, entered_slope = 0.0, 0.0, 0.0, 0.0
    for j in range(len(after)):
        extended += gap[j] * after[j]
        entered += (total[j] - gap[j]) * after[j]
        extended_slope += gap_slope[j] * after[j] + gap[j] * after_slope[j]
        entered_slope += (total_slope[j] - gap_slope[j]) * after[j] + (total[j] - gap[j]) * after_slope[j]
    return extended, entered, extended_slope, entered_slope


@jit_inline
def gap_sums(total, gap, after, begin):
    """Sums over a row of gaps that go on and of those that may open, completed `begin` cells on; and derivatives."""
    if len(total) == 2:
        return _value_and_slope_sums(total[0], total[1], gap[0], gap[1], after[0, begin:], after[1, begin:])
    extended, entered = _value_sums(total[0], gap[0], after[0, begin:])
    return extended, entered, 0.0, 0.0


# Four cells at a time: what a step waits for is then one addition for four cells.


@jit
def _running_values(a, factor, out):
    """Write ``factor`` times the sum of all elements before each."""
    total = 0.0
    n_blocks = len(a) // 4
    for block in range(n_blocks):
        j = 4 * block
        first = a[j] * factor
        second = first + a[j + 1] * factor
        third = second + a[j + 2] * factor
        fourth = third + a[j + 3] * factor
        out[j] = total
        out[j + 1] = total + first
        out[j + 2] = total + second
        out[j + 3] = total + third
        total += fourth
    for j in range(4 * n_blocks, len(a)):
        out[j] = total
        total += a[j] * factor


@jit
def _running_slopes(a, factor, b, other, out):
    """Write the sum of ``factor * a + other * b`` over all elements before each."""
    total = 0.0
    n_blocks = len(a) // 4
    for block in range(n_blocks):
        j = 4 * block
        first = a[j] * factor + b[j] * other
        second = first + (a[j + 1] * factor + b[j + 1] * other)
        third = second + (a[j + 2] * factor + b[j + 2] * other)
        fourth = third + (a[j + 3] * factor + b[j + 3] * other)
        out[j] = total
        out[j + 1] = total + first
        out[j + 2] = total + second
        out[j + 3] = total + third
        total += fourth
    for j in range(4 * n_blocks, len(a)):
        out[j] = total
        total += a[j] * factor + b[j] * other


@jit_inline
def running_sums(a, factor, out):
    """Write `factor` times the sum of all elements before each."""
    if len(out) == 2:
        _running_slopes(a[1], factor[0], a[0], factor[1], out[1])
    _running_values(a[0], factor[0], out[0])


@jit
def _suffix_sums(a, out):
    """Write the sum of each element and all after it."""
    total = 0.0
    n_blocks = len(a) // 4
    rest = len(a) - 4 * n_blocks
    for block in range(n_blocks - 1, -1, -1):
        j = rest + 4 * block
        first = a[j + 3]
        second = first + a[j + 2]
        third = second + a[j + 1]
        fourth = third + a[j]
        out[j + 3] = total + first
        out[j + 2] = total + second
        out[j + 1] = total + third
        total += fourth
        out[j] = total
    for j in range(rest - 1, -1, -1):
        total += a[j]
        out[j] = total


@jit_inline
def suffix_sums(a, out):
    """Write the sum of each element and all after it."""
    for plane in range(len(a)):
        _suffix_sums(a[plane], out[plane])
