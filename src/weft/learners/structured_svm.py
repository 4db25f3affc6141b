"""Structural support vector machine with Hamming-rescaled margin."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from weft.learners.base import Learner
from weft.learners.monitor import Monitor

__all__ = ["StructuredSVM"]

Floats = NDArray[np.float64]


class StructuredSVM(Learner):
    """Minimise ``||w||^2 / 2 + C sum_i max_y (Hamming(y, y_i) - w'(phi(x_i, y_i) - phi(x_i, y)))``.

    Block-coordinate Frank-Wolfe (Lacoste-Julien, Jaggi, Schmidt and Pletscher 2013): no step size to choose, and a
    duality gap that says how far from the optimum it stopped.

    Parameters
    ----------
    C : float
        Weight of the loss.
    max_iter : int
        Passes over the data.
    tol : float
        Stop when the duality gap falls below ``tol`` times the primal value.

    Examples
    --------
    >>> import weft
    >>> tagger = weft.Tagger(weft.StructuredSVM(), random_state=0).fit(["abab", "bbaa"], ["xyxy", "yyxx"])
    >>> tagger.predict(["abba"])
    [['x', 'y', 'y', 'x']]
    """

    needs: ClassVar[tuple[str, ...]] = ("frank_wolfe",)

    def __init__(self, C: float = 1.0, *, max_iter: int = 50, tol: float = 0.01) -> None:
        self.C = C
        self.max_iter = max_iter
        self.tol = tol

    def learn(self, batch: Any, initial: Floats, monitor: Monitor, random: np.random.Generator) -> Floats:
        """Weights of the primal problem; the dual starts at zero, so `initial` is not used."""
        self.check_batch(batch)
        self._check_positive(C=self.C, tol=self.tol)
        monitor.start("structural SVM", self.max_iter)
        passes = batch.frank_wolfe(self.C, random)
        for iteration in range(1, self.max_iter + 1):
            weights, dual, self.gap_ = next(passes)
            stop = monitor.record(iteration, dual + self.gap_, weights)
            if stop or self.gap_ <= self.tol * max(dual + self.gap_, 1e-12):
                break
        monitor.finish(iteration)
        return np.asarray(weights)
