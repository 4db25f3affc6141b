"""Ridge regression for many strengths from one reduction to a band, for large kernel matrices.

K = Q B Q' with an orthogonal Q and a band matrix B takes 4/3 n^3 steps, nearly all of them products of matrices; it is
where an eigendecomposition begins, which takes several times as long to end. Any strength then wants a factorisation of
B + alpha I, which costs next to nothing:  (K + alpha I)^-1 Y = Q (B + alpha I)^-1 Q'Y.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy  # which loads its linalg at first use: not to predict

from weft.arrays import Floats
from weft.core.algebra import one_algebra_thread
from weft.errors import InputError
from weft.kernel_methods.ridge.band_form import WIDTH, BandForm, for_columns
from weft.kernel_methods.ridge.path import TINY, RidgePath, checked_alpha, checked_problem, not_positive

LARGE = 1000
"""Examples from which on a band is faster than eigenvectors."""


class BandedRidgePath(RidgePath):
    """What `RidgePath` does, for thousands of examples.

    Parameters
    ----------
    gram : ndarray of shape (n, n)
    targets : ndarray of shape (n,) or (n, n_outputs)
    width : int
        Of the band.

    Examples
    --------
    >>> path = BandedRidgePath([[2.0, 1.0], [1.0, 2.0]], [1.0, 0.0])
    >>> path.coefficients(1.0)
    array([ 0.375, -0.125])
    """

    @one_algebra_thread(scipy=True)
    def __init__(self, gram: Any, targets: Any, *, width: int = WIDTH) -> None:
        K, self.targets = checked_problem(gram, targets, square=True)
        self.form = BandForm(K, width)
        self._scale = float(np.abs(np.diag(K)).max(initial=0.0))
        self._projected = self.form.transposed_times(self.targets.reshape(len(K), -1))
        self._rotation: Floats | None = None

    def coefficients(self, alpha: float) -> Floats:
        """Dual coefficients for one strength."""
        return self.coefficients_of([alpha])[0]

    @one_algebra_thread(scipy=True)
    def coefficients_of(self, alphas: Sequence[float]) -> list[Floats]:
        """Dual coefficients for several strengths, which are turned back together."""
        solved = [
            scipy.linalg.cho_solve_banded((self._factor(alpha), True), self._projected, check_finite=False)
            for alpha in alphas
        ]
        if not solved:
            return []
        turned = self.form.times(np.hstack(solved))
        return [np.ascontiguousarray(part).reshape(self.targets.shape) for part in np.hsplit(turned, len(solved))]

    def leave_one_out(self, alpha: float) -> Floats:
        """Prediction for each training example by the model trained on all others."""
        return np.asarray(self.targets - self._residuals(alpha, self.coefficients(alpha)))

    def errors(self, alphas: Sequence[float]) -> Floats:
        """Mean over examples of the squared leave-one-out error, summed over outputs, for each strength."""
        if len(self.targets) == 0:
            raise InputError("there are no examples; need at least one to leave out.")
        solved = zip(alphas, self.coefficients_of(alphas), strict=True)
        return np.array([float(np.sum(self._residuals(*each) ** 2)) for each in solved]) / len(self.targets)

    @one_algebra_thread(scipy=True)
    def _residuals(self, alpha: float, coefficients: Floats) -> Floats:
        """Leave-one-out errors ``c_i / (G^-1)_ii``."""
        if self._rotation is None:
            self._rotation = self.form.transposed()
        diagonal = self._inverse_diagonal(alpha, self._rotation)
        if len(diagonal) and not float(diagonal.min()) > TINY * float(diagonal.max()):
            raise InputError(f"alpha={alpha:g} is too small to leave examples out; need a larger one.")
        return np.asarray(coefficients / (diagonal if self.targets.ndim == 1 else diagonal[:, None]))

    def _inverse_diagonal(self, alpha: float, columns: Floats) -> Floats:
        """``q' (B + alpha I)^-1 q`` for each column q: the squared length of L^-1 q with L L' = B + alpha I.

        Blocks of L as wide as the band have one block to their left, so a step is two products of matrices.
        """
        factor, b, n = self._factor(alpha), max(self.form.width, 1), self.form.n
        blocks = []
        for start in range(0, n, b):
            stop = min(start + b, n)
            own, _ = scipy.linalg.lapack.dtrtri(_band_block(factor, start, stop, start), lower=1)
            left = own @ _band_block(factor, start, stop, start - b) if start else None
            blocks.append((start, stop, np.ascontiguousarray(own), left))
        total = np.zeros(columns.shape[1])

        def add(part: slice) -> None:
            before = columns[:0, part]
            for start, stop, own, left in blocks:
                found = own @ columns[start:stop, part]
                if left is not None:
                    found -= left @ before
                before = found
                total[part] += np.einsum("ij,ij->j", found, found)

        for_columns(columns.shape[1], add)
        return total

    def _factor(self, alpha: float) -> Floats:
        """Cholesky factor of ``B + alpha I``, as a band."""
        strength, shifted = checked_alpha(alpha), self.form.band.copy()
        shifted[0] += strength
        if not self.form.n:
            return shifted
        factor, info = scipy.linalg.lapack.dpbtrf(shifted, lower=1)
        smallest = float(factor[0].min() / factor[0].max()) ** 2 if info == 0 else 0.0
        if info or (strength == 0.0 and smallest < TINY):
            lowest = scipy.linalg.eigvals_banded(self.form.band, lower=True, select="i", select_range=(0, 0))[0]
            raise not_positive(float(lowest), self._scale, strength, "kernel matrix")
        return np.asarray(factor)


def _band_block(band: Floats, start: int, stop: int, column: int) -> Floats:
    """Rows `start` to `stop` and as many columns from `column` on of the lower triangle that a band holds."""
    rows = np.arange(start, stop)[:, None]
    columns = np.arange(column, min(column + len(band) - 1, stop) if len(band) > 1 else stop)[None, :]
    offset = rows - columns
    inside = (offset >= 0) & (offset < len(band))
    return np.where(inside, band[np.where(inside, offset, 0), columns], 0.0)


def ridge_path(gram: Any, targets: Any) -> RidgePath:
    """`RidgePath` for few examples, `BandedRidgePath` for many.

    Examples
    --------
    >>> ridge_path([[2.0, 1.0], [1.0, 2.0]], [1.0, 0.0]).best([0.1, 1.0, 10.0])
    10.0
    """
    return BandedRidgePath(gram, targets) if len(gram) >= LARGE else RidgePath(gram, targets)
