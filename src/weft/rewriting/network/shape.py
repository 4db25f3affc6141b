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
"""Gates begin half open to the past: a memory of three to four symbols."""


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
        The last symbol stands for those that training lacks; its vector stays zero.
    n_labels, n_traits : int
    vector, hidden, memory : int
        Length of a symbol's vector, of the layer over neighbours, and of the memory in each direction.
    radius : int
        Neighbours on each side.
    n_memories : int
        Memories, one above the other.
    narrow : int
        Length of the layer before the labels; 0 for none.
    history : int
        Length of the memory of labels that were written before; 0 if the network does not read them.
    """

    n_symbols: int
    n_labels: int
    n_traits: int
    vector: int
    hidden: int
    memory: int
    radius: int
    n_memories: int = 1
    narrow: int = 0
    history: int = 0

    @property
    def layers(self) -> dict[str, tuple[int, ...]]:
        """Names and sizes of all arrays of weights."""
        sizes: dict[str, tuple[int, ...]] = {
            "vectors": (self.n_symbols + 1, self.vector),
            "window": ((2 * self.radius + 1) * self.vector, self.hidden),
            "window_bias": (self.hidden,),
        }
        below = self.vector + self.hidden
        for gates in self.gates:
            sizes |= {gates: (below, 6 * self.memory), f"{gates}_bias": (6 * self.memory,)}
            below = 2 * self.memory
        last = self.n_read
        if self.history:
            sizes["written"] = (self.n_labels + 1, self.vector)
            sizes |= {"recall": (below + 2 * self.vector, 3 * self.history), "recall_bias": (3 * self.history,)}
            last += 2 * self.vector + self.history
        if self.narrow:
            sizes |= {"narrow": (last, self.narrow), "narrow_bias": (self.narrow,)}
            last = self.narrow
        sizes |= {"labels": (last, self.n_labels), "labels_bias": (self.n_labels,)}
        return sizes | {"traits": (last, self.n_traits), "traits_bias": (self.n_traits,)}

    @property
    def gates(self) -> list[str]:
        """Names of the weights of the memories' gates, from the lowest memory on."""
        return ["gates", *(f"gates_{k}" for k in range(2, self.n_memories + 1))]

    @property
    def n_read(self) -> int:
        """Length of all that is known of a position of the input."""
        return self.vector + self.hidden + 2 * self.memory * self.n_memories

    @property
    def droppable(self) -> dict[str, Droppable]:
        """What may be dropped, by name."""
        found = {"vectors": Droppable(self.vector, True, True), "hidden": Droppable(self.hidden, False, True)}
        found |= {gates: Droppable(2 * self.memory, False, True) for gates in self.gates}
        if self.history:
            found["written"] = Droppable(2 * self.vector, True, False)
            found["recall"] = Droppable(self.history, False, False)
        return found | ({"narrow": Droppable(self.narrow, False, False)} if self.narrow else {})

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
        for name, array in self.views(weights).items():
            if name in ("vectors", "written"):
                array[:] = random.standard_normal(array.shape)
                if name == "vectors":
                    array[self.n_symbols - 1] = 0.0
            elif array.ndim == 2:
                array[:] = random.uniform(-1.0, 1.0, array.shape) / np.sqrt(array.shape[0])
        views = self.views(weights)
        for gates in self.gates:
            views[f"{gates}_bias"][2 * self.memory : 4 * self.memory] = KEEP
        if self.history:
            views["recall_bias"][self.history : 2 * self.history] = KEEP
        return weights


@dataclass(frozen=True)
class PaddedSequences:
    """Sequences of symbols with a boundary at both ends.

    Attributes
    ----------
    symbols : ndarray of shape (n_positions,)
    offsets : ndarray of shape (n_sequences + 1,)
    inner : ndarray
        Positions that are no boundary.
    neighbours : ndarray of shape (n_positions, 2 * radius + 1)
        Positions around each one, ``n_positions`` beyond the ends.
    """

    symbols: NDArray[np.int64]
    offsets: Offsets
    inner: Offsets
    neighbours: NDArray[np.int64]

    @classmethod
    def build(cls, symbols: NDArray[Any], offsets: Offsets, boundary: int, radius: int) -> PaddedSequences:
        """From sequences without boundaries.

        Examples
        --------
        >>> padded = PaddedSequences.build(np.array([3, 4, 5]), np.array([0, 2, 3]), 9, 1)
        >>> padded.symbols, padded.inner
        (array([9, 3, 4, 9, 9, 5, 9]), array([1, 2, 5]))
        >>> padded.neighbours[3:5]
        array([[2, 3, 7],
               [7, 4, 5]])
        """
        lengths = np.diff(offsets) + 2
        ends = np.cumsum(lengths)
        bounds = np.concatenate([[0], ends]).astype(np.int64)
        inner = np.arange(len(symbols)) + 1 + 2 * np.repeat(np.arange(len(lengths)), lengths - 2)
        padded = np.full(int(bounds[-1]), boundary, dtype=np.int64)
        padded[inner] = symbols
        around = np.arange(len(padded))[:, None] + np.arange(-radius, radius + 1)
        first, last = np.repeat(bounds[:-1], lengths)[:, None], np.repeat(ends, lengths)[:, None]
        around[(around < first) | (around >= last)] = len(padded)
        return cls(padded, bounds, inner, around)

    @property
    def inner_offsets(self) -> Offsets:
        """Where the sequences begin among the positions that are no boundary."""
        return np.asarray(self.offsets - 2 * np.arange(len(self.offsets)))

    def written_before(self, labels: NDArray[Any] | None, nothing: int) -> NDArray[np.int64]:
        """The label before each position and the one before that; `nothing` where there is none, as for the label -1.

        Examples
        --------
        >>> padded = PaddedSequences.build(np.array([3, 4, 5, 6]), np.array([0, 3, 4]), 9, 1)
        >>> padded.written_before(np.array([1, 2, 0, 1]), 7)
        array([[7, 7],
               [1, 7],
               [2, 1],
               [7, 7]])
        """
        if labels is None:
            raise ValueError("this network reads what was written: labels are needed")
        given = np.where(labels < 0, nothing, labels).astype(np.int64)
        bounds = self.inner_offsets
        place = np.arange(len(given)) - np.repeat(bounds[:-1], np.diff(bounds))
        return np.stack([np.where(place >= k, np.roll(given, k), nothing) for k in (1, 2)], axis=1)
