"""Reference alignments, whole or in part: what learners learn from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weft.structures.alignment.loops.passes import FIRST, PAIR, SECOND
from weft.structures.alignment.pair_corpus import Alignments, PairCorpus

__all__ = ["References", "anchor_columns"]

Integers = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class References:
    """What is known about the alignment of each pair.

    Either all of it, or some *reliable* pairs of positions. Then the reference is the set of all alignments that
    contain those pairs: between two neighbouring ones anything goes. What lies between is a stretch, a pair of shorter
    sequences; a reliable pair separates what comes before from what comes after, so the set is the product of the
    alignments of all stretches.

    Attributes
    ----------
    alignments : Alignments
        As given.
    anchors : ndarray of int32, one per symbol of the first sequences
        Position in the second sequence that it is known to pair with; -1 for none.
    n_anchors : ndarray of int64, shape (n_pairs,)
    stretches : PairCorpus or None
        None if the alignments are known as a whole.
    owners : ndarray of int64
        Pair that each stretch belongs to.

    Examples
    --------
    >>> corpus = PairCorpus.join([([0, 1, 2], [0, 2])], 3)
    >>> moves = np.array([0, 1, 0], dtype=np.uint8)
    >>> references = References.build(corpus, [moves], [np.array([True, False, False])])
    >>> references.anchors, references.stretches.pair(0)
    (array([ 0, -1, -1], dtype=int32), (array([1, 2], dtype=int32), array([2], dtype=int32)))
    """

    alignments: Alignments
    anchors: NDArray[np.int32]
    n_anchors: Integers
    stretches: PairCorpus | None
    owners: Integers

    @classmethod
    def build(
        cls, corpus: PairCorpus, moves: Sequence[NDArray[np.uint8]], reliable: Sequence[Mask] | None = None
    ) -> References:
        """References from moves and, for each, which columns are reliable; None means that all is known."""
        masks = [np.ones(len(each), dtype=bool) for each in moves] if reliable is None else reliable
        anchors = [anchor_columns(each, mask) for each, mask in zip(moves, masks, strict=True)]
        n_anchors = np.array([np.count_nonzero(each >= 0) for each in anchors], dtype=np.int64)
        stretches, owners = [], []
        if reliable is not None:
            for index, columns in enumerate(anchors):
                first, second = corpus.pair(index)
                i = j = 0
                known = np.flatnonzero(columns >= 0)
                for a, b in [*zip(known.tolist(), columns[known].tolist(), strict=True), (len(first), len(second))]:
                    if a > i or b > j:
                        stretches.append((first[i:a], second[j:b]))
                        owners.append(index)
                    i, j = a + 1, b + 1
        return cls(
            Alignments.join(corpus, moves),
            np.concatenate([*anchors, np.empty(0, dtype=np.int32)]),
            n_anchors,
            None if reliable is None else PairCorpus.join(stretches, corpus.n_symbols),
            np.array(owners, dtype=np.int64),
        )

    def select(self, corpus: PairCorpus, selected: PairCorpus, index: int) -> References:
        """What is known about one pair of the corpus, which `selected` holds alone."""
        here = slice(int(corpus.first_offsets[index]), int(corpus.first_offsets[index + 1]))
        mine = np.flatnonzero(self.owners == index)
        return References(
            Alignments.join(selected, [self.alignments[index]]),
            self.anchors[here],
            self.n_anchors[index : index + 1],
            None if self.stretches is None else self.stretches.select(mine),
            np.zeros(len(mine), dtype=np.int64),
        )

    @property
    def is_partial(self) -> bool:
        """Whether only some pairs of positions are known."""
        return self.stretches is not None


def anchor_columns(moves: NDArray[np.uint8], chosen: Mask | None = None) -> NDArray[np.int32]:
    """Position in the second sequence that each symbol of the first is paired with in chosen columns; -1 for none.

    Examples
    --------
    >>> anchor_columns(np.array([0, 1, 2, 0], dtype=np.uint8))
    array([ 0, -1,  2], dtype=int32)
    """
    first = np.cumsum(moves != SECOND) - 1
    second = np.cumsum(moves != FIRST) - 1
    columns = np.full(np.count_nonzero(moves != SECOND), -1, dtype=np.int32)
    pairs = (moves == PAIR) if chosen is None else (moves == PAIR) & chosen
    columns[first[pairs]] = second[pairs]
    return columns
