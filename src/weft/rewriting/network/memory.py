"""A long short-term memory (Hochreiter and Schmidhuber 1997, with the gate of Gers et al. 2000) along packed sequences.

Rows are packed by place (`PackedSequences`): those of a place are one slice, and the first of the place before it are
what came before each of them. What is read is multiplied for all rows at once; only what is remembered, place by place.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weft.rewriting.network.loops import add_and_halve, keep, keep_backwards

Array = NDArray[np.floating[Any]]


class Remembered(NamedTuple):
    """What a memory did: its gates (let in, keep, show) and news, what it keeps, the tanh of that, what it shows."""

    gates: Array
    kept: Array
    seen: Array
    shown: Array


def remember(starts: list[int], sums: Array, again: Array, is_back: bool) -> Remembered:
    """Go along the sequences, from their ends if `is_back`; `sums` of what is read are used up.

    With i, f, o and g from ``sums + again.T @ shown``: ``kept = f * kept + i * g``, ``shown = o * tanh(kept)``.
    """
    n = sums.shape[1] // 4
    half = sums.dtype.type(0.5)
    kept, seen, shown = np.empty((3, len(sums), n), dtype=sums.dtype)
    recalled = np.empty((max(np.diff(starts).tolist(), default=0), 4 * n), dtype=sums.dtype)
    for rows, earlier, n_known in _places(starts, is_back):
        gates, own, own_seen = sums[rows], kept[rows], seen[rows]
        if n_known:
            np.dot(shown[earlier], again, out=recalled[:n_known])
        add_and_halve(gates, recalled[:n_known], half)
        np.tanh(gates, out=gates)
        keep(gates, kept[earlier], own, half)
        np.tanh(own, out=own_seen)
        np.multiply(gates[:, 2 * n : 3 * n], own_seen, out=shown[rows])
    return Remembered(sums, kept, seen, shown)


def remember_backwards(
    starts: list[int], done: Remembered, again: Array, is_back: bool, by_shown: Array
) -> tuple[Array, Array]:
    """Derivatives by the sums and by `again`, from that by what is shown, which is used up."""
    gates, kept, seen, shown = done
    one = gates.dtype.type(1.0)
    by_sums, by_kept, earlier_shown = np.empty_like(gates), np.zeros_like(kept), np.zeros_like(shown)
    for rows, earlier, n_known in reversed(list(_places(starts, is_back))):
        slope = by_sums[rows]
        before = kept[earlier], by_kept[earlier]
        keep_backwards(gates[rows], seen[rows], by_shown[rows], by_kept[rows], *before, slope, one)
        if n_known:
            by_shown[earlier] += slope[:n_known] @ again.T
            earlier_shown[rows][:n_known] = shown[earlier]
    return by_sums, earlier_shown.T @ by_sums


def _places(starts: list[int], is_back: bool) -> Any:
    """Rows of each place in the order of reading, those just before the first of them, and how many these are."""
    n_places = len(starts) - 1
    for place in reversed(range(n_places)) if is_back else range(n_places):
        rows = slice(starts[place], starts[place + 1])
        other = place + 1 if is_back else place - 1
        n_known = 0
        if 0 <= other < n_places:
            n_known = min(rows.stop - rows.start, starts[other + 1] - starts[other])
        first = starts[other] if n_known else 0
        yield rows, slice(first, first + n_known), n_known
