"""Expectation-maximisation: learn without references."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from weft.arrays import Floats
from weft.errors import InputError
from weft.learners.base import Learner
from weft.learners.monitor import Monitor
from weft.structures.protocol import Answers


class EM(Learner):
    """Expectation-maximisation: maximise the likelihood of inputs whose outputs are unknown.

    If references are given, learning starts from their counts; a `Tagger` needs some, since labels must have names.

    Each iteration uses the expected features of all outputs under the model as counts, and the log probabilities of a
    generative model with these counts as new weights. Without smoothing the likelihood never decreases.

    Parameters
    ----------
    smoothing : float
        Added to each count; must be positive, because an event with no weight would never come back.
    max_iter : int
    tol : float
        Stop when an iteration improves the log-likelihood by less than ``tol`` times its size.

    Examples
    --------
    >>> import weft
    >>> X = [("ACGT", "ACT"), ("GGCA", "GGCCA"), ("TTAC", "TTC")]
    >>> weft.Aligner("match", learner=weft.EM()).fit(X).predict([("CATTG", "CTTG")])
    [('CATTG', 'C-TTG')]
    """

    probabilistic: ClassVar[bool] = True
    needs: ClassVar[tuple[str, ...]] = ("log_partition_and_mean", "starting_weights", "maximised_weights")
    why_not: ClassVar[str] = ": its counts have no normalised form"
    learns_without_references: ClassVar[bool] = True

    def __init__(self, smoothing: float = 0.1, *, max_iter: int = 50, tol: float = 1e-4) -> None:
        self.smoothing = smoothing
        self.max_iter = max_iter
        self.tol = tol

    def learn(self, batch: Answers, initial: Floats, monitor: Monitor, random: np.random.Generator) -> Floats:
        """Weights of the last iteration; the structure says where to start if `initial` is zero."""
        self.check_batch(batch)
        self._check_positive(smoothing=self.smoothing, tol=self.tol)
        self._check_iterations(self.max_iter)
        if self.smoothing == 0:
            raise InputError("smoothing of EM is 0; a number > 0 is needed, because unseen events would be lost.")
        monitor.start("EM", self.max_iter)
        state = monitor.resumed()
        weights: Floats
        if state is not None:
            weights, before = state.arrays["weights"], state.facts["log_likelihood"]
            if state.done or monitor.n_before >= self.max_iter:
                return weights
        else:
            weights, before = initial if initial.any() else batch.starting_weights(), -np.inf
            # Those weights need not be probabilities, so that only what they lead to has a likelihood.
            weights = batch.maximised_weights(batch.log_partition_and_mean(weights)[1], self.smoothing)
        for iteration in range(1, self.max_iter - monitor.n_before + 1):
            log_likelihood, counts = batch.log_partition_and_mean(weights)
            weights = batch.maximised_weights(counts, self.smoothing)
            done = monitor.record(iteration, -log_likelihood, weights)
            done |= log_likelihood - before < self.tol * max(abs(log_likelihood), 1e-12)
            monitor.keep({"weights": weights}, done=bool(done), log_likelihood=float(log_likelihood))
            if done:
                break
            before = log_likelihood
        else:
            monitor.unfinished(self)
        monitor.finish(monitor.n_before + iteration)
        return weights
