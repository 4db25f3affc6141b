"""Sequential minimal optimisation with kernel rows computed on demand: the way LK compares itself with.

For kernels without explicit features, and as the baseline of LK Table 4. With an offset, two dual variables are moved
at a time, chosen by second-order information (Fan, Chen, Lin 2005); without one, the single variable whose step
lowers the objective most. The gradient of all examples is kept, so that each step needs one or two kernel rows.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from weft.arrays import Floats, Mask
from weft.core.vectors import product
from weft.errors import InputError
from weft.kernel_methods.svm.descent import Loss, Report, dual_bounds

FLAT = 1e-12
"""Curvature that stands for none: two examples with the same features."""
STEPS_PER_REPORT = 1000


class KernelRows:
    """Rows of a kernel matrix, computed when they are asked for; the last ones used are kept.

    Parameters
    ----------
    compute : callable
        Row ``i`` as an array of shape (n,).
    diagonal : ndarray of shape (n,)
    cache_bytes : int
        How much memory rows may take; at least two rows are kept.

    Attributes
    ----------
    n_computed : int
        Rows computed so far.

    Examples
    --------
    >>> rows = KernelRows(lambda i: np.array([[2.0, 1.0], [1.0, 3.0]])[i], np.array([2.0, 3.0]))
    >>> rows[1], rows[1], rows.n_computed
    (array([1., 3.]), array([1., 3.]), 1)
    """

    def __init__(self, compute: Callable[[int], Any], diagonal: Any, cache_bytes: int = 200_000_000) -> None:
        self._compute = compute
        self.diagonal: Floats = np.asarray(diagonal, dtype=np.float64)
        self._capacity = max(2, cache_bytes // max(1, 8 * len(self.diagonal)))
        self._cache: OrderedDict[int, Floats] = OrderedDict()
        self.n_computed = 0

    @staticmethod
    def of_kernel(kernel: Any, X: Sequence[Any], cache_bytes: int = 200_000_000) -> KernelRows:
        """Rows of ``kernel.gram(X)``: all at once if they fit into the cache, else one by one.

        Examples
        --------
        >>> from weft.kernels.grams.ngram import NGramKernel
        >>> KernelRows.of_kernel(NGramKernel(1), ["ab", "b"], cache_bytes=0)[0]
        array([2., 1.])
        """
        if 8 * len(X) ** 2 <= cache_bytes:
            matrix = np.asarray(kernel.gram(X), dtype=np.float64)
            return KernelRows(matrix.__getitem__, matrix.diagonal(), 0)
        return KernelRows(lambda i: kernel.gram([X[i]], X)[0], kernel.diagonal(X), cache_bytes)

    @staticmethod
    def of_features(matrix: Any, cache_bytes: int = 200_000_000) -> KernelRows:
        """Rows of the Gram matrix of the rows of a CSR matrix.

        Examples
        --------
        >>> from scipy.sparse import csr_array
        >>> KernelRows.of_features(csr_array([[1.0, 2.0], [0.0, 1.0]]))[0]
        array([5., 2.])
        """
        work = np.zeros(matrix.shape[1])

        def compute(i: int) -> Floats:
            columns = matrix.indices[matrix.indptr[i] : matrix.indptr[i + 1]]
            work[columns] = matrix.data[matrix.indptr[i] : matrix.indptr[i + 1]]
            row = np.asarray(matrix @ work)
            work[columns] = 0.0
            return row

        squares = matrix.astype(np.float64).power(2).sum(axis=1)
        return KernelRows(compute, np.asarray(squares).ravel(), cache_bytes)

    def __len__(self) -> int:
        return len(self.diagonal)

    def __getitem__(self, i: int) -> Floats:
        row = self._cache.get(i)
        if row is None:
            row = np.asarray(self._compute(i), dtype=np.float64)
            self.n_computed += 1
            if len(self._cache) >= self._capacity:
                self._cache.popitem(last=False)
            self._cache[i] = row
        else:
            self._cache.move_to_end(i)
        return row


class SMOSolution(NamedTuple):
    """Where sequential minimal optimisation stopped.

    Attributes
    ----------
    alpha : ndarray of shape (n,)
        Dual variables.
    offset : float
        What is added to ``sum_j alpha_j y_j K(x_j, x)``; 0 without an offset.
    objective : float
        Dual objective F: smaller is better.
    n_steps : int
    converged : bool
    """

    alpha: Floats
    offset: float
    objective: float
    n_steps: int
    converged: bool


def solve_smo(
    rows: KernelRows,
    signs: Any,
    C: Any = 1.0,
    *,
    loss: Loss = "hinge",
    offset: bool = False,
    tol: float = 1e-3,
    max_steps: int = 10_000_000,
    alpha: Floats | None = None,
    report: Report | None = None,
) -> SMOSolution:
    """Train a binary SVM from rows of its kernel matrix.

    Parameters
    ----------
    rows : KernelRows
    signs : array of +1 and -1
    C : float or array of shape (n,)
        Cost of an error; examples of cost 0 take no part.
    loss : {"hinge", "squared_hinge"}
    offset : bool
        Whether the decision has a free constant, as in LIBSVM; `solve_svm` has none.
    tol : float
        Largest violation of the optimality conditions.
    max_steps : int
    alpha : ndarray, optional
        Dual variables to start from (without an offset only).
    report : callable, optional
        Called with the number of steps and the dual objective now and then; True stops.

    Returns
    -------
    SMOSolution

    Examples
    --------
    >>> rows = KernelRows(lambda i: np.array([[1.0, 0.0], [0.0, 4.0]])[i], np.array([1.0, 4.0]))
    >>> solve_smo(rows, [1, -1], 10.0).alpha
    array([1.  , 0.25])
    """
    y = np.asarray(signs, dtype=np.float64)
    costs = np.broadcast_to(np.asarray(C, dtype=np.float64), y.shape)
    upper, extra = dual_bounds(np.array(costs), loss)
    upper, extra = np.where(costs > 0.0, upper, 0.0), np.where(costs > 0.0, extra, 0.0)
    dual, gradient = np.zeros(len(y)), np.full(len(y), -1.0)
    if alpha is not None:
        if offset:
            raise InputError("alpha given with an offset; start from zero, or train without an offset.")
        dual = np.clip(alpha, 0.0, upper)
        for i in np.flatnonzero(dual).tolist():
            gradient += dual[i] * y[i] * y * rows[i]
        gradient += extra * dual
    step = _pair_step if offset else _single_step
    n_steps, converged = 0, False
    while n_steps < max_steps:
        converged = step(rows, y, upper, extra, dual, gradient, tol)
        if converged:
            break
        n_steps += 1
        if report is not None and n_steps % STEPS_PER_REPORT == 0 and report(n_steps, _objective(dual, gradient)):
            break
    constant = _offset(y, upper, dual, gradient) if offset else 0.0
    return SMOSolution(dual, constant, _objective(dual, gradient), n_steps, converged)


def _objective(alpha: Floats, gradient: Floats) -> float:
    """F = alpha'Q alpha / 2 - sum alpha, from the gradient Q alpha - 1."""
    return 0.5 * product(alpha, gradient - 1.0)


