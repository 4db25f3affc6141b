"""Which symbols of two sequences answer to each other, by the fewest edits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def edit_columns(wanted: Sequence[Any], found: Sequence[Any]) -> list[tuple[Any, Any]]:
    """Pairs of symbols in order, with None where one side has nothing.

    Examples
    --------
    >>> edit_columns("cart", "cat")
    [('c', 'c'), ('a', 'a'), ('r', None), ('t', 't')]
    """
    n, m = len(wanted), len(found)
    numbers: dict[Any, int] = {}
    a, b = (
        np.array([numbers.setdefault(each, len(numbers)) for each in side], dtype=np.int64) for side in (wanted, found)
    )
    cost = np.zeros((n + 1, m + 1), dtype=np.int64)
    steps = np.arange(m + 1)
    cost[0] = steps
    for i in range(1, n + 1):
        row = np.empty(m + 1, dtype=np.int64)
        row[0] = i
        row[1:] = np.minimum(cost[i - 1, 1:] + 1, cost[i - 1, :-1] + (b != a[i - 1]))
        # A run of insertions from the best place to its left.
        cost[i] = np.minimum.accumulate(row - steps) + steps
    columns: list[tuple[Any, Any]] = []
    i, j = n, m
    while i or j:
        if i and j and cost[i, j] == cost[i - 1, j - 1] + (a[i - 1] != b[j - 1]):
            i, j = i - 1, j - 1
            columns.append((wanted[i], found[j]))
        elif i and cost[i, j] == cost[i - 1, j] + 1:
            i -= 1
            columns.append((wanted[i], None))
        else:
            j -= 1
            columns.append((None, found[j]))
    return columns[::-1]
