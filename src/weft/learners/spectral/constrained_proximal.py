"""The nuclear norm's proximal step among Hankel matrices, whose equal strings share one value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weft.arrays import Floats, Integers
from weft.learners.spectral.proximal import threshold_singular_values


def average_cells(matrix: Floats, cells: Integers) -> Floats:
    """Closest matrix whose cells of the same number are equal: each gets their mean.

    Parameters
    ----------
    matrix : ndarray of shape (n_rows, n_columns)
    cells : ndarray of int64, same shape
        Number of the string that a cell belongs to.

    Examples
    --------
    >>> average_cells(np.array([[1.0, 2.0], [4.0, 8.0]]), np.array([[0, 1], [1, 2]])).tolist()
    [[1.0, 3.0], [3.0, 8.0]]
    """
    flat = cells.reshape(-1)
    means = np.bincount(flat, weights=matrix.reshape(-1)) / np.maximum(np.bincount(flat), 1)
    return np.asarray(means[flat].reshape(matrix.shape))


@dataclass
class HankelProximal:
    """``argmin_H 1/2 ||H - M||_F^2 + strength ||H||_*`` over matrices with equal cells, by ADMM.

    A projection after the thresholding is not this minimum. The multipliers are kept from call to call, since the
    matrices of successive steps are close.

    Parameters
    ----------
    cells : ndarray of int64, shape (n_rows, n_columns)
        Number of the string that a cell belongs to.
    max_iter : int
    tol : float
        Stop when matrix and low-rank copy differ by less than this share of the matrix.

    Examples
    --------
    >>> proximal = HankelProximal(np.array([[0, 1], [1, 2]]))
    >>> matrix, nuclear = proximal(np.array([[2.0, 1.0], [0.0, 1.0]]), 0.5)
    >>> bool(abs(matrix[0, 1] - matrix[1, 0]) < 1e-12), round(nuclear, 6)
    (True, 2.0)
    """

    cells: Integers
    max_iter: int = 500
    tol: float = 1e-8
    multipliers: Floats | None = None

    def __call__(self, matrix: Floats, strength: float) -> tuple[Floats, float]:
        """Minimiser, and its nuclear norm."""
        if strength <= 0.0:
            result = average_cells(matrix, self.cells)
            return result, float(np.linalg.svd(result, compute_uv=False).sum())
        rho = 1.0
        low_rank = average_cells(matrix, self.cells)
        multipliers = np.zeros_like(matrix) if self.multipliers is None else self.multipliers * strength
        size = float(np.linalg.norm(low_rank))
        values = np.zeros(0)
        for _ in range(self.max_iter):
            result = average_cells((matrix + rho * (low_rank - multipliers)) / (1.0 + rho), self.cells)
            before = low_rank
            low_rank, values = threshold_singular_values(result + multipliers, strength / rho)
            multipliers += result - low_rank
            apart = max(float(np.linalg.norm(result - low_rank)), float(np.linalg.norm(low_rank - before)))
            if apart <= self.tol * size:
                break
        # A multiplier over the strength is a subgradient of the norm, which changes little from step to step.
        self.multipliers = multipliers / strength
        return result, float(values.sum())
