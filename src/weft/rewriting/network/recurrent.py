"""A small recurrent network that labels the symbols of a sequence.

Every symbol has a vector. A layer sees the vectors of a symbol and its neighbours; a gated memory, read from both ends,
carries what is farther away. The gates depend on what is read and not on the memory (quasi-recurrent networks, Bradbury
et al. 2017), so that all but one short loop are products of matrices. More memories may stand on the first, each of
which reads the one below. A network may also read what was written: the labels before, the last two as vectors and the
others in a memory of their own, so that it gives probabilities of whole labellings. Labels with a trait in common, such
as an output symbol, share a part of their scores; before them a narrow layer may gather what all others say.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weft.rewriting.network.loops import remember, remember_backwards
from weft.rewriting.network.shape import Array, NetworkShape, Offsets, PaddedSequences

SEQUENCES_AT_ONCE = 500
"""Prediction works on so many sequences at a time, which bounds its memory."""


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

        With `labels`, of shape (n_symbols, n), only those of each symbol are kept, in that order. For networks that do
        not read what was written.
        """
        parts = []
        for batch, _ in self._batches(symbols, offsets):
            probabilities = np.zeros((len(batch.inner), self.shape.n_labels))
            for weights in self.weights:
                probabilities += self._forward(weights, batch, None, {}).probabilities
            if labels is not None:
                probabilities = np.take_along_axis(probabilities, labels[batch.symbols[batch.inner]], axis=1)
            parts.append(np.log(np.maximum(probabilities / len(self.weights), 1e-30)))
        return np.concatenate(parts) if parts else np.empty((0, self.shape.n_labels))

    def labelling_scores(self, symbols: NDArray[Any], offsets: Offsets, labels: NDArray[Any]) -> NDArray[np.float64]:
        """Mean over the networks of the log-probability of each sequence's labels; the label -1 counts nothing."""
        sums = np.zeros(len(offsets) - 1)
        for batch, part in self._batches(symbols, offsets):
            given = labels[offsets[part.start] : offsets[part.stop]]
            for weights in self.weights:
                probabilities = self._forward(weights, batch, given, {}).probabilities
                chosen = probabilities[np.arange(len(given)), np.maximum(given, 0)].astype(np.float64)
                logs = np.where(given < 0, 0.0, np.log(np.maximum(chosen, 1e-30)))
                sums[part] += np.add.reduceat(logs, batch.inner_offsets[:-1])
        return sums / len(self.weights)

    def _batches(self, symbols: NDArray[Any], offsets: Offsets) -> Any:
        """Some sequences at a time, and which ones they are."""
        for i in range(0, len(offsets) - 1, SEQUENCES_AT_ONCE):
            bounds = offsets[i : i + SEQUENCES_AT_ONCE + 1]
            inside = symbols[bounds[0] : bounds[-1]]
            batch = PaddedSequences.build(inside, bounds - bounds[0], self.shape.n_symbols, self.shape.radius)
            yield batch, slice(i, i + len(bounds) - 1)

    def loss_and_slope(
        self,
        weights: Array,
        batch: PaddedSequences,
        labels: NDArray[Any],
        sample_weight: Array,
        drops: Mapping[str, Array],
    ) -> tuple[float, Array]:
        """Weighted sum of the negative log-probabilities of labels, and its derivative by the weights of one network.

        `drops` has factors for what `NetworkShape.droppable` names: zero for what is dropped.
        """
        shape = self.shape
        layers = shape.views(weights)
        passed = self._forward(weights, batch, labels, drops)
        rows = np.arange(len(labels))
        loss = -float(sample_weight @ np.log(np.maximum(passed.probabilities[rows, labels], 1e-30)))
        slopes = np.zeros_like(weights)
        into = shape.views(slopes)

        def through(name: str, below: Array, slope: Array) -> Array:
            """Write what a layer's weights add; the slope by what is below the layer."""
            np.dot(below.T, slope, out=into[name])
            slope.sum(axis=0, out=into[f"{name}_bias"])
            return np.asarray(slope @ layers[name].T)

        by_scores = passed.probabilities * sample_weight[:, None]
        by_scores[rows, labels] -= sample_weight
        np.dot(passed.last.T, by_scores, out=into["labels"])
        by_scores.sum(axis=0, out=into["labels_bias"])
        for name in ("", "_bias"):  # a label's scores have those of its traits in them
            np.dot(into[f"labels{name}"], self.traits, out=into[f"traits{name}"])
        by_last: Array = by_scores @ self._scorers(layers)[0].T
        if shape.narrow:
            by_last = through("narrow", passed.everything, by_last * drops.get("narrow", 1.0) * (passed.last > 0))
        n_positions, first, second = len(batch.symbols), shape.vector, shape.vector + shape.hidden
        n_read, width = shape.n_read, 2 * shape.memory
        if shape.history:
            by_shown = by_last[:, n_read + 2 * first :] * drops.get("recall", 1.0)
            by_gates = _gates_backwards(
                batch.inner_offsets, passed.recall[0], passed.recall[1], by_shown, shape.history
            )
            by_recall = through("recall", passed.recall[2], by_gates)
            by_last[:, n_read - width : n_read] += by_recall[:, :width]
            by_written = (by_last[:, n_read : n_read + 2 * first] + by_recall[:, width:]) * drops.get("written", 1.0)
            before = batch.written_before(labels, shape.n_labels)
            which = (np.arange(shape.n_labels + 1)[:, None] == before.T.reshape(-1)).astype(weights.dtype)
            into["written"][:] = which @ np.concatenate([by_written[:, :first], by_written[:, first:]])
        by_everything = np.zeros((n_positions, n_read), dtype=weights.dtype)
        by_everything[batch.inner] = by_last[:, :n_read]

        by_above = np.zeros(1, dtype=weights.dtype)
        for k in reversed(range(shape.n_memories)):
            begin = second + k * width
            by_shown = (by_everything[:, begin : begin + width] + by_above) * drops.get(shape.gates[k], 1.0)
            by_gates = _gates_backwards(batch.offsets, passed.gates[k], passed.memories[k], by_shown, shape.memory)
            by_above = through(shape.gates[k], passed.below[k], by_gates)
        by_everything[:, :second] += by_above

        by_hidden = by_everything[:, first:second] * drops.get("hidden", 1.0) * (passed.below[0][:, first:] > 0)
        by_window = through("window", passed.window, by_hidden).reshape(n_positions, -1, first)
        by_vectors = np.zeros((n_positions + 1, first), dtype=weights.dtype)
        by_vectors[:-1] = by_everything[:, :first]
        for k in range(by_window.shape[1]):  # positions at one distance differ, but for those beyond the ends
            by_vectors[batch.neighbours[:, k]] += by_window[:, k]
        by_vectors = by_vectors[:-1] * drops.get("vectors", 1.0)
        which = (np.arange(shape.n_symbols + 1)[:, None] == batch.symbols).astype(weights.dtype)
        into["vectors"][:] = which @ by_vectors
        return loss, slopes

    def _forward(
        self, weights: Array, batch: PaddedSequences, labels: NDArray[Any] | None, drops: Mapping[str, Array]
    ) -> _Passed:
        """All layers, from the vectors of the symbols to the probabilities of labels, given the labels before."""
        shape = self.shape
        layers = shape.views(weights)
        vectors = layers["vectors"][batch.symbols] * drops.get("vectors", 1.0)
        beyond = np.zeros((1, shape.vector), dtype=weights.dtype)
        window = np.concatenate([vectors, beyond])[batch.neighbours].reshape(len(vectors), -1)
        hidden = np.maximum(window @ layers["window"] + layers["window_bias"], 0.0) * drops.get("hidden", 1.0)
        below = [np.concatenate([vectors, hidden], axis=1)]
        all_gates, memories = [], []
        for k, name in enumerate(shape.gates):
            sums = below[k] @ layers[name] + layers[f"{name}_bias"]
            gates, memory = _gates_forward(batch.offsets, sums, shape.memory)
            all_gates.append(gates)
            memories.append(memory)
            below.append(memory * gates[:, 4 * shape.memory :] * drops.get(name, 1.0))
        everything = np.concatenate(below, axis=1)[batch.inner]
        recall: tuple[Array, ...] = ()
        if shape.history:
            before = batch.written_before(labels, shape.n_labels)
            written = layers["written"][before].reshape(len(before), -1) * drops.get("written", 1.0)
            read = np.concatenate([everything[:, -2 * shape.memory :], written], axis=1)
            sums = read @ layers["recall"] + layers["recall_bias"]
            gates, memory = _gates_forward(batch.inner_offsets, sums, shape.history)
            recall = (gates, memory, read)
            shown = memory * gates[:, 2 * shape.history :] * drops.get("recall", 1.0)
            everything = np.concatenate([everything, written, shown], axis=1)
        last = everything
        if shape.narrow:
            last = np.maximum(everything @ layers["narrow"] + layers["narrow_bias"], 0.0) * drops.get("narrow", 1.0)
        scorers, bias = self._scorers(layers)
        scores = last @ scorers + bias
        scores[~self.allowed[batch.symbols[batch.inner]]] = -np.inf
        scores -= scores.max(axis=1, keepdims=True)
        probabilities = np.exp(scores, out=scores)
        probabilities /= probabilities.sum(axis=1, keepdims=True)
        return _Passed(window, below, all_gates, memories, recall, everything, last, probabilities)

    def _scorers(self, layers: dict[str, Array]) -> tuple[Array, Array]:
        """What scores labels, with their traits' share: cheaper than to score traits at each position."""
        return (
            layers["labels"] + layers["traits"] @ self.traits.T,
            layers["labels_bias"] + layers["traits_bias"] @ self.traits.T,
        )


