"""Weights of grams: less for those that most training strings have (idf), and logarithms of counts (sublinear)."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Any

import numpy as np
import scipy  # which loads its sparse at first use: not to predict
from numpy.typing import NDArray

from weft.arrays import Floats
from weft.errors import InputError
from weft.kernels.base import Kernel
from weft.kernels.feature_map import FeatureMap, MapState, Spans
from weft.kernels.gram_matrix import squared_norms
from weft.kernels.grams.rows import take_logarithms
from weft.kernels.symbols import as_coded, form_of
from weft.state_rules import check_arrays, floats


def inverse_document_frequencies(rows: scipy.sparse.csr_array) -> Floats:
    """``1 + log((1 + n) / (1 + df))`` of each column that df of the n rows have.

    Examples
    --------
    >>> inverse_document_frequencies(scipy.sparse.csr_array([[1.0, 2.0], [0.0, 1.0], [0.0, 3.0]])).round(3)
    array([1.693, 1.   ])
    """
    found = np.bincount(rows.indices[rows.data != 0.0], minlength=rows.shape[1])
    return np.asarray(1.0 + np.log((1.0 + rows.shape[0]) / (1.0 + found)))


class CountMap(FeatureMap):
    """Columns whose values are counts, which may have their logarithms taken where they are counted."""

    def counted(self, X: list[Any], logarithms: bool) -> tuple[scipy.sparse.csr_array, Floats]:
        """Rows of coded sequences, and their squared lengths, dropped features included."""
        raise NotImplementedError

    def counted_row(self, X: list[Any], logarithms: bool) -> tuple[Floats, NDArray[np.int32], float]:
        """Values and columns of the row of a single coded sequence, and its squared length."""
        raise NotImplementedError


class WeightedGramMap(FeatureMap):
    """Columns of another map, whose counts are weighted.

    Parameters
    ----------
    counting : Kernel
        The same kernel without weights.
    inner : FeatureMap
        Gives its counts.
    sublinear : bool
        Take ``1 + log(count)`` for each count.
    idf : ndarray, optional
        Factor of each column, learned from training data, which knows no factor of other grams: these count nothing.
    """

    def __init__(self, counting: Kernel, inner: FeatureMap, sublinear: bool, idf: Floats | None) -> None:
        self.counting = counting
        self.inner = inner
        self.sublinear = sublinear
        self.idf = idf
        self.n_features = inner.n_features

    @classmethod
    def learn(
        cls, counting: Kernel, X: Sequence[Any], sublinear: bool, idf: bool
    ) -> tuple[WeightedGramMap, scipy.sparse.csr_array]:
        """Learn columns and weights from `X`, and give its rows."""
        refuse_lattices(X)
        inner, rows = counting.feature_map(X)
        mapped = cls(counting, inner, sublinear, inverse_document_frequencies(rows) if idf else None)
        return mapped, mapped._weighted(rows)

    @classmethod
    def restore(cls, counting: Kernel, state: MapState, sublinear: bool, idf: bool) -> WeightedGramMap:
        """The map that `to_state` described."""
        settings, arrays = state
        own = {name: array for name, array in arrays.items() if idf and name == "idf"}
        inner = counting.restore_feature_map((settings, {name: arrays[name] for name in arrays if name not in own}))
        if idf:
            rules = {"idf": floats("n_features", low=1.0)}
            check_arrays("weights of n-grams", own, rules, n_features=inner.n_features)
        return cls(counting, inner, sublinear, own.get("idf"))

    def _weighted(self, rows: scipy.sparse.csr_array) -> scipy.sparse.csr_array:
        """The same rows with weights, in place."""
        if self.sublinear:
            take_logarithms(rows.data)
        if self.idf is not None:
            rows.data *= self.idf[rows.indices]
        return rows

    def transform_with_norms(self, X: Sequence[Any]) -> tuple[scipy.sparse.csr_array, Floats]:
        """Rows of `X`, and ``K(x, x)`` for all x of `X`, dropped grams included unless weights are learned."""
        X = as_coded(X)
        refuse_lattices(X)
        if self.idf is None and isinstance(self.inner, CountMap):
            return self.inner.counted(X, self.sublinear)
        rows = self._weighted(self.inner.transform(X))
        if self.idf is None:
            return rows, squared_norms(self._weighted(self.counting.features(X)))
        return rows, squared_norms(rows)

    def one_row(self, x: Any) -> tuple[Floats, NDArray[np.int32], float] | None:
        """Values and columns of the row of one sequence, and ``K(x, x)``."""
        if not isinstance(self.inner, CountMap):
            return None
        X = as_coded([x])
        refuse_lattices(X)
        values, columns, norm = self.inner.counted_row(X, self.sublinear)
        if self.idf is not None:
            values *= self.idf[columns]
            squares = np.asarray(values, dtype=np.float64) ** 2
            norm = float(np.add.accumulate(squares)[-1]) if len(squares) else 0.0  # one by one, as `squared_norms` adds
        return values, columns, norm

    def grown(self, X: Sequence[Any]) -> tuple[FeatureMap, NDArray[np.int64]]:
        """The map inside grown, where no weights were learned from earlier data."""
        if self.idf is not None:
            raise InputError(
                "partial_fit given with idf=True, whose weights need all training data at once; use fit, or idf=False."
            )
        inner, places = self.inner.grown(X)
        return WeightedGramMap(self.counting, inner, self.sublinear, None), places

    def selected(self, columns: NDArray[np.int64]) -> FeatureMap:
        """Some columns of the map inside, where those that are left out still count for lengths."""
        if self.idf is not None:
            return super().selected(columns)
        return WeightedGramMap(self.counting, self.inner.selected(columns), self.sublinear, None)

    def symbols(self) -> Set[Any] | None:
        """Those of the map inside."""
        return self.inner.symbols()

    def names(self) -> list[str]:
        """Names of the columns."""
        return self.inner.names()

    def spans(self, sequence: Any) -> Spans:
        """Where the known grams occur."""
        return self.inner.spans(sequence)

    def to_state(self) -> MapState:
        """State of the map inside, and the weights."""
        settings, arrays = self.inner.to_state()
        return settings, arrays if self.idf is None else {**arrays, "idf": self.idf}


def refuse_lattices(X: Sequence[Any]) -> None:
    """Raise for lattices, whose counts are expectations.

    Examples
    --------
    >>> refuse_lattices(["abc"])
    """
    if form_of(X) == "automata":
        raise InputError(
            "X holds lattices, whose counts are expectations, so that no gram is certain; need strings or lists "
            "of tokens: use idf=False and sublinear=False."
        )
