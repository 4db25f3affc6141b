"""A long short-term memory (Hochreiter and Schmidhuber 1997, with the gate of Gers et al. 2000) along packed sequences.

Rows are packed by place (`PackedSequences`): those of a place are one slice, and the first of the place before it are
what came before each of them. What is read is multiplied for all rows at once; only what is remembered, place by place.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating[Any]]


class Remembered(NamedTuple):
    """What a memory did: its gates (let in, keep, show) and news, what it keeps, and what it shows; a row each."""

    gates: Array
    kept: Array
    shown: Array


def remember(starts: list[int], sums: Array, again: Array, is_back: bool) -> Remembered:
    """Go along the sequences, from their ends if `is_back`; `sums` of what is read are used up.

    With i, f, o and g from ``sums + again.T @ shown``: ``kept = f * kept + i * g``, ``shown = o * tanh(kept)``.
    """
    n = sums.shape[1] // 4
    kept, shown = np.empty((2, len(sums), n), dtype=sums.dtype)
    for rows, earlier, n_known in _places(starts, is_back):
        gates = sums[rows]
        if n_known:
            gates[:n_known] += shown[earlier] @ again
        # A sigmoid is half of one plus tanh of the half.
        gates[:, : 3 * n] *= 0.5
        np.tanh(gates, out=gates)
        gates[:, : 3 * n] *= 0.5
        gates[:, : 3 * n] += 0.5
        own = np.multiply(gates[:, :n], gates[:, 3 * n :], out=kept[rows])
        own[:n_known] += gates[:n_known, n : 2 * n] * kept[earlier]
        np.multiply(gates[:, 2 * n : 3 * n], np.tanh(own), out=shown[rows])
    return Remembered(sums, kept, shown)


def remember_backwards(
    starts: list[int], done: Remembered, again: Array, is_back: bool, by_shown: Array
) -> tuple[Array, Array]:
    """Derivatives by the sums and by `again`, from that by what is shown, which is used up."""
    gates, kept, shown = done
    n = kept.shape[1]
    by_sums = np.empty_like(gates)
    by_kept = np.zeros_like(kept)
    earlier_shown = np.zeros_like(shown)
    for rows, earlier, n_known in reversed(list(_places(starts, is_back))):
        let_in, keep, show, news = (gates[rows, k * n : (k + 1) * n] for k in range(4))
        seen = np.tanh(kept[rows])
        here, slope = by_shown[rows], by_sums[rows]
        slope[:, 2 * n : 3 * n] = here * seen * show * (1 - show)
        own = by_kept[rows]
        own += here * show * (1 - seen * seen)
        slope[:, :n] = own * news * let_in * (1 - let_in)
        slope[:, 3 * n :] = own * let_in * (1 - news * news)
        slope[:, n : 2 * n] = 0.0
        if n_known:
            known = keep[:n_known]
            slope[:n_known, n : 2 * n] = own[:n_known] * kept[earlier] * known * (1 - known)
            by_kept[earlier] += own[:n_known] * known
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
