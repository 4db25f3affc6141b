"""Names for what users pass in, for signatures."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

FilePath = str | os.PathLike[str]
Seed = int | np.random.RandomState | None
"""What `random_state` may be; None is NumPy's global state."""
Symbols = Iterable[Hashable]
"""One sequence: a string, or a list of words, phones or labels."""
Strings = Iterable[Symbols]
Inputs = Iterable[object]
"""Many of whatever an estimator maps; the inner type is for each of them to say."""
ListOrArray = Sequence[Any] | NDArray[Any]
"""Many of whatever a kernel compares; vectors may be the rows of an array."""
Constraints = str | Iterable[Sequence[Hashable]]
"""Which labels may follow each other: the name of a scheme, or pairs that may not."""
Tags = Iterable[str | Iterable[Hashable]]
"""Of each word: lists, or strings with separators."""


class SparseMatrix(Protocol):
    """What is asked of a sparse array or matrix of SciPy."""

    def tocsr(self) -> Any:
        """The same in compressed rows."""
        ...


Matrix = ArrayLike | SparseMatrix


class Client(Protocol):
    """What `weft.scale` asks of a `dask.distributed.Client`, which need not be installed."""

    def submit(self, func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """The result of a call on a worker, to be waited for."""
        ...


class SequenceTransformer(Protocol):
    """Turns sequences into sequences of features of as many tokens, as `weft.WindowFeatures` does."""

    def transform(self, X: Any) -> Any:
        """Features of each token of each sequence."""
        ...


class Predictor(Protocol):
    """A fitted estimator, of weft or of others."""

    def predict(self, X: Any) -> Any:
        """An output for each input."""
        ...


class RankedPredictor(Protocol):
    """A fitted estimator that knows more than one output."""

    def predict_kbest(self, X: Any, k: int) -> list[list[tuple[Any, float]]]:
        """The k best outputs of each input, with their scores."""
        ...
