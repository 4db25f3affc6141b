"""States of learners that take steps which depend on each other: what a pass over the data leaves behind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from numpy.typing import NDArray

from weft.arrays import Floats


@dataclass(frozen=True)
class PerceptronState:
    """Weights after some steps, and what their average over all steps needs.

    The average is that of the weights after each step: a change that step number t makes (counted from 0) is in all of
    them but the first t, so that it counts ``1 - t / n``.

    Attributes
    ----------
    weights : ndarray
        Weights now.
    totals : ndarray
        Sum over all changes of the number of the step that made it, times the change.
    clock : float
        Number of steps so far.
    is_lent : bool
        Whether the next pass may go on in these arrays, which nobody else needs; it may still copy them.

    Examples
    --------
    >>> import numpy as np
    >>> PerceptronState(np.array([3.0]), np.array([0.0 * 1.0 + 1.0 * 2.0]), 2.0).average  # after the steps: 1, 3
    array([2.])
    """

    weights: Floats
    totals: Floats
    clock: float = 0.0
    is_lent: bool = False

    @property
    def average(self) -> Floats:
        """Mean of the weights after each step."""
        found = self.totals / -max(self.clock, 1.0)
        found += self.weights
        return found


class FrankWolfePass(NamedTuple):
    """What a pass of block-coordinate Frank-Wolfe leaves: weights, dual value and the gaps that it met, summed.

    Each gap was met under the weights of its step, so that their sum bounds nothing. `state` has all arrays that the
    next pass works in: passes that are given them go on from there.
    """

    weights: Floats
    dual: float
    gap: float
    state: tuple[NDArray[Any], ...] = ()
