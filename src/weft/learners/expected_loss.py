"""Expected loss: weights whose random outputs miss least of the references."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from weft.arrays import Floats
from weft.core.vectors import add_scaled, dot, product
from weft.learners.base import Learner
from weft.learners.crf import CRF
from weft.learners.monitor import Monitor
from weft.solvers import minimize_lbfgs
from weft.structures.protocol import Answers


class ExpectedLoss(Learner):
    """Minimum risk training: weights that minimise the expected loss of outputs drawn from the model.

    It minimises ``sum E_w[loss] + c2 ||w - w0||^2``. The gradient is the covariance of features and loss under the
    model, ``Cov_w(phi, loss)``, which `LossRegression` computes once, under the uniform distribution. Examples that fit
    worst dominate a likelihood; here an example that no weights can fit has little influence. The objective is not
    convex, so learning starts from the weights w0 of another learner and stays near them.

    Parameters
    ----------
    c2 : float
        Penalty of the squared distance to the first weights.
    start : Learner, optional
        Learns the first weights; by default ``CRF()``.
    max_iter : int
    tol : float
        Stop when ten iterations together improve the objective by less than ``tol`` times its value.

    Attributes
    ----------
    start_weights_ : ndarray
        The weights w0.
    result_ : SolverResult

    Examples
    --------
    >>> import weft
    >>> tagger = weft.Tagger(weft.ExpectedLoss(c2=0.1)).fit(["abab", "bbaa"], ["xyxy", "yyxx"])
    >>> tagger.predict(["abba"])
    [['x', 'y', 'y', 'x']]
    """

    probabilistic: ClassVar[bool] = True
    needs: ClassVar[tuple[str, ...]] = ("observed", "log_partition_and_mean", "moments")

    def __init__(self, c2: float = 1.0, *, start: Learner | None = None, max_iter: int = 50, tol: float = 1e-4) -> None:
        self.c2 = c2
        self.start = start
        self.max_iter = max_iter
        self.tol = tol

    def learn(self, batch: Answers, initial: Floats, monitor: Monitor, random: np.random.Generator) -> Floats:
        """Weights of a local minimum near those of the first learner, which begins at `initial`."""
        self.check_batch(batch)
        self._check_positive(c2=self.c2, tol=self.tol)
        self._check_iterations(self.max_iter)
        start = CRF() if self.start is None else self.start
        with Monitor(warns=False) as quiet:
            first = start.learn(batch, initial, quiet, random)
        self.start_weights_ = first

        def objective(weights: Floats) -> tuple[float, Floats]:
            moments = batch.moments(weights)
            gradient: Floats = moments.loss_covariance()
            distance = weights - first
            add_scaled(gradient, 2.0 * self.c2, distance)
            return product(batch.sample_weight, moments.mean_losses) + self.c2 * dot(distance, distance), gradient

        monitor.start("expected loss", self.max_iter)
        before = monitor.resumed()
        if before is None:
            monitor.record(0, objective(first)[0], first)
        self.result_ = minimize_lbfgs(
            objective,
            first,
            max_iter=self.max_iter,
            tol=self.tol,
            callback=lambda i, value, point: monitor.record(i - monitor.n_before, value, point),
            resume=before,
            keep=monitor.keep,
        )
        monitor.finish(self.result_.n_iterations)
        if not self.result_.converged and self.result_.n_iterations >= self.max_iter:
            monitor.unfinished(self)
        return self.result_.point
