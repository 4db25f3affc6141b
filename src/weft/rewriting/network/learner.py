"""Learn small recurrent networks that label symbols, by Adam on mini-batches."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.checkpoint import FitState
from weft.core.algebra import one_algebra_thread
from weft.core.threads import effective_jobs, in_threads
from weft.errors import InputError
from weft.learners.monitor import Monitor
from weft.parameters import Parameters
from weft.rewriting.network.loops import adam_step
from weft.rewriting.network.recurrent import MOST_NETWORKS, Networks
from weft.rewriting.network.shape import Array, NetworkShape, Offsets, PackedSequences

DECAYS = (0.9, 0.999)
WARM_UP = 50
"""Updates before the step has its full size: the first estimates of the slope's size are poor."""
LAST_STEP = 0.005
"""What remains of the step at the end."""
LONGEST_SLOPE = 2.0
TINY = 1e-8
PASSES, ALL_SEQUENCES = (6, 60), 120_000
"""Fewest and most passes, and sequences that all passes have together in between; 800 words need 60 passes."""
REMEMBERED = ("weights", "mean", "square")
"""What a run that goes on needs, beside its random numbers."""


@dataclass(frozen=True)
class LabelledSymbols:
    """What a network learns from.

    Attributes
    ----------
    symbols, labels : ndarrays
        Of all positions of all sequences.
    offsets : ndarray
        Where the sequences begin.
    allowed : ndarray of shape (n_symbols, n_labels)
        Labels that each symbol may have. The last symbol is the one that stands for all unseen in training.
    traits : ndarray of shape (n_labels, n_traits)
    sample_weight : ndarray, optional
        Of the sequences.
    """

    symbols: NDArray[Any]
    labels: NDArray[Any]
    offsets: Offsets
    allowed: NDArray[np.bool_]
    traits: Array
    sample_weight: NDArray[np.float64] | None = None


