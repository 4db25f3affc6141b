"""A small recurrent network that labels the symbols of a sequence.

Every symbol has a vector. A layer sees the vectors of a symbol and its neighbours; a gated memory, read from both ends,
carries what is farther away. The gates depend on the symbols and not on the memory (quasi-recurrent networks, Bradbury
et al. 2017), so that all but one short loop are products of matrices. Labels with a trait in common, such as an output
symbol, share a part of their scores.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.rewriting.network.loops import remember, remember_backwards

Array = NDArray[np.floating[Any]]
Offsets = NDArray[np.int64]

KEEP = 1.0
"""Gates begin half open to the past: a memory of three to four symbols."""

SEQUENCES_AT_ONCE = 500
"""Prediction works on so many sequences at a time, which bounds its memory."""


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
    """

    n_symbols: int
    n_labels: int
    n_traits: int
    vector: int
    hidden: int
    memory: int
    radius: int

    @property
    def layers(self) -> dict[str, tuple[int, ...]]:
        """Names and sizes of all arrays of weights."""
        together = self.vector + self.hidden
        everything = together + 2 * self.memory
        return {
            "vectors": (self.n_symbols + 1, self.vector),
            "window": ((2 * self.radius + 1) * self.vector, self.hidden),
            "window_bias": (self.hidden,),
            "gates": (together, 6 * self.memory),
            "gates_bias": (6 * self.memory,),
            "labels": (everything, self.n_labels),
            "labels_bias": (self.n_labels,),
            "traits": (everything, self.n_traits),
            "traits_bias": (self.n_traits,),
        }

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
            if name == "vectors":
                array[:] = random.standard_normal(array.shape)
                array[self.n_symbols - 1] = 0.0
            elif array.ndim == 2:
                array[:] = random.uniform(-1.0, 1.0, array.shape) / np.sqrt(array.shape[0])
        views = self.views(weights)
        views["gates_bias"][2 * self.memory : 4 * self.memory] = KEEP
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


