"""The averaged structured perceptron."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from weft.arrays import Floats
from weft.errors import InputError
from weft.learners.base import Learner
from weft.learners.monitor import Monitor
from weft.structures.online import PerceptronState
from weft.structures.protocol import Answers, AnswersCompiledSteps, AnswersEarlyUpdates


class Perceptron(Learner):
    """Averaged perceptron (Collins 2002): after each mistake, step towards the reference.

    Parameters
    ----------
    max_iter : int
        Passes over the data; fewer when a pass makes no mistake.
    early_update : bool
        Step on the shortest prefix of a sequence after which its reference can no longer win, and leave the rest of
        it for the next pass (Collins and Roark 2004). Only chains of `Rewriter` can do that.

    Examples
    --------
    >>> import weft
    >>> tagger = weft.Tagger(weft.Perceptron(), random_state=0).fit(["abb", "bba"], ["xyy", "yyx"])
    >>> tagger.predict(["ba"])
    [['y', 'x']]
    """

    needs: ClassVar[tuple[str, ...]] = ("argmax", "losses", "features_of", "best_references")
    needs_for_steps: ClassVar[tuple[str, ...]] = ("select",)
    instead: ClassVar[str] = "weft.CRF()"

    def __init__(self, max_iter: int = 10, *, early_update: bool = False) -> None:
        self.max_iter = max_iter
        self.early_update = early_update

    def learn(self, batch: Answers, initial: Floats, monitor: Monitor, random: np.random.Generator) -> Floats:
        """Average of the weights over all steps of all passes."""
        return self.learn_more(batch, PerceptronState(initial, np.zeros_like(initial)), monitor, random).average

    def learn_more(
        self,
        batch: Answers,
        state: PerceptronState,
        monitor: Monitor,
        random: np.random.Generator,
        n_passes: int | None = None,
    ) -> PerceptronState:
        """Continue from a state; `history` counts wrong tokens as the objective."""
        self.check_batch(batch)
        self._check_iterations(self.max_iter)
        if self.early_update and not isinstance(batch, AnswersEarlyUpdates):
            raise InputError(f"{type(batch).__name__} has no early updates; use Perceptron(early_update=False).")
        n_passes = self.max_iter if n_passes is None else n_passes
        before = monitor.resumed()
        if before is not None:
            state = PerceptronState(before.arrays["weights"], before.arrays["totals"], before.facts["clock"])
            random.bit_generator.state = json.loads(before.facts["random"])
            if before.done or monitor.n_before >= n_passes:
                return state
        monitor.start("perceptron", n_passes)
        if self.early_update:
            beam: Any = batch  # `AnswersEarlyUpdates`, as was checked
            passes = beam.early_update_passes(state, random)
        elif isinstance(batch, AnswersCompiledSteps):
            passes = batch.perceptron_passes(state, random)
        else:
            passes = perceptron_passes(batch, state, random)
        for iteration in range(1, n_passes - monitor.n_before + 1):
            state, n_wrong = next(passes)
            weights = state.average if monitor.is_scored else state.weights  # an average takes a pass over all
            done = monitor.record(iteration, n_wrong, weights) or n_wrong == 0
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


def perceptron_passes(
    batch: Any, state: PerceptronState, random: np.random.Generator
) -> Iterator[tuple[PerceptronState, int]]:
    """State and summed loss of the mistakes after each pass of the averaged perceptron, each in a new random order.

    A step goes from the best output to the best one that agrees with the reference. An output is a mistake if it has a
    loss, or if its features differ from those of a reference that is known as a whole; then it counts 1 at least.

    Parameters
    ----------
    batch : Batch
    state : PerceptronState
        Where to begin; it is not changed.
    random : numpy.random.Generator

    Examples
    --------
    >>> import weft
    >>> batch = weft.Tagger().fit(["ab"], ["xy"]).bind(["ab"], ["xy"])
    >>> state = PerceptronState(np.zeros(batch.n_features), np.zeros(batch.n_features))
    >>> passes = perceptron_passes(batch, state, np.random.default_rng(0))
    >>> next(passes)[1], next(passes)[1]
    (1, 0)
    """
    weights, totals, clock = state.weights.copy(), state.totals.copy(), state.clock
    singles = [batch.select([i]) for i in range(batch.n_sequences)]
    while True:
        n_wrong = 0
        for i in random.permutation(batch.n_sequences).tolist():
            own, rate = singles[i], float(batch.sample_weight[i])
            predicted, _ = own.argmax(weights)
            loss = float(own.losses(predicted)[0])
            if loss > 0.0 or not own.has_partial_references:
                wanted, _ = own.best_references(weights)
                step = own.features_of(wanted) - own.features_of(predicted)
                step.eliminate_zeros()
                if loss > 0.0 or step.nnz:
                    n_wrong += max(round(loss), 1)
                    weights[step.indices] += rate * step.data
                    totals[step.indices] += clock * rate * step.data
            clock += 1.0
        yield PerceptronState(weights.copy(), totals.copy(), clock), n_wrong
