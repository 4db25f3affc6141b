"""A smooth loss with the nuclear norm: L-BFGS on two factors of the Hankel matrix and the sparse weights together.

The nuclear norm is the least ``(||L||^2 + ||R||^2) / 2`` over all factors with ``L R' = H`` (Srebro, Rennie and
Jaakkola 2005), so the penalised log loss becomes smooth. With more columns than the best matrix has rank, a local
minimum of the factors is the global one of the matrix.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from weft.arrays import Floats
from weft.core.vectors import dot
from weft.learners.spectral.proximal import Regularizer
from weft.solvers import SolverResult, minimize_lbfgs

FIRST_SIZE = 0.1
"""Spread of the random right factor at the start; the left one starts at zero, and so does the matrix."""


class JointObjective:
    """``-log likelihood + c2 ||w||^2 + tau R(H)`` as a smooth function of one point.

    A point holds the sparse weights, then the two factors of the matrix, or the matrix itself for other penalties.

    Parameters
    ----------
    batch : HankelBatch
    regularizer : {"nuclear", "frobenius_squared"} or None
    tau, c2 : float
    rank : int
        Columns of the factors.
    margin : float
        Cost of a wrong label inside the log partition (softmax margin); 0 for the likelihood.
    """

    def __init__(
        self, batch: Any, regularizer: Regularizer | None, tau: float, c2: float, rank: int, margin: float = 0.0
    ) -> None:
        self.batch = batch
        self.chain = batch.chain
        self.factored = regularizer == "nuclear"
        self.tau = tau if regularizer is not None else 0.0
        self.c2 = c2
        self.rank = min(rank, self.chain.n_columns)
        self.margin = margin
        self.n_sparse = self.chain.base.n_features
        self._observed = batch.base.observed()
        self._windows = batch.observed_windows()

    def start(self, weights: Floats, random: np.random.Generator) -> Floats:
        """Point of given weights; factors of its matrix, the larger part of them."""
        if not self.factored:
            return weights.copy()
        matrix = self.chain.matrix(weights)
        left = np.zeros((self.chain.n_rows, self.rank))
        right = random.normal(scale=FIRST_SIZE, size=(self.chain.n_columns, self.rank))
        if matrix.any():
            vectors, values, others = np.linalg.svd(matrix, full_matrices=False)
            roots = np.sqrt(values[: self.rank])
            left, right = vectors[:, : self.rank] * roots, others[: self.rank].T * roots
        return np.concatenate([weights[: self.n_sparse], left.reshape(-1), right.reshape(-1)])

    def _factors(self, point: Floats) -> tuple[Floats, Floats]:
        cut = self.n_sparse + self.chain.n_rows * self.rank
        return point[self.n_sparse : cut].reshape(-1, self.rank), point[cut:].reshape(-1, self.rank)

    def weights(self, point: Floats) -> Floats:
        """Weight vector of the batch at a point."""
        if not self.factored:
            return point
        left, right = self._factors(point)
        return np.concatenate([point[: self.n_sparse], (left @ right.T).reshape(-1)])

    def __call__(self, point: Floats) -> tuple[float, Floats]:
        """Value and gradient."""
        weights = self.weights(point)
        sparse, rest = point[: self.n_sparse], point[self.n_sparse :]
        log_partition, mean, cells = self.batch.partition_and_windows(weights, self.margin)
        score = dot(self._observed, sparse) + dot(self._windows.reshape(-1), weights[self.n_sparse :])
        gradient = np.empty_like(point)
        gradient[: self.n_sparse] = mean - self._observed + 2.0 * self.c2 * sparse
        cells -= self._windows
        value = log_partition - score + self.c2 * dot(sparse, sparse)
        # Half the squares of the factors stand for the nuclear norm; the matrix itself pays tau times its squares.
        share = 0.5 * self.tau if self.factored else self.tau
        if self.factored:
            left, right = self._factors(point)
            left_part, right_part = self._factors(gradient)
            left_part[:] = cells @ right
            right_part[:] = cells.T @ left
        else:
            gradient[self.n_sparse :] = cells.reshape(-1)
        gradient[self.n_sparse :] += 2.0 * share * rest
        return value + share * dot(rest, rest), gradient

    def minimize(
        self, point: Floats, max_iter: int, tol: float, callback: Callable[[int, float, Floats], bool], **state: Any
    ) -> SolverResult:
        """Run L-BFGS; the callback sees weights of the batch, `state` is what it may go on from."""
        return minimize_lbfgs(
            self,
            point,
            max_iter=max_iter,
            tol=tol,
            callback=lambda iteration, value, now: callback(iteration, value, self.weights(now)),
            **state,
        )
