"""The averaged structured perceptron."""

from __future__ import annotations

import json
from inspect import signature
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from weft.errors import InputError
from weft.learners.base import Learner
from weft.learners.monitor import Monitor
from weft.structures.online import PerceptronState

__all__ = ["Perceptron"]

Floats = NDArray[np.float64]


class Perceptron(Learner):
    """Averaged perceptron (Collins 2002): after each mistake, step towards the reference.

    Parameters
    ----------
    max_iter : int
        Passes over the data; fewer when a pass makes no mistake.
    early_update : bool
        Step on the shortest beginning of a sequence after which its reference can no longer win, and leave the rest of
        it for the next pass (Collins and Roark 2004). Only chains of `Rewriter` can do that.

    Examples
    --------
    >>> import weft
    >>> tagger = weft.Tagger(weft.Perceptron(), random_state=0).fit(["abb", "bba"], ["xyy", "yyx"])
    >>> tagger.predict(["ba"])
    [['y', 'x']]
    """

    needs: ClassVar[tuple[str, ...]] = ("perceptron",)

    def __init__(self, max_iter: int = 10, *, early_update: bool = False) -> None:
        self.max_iter = max_iter
        self.early_update = early_update

    def learn(self, batch: Any, initial: Floats, monitor: Monitor, random: np.random.Generator) -> Floats:
        """Average of the weights over all steps of all passes."""
        return self.learn_more(batch, PerceptronState(initial, np.zeros_like(initial)), monitor, random).average

    def learn_more(
        self,
        batch: Any,
        state: PerceptronState,
        monitor: Monitor,
        random: np.random.Generator,
        n_passes: int | None = None,
    ) -> PerceptronState:
        """Continue from a state; `history` counts wrong tokens as the objective."""
        self.check_batch(batch)
        self._check_iterations(self.max_iter)
        if self.early_update and "early_update" not in signature(batch.perceptron).parameters:
            raise InputError(f"{type(batch).__name__} has no early updates; use Perceptron(early_update=False).")
        n_passes = self.max_iter if n_passes is None else n_passes
        before = monitor.resumed()
        if before is not None:
            state = PerceptronState(before.arrays["weights"], before.arrays["totals"], before.facts["clock"])
            random.bit_generator.state = json.loads(before.facts["random"])
            if before.done or monitor.n_before >= n_passes:
                return state
        monitor.start("perceptron", n_passes)
        passes = batch.perceptron(state, random, **({"early_update": True} if self.early_update else {}))
        for iteration in range(1, n_passes - monitor.n_before + 1):
            state, n_wrong = next(passes)
            done = monitor.record(iteration, n_wrong, state.average) or n_wrong == 0
            monitor.keep(
                {"weights": state.weights, "totals": state.totals},
                copy=True,  # the next pass may go on in the same arrays
                done=done or monitor.n_before + iteration == n_passes,
                clock=float(state.clock),
                # As text: its numbers are too long for JSON readers.
                random=json.dumps(random.bit_generator.state),
            )
            if done:
                break
        monitor.finish(monitor.n_before + iteration)
        return state