@dataclass(frozen=True)
class Networks:
    """Networks of one shape whose probabilities are averaged.

    Attributes
    ----------
    shape : NetworkShape
    weights : ndarray of shape (n_networks, n_weights)
    allowed : ndarray of shape (n_symbols, n_labels)
        Labels that each symbol may have; a symbol that training lacks may have all.
    traits : ndarray of shape (n_labels, n_traits)
        1 where a label has a trait.
    """

    shape: NetworkShape
    weights: Array
    allowed: NDArray[np.bool_]
    traits: Array

    def log_probabilities(
        self, symbols: NDArray[Any], offsets: Offsets, labels: NDArray[Any] | None = None
    ) -> NDArray[np.float64]:
        """Logarithm of the mean probability of labels at each position, shape (n_positions, n_labels).

        With `labels`, of shape (n_symbols, n), only those of each symbol are kept, in that order.
        """
        parts = []
        for i in range(0, len(offsets) - 1, SEQUENCES_AT_ONCE):
            bounds = offsets[i : i + SEQUENCES_AT_ONCE + 1]
            batch = PaddedSequences.build(
                symbols[bounds[0] : bounds[-1]], bounds - bounds[0], self.shape.n_symbols, self.shape.radius
            )
            probabilities = np.zeros((len(batch.inner), self.shape.n_labels))
            for weights in self.weights:
                probabilities += self._forward(weights, batch, None)[-1]
            if labels is not None:
                probabilities = np.take_along_axis(probabilities, labels[batch.symbols[batch.inner]], axis=1)
            parts.append(np.log(np.maximum(probabilities / len(self.weights), 1e-30)))
        return np.concatenate(parts) if parts else np.empty((0, self.shape.n_labels))

    def loss_and_slope(
        self, weights: Array, batch: PaddedSequences, labels: NDArray[Any], sample_weight: Array, drops: Any = None
    ) -> tuple[float, Array]:
        """Weighted sum of the negative log-probabilities of labels, and its derivative by the weights of one network.

        `drops` has factors for vectors, hidden layer and memory: zero for what is dropped.
        """
        shape = self.shape
        layers = shape.views(weights)
        vectors, window, hidden, gates, memory, everything, probabilities = self._forward(weights, batch, drops)
        drops = (1.0, 1.0, 1.0) if drops is None else drops
        rows = np.arange(len(labels))
        loss = -float(sample_weight @ np.log(np.maximum(probabilities[rows, labels], 1e-30)))
        slopes = np.zeros_like(weights)
        into = shape.views(slopes)

        by_scores = probabilities * sample_weight[:, None]
        by_scores[rows, labels] -= sample_weight
        by_traits = by_scores @ self.traits
        into["labels"][:] = everything.T @ by_scores
        into["labels_bias"][:] = by_scores.sum(axis=0)
        into["traits"][:] = everything.T @ by_traits
        into["traits_bias"][:] = by_traits.sum(axis=0)
        n_positions = len(batch.symbols)
        by_everything = np.zeros((n_positions, everything.shape[1]), dtype=weights.dtype)
        by_everything[batch.inner] = by_scores @ layers["labels"].T + by_traits @ layers["traits"].T

        first, second = shape.vector, shape.vector + shape.hidden
        new, keep, shown = (gates[:, 2 * k * shape.memory : 2 * (k + 1) * shape.memory] for k in range(3))
        by_memory = by_everything[:, second:] * drops[2]
        by_gates = np.empty_like(gates)
        by_gates[:, 4 * shape.memory :] = by_memory * memory * shown * (1 - shown)
        by_keep, by_new = np.empty_like(memory), np.empty_like(memory)
        remember_backwards(batch.offsets, keep, new, memory, by_memory * shown, by_keep, by_new)
        by_gates[:, : 2 * shape.memory] = by_new * (1 - new * new)
        by_gates[:, 2 * shape.memory : 4 * shape.memory] = by_keep * keep * (1 - keep)
        into["gates"][:] = np.concatenate([vectors, hidden], axis=1).T @ by_gates
        into["gates_bias"][:] = by_gates.sum(axis=0)
        by_everything[:, :second] += by_gates @ layers["gates"].T

        by_hidden = by_everything[:, first:second] * drops[1] * (hidden > 0)
        into["window"][:] = window.T @ by_hidden
        into["window_bias"][:] = by_hidden.sum(axis=0)
        by_window = (by_hidden @ layers["window"].T).reshape(n_positions, -1, first)
        by_vectors = np.zeros((n_positions + 1, first), dtype=weights.dtype)
        by_vectors[:-1] = by_everything[:, :first]
        for k in range(by_window.shape[1]):  # positions at one distance differ, but for those beyond the ends
            by_vectors[batch.neighbours[:, k]] += by_window[:, k]
        by_vectors = by_vectors[:-1] * drops[0]
        which = (np.arange(shape.n_symbols + 1)[:, None] == batch.symbols).astype(weights.dtype)
        into["vectors"][:] = which @ by_vectors
        return loss, slopes

    def _forward(self, weights: Array, batch: PaddedSequences, drops: Any) -> tuple[Array, ...]:
        """All layers, from the vectors of the symbols to the probabilities of labels."""
        shape = self.shape
        layers = shape.views(weights)
        drops = (1.0, 1.0, 1.0) if drops is None else drops
        vectors = layers["vectors"][batch.symbols] * drops[0]
        beyond = np.zeros((1, shape.vector), dtype=weights.dtype)
        window = np.concatenate([vectors, beyond])[batch.neighbours].reshape(len(vectors), -1)
        hidden = np.maximum(window @ layers["window"] + layers["window_bias"], 0.0) * drops[1]
        together = np.concatenate([vectors, hidden], axis=1)
        gates = together @ layers["gates"] + layers["gates_bias"]
        n_new = 2 * shape.memory
        # A sigmoid is half of one plus tanh of the half.
        gates[:, n_new:] *= 0.5
        np.tanh(gates, out=gates)
        gates[:, n_new:] = 0.5 * gates[:, n_new:] + 0.5
        memory = np.empty((len(vectors), n_new), dtype=weights.dtype)
        remember(batch.offsets, gates[:, n_new : 2 * n_new], gates[:, :n_new], memory)
        everything = np.concatenate([together, memory * gates[:, 2 * n_new :] * drops[2]], axis=1)[batch.inner]
        scores = everything @ layers["labels"] + layers["labels_bias"]
        scores += (everything @ layers["traits"] + layers["traits_bias"]) @ self.traits.T
        scores[~self.allowed[batch.symbols[batch.inner]]] = -np.inf
        probabilities = np.exp(scores - scores.max(axis=1, keepdims=True))
        probabilities /= probabilities.sum(axis=1, keepdims=True)
        return vectors, window, hidden, gates, memory, everything, probabilities
