"""Classes of symbols, found in the sequences alone: what alternates with what, and what stands beside what."""

from __future__ import annotations

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage

from weft.arrays import Floats, Ids, Integers

__all__ = ["alternating_classes", "neighbour_classes"]


MANY_SYMBOLS = 2000
"""So many symbols stand for words or syllables and have no such classes; a table of their neighbours would be large."""


def _neighbours(symbols: Ids, offsets: Integers, n_symbols: int) -> Floats:
    """How often symbol b follows symbol a; one more row and column for the boundary."""
    following = np.append(symbols[1:], n_symbols).astype(np.int64)
    following[offsets[1:] - 1] = n_symbols
    pairs = symbols.astype(np.int64) * (n_symbols + 1) + following
    pairs = np.concatenate([pairs, n_symbols * (n_symbols + 1) + symbols[offsets[:-1]].astype(np.int64)])
    return np.bincount(pairs, minlength=(n_symbols + 1) ** 2).reshape(n_symbols + 1, n_symbols + 1).astype(np.float64)


def alternating_classes(symbols: Ids, offsets: Integers, n_symbols: int) -> Integers:
    """1 for symbols that alternate with most others, which are the vowels of most scripts, else 0 (Sukhotin 1962).

    Sequences must not be empty.

    Examples
    --------
    >>> alternating_classes(np.array([0, 1, 0, 2, 0, 3], dtype=np.int32), np.array([0, 6]), 4)
    array([1, 0, 0, 0])
    """
    if n_symbols > MANY_SYMBOLS:
        return np.zeros(n_symbols, dtype=np.int64)
    counts = _neighbours(symbols, offsets, n_symbols)[:-1, :-1]
    counts = counts + counts.T
    np.fill_diagonal(counts, 0.0)
    sums = counts.sum(axis=1)
    classes = np.zeros(n_symbols, dtype=np.int64)
    while len(sums):
        best = int(np.argmax(np.where(classes == 0, sums, -np.inf)))
        if classes[best] or sums[best] <= 0.0:
            break
        classes[best] = 1
        sums = sums - 2.0 * counts[best]
    return classes


def neighbour_classes(symbols: Ids, offsets: Integers, n_symbols: int, n_classes: int) -> Integers:
    """Classes of symbols with similar neighbours on either side, by Ward's criterion.

    Examples
    --------
    >>> classes = neighbour_classes(np.array([0, 2, 0, 3, 1, 2, 1, 3], dtype=np.int32), np.array([0, 4, 8]), 4, 2)
    >>> bool(classes[0] == classes[1] != classes[2] == classes[3])
    True
    """
    if not 2 <= n_symbols <= MANY_SYMBOLS:
        return np.zeros(n_symbols, dtype=np.int64)
    counts = _neighbours(symbols, offsets, n_symbols)
    rows = []
    for each in (counts[:-1], counts[:, :-1].T):
        rows.append(np.sqrt((each + 1e-3) / (each + 1e-3).sum(axis=1, keepdims=True)))
    tree = linkage(np.hstack(rows), "ward")
    return np.asarray(fcluster(tree, n_classes, "maxclust"), dtype=np.int64) - 1
