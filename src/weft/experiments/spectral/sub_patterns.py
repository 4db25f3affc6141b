"""Trigrams of bi-symbols scored through sub-pattern features: the feature-based baselines of SP section 5.

A window (b1, b2, b3) has a weight for its middle bi-symbol alone, and for it together with the letters and with the
labels beside it: x1, x3, x1 x3, y1, y3, y1 y3. So the Hankel matrix is a sum of seven smaller tables.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from weft.arrays import Floats
from weft.errors import InputError
from weft.learners.base import Learner
from weft.learners.monitor import Monitor
from weft.solvers import minimize_lbfgs
from weft.structures.hankel.bi_symbols import BiSymbols, symbol_columns
from weft.structures.hankel.chain import HankelChain, without_features


class TrigramPatterns:
    """Seven tables of weights, and the trigrams that they score.

    Parameters
    ----------
    pairs : BiSymbols
    n_labels : int

    Examples
    --------
    >>> from weft.structures.hankel.bi_symbols import BiSymbols
    >>> pairs = BiSymbols(np.zeros(1, np.int32), np.array([0, 2]), np.array([0, 1, -1, 0, 1], np.int32))
    >>> patterns = TrigramPatterns(pairs, n_labels=2)
    >>> patterns.expand(np.ones(patterns.n_weights)).shape  # two bi-symbols and the boundary
    (9, 3)
    """

    def __init__(self, pairs: BiSymbols, n_labels: int) -> None:
        n = pairs.n_pairs + 1
        n_symbols = len(pairs.begins) - 1
        symbols = np.append(np.repeat(np.arange(n_symbols), np.diff(pairs.begins)), n_symbols)
        labels = np.append(pairs.labels[: pairs.n_pairs], n_labels)
        # One-hot rows: which letter and which label each bi-symbol has, the boundary one of its own.
        self._letter, self._label = np.eye(n_symbols + 1)[symbols], np.eye(n_labels + 1)[labels]
        self._n = n

    @property
    def n_weights(self) -> int:
        """Weights of all tables together."""
        return sum(left.shape[1] * self._n * right.shape[1] for left, right in self._sides())

    def _sides(self) -> list[tuple[Floats, Floats]]:
        one = np.ones((self._n, 1))
        x, y = self._letter, self._label
        return [(one, one), (x, one), (one, x), (x, x), (y, one), (one, y), (y, y)]

    def expand(self, weights: Floats) -> Floats:
        """The Hankel matrix, rows (b1, b2) and columns b3."""
        total = np.zeros((self._n, self._n, self._n))
        begin = 0
        for left, right in self._sides():
            shape = left.shape[1], self._n, right.shape[1]
            end = begin + shape[0] * shape[1] * shape[2]
            table = weights[begin:end].reshape(shape)
            begin = end
            total += np.tensordot(left, table @ right.T, axes=1)
        return total.reshape(self._n**2, self._n)

    def collapse(self, cells: Floats) -> Floats:
        """Transpose of `expand`: counts of windows as counts of patterns."""
        cube = cells.reshape(self._n, self._n, self._n)
        return np.concatenate([np.tensordot(left.T, cube @ right, axes=1).reshape(-1) for left, right in self._sides()])


class SubPatterns(Learner):
    """A trigram tagger over sub-pattern features, by maximum likelihood or the averaged perceptron.

    Parameters
    ----------
    loss : {"log", "perceptron"}
    c2 : float
        L2 penalty of the likelihood.
    max_iter : int
        Iterations of L-BFGS, or passes of the perceptron.
    n_batches : int
        Steps per pass of the perceptron.

    Examples
    --------
    >>> import weft
    >>> tagger = weft.Tagger(SubPatterns(), random_state=0).fit(["abab", "ba"], ["xyxy", "zx"])
    >>> tagger.predict(["bab"])
    [['z', 'x', 'y']]
    """

    needs: ClassVar[tuple[str, ...]] = ("most_violating", "window_steps", "observed_windows", "partition_and_windows")

    def __init__(self, loss: str = "log", c2: float = 0.2, *, max_iter: int = 50, n_batches: int = 100) -> None:
        self.loss = loss
        self.c2 = c2
        self.max_iter = max_iter
        self.n_batches = n_batches

    def extend(self, chain: Any, corpus: Any, labels: Any, encoder: Any) -> HankelChain:
        """Score windows of three bi-symbols and nothing else."""
        columns = symbol_columns(encoder.kind, encoder.feature_names, "0[0]=")
        pairs = BiSymbols.collect(columns, corpus, labels, chain.n_labels)
        return HankelChain(without_features(chain), pairs, 3)

    def learn(self, batch: Any, initial: Floats, monitor: Monitor, random: np.random.Generator) -> Floats:
        """The Hankel matrix of the learned patterns."""
        self.check_batch(batch)
        if self.loss not in ("log", "perceptron"):
            raise InputError(f"loss of SubPatterns is {self.loss!r}; use 'log' or 'perceptron'.")
        patterns = TrigramPatterns(batch.chain.pairs, batch.chain.n_labels)
        monitor.start("sub-patterns", self.max_iter)
        learn = self._likelihood if self.loss == "log" else self._perceptron
        return patterns.expand(learn(batch, patterns, monitor, random)).reshape(-1)

    def _likelihood(self, batch: Any, patterns: TrigramPatterns, monitor: Monitor, _: np.random.Generator) -> Floats:
        observed = patterns.collapse(batch.observed_windows())

        def objective(weights: Floats) -> tuple[float, Floats]:
            log_partition, _, cells = batch.partition_and_windows(patterns.expand(weights).reshape(-1))
            value = log_partition - float(observed @ weights) + self.c2 * float(weights @ weights)
            return value, patterns.collapse(cells) - observed + 2.0 * self.c2 * weights

        def record(iteration: int, value: float, weights: Floats) -> bool:
            return monitor.record(iteration, value, patterns.expand(weights).reshape(-1))

        return minimize_lbfgs(objective, np.zeros(patterns.n_weights), max_iter=self.max_iter, callback=record).point

    def _perceptron(
        self, batch: Any, patterns: TrigramPatterns, monitor: Monitor, random: np.random.Generator
    ) -> Floats:
        weights, total = np.zeros(patterns.n_weights), np.zeros(patterns.n_weights)
        n_steps = 0
        shape = batch.chain.n_rows, batch.chain.n_columns
        for iteration in range(1, self.max_iter + 1):
            n_wrong = 0
            for part in np.array_split(random.permutation(batch.n_sequences), self.n_batches):
                if len(part) == 0:
                    continue
                part = np.sort(part)
                predicted, _ = batch.most_violating(patterns.expand(weights).reshape(-1), part, 0.0)
                cells, signs = batch.window_steps(predicted, part)
                change = np.zeros(shape)
                np.add.at(change, (cells[:, 0], cells[:, 1]), signs)
                weights = weights + patterns.collapse(change)
                total += weights
                n_steps += 1
                n_wrong += len(cells)
            if monitor.record(iteration, float(n_wrong), patterns.expand(total / n_steps).reshape(-1)):
                break
        return total / max(n_steps, 1)
