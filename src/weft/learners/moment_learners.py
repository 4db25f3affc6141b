"""Learners that solve one linear system in the moments of all outputs (MM sections 4 and 4.3)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from weft.errors import InputError
from weft.learners.base import Learner
from weft.learners.monitor import Monitor
from weft.solvers import solve_conjugate_gradient

__all__ = ["SODA", "LossRegression", "MarginRegression", "ZScore"]

Floats = NDArray[np.float64]


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
    ) -> None:
        self.alpha = alpha
        self.moments = moments
        self.n_samples = n_samples
        self.max_iter = max_iter
        self.tol = tol

    def _system(self, moments: Any) -> tuple[Any, Floats]:
        """Product with A, and the right side."""
        raise NotImplementedError

    def learn(self, batch: Any, initial: Floats, monitor: Monitor, random: np.random.Generator) -> Floats:
        """Weights from the moments of the batch; `initial` is not used, the problem has one solution."""
        self.check_batch(batch)
        self._check_positive(alpha=self.alpha, tol=self.tol)
        if self.moments not in ("exact", "sampled"):
            raise InputError(f"moments of {type(self).__name__} is {self.moments!r}; use 'exact' or 'sampled'.")
        sampled = self.moments == "sampled"
        moments = batch.sampled_moments(self.n_samples, random) if sampled else batch.moments()
        product, right = self._system(moments)
        diagonal = moments.diagonal
        ridge = self.alpha * float(diagonal.mean())
        monitor.start(type(self).__name__, self.max_iter)
        # Preconditioning changes which of many solutions is found, so it needs a unique one.
        conditioner = diagonal + ridge if ridge > 0 else None
        solution, self.n_products_ = solve_conjugate_gradient(
            lambda vector: product(vector) + ridge * vector,
            right,
            diagonal=conditioner,
            tol=self.tol,
            max_iter=self.max_iter,
        )
        monitor.record(self.n_products_, float(solution @ right), solution)
        monitor.finish(self.n_products_)
        return solution


class ZScore(_LinearMomentLearner):
    """Maximise how many standard deviations the references lie above the mean score: ``C theta = b`` (MM eq. 7).

    One Newton step of the CRF from zero. Collapses to the majority label where labels are skewed: with h labels a
    transition weight grows like h^2 and an emission weight like h.

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

    Examples
    --------
    >>> import weft
    >>> tagger = weft.Tagger(weft.ZScore()).fit(["abab", "bbaa"], ["xyxy", "yyxx"])
    >>> tagger.predict(["abba"])
    [['x', 'y', 'y', 'x']]
    """

    def _system(self, moments: Any) -> tuple[Any, Floats]:
        return moments.product, moments.difference


class SODA(_LinearMomentLearner):
    """Least squares on all differences to the reference: ``sum (C_i + b_i b_i') theta = b`` (MM Proposition 6).

    Parameters are those of `ZScore`.

    Examples
    --------
    >>> import weft
    >>> tagger = weft.Tagger(weft.SODA()).fit(["abab", "bbaa"], ["xyxy", "yyxx"])
    >>> tagger.predict(["abba"])
    [['x', 'y', 'y', 'x']]
    """

    def _system(self, moments: Any) -> tuple[Any, Floats]:
        return lambda vector: moments.product(vector) + moments.outer_product(vector), moments.difference


class MarginRegression(_LinearMomentLearner):
    """SODA with the Hamming distance as the margin: ``sum (C_i + b_i b_i') theta = sum (mu_d b - c_d)``.

    Parameters are those of `ZScore`.

    Examples
    --------
    >>> import weft
    >>> tagger = weft.Tagger(weft.MarginRegression()).fit(["abab", "bbaa"], ["xyxy", "yyxx"])
    >>> tagger.predict(["abba"])
    [['x', 'y', 'y', 'x']]
    """

    def _system(self, moments: Any) -> tuple[Any, Floats]:
        right = moments.loss_weighted_difference() - moments.loss_covariance()
        return lambda vector: moments.product(vector) + moments.outer_product(vector), right


class LossRegression(_LinearMomentLearner):
    """Regress the Hamming distance on the features over all outputs: ``C theta = -c_d``.

    In effect a classifier of single tokens: the right side sees the true labels one position at a time. Strong where
    tokens decide, weak where transitions do. Parameters are those of `ZScore`.

    Examples
    --------
    >>> import weft
    >>> tagger = weft.Tagger(weft.LossRegression()).fit(["abab", "bbaa"], ["xyxy", "yyxx"])
    >>> tagger.predict(["abba"])
    [['x', 'y', 'y', 'x']]
    """

    def _system(self, moments: Any) -> tuple[Any, Floats]:
        return moments.product, -moments.loss_covariance()
