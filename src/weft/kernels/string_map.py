"""Columns that are strings of symbols, for kernels of any transducer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from weft.arrays import Floats
from weft.checkpoint.packing import pack_strings, unpack_strings
from weft.errors import InputError
from weft.kernels.feature_map import FeatureMap, MapState, Spans
from weft.kernels.output_weights import Strings


class WritesStrings(Protocol):
    """A kernel whose features are strings."""

    def _strings(self, X: Sequence[Any]) -> list[Strings]: ...


class StringFeatureMap(FeatureMap):
    """Strings numbered in sorted order.

    Parameters
    ----------
    kernel : WritesStrings
    strings : list of tuples of str
        Sorted; column j is ``strings[j]``.
    """

    def __init__(self, kernel: WritesStrings, strings: list[tuple[str, ...]]) -> None:
        self.kernel = kernel
        self.strings = strings
        self.n_features = len(strings)
        self._columns = {string: column for column, string in enumerate(strings)}

    @classmethod
    def from_state(cls, kernel: WritesStrings, state: MapState) -> StringFeatureMap:
        """The map that `to_state` described."""
        _, arrays = state
        symbols = unpack_strings(arrays["symbols"], arrays["symbol_offsets"])
        ends = arrays["string_ends"].tolist()
        return cls(kernel, [tuple(symbols[a:b]) for a, b in zip([0, *ends[:-1]], ends, strict=True)])

    def transform_with_norms(self, X: Sequence[Any]) -> tuple[scipy.sparse.csr_array, Floats]:
        """Rows of `X`, and ``K(x, x)`` for all x of `X`, dropped strings included."""
        found = self.kernel._strings(X)
        return self.rows(found), np.array([sum(weight**2 for weight in each.values()) for each in found])

    def grown(self, X: Sequence[Any]) -> tuple[FeatureMap, NDArray[np.int64]]:
        """A map that has the strings of `X` too."""
        mapped = StringFeatureMap(self.kernel, sorted(set(self.strings).union(*self.kernel._strings(X))))
        return mapped, np.array([mapped._columns[string] for string in self.strings], dtype=np.int64)

    def rows(self, found: list[Strings]) -> scipy.sparse.csr_array:
        """Rows of sequences whose strings are known; those without a column are dropped."""
        columns = self._columns
        kept = [[(columns[z], weight) for z, weight in each.items() if z in columns] for each in found]
        indptr = np.concatenate([[0], np.cumsum([len(each) for each in kept], dtype=np.int64)])
        indices = np.array([column for each in kept for column, _ in each], dtype=np.int64)
        data = np.array([weight for each in kept for _, weight in each], dtype=np.float64)
        return scipy.sparse.csr_array((data, indices, indptr), shape=(len(found), self.n_features))

    def names(self) -> list[str]:
        """The strings; symbols of several characters are separated by spaces."""
        between = "" if all(len(symbol) == 1 for string in self.strings for symbol in string) else " "
        return [between.join(string) for string in self.strings]

    def spans(self, sequence: Any) -> Spans:
        """Refuse: a transducer does not say where it read what it wrote."""
        raise InputError(
            "RationalKernel does not know where in a sequence a feature comes from; "
            "use NGramKernel, GappyKernel, MismatchKernel or GappedKMerKernel to highlight features."
        )

    def to_state(self) -> MapState:
        """Settings that JSON can hold, and arrays."""
        data, offsets = pack_strings([symbol for string in self.strings for symbol in string])
        ends = np.cumsum([len(string) for string in self.strings], dtype=np.int64)
        return {}, {"symbols": data, "symbol_offsets": offsets, "string_ends": ends}
