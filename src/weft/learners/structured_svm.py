"""Structural support vector machine with Hamming-rescaled margin."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats
from weft.core.vectors import dot_in_order
from weft.errors import InputError
from weft.learners.base import Learner
from weft.learners.monitor import Monitor
from weft.structures.online import FrankWolfePass
from weft.structures.protocol import Answers, AnswersCompiledSteps

CHECK_EVERY = 10
"""Passes after which the duality gap is computed at the latest."""
MAX_BELIEFS = 200_000_000
"""Numbers that the dual variables may take: 1.6 GB."""
MAX_KEPT = 25_000_000
"""Numbers that a checkpoint keeps of them, 200 MB; a larger fit that is interrupted begins again."""


class StructuredSVM(Learner):
    """Structural support vector machine: references win by a margin that grows with the loss of the other output.

    It minimises ``||w||^2 / 2 + C sum_i max_y (Hamming(y, y_i) - w'(phi(x_i, y_i) - phi(x_i, y)))`` by
    block-coordinate Frank-Wolfe (Lacoste-Julien, Jaggi, Schmidt and Pletscher 2013), which needs no step size; the
    duality gap bounds the distance from the optimum.

    Parameters
    ----------
    C : float
        Weight of the loss.
    max_iter : int
        Passes over the data.
    tol : float
        Stop when the duality gap falls below ``tol`` times the primal value.

    Attributes
    ----------
    gap_ : float
        Primal minus dual value at the last weights: the optimum lies at most this far below the objective. The
        history has dual values, which rise towards the optimum.

    Examples
    --------
    >>> import weft
    >>> tagger = weft.Tagger(weft.StructuredSVM(), random_state=0).fit(["abab", "bbaa"], ["xyxy", "yyxx"])
    >>> tagger.predict(["abba"])
    [['x', 'y', 'y', 'x']]
    """

    needs: ClassVar[tuple[str, ...]] = ("argmax", "losses", "features_of", "best_references")
    needs_for_steps: ClassVar[tuple[str, ...]] = ("select",)

    def __init__(self, C: float = 1.0, *, max_iter: int = 50, tol: float = 0.01) -> None:
        self.C = C
        self.max_iter = max_iter
        self.tol = tol

    def learn(self, batch: Answers, initial: Floats, monitor: Monitor, random: np.random.Generator) -> Floats:
        """Weights of the primal problem; the dual starts at zero, so `initial` is not used."""
        self.check_batch(batch)
        self._check_positive(C=self.C, tol=self.tol)
        self._check_iterations(self.max_iter)
        monitor.start("structural SVM", self.max_iter)
        before, state = monitor.resumed(), []
        if before is not None:
            random.bit_generator.state = json.loads(before.facts["random"])
            state = [before.arrays[f"state {i}"] for i in range(before.facts["n_arrays"])]
            if before.done:
                self.gap_ = before.facts["gap"]
                return before.arrays["weights"]
        passes: Iterator[FrankWolfePass]
        if isinstance(batch, AnswersCompiledSteps):
            passes = batch.frank_wolfe_passes(self.C, random, state)
        else:
            passes = frank_wolfe_passes(batch, self.C, random, state)
        references = _completed_references(batch)
        for iteration in range(monitor.n_before + 1, self.max_iter + 1):
            weights, dual, met, arrays = next(passes)
            stop = monitor.record(iteration - monitor.n_before, dual, weights)
            # Gaps that a pass met say when to look; the true one costs another pass.
            looks = iteration % CHECK_EVERY == 0 or met <= self.tol * (dual + met)
            if looks or stop or iteration == self.max_iter:
                primal = _primal_value(batch, self.C, weights, references)
                self.gap_ = primal - dual
                stop = stop or self.gap_ <= self.tol * primal
            ends = stop or iteration == self.max_iter
            if ends or sum(array.size for array in arrays) <= MAX_KEPT:
                kept = {} if ends else {f"state {i}": array for i, array in enumerate(arrays)}
                monitor.keep(
                    {"weights": weights, **kept},
                    copy=True,  # the next pass goes on in the same arrays
                    done=ends,
                    n_arrays=len(kept),
                    gap=self.gap_ if ends else None,
                    random=json.dumps(random.bit_generator.state),
                )
            if stop:
                break
        else:
            monitor.unfinished(self, f" (the gap is {self.gap_:.3g}, {self.gap_ / primal:.1%})")
        monitor.finish(iteration)
        return np.asarray(weights)


def _completed_references(batch: Any) -> Any:
    """References, partial ones completed once: if they followed the weights, the problem would not be convex."""
    start = batch.starting_weights() if batch.has_partial_references else np.zeros(batch.n_features)
    return batch.best_references(start)[0]


def _primal_value(batch: Any, strength: float, weights: Floats, references: Any) -> float:
    """What a structural SVM minimises."""
    hinges = batch.argmax(weights, loss=1.0)[1] - batch.scores(weights, references)
    return 0.5 * dot_in_order(weights, weights) + strength * dot_in_order(batch.sample_weight, hinges)


def frank_wolfe_passes(
    batch: Any, strength: float, random: np.random.Generator, state: Sequence[NDArray[Any]] = ()
) -> Iterator[FrankWolfePass]:
    """Weights, dual value and summed gaps after each pass of block-coordinate Frank-Wolfe, in a new random order each.

    The dual variables of a sequence are kept as their expected features and loss. The gap is that of each sequence when
    it was visited, under other weights than the last: no bound, `StructuredSVM` computes one. A partial reference is
    completed once, by the best output that agrees with it under `starting_weights`. Inner products are added in a fixed
    order, so that the steps are the same on every processor.

    Parameters
    ----------
    batch : Batch
    strength : float
        C.
    random : numpy.random.Generator
    state : sequence of ndarray
        That of an earlier pass, to go on from there.

    Examples
    --------
    >>> import weft
    >>> batch = weft.Tagger().fit(["ab"], ["xy"]).bind(["ab"], ["xy"])
    >>> passes = frank_wolfe_passes(batch, 1.0, np.random.default_rng(0))
    >>> for _ in range(20):
    ...     found = next(passes)
    >>> found.gap <= 0.05 * found.dual
    True
    """
    n_sequences, d = batch.n_sequences, batch.n_features
    if n_sequences * d > MAX_BELIEFS:
        raise InputError(
            f"a structural SVM would keep {n_sequences:,} x {d:,} expected features; use fewer features or another "
            "learner."
        )
    beliefs = batch.features_of(_completed_references(batch)).toarray()
    losses = np.zeros(n_sequences)
    strengths = strength * batch.sample_weight
    weights = np.zeros(d)
    if state:
        weights, beliefs, losses = (array.copy() for array in state)
    singles = [batch.select([i]) for i in range(n_sequences)]
    while True:
        gap = 0.0
        for i in random.permutation(n_sequences).tolist():
            own, c = singles[i], float(strengths[i])
            if c <= 0.0:
                continue
            found, _ = own.argmax(weights, loss=1.0)
            corner = own.features_of(found)
            away = beliefs[i].copy()
            away[corner.indices] -= corner.data
            loss = float(own.losses(found)[0])
            own_gap = c * (loss - losses[i] - dot_in_order(away, weights))
            gap += max(own_gap, 0.0)
            square = c * c * dot_in_order(away, away)
            if own_gap > 0.0:
                # Outputs may differ in loss alone; then the dual rises all the way.
                step = min(own_gap / square, 1.0) if square > 0.0 else 1.0
                weights += (step * c) * away
                beliefs[i] -= step * away
                losses[i] += step * (loss - losses[i])
        dual = dot_in_order(strengths, losses) - 0.5 * dot_in_order(weights, weights)
        yield FrankWolfePass(weights.copy(), dual, gap, (weights, beliefs, losses))
