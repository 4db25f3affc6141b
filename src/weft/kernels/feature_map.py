"""Columns learned on training data, and the rows of other data in these columns."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Any, NamedTuple

import numpy as np
import scipy  # which loads its sparse at first use: not to predict
from numpy.typing import NDArray

from weft.arrays import Floats
from weft.errors import InputError
from weft.sequences.checks import as_list

Arrays = dict[str, NDArray[Any]]
MapState = tuple[dict[str, Any], Arrays]


class Spans(NamedTuple):
    """Occurrences of features in one sequence; occurrence i covers ``sequence[start[i]:stop[i]]``."""

    start: NDArray[np.int64]
    stop: NDArray[np.int64]
    column: NDArray[np.int64]


class FeatureMap:
    """The explicit features of a kernel, numbered on training data.

    Learned by `Kernel.feature_map`; what it holds is plain, so that model files can keep it: `to_state` gives
    settings for JSON and arrays, and `Kernel.restore_feature_map` makes the map again.

    Attributes
    ----------
    n_features : int
        Number of columns.
    """

    n_features: int

    def transform(self, X: Sequence[Any]) -> scipy.sparse.csr_array:
        """Rows of `X`; features unseen in training are dropped."""
        return self.transform_with_norms(X)[0]

    def transform_with_norms(self, X: Sequence[Any]) -> tuple[scipy.sparse.csr_array, Floats]:
        """Rows of `X`, and ``K(x, x)`` for all x of `X`, dropped features included."""
        raise NotImplementedError

    def one_row(self, x: Any) -> tuple[Floats, NDArray[np.int32], float] | None:
        """Values and columns of the row of one sequence, and its ``K(x, x)``; None if `transform` has no shortcut.

        A matrix of scipy takes longer to make than such a row to find.
        """
        return None

    def products(self, X: Sequence[Any], weights: Floats) -> Floats:
        """``transform(X) @ weights.T``, to the last digit.

        Examples
        --------
        >>> import weft
        >>> mapped, rows = weft.NGramKernel(2).feature_map(["abab", "bb"])
        >>> mapped.products(["abab"], np.array([[1.0, 10.0, 100.0]])), rows.toarray()[0]
        (array([[12.]]), array([2., 1., 0.]))
        """
        row = self.one_row(X[0]) if len(X) == 1 else None
        if row is None:
            return np.asarray(self.transform(X) @ weights.T)
        values, columns, _ = row
        if not len(columns):
            return np.zeros((1, len(weights)))
        # Added one after the other, as scipy does.
        return np.add.accumulate(values * weights[:, columns], axis=1, dtype=np.float64)[:, -1][None]

    def grown(self, X: Sequence[Any]) -> tuple[FeatureMap, NDArray[np.int64]]:
        """A map that has the features of `X` too, and the places of the columns of this one in it."""
        raise InputError(
            f"{type(self).__name__} has no method 'grown', so that its columns stay as they are; need one for "
            "partial_fit: write it, or use fit."
        )

    def selected(self, columns: NDArray[np.int64]) -> FeatureMap:
        """A map of some of the columns only; what is left out still counts for the length of a row."""
        raise InputError(
            f"{type(self).__name__} has no method 'selected', so that it keeps all columns; leave min_count out, or "
            "use another kernel."
        )

    def symbols(self) -> Set[Any] | None:
        """Symbols of the training data; None where the map does not know them."""
        return None

    def names(self) -> list[str]:
        """Readable names of the columns, in their order."""
        raise NotImplementedError

    def spans(self, sequence: Any) -> Spans:
        """Where the known features occur in one string or list of tokens."""
        raise NotImplementedError

    def to_state(self) -> MapState:
        """Settings that JSON can hold, and arrays."""
        raise NotImplementedError


class UnionFeatureMap(FeatureMap):
    """The columns of several maps, one map after the other."""

    def __init__(self, parts: Sequence[FeatureMap]) -> None:
        self.parts = list(parts)
        self.n_features = sum(part.n_features for part in self.parts)

    def transform_with_norms(self, X: Sequence[Any]) -> tuple[scipy.sparse.csr_array, Floats]:
        """Rows of `X` in the columns of all parts, and the sums of their squared lengths."""
        X = as_list(X, "X")
        rows, norms = zip(*(part.transform_with_norms(X) for part in self.parts), strict=True)
        return scipy.sparse.hstack(rows, format="csr"), np.sum(norms, axis=0)

    def one_row(self, x: Any) -> tuple[Floats, NDArray[np.int32], float] | None:
        """Values and columns of the row of one sequence, if all parts have a shortcut."""
        return self._joined_row([x] * len(self.parts))

    def _joined_row(self, forms: Sequence[Any]) -> tuple[Floats, NDArray[np.int32], float] | None:
        """The row of one sequence, of which each part has its own form."""
        rows = []
        for part, x in zip(self.parts, forms, strict=True):
            row = part.one_row(x)
            if row is None:
                return None
            rows.append(row)
        values, columns, norms = zip(*rows, strict=True)
        shifted = [own + np.int32(first) for own, first in zip(columns, self._firsts(), strict=True)]
        return np.concatenate(values), np.concatenate(shifted), float(np.sum(norms))

    def _firsts(self) -> list[int]:
        """First column of each part."""
        return [0, *np.cumsum([part.n_features for part in self.parts[:-1]], dtype=np.int64).tolist()]

    def grown(self, X: Sequence[Any]) -> tuple[FeatureMap, NDArray[np.int64]]:
        """All parts grown."""
        maps, places = self._grown_parts([X] * len(self.parts))
        return UnionFeatureMap(maps), places

    def _grown_parts(self, sides: Sequence[Sequence[Any]]) -> tuple[list[FeatureMap], NDArray[np.int64]]:
        """Each part grown by its own form of the sequences, and the places of all columns."""
        maps, places = zip(*(part.grown(X) for part, X in zip(self.parts, sides, strict=True)), strict=True)
        before = np.cumsum([0, *(part.n_features for part in maps[:-1])])
        return list(maps), np.concatenate([own + n for own, n in zip(places, before, strict=True)])

    def selected(self, columns: NDArray[np.int64]) -> FeatureMap:
        """Some columns of the parts."""
        return UnionFeatureMap(self._selected_parts(columns))

    def _selected_parts(self, columns: NDArray[np.int64]) -> list[FeatureMap]:
        return [
            part.selected(columns[(columns >= first) & (columns < first + part.n_features)] - first)
            for part, first in zip(self.parts, self._firsts(), strict=True)
        ]

    def symbols(self) -> Set[Any] | None:
        """Those of the first part."""
        return self.parts[0].symbols()

    def names(self) -> list[str]:
        """Names of the columns of all parts."""
        return [name for part in self.parts for name in part.names()]

    def spans(self, sequence: Any) -> Spans:
        """Occurrences of the features of all parts."""
        return self._joined_spans([sequence] * len(self.parts), [0] * len(self.parts))

    def _joined_spans(self, forms: Sequence[Any], shifts: Sequence[int]) -> Spans:
        """Occurrences in the form of the sequence that each part has, shifted to places in the sequence."""
        found = []
        for part, form, shift, first in zip(self.parts, forms, shifts, self._firsts(), strict=True):
            start, stop, column = part.spans(form)
            found.append((start + shift, stop + shift, column + first))
        return Spans(*(np.concatenate(arrays) for arrays in zip(*found, strict=True)))

    def to_state(self) -> MapState:
        """Settings of the parts in a list, their arrays with the part's number in front."""
        states = [part.to_state() for part in self.parts]
        arrays = {f"{i}.{name}": array for i, (_, own) in enumerate(states) for name, array in own.items()}
        return {"parts": [settings for settings, _ in states]}, arrays


def part_state(state: MapState, part: int) -> MapState:
    """State of one part from that of a union."""
    settings, arrays = state
    prefix = f"{part}."
    own = {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
    return settings["parts"][part], own
