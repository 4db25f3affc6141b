"""Which weights a chain model has, and how a weight vector becomes score tables."""

from __future__ import annotations

import weakref
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats, Ids, Integers, Mask
from weft.core.array_checks import checked_numbers, checked_offsets
from weft.core.memory import require_memory
from weft.errors import InputError
from weft.sequences.corpus import SparseTokens
from weft.structures.chain.label_grams import LabelGrams, observed_grams, require_label_grams
from weft.structures.chain.loops.tokens import (
    collect_rows,
    mark_pairs,
    missing_pairs,
    open_places,
    spread_pairs,
    token_size,
)

BYTES_PER_PAIR = 20.0
"""The label and attribute of a pair, and its weight."""

Pairs = Literal["observed", "all"]
Tables = tuple[Floats, Integers, Floats, Floats]
LoopWeights = tuple[Tables, float]

DENSE_SHARE = 0.15
"""An attribute seen with more than this share of all labels gets a dense row: one vector addition of four labels
costs about as much as one scattered addition."""

MOST_STEPS = 8
NEVER = 1_000_000
"""Stands for labels that do not reach each other within `MOST_STEPS`."""


@dataclass(frozen=True)
class ForbiddenLabels:
    """Steps that no output may take.

    Attributes
    ----------
    steps : ndarray of bool, shape (n_labels, n_labels)
        From row label to column label.
    start, end : ndarray of bool, shape (n_labels,)
    """

    steps: Mask
    start: Mask
    end: Mask


