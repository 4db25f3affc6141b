"""Sizes of a recurrent network's layers, and the sequences that go through them at once."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating[Any]]
Offsets = NDArray[np.int64]

KEEP = 1.0
"""Memories begin with a gate that is more open than not to the past (Gers et al. 2000)."""

AROUND = (-1, 0, 1)
"""Where the symbols are, from a position, whose vectors the narrow layer sees."""


class Droppable(NamedTuple):
    """What may be dropped while a network learns: its width, whether it is an input, whether it knows boundaries."""

    width: int
    is_input: bool
    has_boundaries: bool


@dataclass(frozen=True)
class NetworkShape:
    """Sizes of the layers.

    Attributes
    ----------
    n_symbols : int
        The last symbol stands for those unseen in training; its vector stays zero.
    n_labels, n_traits : int
    vector, memory, narrow : int
        Length of a symbol's or label's vector, of a memory in each direction, and of the layer before the labels.
    history : int
        Length of the memory of labels that were written before; 0 if the network does not read them.
    """

    n_symbols: int
    n_labels: int
    n_traits: int
    vector: int
    memory: int
    narrow: int
    history: int = 0

    @property
    def layers(self) -> dict[str, tuple[int, ...]]:
        """Names and sizes of all arrays of weights."""
        sizes: dict[str, tuple[int, ...]] = {"vectors": (self.n_symbols + 1, self.vector)}
        for name, (n_read, n_kept) in self.memories.items():
            sizes |= {name: (n_read, 4 * n_kept), f"{name}_bias": (4 * n_kept,), f"{name}_again": (n_kept, 4 * n_kept)}
        last = len(AROUND) * self.vector + 2 * self.memory
        if self.history:
            sizes["written"] = (self.n_labels + 1, self.vector)
            last += self.vector + self.history
        sizes |= {"narrow": (last, self.narrow), "narrow_bias": (self.narrow,)}
        sizes |= {"labels": (self.narrow, self.n_labels), "labels_bias": (self.n_labels,)}
        return sizes | {"traits": (self.narrow, self.n_traits), "traits_bias": (self.n_traits,)}

    @property
    def memories(self) -> dict[str, tuple[int, int]]:
        """Numbers that each memory reads and keeps: from the beginning, from the end, and of what was written."""
        found = {"ahead": (self.vector, self.memory), "back": (self.vector, self.memory)}
        return found | ({"recall": (2 * self.memory + self.vector, self.history)} if self.history else {})

    @property
    def droppable(self) -> dict[str, Droppable]:
        """What may be dropped, by name."""
        found = {"vectors": Droppable(self.vector, True, True), "memory": Droppable(2 * self.memory, False, False)}
        if self.history:
            found["written"] = Droppable(self.vector, True, False)
            found["recall"] = Droppable(self.history, False, False)
        return found | {"narrow": Droppable(self.narrow, False, False)}

    @property
    def n_weights(self) -> int:
        """Number of weights of one network."""
        return sum(int(np.prod(size)) for size in self.layers.values())

    def views(self, weights: Array) -> dict[str, Array]:
        """The arrays of weights inside one long vector."""
        sizes = [int(np.prod(size)) for size in self.layers.values()]
        bounds = itertools.pairwise(np.cumsum([0, *sizes]).tolist())
        return {
            name: weights[a:b].reshape(size) for (name, size), (a, b) in zip(self.layers.items(), bounds, strict=True)
        }

    def start(self, random: np.random.Generator) -> Array:
        """Random weights to begin with: each layer keeps the size of what goes through it."""
        weights = np.zeros(self.n_weights, dtype=np.float32)
        views = self.views(weights)
        for name, array in views.items():
            if name in ("vectors", "written"):
                array[:] = random.standard_normal(array.shape)
            elif array.ndim == 2:
                array[:] = random.uniform(-1.0, 1.0, array.shape) / np.sqrt(array.shape[0])
        views["vectors"][self.n_symbols - 1] = 0.0
        for name, (_, n_kept) in self.memories.items():
            views[f"{name}_bias"][n_kept : 2 * n_kept] = KEEP
        return weights


@dataclass(frozen=True)
class PackedSequences:
    """Sequences of symbols with a boundary at both ends, the longest first, packed by place in the sequence.

    First come the first symbols of all sequences, then the second ones of those that have any, and so on, so that what
    a memory does at one place is one product of matrices without padding.

    Attributes
    ----------
    symbols : ndarray of shape (n_rows,)
    starts : list of int
        Where the rows of each place begin, and the number of rows.
    inner : ndarray
        Rows that are no boundary. Among themselves they are packed in the same way.
    inner_starts : list of int
    positions : ndarray
        Where each of the inner rows is among the symbols as they were given.
    before : ndarray
        The inner row of the symbol before each of them; -1 for a first symbol.
    around : ndarray of shape (n_inner_rows, 3)
        The rows of the symbol before each of them, of itself and of the one after, boundaries included.
    """

    symbols: NDArray[np.int64]
    starts: list[int]
    inner: Offsets
    inner_starts: list[int]
    positions: Offsets
    before: Offsets
    around: NDArray[np.int64]

    @classmethod
    def build(cls, symbols: NDArray[Any], offsets: Offsets, boundary: int) -> PackedSequences:
        """From sequences without boundaries.

        Examples
        --------
        >>> packed = PackedSequences.build(np.array([5, 3, 4]), np.array([0, 1, 3]), 9)
        >>> packed.symbols, packed.starts
        (array([9, 9, 3, 5, 4, 9, 9]), [0, 2, 4, 6, 7])
        >>> packed.inner, packed.inner_starts, packed.positions, packed.before
        (array([2, 3, 4]), [0, 2, 3], array([1, 0, 2]), array([-1, -1,  0]))
        >>> packed.around
        array([[0, 2, 4],
               [1, 3, 5],
               [2, 4, 6]])
        """
        lengths = np.diff(offsets)
        order = np.argsort(-lengths, kind="stable")
        longest = int(lengths.max(initial=0)) + 2
        # How many sequences have a symbol or boundary at each place.
        counts = len(lengths) - np.searchsorted(np.sort(lengths + 2), np.arange(longest), side="right")
        starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        place = np.repeat(np.arange(longest), counts)
        rank = np.arange(len(place)) - starts[place]
        is_inner = (place > 0) & (place <= lengths[order[rank]])
        positions = (offsets[order[rank]] + place - 1)[is_inner]
        packed = np.full(len(place), boundary, dtype=np.int64)
        packed[is_inner] = symbols[positions]
        inner_starts = np.concatenate([[0], np.cumsum(counts[2:])]).astype(np.int64)
        at, owner = place[is_inner] - 1, rank[is_inner]
        before = np.where(at > 0, inner_starts[np.maximum(at - 1, 0)] + owner, -1)
        around = np.stack([starts[at + 1 + k] + owner for k in AROUND], axis=1)
        return cls(packed, starts.tolist(), np.flatnonzero(is_inner), inner_starts.tolist(), positions, before, around)
