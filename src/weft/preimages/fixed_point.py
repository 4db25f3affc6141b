"""Pre-images for Gaussian kernels: the vector nearest to a weighted sum of images, by a fixed point.

For f = sum_i b_i Phi(y_i) and l(y, y') = exp(-gamma |y - y'|^2), |Phi(y) - f|^2 is smallest where sum_i b_i l(y, y_i)
is largest, and there  y = sum_i b_i l(y, y_i) y_i / sum_i b_i l(y, y_i).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weft.arrays import Floats
from weft.core.algebra import one_algebra_thread
from weft.errors import InputError
from weft.kernels.vectors.products import RBFKernel


@one_algebra_thread()
def fixed_points(
    weights: Any, outputs: Any, gamma: float, starts: Any, *, tol: float = 1e-8, max_iterations: int = 200
) -> Floats:
    """Vectors whose images are nearest to weighted sums of the images of given ones.

    A step is taken only if it brings the image nearer, so each result is at least as near as its start.

    Parameters
    ----------
    weights : array of shape (n, n_outputs)
        The b of each point.
    outputs : array of shape (n_outputs, d)
    gamma : float
        Of the kernel.
    starts : array of shape (n, d)
        Where to begin, such as the nearest output.
    tol : float
        A row ends when it moves by less than this share of the spread of the outputs.
    max_iterations : int

    Returns
    -------
    ndarray of shape (n, d)

    Examples
    --------
    >>> fixed_points([[0.5, 0.5]], [[0.0], [1.0]], 0.5, [[0.0]]).round(4)
    array([[0.5]])
    """
    b: Floats
    Y: Floats
    points: Floats
    b, Y, points = (np.asarray(each, dtype=np.float64) for each in (weights, outputs, starts))
    if b.ndim != 2 or Y.ndim != 2 or b.shape[1] != len(Y) or points.shape != (len(b), Y.shape[1]):
        raise InputError(
            f"weights of shape {b.shape}, outputs of {Y.shape} and starts of {points.shape} given; "
            "need (n, m), (m, d) and (n, d)."
        )
    kernel = RBFKernel(gamma)
    points = points.copy()
    spread = float(np.abs(Y - Y.mean(axis=0)).max(initial=0.0)) if len(Y) else 0.0
    active = np.arange(len(points))
    shares = b * kernel.gram(points, Y)
    for _ in range(max_iterations):
        totals = shares[active].sum(axis=1)
        # Without a positive total the point lies where no output pulls it: nothing nearer is known.
        active, totals = active[totals > 0.0], totals[totals > 0.0]
        if not len(active):
            break
        moved = (shares[active] @ Y) / totals[:, None]
        new = b[active] * kernel.gram(moved, Y)
        better = new.sum(axis=1) > totals
        far = np.abs(moved - points[active]).max(axis=1) > tol * spread
        active, moved, new = active[better], moved[better], new[better]
        points[active], shares[active] = moved, new
        active = active[far[better]]
    return points
