"""Conditional random fields: maximum conditional likelihood with L1 and L2 penalties."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from weft.arrays import Floats
from weft.core.array_checks import checked_floats
from weft.errors import InputError
from weft.learners.base import Learner
from weft.learners.likelihood import PenalisedLikelihood
from weft.learners.monitor import Monitor
from weft.solvers import minimize_lbfgs, minimize_newton
from weft.structures.protocol import Answers

USUAL_C2 = 1.0
"""What ``c2=None`` means where nothing else was measured."""


class CRF(Learner):
    """Conditional random field: weights of maximum likelihood, with penalties that keep them small.

    It minimises the negative log-likelihood plus ``c1 |w|_1 + c2 ||w||^2`` (CRFsuite's scaling, no half).

    Parameters
    ----------
    c1 : float
        L1 penalty; positive values make the model sparse.
    c2 : float or ndarray of shape (n_features,), optional
        L2 penalty, or one for each weight, ``sum_k c2_k w_k^2``; one that is infinite holds its weight at the prior.
        ``None`` means 1, as in CRFsuite; but a `Tagger` of symbols, attributes or feature dicts takes 0.1, and a
        `Folder` by loops learns twice, with penalties of its own.
    prior : ndarray of shape (n_features,), optional
        Weights that the L2 penalty pulls towards, ``c2 ||w - prior||^2``, and where learning begins, such as
        those of another corpus; zero if None.
    solver : {"lbfgs", "newton"}
        L-BFGS (orthant-wise if ``c1 > 0``), or Newton steps whose systems are solved by conjugate gradients on
        covariance products. L-BFGS is the default because it is faster: ``make bench BENCH=solvers`` compares them.
    max_iter : int
    tol : float
        Stop when ten iterations together improve the objective by less than ``tol`` times its value (Newton: one).

    Examples
    --------
    >>> import weft
    >>> tagger = weft.Tagger(weft.CRF(c2=0.1)).fit(["ab", "ba"], ["xy", "yx"])
    >>> tagger.predict(["aab"])
    [['x', 'x', 'y']]
    """

    probabilistic: ClassVar[bool] = True
    needs: ClassVar[tuple[str, ...]] = ("observed", "log_partition_and_mean")
    instead: ClassVar[str] = "weft.Perceptron()"

    def __init__(
        self,
        c1: float = 0.0,
        c2: float | ArrayLike | None = None,
        *,
        prior: ArrayLike | None = None,
        solver: str = "lbfgs",
        max_iter: int = 1000,
        tol: float = 1e-5,
    ) -> None:
        self.c1 = c1
        self.c2 = c2
        self.prior = prior
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol

    def learn(self, batch: Answers, initial: Floats, monitor: Monitor, random: np.random.Generator) -> Floats:
        """Weights that maximise the penalised likelihood of the batch."""
        self.check_batch(batch)
        c2: Any = USUAL_C2 if self.c2 is None else self.c2
        if np.ndim(c2):
            c2 = checked_floats("c2", c2, (batch.n_features,), "give one penalty per feature, or one number")
            finite = c2[c2 != np.inf]  # NaN is refused
            if finite.size:
                self._check_positive(**{"least c2": finite.min(), "largest c2": finite.max()})
        else:
            self._check_positive(c2=c2)
        self._check_positive(c1=self.c1, tol=self.tol)
        self._check_iterations(self.max_iter)
        if self.solver not in ("lbfgs", "newton"):
            raise InputError(f"solver of CRF is {self.solver!r}; use 'lbfgs' or 'newton'.")
        if self.solver == "newton" and self.c1 > 0:
            raise InputError("solver='newton' of CRF has no L1 penalty; use solver='lbfgs' or c1=0.")
        prior = self.prior
        if prior is not None:
            cure = "give one weight per feature, such as weights_ of a model with the same features"
            prior = checked_floats("prior", prior, (batch.n_features,), cure)
            initial = initial if initial.any() else prior.copy()
        if np.ndim(c2):
            initial = np.where(c2 == np.inf, 0.0 if prior is None else prior, initial)
        objective = PenalisedLikelihood(batch, c2, prior)
        monitor.start("CRF", self.max_iter)

        before = monitor.resumed()

        def record(iteration: int, value: float, point: Floats) -> bool:
            return monitor.record(iteration - monitor.n_before, value, point)

        options: dict[str, Any] = {
            "max_iter": self.max_iter,
            "tol": self.tol,
            "callback": record,
            "resume": before,
            "keep": monitor.keep,
        }
        if self.solver == "newton":
            result = minimize_newton(objective, objective.hessian_product, initial, **options)
        else:
            result = minimize_lbfgs(objective, initial, l1=self.c1, **options)
        monitor.finish(result.n_iterations)
        if not result.converged and result.n_iterations >= self.max_iter:
            monitor.unfinished(self)
        self.result_ = result
        return result.point