def _single_step(
    rows: KernelRows, y: Floats, upper: Floats, extra: Floats, alpha: Floats, gradient: Floats, tol: float
) -> bool:
    """Move the variable whose step lowers F most; True if none violates its condition."""
    projected = np.where(alpha <= 0.0, np.minimum(gradient, 0.0), gradient)
    projected = np.where(alpha >= upper, np.maximum(projected, 0.0), projected)
    projected[upper <= 0.0] = 0.0
    if projected.max() - projected.min() <= tol and np.abs(projected).max() <= tol:
        return True
    curvature = np.maximum(rows.diagonal + extra, FLAT)
    wanted = np.clip(alpha - gradient / curvature, 0.0, upper) - alpha
    i = int(np.argmin(wanted * (gradient + 0.5 * curvature * wanted)))
    change = wanted[i]
    alpha[i] += change
    gradient += change * y[i] * y * rows[i]
    gradient[i] += change * extra[i]
    return False


def _pair_step(
    rows: KernelRows, y: Floats, upper: Floats, extra: Floats, alpha: Floats, gradient: Floats, tol: float
) -> bool:
    """Move two variables along sum_i y_i alpha_i = constant; True if no pair violates its condition."""
    scores = -y * gradient
    rising, falling = _movable(y, upper, alpha)
    above = np.where(rising, scores, -np.inf)
    i = int(np.argmax(above))
    if above[i] - np.where(falling, scores, np.inf).min() <= tol:
        return True
    row = rows[i]
    diagonal = rows.diagonal + extra
    distance = above[i] - scores
    curvature = np.maximum(diagonal[i] + diagonal - 2.0 * row, FLAT)
    gain = np.where(falling & (distance > 0.0), distance**2 / curvature, -np.inf)
    j = int(np.argmax(gain))
    other = rows[j]
    # y_i alpha_i rises and y_j alpha_j falls by the same amount, as far as both bounds allow.
    amount = distance[j] / curvature[j]
    amount = min(amount, upper[i] - alpha[i] if y[i] > 0 else alpha[i])
    amount = min(amount, alpha[j] if y[j] > 0 else upper[j] - alpha[j])
    alpha[i] += y[i] * amount
    alpha[j] -= y[j] * amount
    gradient += amount * y * (row - other)
    gradient[i] += amount * y[i] * extra[i]
    gradient[j] -= amount * y[j] * extra[j]
    return False


def _movable(y: Floats, upper: Floats, alpha: Floats) -> tuple[Mask, Mask]:
    """Where y_i alpha_i can rise, and where it can fall."""
    rising = np.where(y > 0, alpha < upper, alpha > 0.0)
    falling = np.where(y > 0, alpha > 0.0, alpha < upper)
    return rising, falling


def _offset(y: Floats, upper: Floats, alpha: Floats, gradient: Floats) -> float:
    """Constant that puts free examples onto their margin; without any, the middle of what the bounds allow."""
    scores = -y * gradient
    free = (alpha > 0.0) & (alpha < upper)
    if free.any():
        return float(scores[free].mean())
    rising, falling = _movable(y, upper, alpha)
    high = scores[rising].max() if rising.any() else scores[falling].min()
    low = scores[falling].min() if falling.any() else high
    return float(0.5 * (high + low))
