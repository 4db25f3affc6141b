"""Smoothed counts: the weights of a hidden Markov model, without any optimisation."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from weft.errors import InputError
from weft.learners.base import Learner
from weft.learners.monitor import Monitor

__all__ = ["Generative"]

Floats = NDArray[np.float64]


class Generative(Learner):
    """Log conditional probabilities of an HMM, counted with Laplace smoothing.

    A pair (attribute, label) gets ``log p(attribute | label)``, a transition ``log p(label | label before)`` and, with
    ``boundary=True`` in the tagger, a first label its log probability; without it all first labels count as equally
    likely. Longer label n-grams of a higher order get the ratio to the shorter history, so that a path's score is
    again its log probability. Prediction is then the Viterbi path of the HMM.

    With one attribute per token this is an HMM. With several, each counts as an emission of its own, independent given
    the label (naive Bayes), which makes such a model over-confident.

    Parameters
    ----------
    smoothing : float
        Added to each count; must be positive, because an unseen event would otherwise forbid its output.

    Examples
    --------
    >>> import weft
    >>> tagger = weft.Tagger(weft.Generative()).fit(["aab", "abb"], ["xxy", "xyy"])
    >>> tagger.predict(["aabb"])
    [['x', 'x', 'y', 'y']]
    >>> float(np.exp(tagger.state_features_["a", "x"]))  # a 3 times out of 3, smoothed over two symbols
    0.8
    """

    needs: ClassVar[tuple[str, ...]] = ("observed", "features")

    def __init__(self, smoothing: float = 1.0) -> None:
        self.smoothing = smoothing

    def learn(self, batch: Any, initial: Floats, monitor: Monitor, random: np.random.Generator) -> Floats:
        """Weights from the counts of the batch; `initial` is not used."""
        self.check_batch(batch)
        self._check_positive(smoothing=self.smoothing)
        if self.smoothing == 0:
            raise InputError(
                "smoothing of Generative is 0; a number > 0 is wanted, because unseen events would be lost."
            )
        features = batch.features
        n_columns, n_grams = len(features.pair_offsets) - 1, len(features.grams.grams)
        h = features.n_labels
        every_gram = sum(h ** (n + 1) for n in range(1, features.grams.order + 1))
        if features.n_pairs < n_columns * h or n_grams < every_gram:
            raise InputError(
                "Generative needs a weight for each (attribute, label) and each label n-gram, also unseen ones; use "
                "pairs='all' in the tagger."
            )
        counts = batch.observed()
        if counts.min(initial=0.0) < 0:
            raise InputError("Generative counts attributes, but X holds negative values; use values >= 0.")
        monitor.start("counts", 1)
        pairs, grams, start, end = features.split(counts)
        weights = np.concatenate(
            [
                self._log_shares(pairs.reshape(n_columns, h), axis=0).reshape(-1),
                self._gram_weights(grams, features),
                self._log_shares(
                    start, axis=0, allowed=None if features.forbidden is None else ~features.forbidden.start
                ),
                np.zeros_like(end),  # how sequences end is no event of an HMM of given length
            ]
        )
        monitor.record(1, float(weights @ counts), weights)
        monitor.finish(1)
        return weights

    def _gram_weights(self, counts: Floats, features: Any) -> Floats:
        """``log p(z | p)`` for pairs; ``log p(z | o p) - log p(z | p)`` for triples, and so on."""
        h = features.n_labels
        allowed = np.ones((h, h), dtype=bool) if features.forbidden is None else ~features.forbidden.steps
        parts: list[Floats] = []
        shorter = np.zeros((1, h))
        begin = 0
        for order in range(1, features.grams.order + 1):
            rows = counts[begin : begin + h ** (order + 1)].reshape(-1, h)  # n-grams are in lexicographic order
            begin += rows.size
            shares = self._log_shares(rows, axis=1, allowed=np.tile(allowed, (len(rows) // h, 1)))
            parts.append((shares - np.tile(shorter, (len(shares) // len(shorter), 1))).reshape(-1))
            shorter = shares
        return np.concatenate(parts)

    def _log_shares(self, counts: Floats, axis: int, allowed: NDArray[np.bool_] | None = None) -> Floats:
        """Smoothed relative frequencies along an axis; forbidden events take no share and have weight zero."""
        if not counts.size:
            return counts
        smoothed = counts + self.smoothing
        if allowed is not None:
            smoothed = np.where(allowed, smoothed, 0.0)
        totals = smoothed.sum(axis=axis, keepdims=True)
        shares = np.divide(smoothed, totals, out=np.ones_like(smoothed), where=smoothed > 0)
        return np.asarray(np.log(shares))