class RecurrentNetwork(Parameters):
    """A small recurrent network that says what each symbol becomes, for `Rewriter`.

    Features of a chain are exact: what was learned about one letter says nothing about a similar one. The network
    learns a vector for each symbol, so that similar symbols share what is known, and memories that reach across the
    word and what was written for it. It helps most with thousands of words, and costs about ten times the chain.

    Parameters
    ----------
    n_networks : int
        Networks that differ in the seed and whose probabilities are averaged.
    vector_size, memory_size, narrow_size : int
        Length of a symbol's or label's vector, of the memory in each direction, and of the layer before the labels.
    history_size : int
        Length of a memory of what was written before. Such a network scores whole outputs, so it orders the best ones
        that the other parts of a model find. 0: it reads the input alone and takes part in the search, which does as
        well with some hundred words.
    dropout, input_dropout : float
        Share of the layers, and of the vectors, that is left out at random while learning.
    step : float
        Largest step of Adam. It falls to almost nothing along half a cosine.
    batch_size : int
        Sequences in a mini-batch.
    max_iter : int, optional
        Passes over the data. ``None``: 60 for up to 2,000 sequences; for more so few that 120,000 sequences are seen in
        all, but at least 6.

    Examples
    --------
    >>> import weft
    >>> network = weft.RecurrentNetwork(memory_size=8, max_iter=30)
    >>> rewriter = weft.Rewriter(network=network, random_state=0)
    >>> rewriter.fit(["abab", "ba", "aab", "bba"], ["xyxy", "yx", "xxy", "yyx"]).predict(["abba"])
    ['xyyx']
    """

    def __init__(
        self,
        n_networks: int = 1,
        vector_size: int = 48,
        memory_size: int = 128,
        narrow_size: int = 128,
        history_size: int = 128,
        *,
        dropout: float = 0.3,
        input_dropout: float = 0.2,
        step: float = 3e-3,
        batch_size: int = 32,
        max_iter: int | None = None,
    ) -> None:
        self.n_networks = n_networks
        self.vector_size = vector_size
        self.memory_size = memory_size
        self.narrow_size = narrow_size
        self.history_size = history_size
        self.dropout = dropout
        self.input_dropout = input_dropout
        self.step = step
        self.batch_size = batch_size
        self.max_iter = max_iter

    def check(self) -> None:
        """Raise for parameters that cannot be."""
        sizes = ("n_networks", "vector_size", "memory_size", "narrow_size", "batch_size")
        lowest = dict.fromkeys(sizes, 1) | {"history_size": 0} | ({} if self.max_iter is None else {"max_iter": 1})
        for name, low in lowest.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < low:
                cure = f"a whole number of at least {low} is needed."
                raise InputError(f"{name} of RecurrentNetwork is {value!r}; {cure}")
        if self.n_networks > MOST_NETWORKS:
            raise InputError(
                f"n_networks of RecurrentNetwork is {self.n_networks}; at most {MOST_NETWORKS} can be: five or ten "
                "gain nearly all there is."
            )
        for name in ("dropout", "input_dropout"):
            value = getattr(self, name)
            if not (isinstance(value, int | float | np.number) and 0 <= value < 1):
                raise InputError(f"{name} of RecurrentNetwork is {value!r}; a share from 0 to below 1 is needed.")
        step: Any = self.step
        if not (isinstance(step, int | float | np.number) and 0 < step < np.inf):
            raise InputError(f"step of RecurrentNetwork is {step!r}; a number above 0 is needed.")

    def learn(
        self, data: LabelledSymbols, monitor: Monitor, random: np.random.Generator, n_jobs: int | None = -1
    ) -> Networks:
        """Networks for labelled symbols; each runs in a thread of its own, as many at once as `n_jobs` allows."""
        self.check()
        shape = self._shape(data)
        runs = [_Run(self, shape, data, each) for each in random.spawn(self.n_networks)]
        before = monitor.resumed()
        if before is not None:
            for number, run in enumerate(runs):
                run.go_on(before, number)
        at_once = effective_jobs(n_jobs)
        max_iter = runs[0].max_iter
        monitor.start("network", max_iter)
        with one_algebra_thread():  # such small products only wait for each other on several cores
            n_left = 0 if before is not None and before.done else max_iter - monitor.n_before
            for iteration in range(1, n_left + 1):
                losses: list[float] = []
                for i in range(0, len(runs), at_once):
                    losses += in_threads(_Run.one_pass, runs[i : i + at_once])
                if not np.all(np.isfinite(losses)):
                    raise InputError("the network diverged; lower the step of RecurrentNetwork.")
                weights = np.concatenate([run.weights for run in runs]).astype(np.float64)
                stop = monitor.record(iteration, float(np.mean(losses)), weights)
                monitor.keep(
                    {name: np.stack([getattr(run, name) for run in runs]) for name in REMEMBERED},
                    done=stop or monitor.n_before + iteration == max_iter,
                    # As text: its numbers are too long for JSON readers.
                    random=[json.dumps(run.random.bit_generator.state) for run in runs],
                )
                if stop:
                    break
        monitor.finish(len(monitor.history))
        found = np.concatenate([run.weights for run in runs]) if monitor.best_weights is None else monitor.best_weights
        return self.networks(data, found)

    def _shape(self, data: LabelledSymbols) -> NetworkShape:
        n_symbols, n_labels = data.allowed.shape
        sizes = (self.vector_size, self.memory_size, self.narrow_size, self.history_size)
        return NetworkShape(n_symbols, n_labels, data.traits.shape[1], *sizes)

    def networks(self, data: LabelledSymbols, weights: NDArray[Any]) -> Networks:
        """The networks whose weights, one network after the other, these are."""
        rows = weights.reshape(self.n_networks, -1).astype(np.float32)
        return Networks(self._shape(data), rows, data.allowed, data.traits.astype(np.float32))


def usual_passes(n_sequences: int) -> int:
    """Passes over the data if the user names no number.

    Examples
    --------
    >>> [usual_passes(n) for n in (800, 8_000, 100_000)]
    [60, 15, 6]
    """
    fewest, most = PASSES
    return int(np.clip(round(ALL_SEQUENCES / max(n_sequences, 1)), fewest, most))


