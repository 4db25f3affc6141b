"""Smoothed counts: the weights of a generative model, without any optimisation."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from weft.arrays import Floats
from weft.core.vectors import product
from weft.errors import InputError
from weft.learners.base import Learner
from weft.learners.monitor import Monitor
from weft.structures.protocol import Answers


class Generative(Learner):
    """Log conditional probabilities of a hidden Markov model (HMM), counted with Laplace smoothing.

    A pair (attribute, label) gets ``log p(attribute | label)``, a transition ``log p(label | label before)`` and, with
    ``boundary=True`` in the tagger, a first label its log probability; without it all first labels count as equally
    likely. Longer label n-grams of a higher order get the ratio to the shorter history, so that a path's score is
    again its log probability. Prediction is then the Viterbi path of the HMM.

    With one attribute per token this is an HMM. With several, each counts as an emission of its own, independent given
    the label (naive Bayes), which makes such a model over-confident.

    The structure turns counts into weights, by its query `generative_weights`; alignments are counted as
    columns that are written one after the other.

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

    probabilistic: ClassVar[bool] = True
    needs: ClassVar[tuple[str, ...]] = ("observed", "generative_weights")
    why_not: ClassVar[str] = ": its counts have no normalised form"

    def __init__(self, smoothing: float = 1.0) -> None:
        self.smoothing = smoothing

    def learn(self, batch: Answers, initial: Floats, monitor: Monitor, random: np.random.Generator) -> Floats:
        """Weights from the counts of the batch; `initial` is not used."""
        self.check_batch(batch)
        self._check_positive(smoothing=self.smoothing)
        if self.smoothing == 0:
            raise InputError(
                "smoothing of Generative is 0; a number > 0 is needed, because unseen events would be lost."
            )
        counts = batch.observed()
        monitor.start("counts", 1)
        weights: Floats = batch.generative_weights(counts, self.smoothing)
        monitor.record(1, product(weights, counts), weights)
        monitor.finish(1)
        return weights
