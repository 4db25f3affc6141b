"""Compiled sums of storages that are plain arrays."""

from __future__ import annotations

from weft.core.jit import jit


@jit
def dot(columns, values, weights):
    """D(Phi o W')."""
    total = 0.0
    for k in range(len(columns)):
        total += weights[columns[k]] * values[k]
    return total


@jit
def add(columns, values, step, weights):
    """W' + step Phi, in place."""
    for k in range(len(columns)):
        weights[columns[k]] += step * values[k]


@jit
def dot_all(indptr, all_columns, all_values, coefficients, columns, values, work):
    """D(Phi o W') from all examples that have a coefficient; `work` is zero before and after."""
    for k in range(len(columns)):
        work[columns[k]] = values[k]
    total = 0.0
    for j in range(len(coefficients)):
        if coefficients[j] != 0.0:
            part = 0.0
            for k in range(indptr[j], indptr[j + 1]):
                part += work[all_columns[k]] * all_values[k]
            total += coefficients[j] * part
    for k in range(len(columns)):
        work[columns[k]] = 0.0
    return total