class _Passed(NamedTuple):
    """What a batch becomes on its way through a network: what its layers read and write."""

    window: Array
    below: list[Array]
    gates: list[Array]
    memories: list[Array]
    recall: tuple[Array, ...]
    everything: Array
    last: Array
    probabilities: Array


def _gates_forward(offsets: Offsets, gates: Array, n_forward: int) -> tuple[Array, Array]:
    """Gates from their sums, which are used up: what is new, what is kept, what is shown; and the memory."""
    n = gates.shape[1] // 3
    # A sigmoid is half of one plus tanh of the half.
    gates[:, n:] *= 0.5
    np.tanh(gates, out=gates)
    gates[:, n:] *= 0.5
    gates[:, n:] += 0.5
    memory = np.empty((len(gates), n), dtype=gates.dtype)
    remember(offsets, gates[:, n : 2 * n], gates[:, :n], memory, n_forward)
    return gates, memory


def _gates_backwards(offsets: Offsets, gates: Array, memory: Array, by_shown: Array, n_forward: int) -> Array:
    """Derivative by the sums of the gates, from that by what the memory shows."""
    n = memory.shape[1]
    new, keep, shown = gates[:, :n], gates[:, n : 2 * n], gates[:, 2 * n :]
    by_gates = np.empty_like(gates)
    by_gates[:, 2 * n :] = by_shown * memory * shown * (1 - shown)
    by_keep, by_new = np.empty_like(memory), np.empty_like(memory)
    remember_backwards(offsets, keep, new, memory, by_shown * shown, by_keep, by_new, n_forward)
    by_gates[:, :n] = by_new * (1 - new * new)
    by_gates[:, n : 2 * n] = by_keep * keep * (1 - keep)
    return by_gates