class _Run:
    """One network that is being learned, with what Adam remembers (Kingma and Ba 2015)."""

    def __init__(
        self, settings: RecurrentNetwork, shape: NetworkShape, data: LabelledSymbols, random: np.random.Generator
    ) -> None:
        self.settings, self.shape, self.data, self.random = settings, shape, data, random
        self.weights = shape.start(random)
        nothing = np.empty((0, shape.n_weights), dtype=np.float32)
        self.networks = Networks(shape, nothing, data.allowed, data.traits.astype(np.float32))
        self.mean, self.square = np.zeros_like(self.weights), np.zeros_like(self.weights)
        self.n_updates = 0
        n_sequences = len(data.offsets) - 1
        self.sample_weight = np.ones(n_sequences) if data.sample_weight is None else data.sample_weight
        self.n_in_a_pass = -(-n_sequences // settings.batch_size)
        self.max_iter = usual_passes(n_sequences) if settings.max_iter is None else settings.max_iter

    def go_on(self, before: FitState, number: int) -> None:
        """Take up where an interrupted run stopped."""
        for name in REMEMBERED:
            self.take(name, before.arrays[name][number])
        self.random.bit_generator.state = json.loads(before.facts["random"][number])
        self.n_updates = len(before.facts["monitor"]["history"]) * self.n_in_a_pass

    def take(self, name: str, values: Array) -> None:
        """Have a copy of `values` in place of weights or of what Adam remembers."""
        if values.shape != self.weights.shape:
            raise InputError(f"{name} of shape {values.shape} given; this network needs {self.weights.shape}.")
        setattr(self, name, np.array(values, dtype=np.float32))

    def one_pass(self) -> float:
        """Go through the data once in random order; the sum of the losses."""
        total = 0.0
        lengths = np.diff(self.data.offsets)
        order = self.random.permutation(len(lengths))
        mean_sample_weight = float(self.sample_weight @ lengths) / max(int(lengths.sum()), 1)
        for i in range(0, len(order), self.settings.batch_size):
            chosen = order[i : i + self.settings.batch_size]
            here = lengths[chosen]
            places = np.arange(here.sum()) + np.repeat(self.data.offsets[chosen] - np.cumsum(here) + here, here)
            bounds = np.concatenate([[0], np.cumsum(here)]).astype(np.int64)
            batch = PackedSequences.build(self.data.symbols[places], bounds, self.shape.n_symbols)
            scale = max(len(places), 1) * mean_sample_weight
            sample_weight = (np.repeat(self.sample_weight[chosen], here) / scale).astype(np.float32)[batch.positions]
            labels = self.data.labels[places][batch.positions]
            loss, slope = self.networks.loss_and_slope(self.weights, batch, labels, sample_weight, self._drops(batch))
            self._update(slope)
            total += loss * scale
        return total

    def _drops(self, batch: PackedSequences) -> dict[str, Array]:
        """Factors that drop a share of what layers read, and make up for it."""
        found = {}
        for name, each in self.shape.droppable.items():
            share = self.settings.input_dropout if each.is_input else self.settings.dropout
            rows = len(batch.symbols if each.has_boundaries else batch.inner)
            kept = self.random.random((rows, each.width), dtype=np.float32) >= share
            found[name] = kept * np.float32(1 / (1 - share))
        return found

    def _update(self, slope: Array) -> None:
        """One step of Adam, along a slope that is not longer than it may be."""
        length = float(np.sqrt(slope @ slope))
        done = self.n_updates / (self.max_iter * self.n_in_a_pass)
        self.n_updates += 1
        step = self.settings.step * min(1.0, self.n_updates / WARM_UP)
        step *= LAST_STEP + (1 - LAST_STEP) * 0.5 * (1 + np.cos(np.pi * done))
        first, second = (1 / (1 - decay**self.n_updates) for decay in DECAYS)
        sizes = (min(1.0, LONGEST_SLOPE / max(length, TINY)), step * first, second, TINY)
        single = [tuple(map(np.float32, each)) for each in (DECAYS, [1 - decay for decay in DECAYS], sizes)]
        adam_step(self.weights, self.mean, self.square, slope, *single)