@dataclass(frozen=True)
class ChainFeatures:
    """Weights of a chain: (attribute, label) pairs, then label n-grams, then first and last labels.

    Attributes
    ----------
    pair_offsets : ndarray of int64, shape (n_columns + 1,)
        Pairs of attribute a are ``pair_offsets[a]:pair_offsets[a + 1]``.
    pair_labels : ndarray of int32, shape (n_pairs,)
    grams : LabelGrams
    boundary : bool
        Whether the first and the last label of a sequence have weights of their own.
    forbidden : ForbiddenLabels, optional
    """

    pair_offsets: Integers
    pair_labels: Ids
    grams: LabelGrams
    boundary: bool = False
    forbidden: ForbiddenLabels | None = None

    def __post_init__(self) -> None:
        cure = "use ChainFeatures.collect"
        labels = checked_numbers("pair_labels", self.pair_labels, self.grams.n_labels, cure)
        object.__setattr__(self, "pair_labels", labels)
        object.__setattr__(self, "pair_offsets", checked_offsets("pair_offsets", self.pair_offsets, len(labels), cure))
        counts = np.diff(self.pair_offsets)
        dense = np.flatnonzero(counts > DENSE_SHARE * self.grams.n_labels)
        dense_row = np.full(len(counts), -1, dtype=np.int32)
        dense_row[dense] = np.arange(len(dense), dtype=np.int32)
        object.__setattr__(self, "dense_row", dense_row)
        object.__setattr__(self, "dense_attributes", dense)

    dense_row: Ids = None  # type: ignore[assignment]
    dense_attributes: Integers = None  # type: ignore[assignment]
    _origin: tuple[Any, Integers] | None = field(default=None, repr=False, compare=False)
    """The chain that this one was grown from, if that lives, and where among its pairs the new ones came."""

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_origin"}

    @cached_property
    def mixing(self) -> int:
        """Number of steps in which any state reaches any other; a huge number if some never do."""
        steps = np.ones((self.n_labels, self.n_labels)) if self.forbidden is None else 1.0 - self.forbidden.steps
        reached = steps
        for n_steps in range(1, MOST_STEPS + 1):
            if reached.all():
                return n_steps + self.grams.order - 1
            reached = np.minimum(reached @ steps, 1.0)
        return NEVER

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return self.grams.n_labels

    @property
    def n_pairs(self) -> int:
        """Number of (attribute, label) weights."""
        return len(self.pair_labels)

    @property
    def _pair_codes(self) -> Integers:
        """Attribute and label of each pair in one number; they ascend."""
        return self.pair_attributes * self.n_labels + self.pair_labels

    @cached_property
    def n_features(self) -> int:
        """Length of the weight vector."""
        return self.n_pairs + len(self.grams.grams) + (2 * self.n_labels if self.boundary else 0)

    @cached_property
    def n_rows(self) -> int:
        """Number of attributes with a dense row."""
        return len(self.dense_attributes)

    @property
    def has_closed_form(self) -> bool:
        """Whether labels are independent and uniform over all outputs, so that moments need only counts."""
        return self.grams.order == 1 and not self.boundary and self.forbidden is None

    @property
    def row_mask(self) -> Mask:
        """Which entries of the dense rows are weights of the model."""
        begins = self.pair_offsets[self.dense_attributes]
        counts = self.pair_offsets[self.dense_attributes + 1] - begins
        pairs = np.arange(int(counts.sum())) + np.repeat(begins - (np.cumsum(counts) - counts), counts)
        mask = np.zeros((self.n_rows, self.grams.width), dtype=bool)
        mask[np.repeat(np.arange(self.n_rows), counts), self.pair_labels[pairs]] = True
        return mask

    def with_rows_of(self, tokens: SparseTokens) -> ChainFeatures:
        """The same chain, which has dense rows for attributes of these tokens alone: of a part of a stream, few."""
        is_here = np.zeros(len(self.dense_row), dtype=bool)
        is_here[tokens.ids] = True
        dense = self.dense_attributes[is_here[self.dense_attributes]]
        if len(dense) == self.n_rows:
            return self
        dense_row = np.full(len(self.dense_row), -1, dtype=np.int32)
        dense_row[dense] = np.arange(len(dense), dtype=np.int32)
        found = copy(self)
        vars(found).update(dense_row=dense_row, dense_attributes=dense, n_rows=len(dense))
        return found

    @property
    def pair_attributes(self) -> Integers:
        """Attribute of each pair."""
        return np.repeat(np.arange(len(self.pair_offsets) - 1), np.diff(self.pair_offsets))

    def split(self, vector: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Views of the pair, n-gram, start and end part of a weight vector."""
        if np.shape(vector) != (self.n_features,):
            raise InputError(
                f"weights of shape {np.shape(vector)} given; need ({self.n_features},): give one weight per feature"
            )
        first = self.n_pairs
        start = first + len(self.grams.grams)
        end = start + (self.n_labels if self.boundary else 0)
        return vector[:first], vector[first:start], vector[start:end], vector[end:]

    def pair_weights(self, vector: Floats) -> Floats:
        """Weights of the pairs, as loops read them."""
        return np.ascontiguousarray(self.split(vector)[0], dtype=np.float64)

    def token_weights(self, vector: Floats, rows: Floats | None = None) -> tuple[Floats, Floats]:
        """Pair weights, and again as dense rows for attributes that have one; into an array for rows, if given."""
        pairs = self.pair_weights(vector)
        return pairs, self.spread(pairs, rows)

    def spread(self, pairs: Floats, rows: Floats | None = None) -> Floats:
        """One number for each pair as dense rows, zero where there is no pair; others are left out."""
        if rows is None:
            rows = np.empty((self.n_rows, self.grams.width))
        spread_pairs(pairs, self.pair_offsets, self.pair_labels, self.dense_attributes, rows)
        return rows

    def collect_rows(self, rows: Floats, pairs: Floats) -> None:
        """Put the numbers of dense rows in the places of their pairs: what `spread` undoes."""
        collect_rows(rows, self.pair_offsets, self.pair_labels, self.dense_attributes, pairs)

    def loop_weights(self, vector: Floats) -> LoopWeights:
        """Tables and the size for ties, of which passes have the same for all sequences."""
        tables = self.tables(vector)
        return tables, float(token_size(self.token_weights(vector), tables[0]))

    def tables(self, vector: Floats, restrict: bool = True) -> Tables:
        """(arcs, successor, start, end) of `weft.structures.chain.loops.passes`.

        With ``restrict=False`` forbidden steps and padding score zero: the tables of a direction, not of a model.
        """
        _, gram_weights, start_weights, end_weights = self.split(vector)
        width = self.grams.width
        arcs = self.grams.arc_scores(gram_weights)
        start = np.zeros(width)
        end = np.zeros(width)
        if self.boundary:
            start[: self.n_labels] = start_weights
            end[: self.n_labels] = end_weights
        if not restrict:
            arcs[~self.grams.real_arcs] = 0.0
            return arcs, self.grams.successor, start, end
        start[self.n_labels :] = -np.inf
        if self.forbidden is not None:
            steps = np.zeros((width, width), dtype=bool)
            steps[: self.n_labels, : self.n_labels] = self.forbidden.steps
            arcs[np.tile(steps, (self.grams.n_states // width, 1))] = -np.inf
            start[: self.n_labels][self.forbidden.start] = -np.inf
            end[: self.n_labels][self.forbidden.end] = -np.inf
        return arcs, self.grams.successor, start, end

    def empty_sums(self, vector: Floats | None = None) -> tuple[tuple[Floats, Floats, Floats], tuple[Floats, Floats]]:
        """Zero arrays in which jitted code collects sums over features; `gather` turns them into a vector.

        The first has the length of a weight vector and begins with the pairs, so that it can become the vector; it may
        be given.
        """
        width = self.grams.width
        sums = (
            np.zeros(self.n_features) if vector is None else vector,
            np.zeros((self.n_rows, width)),
            np.zeros((self.grams.n_states, width)),
        )
        return sums, (np.zeros(width), np.zeros(width))

    def gather(self, sums: tuple[Floats, Floats, Floats], ends: tuple[Floats, Floats]) -> Floats:
        """Vector of features in the arrays of `empty_sums`: the first of them, completed."""
        vector, row_sums, arc_sums = sums
        self.collect_rows(row_sums, vector)
        self.put_arcs(vector, arc_sums, ends)
        return vector

    def put_arcs(self, vector: Floats, arc_sums: Floats, ends: tuple[Floats, Floats]) -> None:
        """Write sums over arcs and ends into a vector of features that has those over pairs."""
        _, grams, start, end = self.split(vector)
        grams[:] = self.grams.gram_sums(arc_sums)
        if self.boundary:
            start[:], end[:] = ends[0][: self.n_labels], ends[1][: self.n_labels]

    def names(self, columns: list[Any], classes: NDArray[np.object_]) -> list[tuple[Any, ...]]:
        """One tuple per weight: (attribute, label), labels of an n-gram, ("start", label) or ("end", label)."""
        labels = list(classes)
        pairs = zip(self.pair_attributes.tolist(), self.pair_labels.tolist(), strict=True)
        names: list[tuple[Any, ...]] = [(columns[a], labels[z]) for a, z in pairs]
        names += [tuple(labels[z] for z in gram) for gram in self.grams.grams]
        if self.boundary:
            names += [("start", label) for label in labels] + [("end", label) for label in labels]
        return names

    @classmethod
    def collect(
        cls,
        tokens: SparseTokens,
        labels: Ids,
        offsets: Integers,
        n_labels: int,
        *,
        order: int = 1,
        pairs: Pairs = "observed",
        transitions: Pairs | None = None,
        min_frequency: float = 0.0,
        boundary: bool = False,
        forbidden: ForbiddenLabels | None = None,
        known: ChainFeatures | None = None,
    ) -> ChainFeatures:
        """Choose the weights of a model from training data.

        Parameters
        ----------
        tokens, labels, offsets
            Token features, flat labels and sequence offsets of the corpus.
        n_labels, order, boundary, forbidden
            As in the class.
        pairs : {"observed", "all"}
            Give a weight to each (attribute, label) pair of the data, or to all possible ones.
        transitions : {"observed", "all"}, optional
            The same of label n-grams; as `pairs` if None.
        min_frequency : float
            Give none to pairs and n-grams whose values in the data sum to less than this.
        known : ChainFeatures, optional
            Keep the weights of this model too (over the same labels).
        """
        cure = "number the labels from 0, one per token"
        labels = checked_numbers("labels", labels, n_labels, cure, size=len(tokens))
        offsets = checked_offsets("offsets", offsets, len(tokens), "end with the number of tokens")
        require_label_grams(n_labels, order)
        require_memory(
            (BYTES_PER_PAIR if pairs == "all" else 1.0) * tokens.n_columns * n_labels,
            f"pairs of {tokens.n_columns:,} attributes and {n_labels:,} labels",
            "merge labels, or leave out rare attributes with min_count",
        )
        grams: list[Integers] | None = None
        if (transitions or pairs) == "observed" or min_frequency > 0.0:
            grams = observed_grams(labels, offsets, n_labels, order, min_frequency)
        if known is not None and grams is not None:
            for i, rows in enumerate(grams):
                old = [gram for gram in known.grams.grams if len(gram) == i + 2]
                if old:
                    grams[i] = np.unique(np.concatenate([rows, np.array(old)]), axis=0)
        label_grams = LabelGrams.build(n_labels, order, grams)
        if known is not None and pairs == "observed" and min_frequency == 0.0:
            return known._grown(tokens, labels, label_grams, boundary, forbidden)
        if min_frequency > 0.0:
            mask = pair_frequencies(tokens, labels, n_labels) >= min_frequency
        else:
            mask = np.full((tokens.n_columns, n_labels), pairs == "all")
            if pairs != "all":
                mark_pairs(tokens.offsets, tokens.ids, labels, mask)
        if known is not None:
            mask[known.pair_attributes, known.pair_labels] = True
        return cls.of_pairs(mask, label_grams, boundary, forbidden)

    def _grown(
        self, tokens: SparseTokens, labels: Ids, grams: LabelGrams, boundary: bool, forbidden: ForbiddenLabels | None
    ) -> ChainFeatures:
        """The chain with the pairs of more data too: in time linear in both, not in all pairs that could be."""
        n_known = len(self.pair_offsets) - 1
        codes, places = missing_pairs(
            tokens.offsets, tokens.ids, labels, self.pair_offsets, self.pair_labels, self.n_labels
        )
        codes, chosen = np.unique(codes, return_index=True)
        places = places[chosen]
        attributes, of_labels = codes // self.n_labels, (codes % self.n_labels).astype(np.int32)
        offsets = np.full(tokens.n_columns + 1, self.n_pairs)
        offsets[: n_known + 1] = self.pair_offsets
        offsets[1:] += np.cumsum(np.bincount(attributes, minlength=tokens.n_columns))
        found = ChainFeatures(offsets, np.insert(self.pair_labels, places, of_labels), grams, boundary, forbidden)
        object.__setattr__(found, "_origin", (weakref.ref(self), places))
        return found

    @classmethod
    def of_pairs(
        cls, mask: Mask, grams: LabelGrams, boundary: bool = False, forbidden: ForbiddenLabels | None = None
    ) -> ChainFeatures:
        """The chain with a weight for each (attribute, label) that is set in a mask, and for each label n-gram."""
        pair_offsets = np.zeros(len(mask) + 1, dtype=np.int64)
        np.cumsum(np.count_nonzero(mask, axis=1), out=pair_offsets[1:])
        pair_labels = (np.flatnonzero(mask) % grams.n_labels).astype(np.int32)
        return cls(pair_offsets, pair_labels, grams, boundary, forbidden)

    def keep(self, selected: Mask) -> ChainFeatures:
        """Only the selected (attribute, label) pairs; n-grams and boundaries stay."""
        kept = np.zeros(self.n_pairs + 1, dtype=np.int64)
        np.cumsum(selected, out=kept[1:])
        return ChainFeatures(
            kept[self.pair_offsets], self.pair_labels[selected], self.grams, self.boundary, self.forbidden
        )

    def transfer(self, vector: Floats, source: ChainFeatures, label_map: Integers) -> Floats:
        """Weights of another model in this model's layout; zero where it has none.

        Attributes keep their numbers; label z of `source` is ``label_map[z]`` here, or absent if negative.
        """
        is_same = np.array_equal(label_map, range(self.n_labels))
        result = np.zeros(self.n_features)
        pairs, grams, start, end = source.split(vector)
        if is_same and self._origin is not None and self._origin[0]() is source:
            open_places(np.ascontiguousarray(pairs, dtype=np.float64), self._origin[1], result)
        elif self.n_pairs:
            labels, codes = label_map[source.pair_labels], self._pair_codes
            wanted = source.pair_attributes * self.n_labels + labels
            place = np.minimum(np.searchsorted(codes, wanted), len(codes) - 1)
            found = (labels >= 0) & (codes[place] == wanted)
            result[place[found]] = pairs[found]
        if is_same and self.grams.grams == source.grams.grams:
            result[self.n_pairs : self.n_pairs + len(grams)] = grams
        else:
            number = {gram: i for i, gram in enumerate(self.grams.grams)}
            for gram, weight in zip(source.grams.grams, grams, strict=True):
                here = number.get(tuple(int(label_map[z]) for z in gram))
                if here is not None:
                    result[self.n_pairs + here] = weight
        if self.boundary and source.boundary:
            _, _, start_here, end_here = self.split(result)
            both = label_map >= 0
            start_here[label_map[both]] = start[both]
            end_here[label_map[both]] = end[both]
        return result


def pair_frequencies(tokens: SparseTokens, labels: Ids, n_labels: int) -> Floats:
    """Sum of the values of each (attribute, label) pair in the data, shape (n_columns, n_labels).

    Examples
    --------
    >>> tokens = SparseTokens(np.array([0, 1, 3]), np.array([0, 0, 1]), np.array([1.0, 0.5, 2.0]), 2)
    >>> pair_frequencies(tokens, np.array([1, 0]), 2)
    array([[0.5, 1. ],
           [2. , 0. ]])
    """
    codes = tokens.ids.astype(np.int64) * n_labels + np.repeat(labels, np.diff(tokens.offsets))
    values = tokens.values if len(tokens.values) else np.ones(len(codes))
    counts = np.bincount(codes, values, tokens.n_columns * n_labels).astype(np.float64)
    return counts.reshape(tokens.n_columns, n_labels)
