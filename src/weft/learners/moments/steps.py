"""From a token model to the CRF in a few moment steps: moments under the last model instead of the uniform one."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from weft.arrays import Floats
from weft.errors import InputError
from weft.learners.base import Learner
from weft.learners.likelihood import PenalisedLikelihood
from weft.learners.moments.learners import LossRegression
from weft.learners.monitor import Monitor
from weft.solvers import minimize_newton
from weft.structures.protocol import Answers

MAX_DOUBLINGS = 10


class MomentSteps(Learner):
    """Nearly a `CRF` in a few steps: a moment learner, then steps with moments under its own model.

    A step from weights w solves ``(C_w + 2 c2 I) delta = b_w - 2 c2 w``. The first step from zero is the Z-score;
    repeated steps walk to the optimum of `CRF`, whose Newton steps they are. They need not be solved, nor repeated, to
    the end: loss regression is a good classifier of tokens that one closed form gives, it only lacks transitions and a
    scale, and two roughly solved steps add both. So learned, a tagger is near the CRF in a fraction of its time.

    Parameters
    ----------
    n_steps : int
        Maximum number of steps; 0 gives the first learner's weights, scaled.
    c2 : float
        L2 penalty of the objective that the steps lower, that of `CRF`.
    start : Learner, optional
        Learns the first weights, which are then scaled to the best likelihood; by default
        ``LossRegression(0.1, tol=0.01, max_iter=15)``.
    max_products : int
        Maximum covariance products per step; each costs about two gradients.
    tol : float
        Relative residual at which a step counts as solved.

    Attributes
    ----------
    scale_ : float
        Factor of the first weights.
    result_ : SolverResult

    Examples
    --------
    >>> import weft
    >>> tagger = weft.Tagger(weft.MomentSteps()).fit(["abab", "bbaa"], ["xyxy", "yyxx"])
    >>> tagger.predict(["abba"])
    [['x', 'y', 'y', 'x']]
    """

    probabilistic: ClassVar[bool] = True
    needs: ClassVar[tuple[str, ...]] = ("observed", "log_partition_and_mean", "covariance_product", "moments")

    def __init__(
        self,
        n_steps: int = 2,
        c2: float = 1.0,
        *,
        start: Learner | None = None,
        max_products: int = 15,
        tol: float = 1e-3,
    ) -> None:
        self.n_steps = n_steps
        self.c2 = c2
        self.start = start
        self.max_products = max_products
        self.tol = tol

    def learn(self, batch: Answers, initial: Floats, monitor: Monitor, random: np.random.Generator) -> Floats:
        """Weights after the steps; `initial` is not used, the first learner says where to start."""
        self.check_batch(batch)
        self._check_positive(c2=self.c2, tol=self.tol)
        for name in ("n_steps", "max_products"):
            value = getattr(self, name)
            if not (isinstance(value, int | np.integer) and value >= (name == "max_products")):
                raise InputError(f"{name} of MomentSteps is {value!r}; a whole number >= 0 (products: 1) is needed.")
        start = LossRegression(0.1, tol=0.01, max_iter=15) if self.start is None else self.start
        with Monitor(warns=False) as quiet:
            weights = start.learn(batch, np.zeros(batch.n_features), quiet, random)
        objective = PenalisedLikelihood(batch, self.c2)
        diagonal = batch.moments().diagonal
        diagonal += 2.0 * self.c2
        monitor.start("moment steps", self.n_steps)
        before = monitor.resumed()
        if before is None:
            self.scale_, value = best_scale(objective, weights)
            weights = weights * self.scale_
            monitor.record(0, value, weights)
        else:
            self.scale_ = before.facts["scale"]
        self.result_ = minimize_newton(
            objective,
            objective.hessian_product,
            weights,
            max_iter=self.n_steps,
            tol=0.0,
            # Curvature under a fitted model is smaller than under the uniform one, alike enough to condition.
            diagonal=diagonal,
            forcing=self.tol,
            max_products=self.max_products,
            callback=lambda i, value, point: monitor.record(i - monitor.n_before, value, point),
            resume=before,
            keep=lambda arrays, **facts: monitor.keep(arrays, **facts, scale=self.scale_),
        )
        monitor.finish(self.result_.n_iterations)
        return self.result_.point


def best_scale(objective: Any, direction: Floats) -> tuple[float, float]:
    """The power of two at which a convex function is least along a ray, between 1 / 1,024 and 1,024, and its value.

    Examples
    --------
    >>> best_scale(lambda w: (float((w[0] - 5) ** 2), w), np.ones(1))
    (4.0, 1.0)
    """
    scale, value = 1.0, objective(direction)[0]
    for factor in (2.0, 0.5):
        for _ in range(MAX_DOUBLINGS):
            candidate = objective(factor * scale * direction)[0]
            if not candidate < value:
                break
            scale, value = factor * scale, candidate
        if scale > 1.0:
            break
    return scale, value
