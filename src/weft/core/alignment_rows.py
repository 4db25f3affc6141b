"""Loops over one row of an alignment table: few arrays each, so that the compiler can vectorise them."""

from __future__ import annotations

from weft.core.jit import jit, jit_fast

__all__ = ["add", "add_product", "add_scaled", "dot", "larger", "multiply", "open_firsts", "row_sum", "two_dots"]


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
def add_product(a, b, out):
    """Add the products to `out`."""
    for j in range(len(out)):
        out[j] += a[j] * b[j]


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


@jit_fast
def two_dots(a, b, c, d):
    """``a . b + c . d``."""
    value = 0.0
    for j in range(len(a)):
        value += a[j] * b[j] + c[j] * d[j]
    return value
