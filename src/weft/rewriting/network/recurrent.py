"""A small recurrent network that labels the symbols of a sequence.

Every symbol has a vector, and two memories read these, from the beginning and from the end. A network may also read
what was written: a third memory reads the label before and what the first two show, so that the network gives
probabilities of whole labellings (a neural transducer, Graves 2012, along an alignment that is known). A narrow layer
gathers what all memories show and the vectors of a symbol and its neighbours, and scores the labels. Labels with a
trait in common, such as an output symbol, share a part of their scores.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weft.core.algebra import one_algebra_thread
from weft.rewriting.network.memory import Remembered, remember, remember_backwards
from weft.rewriting.network.shape import AROUND, Array, NetworkShape, Offsets, PackedSequences

SEQUENCES_AT_ONCE = 500
"""Prediction works on so many sequences at a time, which bounds its memory."""
MOST_NETWORKS = 100
"""More would not be averaged by anybody; a file that has them would keep whoever loads it waiting."""


@dataclass(frozen=True)
class Networks:
    """Networks of one shape whose probabilities are averaged.

    Attributes
    ----------
    shape : NetworkShape
    weights : ndarray of shape (n_networks, n_weights)
    allowed : ndarray of shape (n_symbols, n_labels)
        Labels that each symbol may have; a symbol unseen in training may have all.
    traits : ndarray of shape (n_labels, n_traits)
        1 where a label has a trait.
    """

    shape: NetworkShape
    weights: Array
    allowed: NDArray[np.bool_]
    traits: Array

    @one_algebra_thread()
    def log_probabilities(
        self, symbols: NDArray[Any], offsets: Offsets, labels: NDArray[Any] | None = None
    ) -> NDArray[np.float64]:
        """Logarithm of the mean probability of labels at each position, shape (n_positions, n_labels).

        With `labels`, of shape (n_symbols, n), only those of each symbol are kept, in that order. For networks that do
        not read what was written.
        """
        parts = []
        for batch, _, inside in self._batches(symbols, offsets):
            probabilities = np.zeros((len(batch.inner), self.shape.n_labels))
            for weights in self.weights:
                probabilities[batch.positions] += self._forward(weights, batch, None, {}).probabilities
            if labels is not None:
                probabilities = np.take_along_axis(probabilities, labels[inside], axis=1)
            parts.append(np.log(np.maximum(probabilities / len(self.weights), 1e-30)))
        return np.concatenate(parts) if parts else np.empty((0, self.shape.n_labels))

    @one_algebra_thread()
    def labelling_scores(self, symbols: NDArray[Any], offsets: Offsets, labels: NDArray[Any]) -> NDArray[np.float64]:
        """Mean over the networks of the log-probability of each sequence's labels; the label -1 counts nothing."""
        sums = np.zeros(len(offsets) - 1)
        for batch, part, _ in self._batches(symbols, offsets):
            bounds = offsets[part.start : part.stop + 1]
            given = labels[bounds[0] : bounds[-1]][batch.positions]
            logs = np.zeros(len(given))
            for weights in self.weights:
                probabilities = self._forward(weights, batch, given, {}).probabilities
                chosen = probabilities[np.arange(len(given)), np.maximum(given, 0)].astype(np.float64)
                logs[batch.positions] += np.where(given < 0, 0.0, np.log(np.maximum(chosen, 1e-30)))
            sums[part] = np.add.reduceat(logs, bounds[:-1] - bounds[0])
        return sums / len(self.weights)

    def _batches(
        self, symbols: NDArray[Any], offsets: Offsets
    ) -> Iterator[tuple[PackedSequences, slice, NDArray[Any]]]:
        """Some sequences at a time, which ones they are, and their symbols."""
        for i in range(0, len(offsets) - 1, SEQUENCES_AT_ONCE):
            bounds = offsets[i : i + SEQUENCES_AT_ONCE + 1]
            inside = symbols[bounds[0] : bounds[-1]]
            yield (
                PackedSequences.build(inside, bounds - bounds[0], self.shape.n_symbols),
                slice(i, i + len(bounds) - 1),
                inside,
            )

    def loss_and_slope(
        self,
        weights: Array,
        batch: PackedSequences,
        labels: NDArray[Any],
        sample_weight: Array,
        drops: Mapping[str, Array],
    ) -> tuple[float, Array]:
        """Weighted sum of the negative log-probabilities of labels, and its derivative by the weights of one network.

        Labels and their weights are those of the batch's inner rows. `drops` has factors for what
        `NetworkShape.droppable` names: zero for what is dropped.
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

        def through_memory(name: str, below: Array, starts: list[int], by_shown: Array) -> Array:
            done, again = passed.remembered[name], f"{name}_again"
            by_sums, into[again][:] = remember_backwards(
                starts, done, layers[again], name == "back", np.ascontiguousarray(by_shown)
            )
            return through(name, below, by_sums)

        by_scores = passed.probabilities * sample_weight[:, None]
        by_scores[rows, labels] -= sample_weight
        np.dot(passed.last.T, by_scores, out=into["labels"])
        by_scores.sum(axis=0, out=into["labels_bias"])
        for name in ("", "_bias"):  # a label's scores have those of its traits in them
            np.dot(into[f"labels{name}"], self.traits, out=into[f"traits{name}"])
        by_last: Array = by_scores @ self._scorers(layers)[0].T
        by_everything = through("narrow", passed.everything, by_last * drops.get("narrow", 1.0) * (passed.last > 0))
        n_window, width = len(AROUND) * shape.vector, 2 * shape.memory
        by_window, by_everything = by_everything[:, :n_window], by_everything[:, n_window:]
        by_memory = by_everything[:, :width]
        if shape.history:
            by_written, by_recall = by_everything[:, width : -shape.history], by_everything[:, -shape.history :]
            by_read = through_memory("recall", passed.read, batch.inner_starts, by_recall * drops.get("recall", 1.0))
            by_memory = by_memory + by_read[:, :width]
            by_written = (by_written + by_read[:, width:]) * drops.get("written", 1.0)
            which = np.arange(shape.n_labels + 1)[:, None] == _written_before(batch, labels, shape.n_labels)
            into["written"][:] = which.astype(weights.dtype) @ by_written
        by_shown = np.zeros((len(batch.symbols), width), dtype=weights.dtype)
        by_shown[batch.inner] = by_memory * drops.get("memory", 1.0)
        by_vectors = through_memory("ahead", passed.vectors, batch.starts, by_shown[:, : shape.memory])
        by_vectors += through_memory("back", passed.vectors, batch.starts, by_shown[:, shape.memory :])
        for k in range(len(AROUND)):  # rows at one distance differ
            by_vectors[batch.around[:, k]] += by_window[:, k * shape.vector : (k + 1) * shape.vector]
        by_vectors *= drops.get("vectors", 1.0)
        which = np.arange(shape.n_symbols + 1)[:, None] == batch.symbols
        into["vectors"][:] = which.astype(weights.dtype) @ by_vectors
        return loss, slopes

    def _forward(
        self, weights: Array, batch: PackedSequences, labels: NDArray[Any] | None, drops: Mapping[str, Array]
    ) -> _Passed:
        """All layers, from the vectors of the symbols to the probabilities of labels, given the labels before."""
        shape = self.shape
        layers = shape.views(weights)
        remembered = {}

        def memory(name: str, below: Array, starts: list[int]) -> Array:
            sums = below @ layers[name] + layers[f"{name}_bias"]
            remembered[name] = remember(starts, sums, layers[f"{name}_again"], name == "back")
            return remembered[name].shown

        vectors = layers["vectors"][batch.symbols] * drops.get("vectors", 1.0)
        both = [memory(name, vectors, batch.starts)[batch.inner] for name in ("ahead", "back")]
        everything = np.concatenate(both, axis=1) * drops.get("memory", 1.0)
        read = everything
        if shape.history:
            if labels is None:
                raise ValueError("this network reads what was written: labels are needed")
            before = _written_before(batch, labels, shape.n_labels)
            read = np.concatenate([everything, layers["written"][before] * drops.get("written", 1.0)], axis=1)
            recalled = memory("recall", read, batch.inner_starts) * drops.get("recall", 1.0)
            everything = np.concatenate([read, recalled], axis=1)
        window = vectors[batch.around].reshape(len(batch.inner), -1)
        everything = np.concatenate([window, everything], axis=1)
        last = np.maximum(everything @ layers["narrow"] + layers["narrow_bias"], 0.0) * drops.get("narrow", 1.0)
        scorers, bias = self._scorers(layers)
        scores = last @ scorers + bias
        scores[~self.allowed[batch.symbols[batch.inner]]] = -np.inf
        scores -= scores.max(axis=1, keepdims=True)
        probabilities = np.exp(scores, out=scores)
        probabilities /= probabilities.sum(axis=1, keepdims=True)
        return _Passed(vectors, remembered, read, everything, last, probabilities)

    def _scorers(self, layers: dict[str, Array]) -> tuple[Array, Array]:
        """What scores labels, with their traits' share: cheaper than to score traits at each position."""
        return (
            layers["labels"] + layers["traits"] @ self.traits.T,
            layers["labels_bias"] + layers["traits_bias"] @ self.traits.T,
        )


class _Passed(NamedTuple):
    """What a batch becomes on its way through a network: what its layers read and write."""

    vectors: Array
    remembered: dict[str, Remembered]
    read: Array
    everything: Array
    last: Array
    probabilities: Array


def _written_before(batch: PackedSequences, labels: NDArray[Any], nothing: int) -> NDArray[np.int64]:
    """The label before each inner row; `nothing` where there is none, as after the label -1."""
    before = np.where(batch.before < 0, -1, labels[batch.before])
    return np.where(before < 0, nothing, before).astype(np.int64)
