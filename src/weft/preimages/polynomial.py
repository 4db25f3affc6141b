"""Pre-images for polynomial kernels of odd degree, which can be inverted (RG 1.4.1, after Schoelkopf and Smola 2002).

For f = Phi(z) with l(y, z) = (c + s y.z)^d, the inner product of f with the image of a unit vector e_j is
(c + s z_j)^d, and for odd d the root gives z_j back. Where f = sum_i b_i Phi(y_i) is the image of no vector, what comes
back is the vector whose images agree with f along the images of all unit vectors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weft.arrays import Floats
from weft.core.algebra import one_algebra_thread
from weft.errors import InputError


@one_algebra_thread()
def odd_polynomial_preimages(
    weights: Any, outputs: Any, degree: int, scale: float = 1.0, offset: float = 1.0
) -> Floats:
    """Vectors whose images are weighted sums of the images of given ones.

    Parameters
    ----------
    weights : array of shape (n, n_outputs)
        The b of each point.
    outputs : array of shape (n_outputs, d)
    degree : int
        Odd.
    scale, offset : float
        Of the kernel ``(offset + scale x.y) ** degree``.

    Returns
    -------
    ndarray of shape (n, d)

    Examples
    --------
    >>> odd_polynomial_preimages([[0.0, 1.0]], [[1.0, 2.0], [-3.0, 0.5]], 3)
    array([[-3. ,  0.5]])
    """
    b, Y = np.asarray(weights, dtype=np.float64), np.asarray(outputs, dtype=np.float64)
    if b.ndim != 2 or Y.ndim != 2 or b.shape[1] != len(Y):
        raise InputError(f"weights of shape {b.shape} and outputs of {Y.shape} given; need (n, m) and (m, d).")
    if degree % 2 != 1:
        raise InputError(f"degree={degree} given; need an odd one, since an even power forgets the sign.")
    products = b @ (offset + scale * Y) ** degree
    found: Floats = (np.sign(products) * np.abs(products) ** (1.0 / degree) - offset) / scale
    return found
