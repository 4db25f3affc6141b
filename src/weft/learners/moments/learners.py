"""Learners that solve one linear system in the moments of all outputs (MM sections 4 and 4.3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from weft.arrays import Floats
from weft.core.vectors import add_scaled
from weft.core.vectors import product as inner_product
from weft.errors import InputError
from weft.learners.base import Learner
from weft.learners.moments.constrained_zscore import generate_constraints
from weft.learners.monitor import Monitor
from weft.solvers import solve_conjugate_gradient
from weft.structures.protocol import Answers

Product = Callable[[Floats], Floats]
Solve = Callable[..., tuple[Floats, int]]


class _LinearMomentLearner(Learner):
    """Solve ``(A + alpha s I) theta = r`` by conjugate gradients, with s the mean diagonal of C.

    Subclasses say what A and r are. Nothing of size d x d is built: a product with A costs about one pass over the
    data. Started at zero, so that without regulariser the minimum-norm solution comes out.
    """

    needs: ClassVar[tuple[str, ...]] = ("moments",)

    def __init__(
        self,
        alpha: float = 0.01,
        *,
        moments: str = "exact",
        n_samples: int = 100,
        max_iter: int = 200,
        tol: float = 1e-6,
        solver: str = "cg",
    ) -> None:
        self.alpha = alpha
        self.moments = moments
        self.n_samples = n_samples
        self.solver = solver
        self.max_iter = max_iter
        self.tol = tol

    def _system(self, moments: Any) -> tuple[Any, Floats]:
        """Product with A, and the right side."""
        raise NotImplementedError

    def learn(self, batch: Answers, initial: Floats, monitor: Monitor, random: np.random.Generator) -> Floats:
        """Weights from the moments of the batch; `initial` is not used, the problem has one solution."""
        self.check_batch(batch)
        self._check_positive(alpha=self.alpha, tol=self.tol)
        self._check_iterations(self.max_iter)
        if self.moments not in ("exact", "sampled"):
            raise InputError(f"moments of {type(self).__name__} is {self.moments!r}; use 'exact' or 'sampled'.")
        if self.solver not in ("cg", "block"):
            raise InputError(f"solver of {type(self).__name__} is {self.solver!r}; use 'cg' or 'block'.")
        if self.solver == "block" and self.alpha == 0.0:
            raise InputError(
                f"solver='block' of {type(self).__name__} needs alpha > 0, the blocks are singular without; use "
                "solver='cg'."
            )
        if self.solver == "block" and not hasattr(batch, "block_inverse"):
            raise InputError(
                f"solver='block' of {type(self).__name__} needs 'block_inverse', which {type(batch).__name__} does not "
                "answer; use solver='cg'."
            )
        sampled = self.moments == "sampled"
        moments = batch.sampled_moments(self.n_samples, random) if sampled else batch.moments()
        product, right = self._system(moments)
        diagonal = moments.diagonal
        ridge = self.alpha * float(diagonal.mean())
        diagonal += ridge
        # Preconditioning changes which of many solutions is found, so it needs a unique one.
        conditioner = diagonal if ridge > 0 and self.solver == "cg" else None
        # Features that never vary, as with a single label, leave nothing to invert.
        inverse = batch.block_inverse(ridge) if self.solver == "block" and ridge > 0 else None

        def ridged(vector: Floats) -> Floats:
            image: Floats = product(vector)
            add_scaled(image, ridge, vector)
            return image

        def solve(right: Floats, **state: Any) -> tuple[Floats, int]:
            found = solve_conjugate_gradient(
                ridged, right, diagonal=conditioner, inverse=inverse, tol=self.tol, max_iter=self.max_iter, **state
            )
            if not found.converged:
                monitor.unfinished(self, f" (the residual is {found.residual:.2g} of the right side)")
            return found.point, found.n_products

        return self._solution(batch, ridged, solve, right, monitor)

    def _solution(self, batch: Any, product: Product, solve: Solve, right: Floats, monitor: Monitor) -> Floats:
        """Solve the system once."""
        monitor.start(type(self).__name__, self.max_iter)
        solution, self.n_products_ = solve(right, resume=monitor.resumed(), keep=monitor.keep)
        monitor.record(self.n_products_, inner_product(solution, right), solution)
        monitor.finish(self.n_products_)
        return solution


class ZScore(_LinearMomentLearner):
    """Maximises the z-score of the references: how many standard deviations their score lies above the mean.

    It solves one linear system, ``C theta = b`` (MM equation 7), which is one Newton step of the CRF from zero. It
    collapses to the majority label where labels are skewed: with h labels a transition weight grows like h^2 and an
    emission weight like h.

    Parameters
    ----------
    alpha : float
        Ridge strength, relative to the mean diagonal of C; 0 gives the minimum-norm solution.
    moments : {"exact", "sampled"}
    n_samples : int
        Outputs drawn per sequence for sampled moments.
    max_iter : int
        Products at the most.
    tol : float
        Relative residual at which conjugate gradients stop.
    solver : {"cg", "block"}
        Conjugate gradients, or with the block elimination of MM Appendix B as their preconditioner: the exact inverse
        of C, so that this learner takes one product, and the others as many as their sum of outer products asks for.
        Needs tokens with one attribute each, a fully connected first-order chain and ``alpha > 0``.
    margin_constraints : bool
        Ask that each reference scores higher than every other output (MM problem 9). Constraints are added for
        outputs that win against their reference until a pass over the data adds none; each costs a linear solve.
    slack : float
        Price of violations: ``slack * violation^2`` of the worst output of each sequence joins the objective
        ``theta' C theta``. Infinity asks for problem (9) itself, where data that cannot be separated make all outputs
        of a sequence nearly tie.
    margin : float
        By how much a reference must win for each symbol that an output has wrong, in standard deviations of the scores
        of a sequence (those that the Z-score has without constraints). With 0, as MM has it, references that needed
        a constraint end in a tie, which decoding may lose.
    max_rounds : int
        Passes over the data at the most.
    max_constraints : int
        Constraints at the most; each keeps two weight vectors in memory.

    Attributes
    ----------
    n_products_ : int
        Products with the covariance.
    n_constraints_ : int
        With ``margin_constraints=True``, the number of constraints that were needed.
    constrained_ : ConstrainedSolution
        With ``margin_constraints=True``, all about the solution.

    Examples
    --------
    >>> import weft
    >>> tagger = weft.Tagger(weft.ZScore()).fit(["abab", "bbaa"], ["xyxy", "yyxx"])
    >>> tagger.predict(["abba"])
    [['x', 'y', 'y', 'x']]
    """

    def __init__(
        self,
        alpha: float = 0.01,
        *,
        moments: str = "exact",
        n_samples: int = 100,
        max_iter: int = 200,
        tol: float = 1e-6,
        solver: str = "cg",
        margin_constraints: bool = False,
        slack: float = 1.0,
        margin: float = 1e-3,
        max_rounds: int = 25,
        max_constraints: int = 1000,
    ) -> None:
        super().__init__(alpha, moments=moments, n_samples=n_samples, max_iter=max_iter, tol=tol, solver=solver)
        self.margin_constraints = margin_constraints
        self.slack = slack
        self.margin = margin
        self.max_rounds = max_rounds
        self.max_constraints = max_constraints

    def _solution(self, batch: Any, product: Product, solve: Solve, right: Floats, monitor: Monitor) -> Floats:
        if not self.margin_constraints:
            return super()._solution(batch, product, solve, right, monitor)
        slack: Any = self.slack
        if not isinstance(slack, int | float | np.number) or not slack > 0:
            raise InputError(f"slack of ZScore is {self.slack!r}; a number > 0 is needed.")
        self._check_positive(margin=self.margin)
        self._check_iterations(self.max_rounds, "max_rounds")
        self._check_iterations(self.max_constraints, "max_constraints")
        monitor.start("constrained Z-score", self.max_rounds)
        self.constrained_ = generate_constraints(
            batch,
            solve,
            product,
            right,
            slack=float(slack),
            margin=self.margin,
            max_rounds=self.max_rounds,
            max_constraints=self.max_constraints,
            on_round=monitor.record,
        )
        self.n_products_ = self.constrained_.n_products
        self.n_constraints_ = self.constrained_.n_constraints
        monitor.finish(self.constrained_.n_rounds)
        reached = {"max_rounds": self.constrained_.n_rounds, "max_constraints": self.n_constraints_}
        for limit, count in reached.items():
            if not self.constrained_.converged and count >= getattr(self, limit):
                monitor.unfinished(self, limit=limit, goal="every reference won or paid for its slack")
        return self.constrained_.weights

    def _system(self, moments: Any) -> tuple[Any, Floats]:
        return moments.product, moments.difference


class SODA(_LinearMomentLearner):
    """Least squares on the differences of all outputs from the reference, by one linear system.

    The system is ``sum (C_i + b_i b_i') theta = b`` (MM Proposition 6). Parameters are those of `ZScore` up to
    `solver`.

    Examples
    --------
    >>> import weft
    >>> tagger = weft.Tagger(weft.SODA()).fit(["abab", "bbaa"], ["xyxy", "yyxx"])
    >>> tagger.predict(["abba"])
    [['x', 'y', 'y', 'x']]
    """

    def _system(self, moments: Any) -> tuple[Any, Floats]:
        return moments.second_product, moments.difference


class MarginRegression(_LinearMomentLearner):
    """As `SODA`, with the Hamming distance of an output from the reference as its margin.

    The system is ``sum (C_i + b_i b_i') theta = sum (mu_d b - c_d)``. Parameters are those of `ZScore` up to `solver`.

    Examples
    --------
    >>> import weft
    >>> tagger = weft.Tagger(weft.MarginRegression()).fit(["abab", "bbaa"], ["xyxy", "yyxx"])
    >>> tagger.predict(["abba"])
    [['x', 'y', 'y', 'x']]
    """

    def _system(self, moments: Any) -> tuple[Any, Floats]:
        right = moments.loss_weighted_difference() - moments.loss_covariance()
        return moments.second_product, right


class LossRegression(_LinearMomentLearner):
    """Regression of the Hamming distance from the reference on the features, over all outputs.

    The system is ``C theta = -c_d``. In effect a classifier of single tokens: the right side sees the true labels one
    position at a time. Strong where tokens decide, weak where transitions do. Parameters are those of `ZScore` up to
    `solver`.

    Examples
    --------
    >>> import weft
    >>> tagger = weft.Tagger(weft.LossRegression()).fit(["abab", "bbaa"], ["xyxy", "yyxx"])
    >>> tagger.predict(["abba"])
    [['x', 'y', 'y', 'x']]
    """

    def _system(self, moments: Any) -> tuple[Any, Floats]:
        return moments.product, -moments.loss_covariance()
