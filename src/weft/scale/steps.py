"""Learners that take steps, over parts: what stands in for steps that each depend on the one before.

*Perceptron*: iterative parameter mixing (McDonald, Hall and Mann 2010). In each pass every part takes its steps from
the same weights, and the weights that they end with are averaged in proportion to their sequences. It finds a
separating vector if there is one, as the perceptron of one machine does, in other steps.

*StructuredSVM*: cutting planes of the problem with one slack (Joachims, Finley and Yu 2009). Each pass decodes all
sequences under the current weights, which gives one plane below the summed hinge loss, and solves the dual over all
planes so far. Its value is a lower bound of the problem; `StructuredSVM` computes the upper one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import clarabel
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from weft.arrays import Floats
from weft.core.algebra import one_algebra_thread
from weft.core.vectors import dot_in_order
from weft.structures.online import FrankWolfePass, PerceptronState
from weft.structures.protocol import AnswersCompiledSteps

if TYPE_CHECKING:
    from weft.scale.batch import PartedBatch

__all__ = ["cutting_plane_passes", "mixed_perceptron_passes"]


def mixed_perceptron_passes(
    batch: PartedBatch, state: PerceptronState, random: np.random.Generator
) -> Iterator[tuple[PerceptronState, int]]:
    """State and summed loss of the mistakes after each pass, of perceptrons whose weights are mixed after it.

    Parameters
    ----------
    batch : PartedBatch
    state : PerceptronState
        Where to begin; it is not changed.
    random : numpy.random.Generator
        Seeds of the orders in which parts take their steps.
    """
    sizes = batch.keeper.n_sequences
    while True:
        seeds = random.integers(2**63, size=len(sizes)).tolist()
        start = PerceptronState(state.weights, np.zeros_like(state.weights))
        found = batch.keeper.step(_one_pass, [(start, seed) for seed in seeds])
        shares = np.array(sizes) / sum(sizes)
        weights, mean = np.zeros_like(state.weights), np.zeros_like(state.weights)
        for share, (own, _) in zip(shares.tolist(), found, strict=True):
            weights += share * own.weights
            mean += share * own.average
        n_steps = sum(sizes)
        # Of all weights after each step so far, the average that PerceptronState.average gives.
        average = (state.average * state.clock + mean * n_steps) / (state.clock + n_steps)
        clock = state.clock + n_steps
        state = PerceptronState(weights, (weights - average) * clock, clock)
        yield state, sum(n_wrong for _, n_wrong in found)


def _one_pass(batch: Any, state: PerceptronState, seed: int) -> tuple[PerceptronState, int]:
    random = np.random.default_rng(seed)
    if isinstance(batch, AnswersCompiledSteps):
        return next(batch.perceptron_passes(state, random))
    from weft.learners.perceptron import perceptron_passes

    return next(perceptron_passes(batch, state, random))


def cutting_plane_passes(
    batch: PartedBatch, strength: float, state: Sequence[NDArray[Any]] = ()
) -> Iterator[FrankWolfePass]:
    """Weights, dual value and the violation met, after each plane.

    Parameters
    ----------
    batch : PartedBatch
    strength : float
        C.
    state : sequence of ndarray
        Planes of earlier passes.
    """
    start = batch.starting_weights() if batch.has_partial_references else np.zeros(batch.n_features)
    references = batch.best_references(start)[0]
    wanted = batch.observed(references)
    planes, losses, weights = np.empty((0, batch.n_features)), np.empty(0), np.zeros(batch.n_features)
    if len(state):
        weights, planes, losses = (array.copy() for array in state)
    while True:
        found, _ = batch.argmax(weights, loss=1.0)
        # The summed hinge loss is at least loss - plane . weights, and just that at these weights.
        plane, loss = wanted - batch.observed(found), dot_in_order(batch.sample_weight, batch.losses(found))
        met = strength * (loss - dot_in_order(plane, weights))
        with one_algebra_thread():
            reached = planes @ weights
        slack = strength * max(0.0, max((losses - reached).tolist(), default=0.0))
        planes, losses = np.vstack([planes, plane]), np.append(losses, loss)
        shares = _dual_shares(planes, losses, strength)
        with one_algebra_thread():
            weights = shares @ planes
        dual = float(shares @ losses) - 0.5 * dot_in_order(weights, weights)
        yield FrankWolfePass(weights.copy(), dual, max(met - slack, 0.0), (weights, planes, losses))


def _dual_shares(planes: Floats, losses: Floats, strength: float) -> Floats:
    """The multipliers of the planes: max of ``a . losses - |a planes|^2 / 2`` over a >= 0 with sum at most C."""
    n = len(losses)
    with one_algebra_thread():
        gram = planes @ planes.T
    scale = max(float(np.abs(gram).max()), 1e-300)
    rows = sparse.csc_matrix(np.vstack([np.ones(n), -np.eye(n)]))
    bounds = np.concatenate([[strength], np.zeros(n)])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    solver = clarabel.DefaultSolver(
        sparse.csc_matrix(np.triu(gram / scale)),
        -losses / scale,
        rows,
        bounds,
        [clarabel.NonnegativeConeT(n + 1)],
        settings,
    )
    shares = np.maximum(np.array(solver.solve().x), 0.0)
    return np.asarray(shares * min(1.0, strength / max(float(shares.sum()), 1e-300)))
