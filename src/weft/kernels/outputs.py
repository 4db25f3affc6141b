"""Kernels of outputs: equality of labels, and losses taken as squared distances."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from weft import losses
from weft.annotations import ListOrArray
from weft.errors import InputError
from weft.kernels.base import Floats, Kernel, read_sides
from weft.kernels.gram_matrix import empty_gram

LOSSES: dict[str, Callable[[Any, Any], float]] = {
    "edit": losses.edit,
    "hamming": losses.hamming,
    "base_pair": losses.base_pair,
}


class LabelKernel(Kernel):
    """1 for equal labels, else 0; squared distances are twice the 0-1 loss.

    Examples
    --------
    >>> LabelKernel().gram(["cat", "dog"], ["dog"])
    array([[0.],
           [1.]])
    """

    def gram(self, X: ListOrArray, Y: ListOrArray | None = None) -> Floats:
        """Matrix of equalities."""
        X, Y = read_sides(X, Y)
        numbers: dict[Hashable, int] = {}
        left, right = (_numbered(labels, numbers) for labels in (X, X if Y is None else Y))
        found: Floats = (left[:, None] == right).astype(np.float64)
        return found

    def diagonal(self, X: ListOrArray) -> Floats:
        """1 for each label."""
        return np.ones(len(read_sides(X)[0]))


def _numbered(labels: Any, numbers: dict[Hashable, int]) -> Any:
    plain = labels.tolist() if isinstance(labels, np.ndarray) else labels
    try:
        return np.array([numbers.setdefault(label, len(numbers)) for label in plain], dtype=np.int64)
    except TypeError as error:
        raise InputError("labels are not numbers, strings or tuples; convert them.") from error


class LossKernel(Kernel):
    """``-loss(y, y') / 2``: a loss as a squared distance.

    It is an inner product only after centring, which kernel principal components do, and only if the loss is a squared
    distance of some points; they report it if not. No other method should use it.

    Parameters
    ----------
    loss : str or callable
        ``"edit"``, ``"hamming"``, ``"base_pair"``, or a function of two outputs that is symmetric and 0 for equal ones.
        Models with a function cannot be saved.

    Examples
    --------
    >>> LossKernel("edit").gram(["ab"], ["ab", "b", "ccc"]) + 0.0
    array([[ 0. , -0.5, -1.5]])
    """

    def __init__(self, loss: str | Callable[[Any, Any], float] = "edit") -> None:
        self.loss = loss

    def gram(self, X: ListOrArray, Y: ListOrArray | None = None) -> Floats:
        """Matrix of halved losses, negative."""
        loss = self._function()
        X, Y = read_sides(X, Y)
        if Y is not None:
            return np.array([[-0.5 * loss(x, y) for y in Y] for x in X], dtype=np.float64).reshape(len(X), len(Y))
        found = empty_gram(len(X), len(X))
        for i, x in enumerate(X):
            for j in range(i):
                found[i, j] = found[j, i] = -0.5 * loss(x, X[j])
        return found

    def diagonal(self, X: ListOrArray) -> Floats:
        """0 for each output."""
        return np.zeros(len(read_sides(X)[0]))

    def _function(self) -> Callable[[Any, Any], float]:
        if callable(self.loss):
            return self.loss
        given: Any = self.loss
        if not isinstance(given, str) or given not in LOSSES:
            raise InputError(
                f"loss={given!r:.60} given; need one of {', '.join(LOSSES)}, or a function of two outputs."
            )
        return LOSSES[given]
