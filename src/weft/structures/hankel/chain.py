"""A chain whose windows of bi-symbols are scored by a Hankel matrix, beside sparse features of its tokens."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from weft.arrays import Floats, Integers
from weft.core.algebra import one_algebra_thread
from weft.core.array_checks import checked_numbers
from weft.errors import InputError
from weft.structures.chain.features import ChainFeatures
from weft.structures.chain.label_grams import LabelGrams
from weft.structures.hankel.bi_symbols import BiSymbols

if TYPE_CHECKING:
    from weft.structures.hankel.batch import HankelBatch


def without_features(chain: ChainFeatures) -> ChainFeatures:
    """The same chain with no weight at all: only its labels and forbidden steps are left."""
    none = [np.empty((0, 2), dtype=np.int64)]
    offsets = np.zeros_like(chain.pair_offsets)
    return ChainFeatures(
        offsets, np.empty(0, dtype=np.int32), LabelGrams.build(chain.n_labels, 1, none), False, chain.forbidden
    )


@dataclass(frozen=True)
class HankelChain:
    """Score of a labelling: its sparse features, and the Hankel matrix entry of each window of bi-symbols.

    Rows of the matrix are what a window begins with, columns its last bi-symbol. A weight vector holds the sparse
    weights and then the matrix row by row, or, if `row_numbers` are given, its left and right factors.

    Attributes
    ----------
    base : ChainFeatures
        Sparse features; of order one.
    pairs : BiSymbols
    order : int
        Longest window.
    shorter_grams : bool
        Whether windows of every length up to `order` count, or those of that length alone.
    boundary : bool
        Pad sequences with a boundary, so that there is one window for each token. Without it a sequence shorter than
        `order` has no window, unless shorter ones count.
    constrained : bool
        Keep rows for all shorter prefixes and a column for the empty ending, which operators are recovered from.
    row_numbers : ndarray of int64
        Rows that a matrix of low rank has, sorted; empty for a whole matrix.
    """

    base: ChainFeatures
    pairs: BiSymbols
    order: int = 3
    shorter_grams: bool = False
    boundary: bool = True
    constrained: bool = False
    row_numbers: Integers = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def __post_init__(self) -> None:
        if self.base.grams.order != 1:
            raise InputError(
                f"the tagger has order={self.base.grams.order}; a spectral learner has its own order: "
                "leave that of the tagger at 1."
            )
        if self.order < 2:
            raise InputError(f"order={self.order} given; a window has at least 2 bi-symbols: use order=2 or more.")
        labels, n_pairs = self.pairs.labels, self.pairs.n_pairs
        fallback = checked_numbers(
            "labels of bi-symbols", labels[n_pairs + 1 :], self.n_labels, "use BiSymbols.collect"
        )
        checked_numbers("labels of bi-symbols", labels[:n_pairs], self.n_labels, "use BiSymbols.collect")
        if len(fallback) == 0:
            raise InputError("no label is there for symbols never seen; need at least one: use BiSymbols.collect")
        if (self.pairs.n_pairs + 1) ** (self.order - 1) > np.iinfo(np.int64).max // (self.pairs.n_pairs + 1):
            raise InputError(f"order={self.order} with {self.pairs.n_pairs} bi-symbols has too many windows; lower it.")

    # ------------------------------------------------------------------- shape

    @property
    def base_size(self) -> int:
        """Number of bi-symbols, the boundary included."""
        return self.pairs.n_pairs + 1

    @property
    def gram_lengths(self) -> range:
        """Lengths of windows that have rows."""
        return range(1 if self.shorter_grams or self.constrained else self.order, self.order + 1)

    @cached_property
    def row_begins(self) -> Integers:
        """First row of the windows of each length; -1 for lengths without rows."""
        begins = np.full(self.order + 1, -1, dtype=np.int64)
        total = 0
        for length in self.gram_lengths:
            begins[length] = total
            total += self.base_size ** (length - 1)
        return begins

    @property
    def n_rows(self) -> int:
        """Rows that are stored."""
        if self.factored:
            return len(self.row_numbers)
        return int(sum(self.base_size ** (length - 1) for length in self.gram_lengths))

    @property
    def n_columns(self) -> int:
        """Columns of the matrix."""
        return self.base_size + (1 if self.constrained else 0)

    @property
    def factored(self) -> bool:
        """Whether the matrix is stored as two factors."""
        return len(self.row_numbers) > 0

    @cached_property
    def shape(self) -> tuple[int, int, int, Integers, Integers]:
        """The form of `weft.structures.hankel.loops.windows`."""
        before = self.order // 2 if self.boundary else 0
        after = self.order - 1 - before if self.boundary else 0
        scored = self.row_begins.copy()
        if not self.shorter_grams:
            scored[: self.order] = -1
        return self.order, before, after, self.base_size ** np.arange(self.order, dtype=np.int64), scored

    @cached_property
    def string_cells(self) -> Integers:
        """Number of the string of each cell of a constrained matrix; (w, empty ending) is the string w."""
        cells = np.arange(self.n_rows * self.n_columns, dtype=np.int64).reshape(self.n_rows, self.n_columns)
        for length in range(2, self.order + 1):  # prefixes of this length - 1 are strings of the shorter windows
            begin, end = self.row_begins[length], self.row_begins[length] + self.base_size ** (length - 1)
            shorter = self.row_begins[length - 1]
            rows = shorter + np.arange(end - begin) // self.base_size
            cells[begin:end, -1] = cells[rows, np.arange(end - begin) % self.base_size]
        return cells

    def bind(
        self, corpus: Any, references: Any = None, sample_weight: Any = None, n_jobs: int | None = -1
    ) -> HankelBatch:
        """The output spaces of a corpus."""
        from weft.structures.hankel.batch import HankelBatch

        return HankelBatch(self, corpus, references, sample_weight, n_jobs)

    # ----------------------------------------------------------------- weights

    @property
    def n_features(self) -> int:
        """Length of a weight vector; with factors that of one of rank zero."""
        return self.base.n_features + (0 if self.factored else self.n_rows * self.n_columns)

    def split_matrix(self, weights: Floats) -> tuple[Floats, tuple[Floats, Integers, Floats, Floats]]:
        """Sparse weights, and the table of `weft.structures.hankel.loops.windows`; views of the vector."""
        sparse, rest = weights[: self.base.n_features], weights[self.base.n_features :]
        n_cells = self.n_rows * self.n_columns
        if len(rest) % (self.n_rows + self.n_columns) if self.factored else len(rest) != n_cells:
            raise InputError(
                f"{len(weights)} weights given; the chain has {self.base.n_features} sparse ones and a matrix of "
                f"{self.n_rows} x {self.n_columns}: give as many as n_features says"
            )
        none = np.empty((0, 0))
        if not self.factored:
            return sparse, (rest.reshape(self.n_rows, self.n_columns), self.row_numbers, none, none)
        rank = len(rest) // (self.n_rows + self.n_columns)
        left, right = rest[: self.n_rows * rank], rest[self.n_rows * rank :]
        factors = left.reshape(self.n_rows, rank), right.reshape(self.n_columns, rank)
        return sparse, (none, self.row_numbers, *factors)

    @one_algebra_thread()
    def matrix(self, weights: Floats) -> Floats:
        """The Hankel matrix as an array, whatever its form."""
        _, (matrix, _, left, right) = self.split_matrix(weights)
        return left @ right.T if self.factored else matrix

    # ------------------------------------- what the tagger asks of its features

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return self.base.n_labels

    @property
    def n_pairs(self) -> int:
        """Number of (attribute, label) weights."""
        return self.base.n_pairs

    @property
    def grams(self) -> LabelGrams:
        """Label steps of the sparse features."""
        return self.base.grams

    @property
    def pair_offsets(self) -> Integers:
        """Pairs of each attribute, see `ChainFeatures`."""
        return self.base.pair_offsets

    def split(self, vector: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Views of the pair, label step, start and end part of a weight vector."""
        return self.base.split(vector[: self.base.n_features])

    def names(self, columns: list[Any], classes: Any) -> list[tuple[Any, ...]]:
        """One tuple per weight: as in `ChainFeatures`, then a window as a tuple of (attribute, label) pairs.

        A boundary is ``("boundary", None)``; factors have the names (window begin, state) and (state, window end).
        """
        names = self.base.names(columns, classes)
        pairs: list[Any] = [*self.pairs.names(columns, classes), ("boundary", None)]
        if self.factored:
            return names
        for length in self.gram_lengths:
            for row in range(self.base_size ** (length - 1)):
                digits = np.unravel_index(row, (self.base_size,) * (length - 1)) if length > 1 else ()
                begin = tuple(pairs[int(digit)] for digit in digits)
                names += [(*begin, pair) for pair in pairs] + ([begin] if self.constrained else [])
        return names

    def transfer(self, vector: Floats, source: Any, label_map: Integers) -> Floats:
        """Weights of another model in this layout, zero where it has none; a factored matrix starts at zero."""
        result = np.zeros(self.n_features)
        base = source.base if isinstance(source, HankelChain) else source
        sparse = self.base.transfer(vector[: base.n_features], base, label_map)
        result[: self.base.n_features] = sparse
        alike = isinstance(source, HankelChain) and (source.order, source.gram_lengths, source.constrained) == (
            self.order,
            self.gram_lengths,
            self.constrained,
        )
        if not alike or self.factored or source.factored:
            return result
        old, new = source.matrix(vector), self.matrix(result)
        place = source.pairs.positions_in(self.pairs, label_map)
        known = np.flatnonzero(place >= 0)
        for length in self.gram_lengths:
            digits = np.stack(np.meshgrid(*[known] * (length - 1), indexing="ij"), axis=-1).reshape(-1, length - 1)
            powers = np.arange(length - 2, -1, -1)
            old_rows = source.row_begins[length] + digits @ source.base_size**powers
            new_rows = self.row_begins[length] + place[digits] @ self.base_size**powers
            new[np.ix_(new_rows, place[known])] = old[np.ix_(old_rows, known)]
        return result
