"""From aligned chunks to a label for each input symbol, and a dictionary of the labels of each symbol."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Ids, Integers
from weft.rewriting.chunks.alignment import Pairs


@dataclass(frozen=True)
class ChunkLabels:
    """Labels of input symbols: what they become.

    The first symbol of a chunk carries the output of the chunk; the others have a label of their own, which writes
    nothing and says "part of the chunk before", unlike the label of a deleted symbol.

    Attributes
    ----------
    of_symbols : ndarray
        Label of every input symbol.
    offsets, symbols : ndarrays
        Output symbols of label z are ``symbols[offsets[z]:offsets[z + 1]]``.
    inside : ndarray of bool
        Whether a label says "part of the chunk before".
    """

    of_symbols: Ids
    offsets: Integers
    symbols: Ids
    inside: NDArray[np.bool_]


def label_chunks(pairs: Pairs, steps: Integers, chosen: NDArray[np.int8]) -> ChunkLabels:
    """Labels from the steps of `ChunkAlignment.best`.

    Examples
    --------
    >>> pairs = Pairs(*(np.array(a) for a in ([0, 1, 2], [0, 3], [7, 8, 9], [0, 3])))
    >>> steps = np.array([[1, 0], [1, 1], [1, 2], [2, 1]])
    >>> labels = label_chunks(pairs, steps, np.array([2, 3, -1], dtype=np.int8))
    >>> [labels.symbols[labels.offsets[z]:labels.offsets[z + 1]].tolist() for z in labels.of_symbols]
    [[7, 8], [9], []]
    """
    lengths = np.where(chosen >= 0, steps[chosen, 1], 0)
    begins = np.cumsum(lengths) - lengths
    longest = int(steps[:, 1].max())
    rows = np.full((len(chosen), longest), -1, dtype=np.int32)
    for place in range(longest):
        has = np.flatnonzero(lengths > place)
        rows[has, place] = pairs.outputs[begins[has] + place]
    rows[chosen < 0] = -2
    # One number per row: symbols are few, so that a few rounds of renumbering hold any length.
    codes = rows[:, 0].astype(np.int64)
    for place in range(1, longest):
        codes = np.unique(codes, return_inverse=True)[1].astype(np.int64) * (1 << 32) + rows[:, place] + 2
    _, examples, numbers = np.unique(codes, return_index=True, return_inverse=True)
    found = [row[row >= 0] for row in rows[examples]]
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in found])]).astype(np.int64)
    spelled = np.concatenate([*found, np.empty(0, dtype=np.int32)])
    return ChunkLabels(numbers.astype(np.int32), offsets, spelled, rows[examples, 0] == -2)


@dataclass(frozen=True)
class Dictionary:
    """Labels that each symbol may get: those that it was seen with.

    Attributes
    ----------
    first : ndarray of shape (n_symbols + 1,)
        Candidates of symbol s are ``first[s]:first[s + 1]``.
    labels : ndarray
        Label of each candidate.
    """

    first: Integers
    labels: Ids

    @classmethod
    def collect(
        cls, symbols: Ids, labels: Ids, n_symbols: int, n_labels: int, min_count: int
    ) -> tuple[Dictionary, Integers]:
        """Pairs seen at least `min_count` times; the candidate at each position, -1 where the pair is too rare."""
        keys = symbols.astype(np.int64) * n_labels + labels
        pairs, numbers, counts = np.unique(keys, return_inverse=True, return_counts=True)
        kept = counts >= min_count
        number = np.where(kept, np.cumsum(kept) - 1, -1)
        first = np.searchsorted(pairs[kept] // n_labels, np.arange(n_symbols + 1)).astype(np.int64)
        return cls(first, (pairs[kept] % n_labels).astype(np.int32)), number[numbers]
