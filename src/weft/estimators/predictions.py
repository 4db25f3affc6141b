"""Outputs of an estimator: a list, which NumPy takes for one object per input."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class Predictions(list[Any]):
    """A list of outputs that becomes an array of one dimension, so that scikit-learn can join those of several folds.

    Examples
    --------
    >>> found = Predictions([["D", "N"], ["N"]])
    >>> found, np.concatenate([found, found]).shape
    ([['D', 'N'], ['N']], (4,))
    """

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """One object per input, whatever its length; as any list if another type is asked for."""
        if dtype is not None and np.dtype(dtype) != object:
            return np.array(list(self), dtype=dtype)
        array = np.empty(len(self), dtype=object)
        array[:] = list(self)
        return array
