"""Alignments whose pairs are scored by neighbours too: what stands before and after two symbols, by classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_matrix

from weft.arrays import Floats, Ids, Integers
from weft.errors import InputError
from weft.structures.alignment.loops.passes import FIRST, PAIR, SECOND
from weft.structures.alignment.pair_corpus import Alignments, PairCorpus
from weft.structures.alignment.structure import Alignment, Pair
from weft.structures.structure_moments import StructureMoments

FARTHEST = 100
"""Neighbours further away than this are refused: a window is kept for each symbol."""


@dataclass(frozen=True, eq=False)
class WindowCorpus(PairCorpus):
    """Pairs of sequences whose symbols are numbers of windows, so that a piece of a sequence keeps its surroundings.

    Attributes
    ----------
    windows : ndarray of int32, shape (n_windows, 1 + n_neighbours)
        Number of a symbol, and the classes of its neighbours.
    """

    windows: Ids

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.windows) != self.n_symbols:
            raise InputError(f"{len(self.windows)} windows of {self.n_symbols} given; encode the pairs with Alignment")

    def joined(self, pairs: Sequence[tuple[Any, Any]]) -> WindowCorpus:
        """Other pairs of the same symbols."""
        plain = PairCorpus.join(pairs, self.n_symbols)
        return WindowCorpus(*plain.arrays, self.n_symbols, self.windows)

    def letters(self, n_letters: int) -> PairCorpus:
        """The same pairs without neighbours."""
        first, second = (self.windows[each, 0] for each in (self.first, self.second))
        return PairCorpus(first, self.first_offsets, second, self.second_offsets, n_letters)

    def windows_of(self, index: int) -> tuple[Ids, Ids]:
        """Windows of one pair."""
        first, second = self.pair(index)
        return self.windows[first], self.windows[second]


class ContextAlignment(Alignment):
    """Global alignments whose pairs are scored by their symbols and by those around them.

    The score of pairing positions i and j is the weight of their symbols and, for each distance d up to `context`, one
    weight for the classes of the symbols at i - d and j - d, and one for those at i + d and j + d: both of the same
    table, a weight for each unordered pair of classes. Symbols of no class, and places beyond the ends, are one more
    class. Hydrophobic stretches of proteins pair with such stretches, and gaps avoid them, as in CONTRAlign (Do, Gross
    and Batzoglou 2006): whatever scores in pairs does not in gaps.

    Feature order: pairs of symbols; pairs of classes, the nearest first; gaps.

    Parameters
    ----------
    alphabet : sequence of symbols
    gaps : {"affine", "linear"}
    context : int
        Farthest neighbours that count.
    classes : sequence of sequences of symbols
        Symbols of the alphabet that are alike.

    Examples
    --------
    >>> structure = ContextAlignment("ACGT", context=1, classes=["AG", "CT"])
    >>> structure.n_features, structure.feature_names[10:13]
    (18, [(1, 'AG', 'AG'), (1, 'AG', 'CT'), (1, 'AG', None)])
    """

    least_context: ClassVar[int] = 1

    def __init__(self, alphabet: Any, gaps: str = "affine", context: int = 1, classes: Any = ()) -> None:
        super().__init__("substitution", alphabet, gaps)
        given: Any = context
        if (
            isinstance(given, bool)
            or not isinstance(given, int | np.integer)
            or not self.least_context <= given <= FARTHEST
        ):
            raise InputError(f"context is {context!r}; a whole number from 0 to {FARTHEST} is needed.")
        self.context = int(context)
        self.classes: tuple[Any, ...] = tuple(
            each if isinstance(each, str) else tuple(each) if isinstance(each, list | tuple) else (each,)
            for each in classes
        )
        self._class_of = np.full(len(self._numbers), len(self.classes), dtype=np.int32)
        seen: set[Any] = set()
        for number, members in enumerate(self.classes):
            for symbol in members:
                if symbol in seen:
                    raise InputError(f"classes name {symbol!r} twice; each symbol once is needed.")
                seen.add(symbol)
                if symbol in self._numbers:
                    self._class_of[self._numbers[symbol]] = number
        if self.context and (self._class_of == len(self.classes)).all():
            raise InputError(f"classes are {classes!r}; symbols of the alphabet are needed in them, as ['AG', 'CT'].")

    # ----------------------------------------------------------------- features

    @property
    def n_classes(self) -> int:
        """Number of classes, with that of all others."""
        return len(self.classes) + 1

    @property
    def n_score_features(self) -> int:
        """Number of weights of pairs and of their neighbours, which stand before those of gaps."""
        return self.n_pair_features + self.context * self.n_classes * (self.n_classes + 1) // 2

    @property
    def n_features(self) -> int:
        """Number of weights."""
        return self.n_score_features + self.n_gap_features

    @property
    def feature_names(self) -> list[Any]:
        """Pairs of symbols; (distance, class, class), None for no class; gaps."""
        plain, names = super().feature_names, [*self.classes, None]
        own = [
            (distance, a, b) for distance in range(1, self.context + 1) for i, a in enumerate(names) for b in names[i:]
        ]
        return [*plain[: self.n_pair_features], *own, *plain[self.n_pair_features :]]

    @property
    def gap_features(self) -> Integers:
        """Features of the first symbol of a gap and of further ones."""
        return np.array([self.n_score_features, self.n_score_features + self.n_gap_features - 1])

    @cached_property
    def neighbour_features(self) -> Integers:
        """Feature of each pair of classes at each place: those before, the farthest first, and those after."""
        size = self.n_classes
        low, high = np.sort(np.indices((size, size)), axis=0)
        one = low * size - low * (low - 1) // 2 + high - low
        distances = np.array([*range(self.context, 0, -1), *range(1, self.context + 1)], dtype=np.int64)
        return np.asarray(self.n_pair_features + (distances - 1)[:, None, None] * (size * (size + 1) // 2) + one)

    # ----------------------------------------------------------------- encoding

    def encode(self, pairs: Sequence[Pair], name: str = "X") -> WindowCorpus:
        """Pairs of sequences as numbers of windows."""
        plain = super().encode(pairs, name)
        windows = np.concatenate(
            [
                self._windows(plain.first, plain.first_offsets),
                self._windows(plain.second, plain.second_offsets),
            ]
        )
        numbers = np.arange(len(windows), dtype=np.int32)
        n = len(plain.first)
        arrays = (numbers[:n], plain.first_offsets, numbers[n:], plain.second_offsets)
        return WindowCorpus(*arrays, len(windows), windows)

    def _windows(self, symbols: Ids, offsets: Integers) -> Ids:
        """Symbol and classes of the neighbours of all positions of sequences that lie end to end."""
        places = np.arange(len(symbols))
        begins = np.repeat(offsets[:-1], np.diff(offsets))
        ends = np.repeat(offsets[1:], np.diff(offsets))
        columns = [symbols]
        for step in (*range(-self.context, 0), *range(1, self.context + 1)):
            there = places + step
            inside = (there >= begins) & (there < ends)
            classes = self._class_of[symbols[np.where(inside, there, places)]]
            columns.append(np.where(inside, classes, len(self.classes)))
        return np.ascontiguousarray(np.stack(columns, axis=1), dtype=np.int32)

    # ------------------------------------------------------------------- counts

    def count(self, corpus: PairCorpus, alignments: Alignments, sample_weight: Floats | None = None) -> Floats:
        """Feature vectors of alignments: one row each, or with `sample_weight` one row, their weighted sum."""
        if not isinstance(corpus, WindowCorpus):
            raise InputError("a corpus without neighbours given; encode the pairs with this structure")
        out = super().count(corpus.letters(len(self._numbers)), alignments, sample_weight)
        features = self.neighbour_features
        for index in range(len(corpus)):
            moves, (first, second) = alignments[index], corpus.windows_of(index)
            paired = moves == PAIR
            a = first[np.cumsum(moves != SECOND)[paired] - 1]
            b = second[np.cumsum(moves != FIRST)[paired] - 1]
            weight = 1.0 if sample_weight is None else sample_weight[index]
            row = out[index if sample_weight is None else 0]
            np.add.at(row, self._features_of_windows(a, b, features), weight)
        return out

    def _features_of_windows(self, a: Ids, b: Ids, features: Integers) -> Integers:
        """Features of the neighbours of paired windows, one row each."""
        return features[np.arange(len(features)), a[:, 1:], b[:, 1:]]

    def part_features(self, pair: Pair) -> csr_matrix:
        """Sparse matrix (n_parts, d) of the features of each part of the graph of a pair."""
        corpus = self.encode([pair])
        letters = corpus.letters(len(self._numbers))
        plain = self.encoded_part_features(*letters.pair(0), letters.n_symbols)
        first, second = corpus.windows_of(0)
        a, b = np.repeat(first, len(second), axis=0), np.tile(second, (len(first), 1))
        columns = self._features_of_windows(a, b, self.neighbour_features)
        rows = np.repeat(np.arange(len(a)), columns.shape[1])
        own = csr_matrix((np.ones(columns.size), (rows, columns.reshape(-1))), shape=plain.shape)
        return (plain + own).tocsr()

    def moments(self, x: Pair) -> StructureMoments:
        """Count, mean and covariance of the features over all alignments of a pair of sequences."""
        return self.graph_moments(x)
