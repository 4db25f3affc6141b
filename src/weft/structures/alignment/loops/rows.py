"""Loops over one row of an alignment table: few arrays each, so that the compiler can vectorise them."""

from __future__ import annotations

from weft.core.jit import jit, jit_fast

__all__ = [
    "add",
    "add_scaled",
    "dot",
    "larger",
    "multiply",
    "open_firsts",
    "row_sum",
    "running_sums",
    "suffix_sums",
    "two_running_sums",
]


@jit
def larger(a, b, out):
    """Write the larger of two numbers."""
    for j in range(len(out)):
        out[j] = a[j] if a[j] > b[j] else b[j]


@jit
def add(a, out):
    """Add `a` to `out`."""
    for j in range(len(out)):
        out[j] += a[j]


@jit
def add_scaled(a, factor, out):
    """Add ``factor * a`` to `out`."""
    for j in range(len(out)):
        out[j] += factor * a[j]


@jit
def multiply(a, b, out):
    """Write the products."""
    for j in range(len(out)):
        out[j] = a[j] * b[j]


@jit
def open_firsts(total, first, opening, out):
    """Extend the gaps of `first`, and open new ones after everything else."""
    for j in range(len(out)):
        out[j] = first[j] + (total[j] - first[j]) * opening


@jit_fast
def row_sum(a):
    """Sum of a row."""
    value = 0.0
    for j in range(len(a)):
        value += a[j]
    return value


@jit_fast
def dot(a, b):
    """Inner product."""
    value = 0.0
    for j in range(len(a)):
        value += a[j] * b[j]
    return value


# Four cells at a time: what a step waits for is then one addition for four cells.


@jit
def running_sums(a, factor, out):
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
def two_running_sums(a, factor, b, other, out):
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


@jit
def suffix_sums(a, out):
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
