"""The Hankel matrix while it is learned: whole, or of low rank plus the sparse change of one step."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import scipy.sparse
import scipy.sparse.linalg

from weft.arrays import Floats, Integers
from weft.learners.spectral.constrained_proximal import HankelProximal
from weft.learners.spectral.proximal import Regularizer, penalty, proximal_step


class HankelMatrix(Protocol):
    """What forward-backward splitting does to a matrix."""

    penalty: float
    """R(H) after the last proximal step."""

    def add(self, cells: Integers, values: Floats) -> None:
        """Forward: add values to cells (row, column)."""

    def shrink(self, strength: float) -> None:
        """Backward: take the proximal step."""

    def flat(self) -> Floats:
        """Its part of the weight vector."""


class WholeMatrix:
    """All cells in one array.

    Examples
    --------
    >>> matrix = WholeMatrix(np.zeros((2, 2)), "nuclear")
    >>> matrix.add(np.array([[0, 0], [0, 0], [1, 1]]), np.array([1.0, 2.0, 1.0]))
    >>> matrix.shrink(1.5)
    >>> matrix.flat().tolist(), matrix.penalty
    ([1.5, 0.0, 0.0, 0.0], 1.5)
    """

    def __init__(
        self, values: Floats, regularizer: Regularizer | None, constrained: HankelProximal | None = None
    ) -> None:
        self.values = values.copy()
        self.regularizer = regularizer
        self.constrained = constrained
        self.penalty = penalty(values, regularizer) if values.any() else 0.0

    def add(self, cells: Integers, values: Floats) -> None:
        """Add values to cells (row, column), which may repeat."""
        np.add.at(self.values.reshape(-1), cells[:, 0] * self.values.shape[1] + cells[:, 1], values)

    def shrink(self, strength: float) -> None:
        """Proximal step of the regulariser."""
        if self.constrained is not None:
            self.values, self.penalty = self.constrained(self.values, strength)
        else:
            self.values, self.penalty = proximal_step(self.values, self.regularizer, strength)

    def flat(self) -> Floats:
        """All cells, row by row."""
        return self.values.reshape(-1)


class FactoredMatrix:
    """Left times right factor, plus the sparse change since the last thresholding of the singular values.

    For alphabets whose matrix would not fit: after a step it is "low rank plus sparse" (SP section 4), and the singular
    values above the threshold are found without ever writing it out.

    Examples
    --------
    >>> matrix = FactoredMatrix(np.zeros((3, 0)), np.zeros((2, 0)))
    >>> matrix.add(np.array([[0, 0], [0, 0], [1, 1]]), np.array([1.0, 2.0, 1.0]))
    >>> matrix.shrink(1.5)
    >>> (matrix.left @ matrix.right.T).round(9).tolist(), round(matrix.penalty, 9)
    ([[1.5, 0.0], [0.0, 0.0], [0.0, 0.0]], 1.5)
    """

    MORE = 8
    """Singular vectors that are looked for beyond the rank before."""

    def __init__(self, left: Floats, right: Floats) -> None:
        self.left = left
        self.right = right
        self.penalty = float(np.linalg.svd(left @ right.T if left.size else np.zeros((1, 1)), compute_uv=False).sum())
        self._change: Any = scipy.sparse.csr_array((len(left), len(right)))

    def add(self, cells: Integers, values: Floats) -> None:
        """Add values to cells (row, column), which may repeat."""
        shape = len(self.left), len(self.right)
        self._change = self._change + scipy.sparse.coo_array((values, tuple(cells.T)), shape=shape).tocsr()

    def shrink(self, strength: float) -> None:
        """Lower all singular values by the strength; those at zero leave the factors."""
        left, values, right = self._leading(strength)
        kept = values > strength
        roots = np.sqrt(values[kept] - strength)
        self.left = np.ascontiguousarray(left[:, kept] * roots)
        self.right = np.ascontiguousarray(right[:, kept] * roots)
        self.penalty = float((values[kept] - strength).sum())
        self._change = scipy.sparse.csr_array(self._change.shape)

    def _leading(self, strength: float) -> tuple[Floats, Floats, Floats]:
        """All singular triples with values above the strength, and maybe more."""
        shape = self._change.shape
        smaller = min(shape)
        n_wanted = self.left.shape[1] + self.MORE
        while n_wanted < smaller // 2:
            # A fixed start makes the result the same in every run.
            start = np.random.default_rng(0).normal(size=smaller)
            left, values, right = scipy.sparse.linalg.svds(self._operator(), k=n_wanted, v0=start)
            if values.min() <= strength:
                return left, values, right.T
            n_wanted *= 2
        # Too many for a truncated decomposition: take all from the Gram matrix of the columns.
        change, low = self._change, self.right @ (self.left.T @ self._change)
        gram = (change.T @ change).toarray() + self.right @ (self.left.T @ self.left) @ self.right.T + low + low.T
        squares, right = np.linalg.eigh(gram)
        values = np.sqrt(np.maximum(squares, 0.0))
        right, values = right[:, values > strength], values[values > strength]
        return (change @ right + self.left @ (self.right.T @ right)) / values, values, right

    def _operator(self) -> Any:
        change, left, right = self._change, self.left, self.right
        return scipy.sparse.linalg.LinearOperator(
            change.shape,
            matvec=lambda vector: change @ vector + left @ (right.T @ vector),
            rmatvec=lambda vector: change.T @ vector + right @ (left.T @ vector),
            matmat=lambda block: change @ block + left @ (right.T @ block),
            rmatmat=lambda block: change.T @ block + right @ (left.T @ block),
            dtype=np.float64,
        )

    def flat(self) -> Floats:
        """Left factor, then right factor, row by row."""
        return np.concatenate([self.left.reshape(-1), self.right.reshape(-1)])
