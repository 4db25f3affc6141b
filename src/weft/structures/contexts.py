"""Letter contexts: which n-grams around a symbol are features of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.structures import context_passes

__all__ = ["Contexts"]

Ids = NDArray[np.int32]
Offsets = NDArray[np.int64]

BLOCK = 20_000
"""Positions that are looked up at once; their contexts stand in a table of equally long rows first."""


@dataclass(frozen=True)
class Contexts:
    """N-grams of the window around a symbol, each together with that symbol, that training has seen often enough.

    Attributes
    ----------
    width : int
        Symbols on each side that the window has.
    n_symbols : int
        Symbols are 0 .. n_symbols - 1; the one after them stands for the boundary.
    keys : ndarray of int64
        ``parent * (n_symbols + 1) + symbol`` of each context; contexts are numbered after the
        ``(2 width + 1) n_symbols`` roots, which are no contexts themselves.

    Examples
    --------
    >>> symbols, offsets = np.array([0, 1, 0, 1], dtype=np.int32), np.array([0, 2, 4])
    >>> contexts = Contexts.collect(symbols, offsets, 2, width=1, min_count=2)
    >>> rows, numbers = contexts.find(symbols, offsets)
    >>> len(contexts), rows
    (8, array([ 0,  4,  8, 12, 16]))
    """

    width: int
    n_symbols: int
    keys: NDArray[np.int64]
    table: Any = None

    def __post_init__(self) -> None:
        size = 1 << max(4, int(2 * len(self.keys)).bit_length())
        table = (np.full(size, -1, dtype=np.int64), np.empty(size, dtype=np.int32))
        context_passes.fill_table(self.keys, self.n_roots, *table)
        object.__setattr__(self, "table", table)

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def n_roots(self) -> int:
        """Numbers taken by the symbols alone, one per place where n-grams begin."""
        return (2 * self.width + 1) * self.n_symbols

    @classmethod
    def collect(cls, symbols: Ids, offsets: Offsets, n_symbols: int, width: int, min_count: int = 2) -> Contexts:
        """Contexts that occur at least `min_count` times in a corpus."""
        size = 1 << max(4, int(2 * len(symbols)).bit_length())
        keys = np.empty(size, dtype=np.int64)
        counts, numbers = np.empty(size, dtype=np.int32), np.empty(size, dtype=np.int32)
        places, new_keys = np.empty(len(symbols), dtype=np.int64), np.empty(len(symbols), dtype=np.int64)
        found = []
        first = (2 * width + 1) * n_symbols
        for start in (*range(-width, 1), *range(2, width + 1)):
            nodes = ((start + width) * n_symbols + symbols).astype(np.int32)
            for place in range(start, width + 1):
                if place == 0 and start < 0:
                    continue
                keys.fill(-1)
                counts.fill(0)
                numbers.fill(-1)
                context_passes.count_children(symbols, offsets, nodes, place, n_symbols, keys, counts, places)
                n_new = context_passes.number_children(
                    places, counts, min_count if place != start else 1, numbers, first, keys, new_keys, nodes
                )
                found.append(new_keys[:n_new].copy())
                first += n_new
                if not n_new:
                    break
        return cls(width, n_symbols, np.concatenate(found))

    def find(self, symbols: Ids, offsets: Offsets) -> tuple[Offsets, Ids]:
        """Contexts of every position, numbered from 0, as row offsets and flat numbers; unknown symbols have none."""
        most = (2 * self.width + 1) * (self.width + 1)
        rows = np.zeros(len(symbols) + 1, dtype=np.int64)
        parts = []
        n_words = len(offsets) - 1
        first = 0
        while first < n_words:
            last = max(first + 1, int(np.searchsorted(offsets, offsets[first] + BLOCK, side="right")) - 1)
            last = min(last, n_words)
            begin, end = int(offsets[first]), int(offsets[last])
            buffer = np.empty((end - begin, most), dtype=np.int32)
            n_found = context_passes.find_contexts(
                symbols[begin:end], offsets[first : last + 1] - begin, self.width, self.n_symbols, self.table, buffer
            )
            parts.append(buffer[np.arange(most) < n_found[:, None]] - self.n_roots)
            rows[begin + 1 : end + 1] = n_found
            first = last
        np.cumsum(rows, out=rows)
        return rows, np.concatenate(parts).astype(np.int32) if parts else np.empty(0, dtype=np.int32)
