"""Scores of all pairs of positions by their symbols and their neighbours, and sums over them back to features."""

from __future__ import annotations

from weft.core.jit import jit

__all__ = ["window_counts", "window_scores"]


@jit
def window_scores(first, second, table, neighbours, out):
    """Score of pairing each two positions.

    Parameters
    ----------
    first, second : ndarray of int32, shapes (n, 1 + k) and (m, 1 + k)
        Symbol, and class of each of k neighbours.
    table : ndarray of shape (n_symbols, n_symbols)
    neighbours : ndarray of shape (k, n_classes, n_classes)
    out : ndarray of shape (n, m)
    """
    for i in range(len(first)):
        row, own = out[i], table[first[i, 0]]
        for j in range(len(second)):
            row[j] = own[second[j, 0]]
        for k in range(len(neighbours)):
            own = neighbours[k, first[i, k + 1]]
            for j in range(len(second)):
                row[j] += own[second[j, k + 1]]


@jit
def window_counts(first, second, values, table, neighbours, out):
    """Add a number of each two positions to the features of their pair: `table` and `neighbours` name these."""
    for i in range(len(first)):
        row, own = values[i], table[first[i, 0]]
        for j in range(len(second)):
            out[own[second[j, 0]]] += row[j]
        for k in range(len(neighbours)):
            own = neighbours[k, first[i, k + 1]]
            for j in range(len(second)):
                out[own[second[j, k + 1]]] += row[j]
