"""Reference alignments, whole or in part: what learners learn from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Ids, Integers, Mask
from weft.structures.alignment.loops.passes import FIRST, PAIR, SECOND
from weft.structures.alignment.pair_corpus import Alignments, PairCorpus


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
    anchors: Ids
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
            None if reliable is None else corpus.joined(stretches),
            np.array(owners, dtype=np.int64),
        )

    def select(self, corpus: PairCorpus, selected: PairCorpus, indices: Integers) -> References:
        """What is known about some pairs of the corpus, which `selected` holds in the same order."""
        stretches, owners = self.stretches, [np.empty(0, dtype=np.int64)]
        if stretches is not None:
            begins, ends = (np.searchsorted(self.owners, indices, side=side).tolist() for side in ("left", "right"))
            mine = [np.arange(begin, end) for begin, end in zip(begins, ends, strict=True)]
            owners += [np.full(len(each), place, dtype=np.int64) for place, each in enumerate(mine)]
            stretches = stretches.select(np.concatenate([*mine, owners[0]]))
        offsets = corpus.first_offsets
        anchors = [self.anchors[offsets[index] : offsets[index + 1]] for index in indices.tolist()]
        return References(
            Alignments.join(selected, [self.alignments[index] for index in indices.tolist()]),
            np.concatenate([*anchors, np.empty(0, dtype=np.int32)]),
            self.n_anchors[indices],
            stretches,
            np.concatenate(owners),
        )

    def completed(self, corpus: PairCorpus, inner: Alignments) -> Alignments:
        """Alignments that agree with what is known and have the given moves in the stretches.

        Examples
        --------
        >>> corpus = PairCorpus.join([([0, 1, 2], [0, 2])], 3)
        >>> moves = np.array([0, 1, 0], dtype=np.uint8)
        >>> references = References.build(corpus, [moves], [np.array([True, False, False])])
        >>> between = Alignments.join(references.stretches, [np.array([0, 1], dtype=np.uint8)])
        >>> references.completed(corpus, between)[0]
        array([0, 0, 1], dtype=uint8)
        """
        found, stretch = [], 0
        for index, (n, m) in enumerate(zip(corpus.first_lengths, corpus.second_lengths, strict=True)):
            columns = self.anchors[corpus.first_offsets[index] : corpus.first_offsets[index + 1]]
            known = np.flatnonzero(columns >= 0)
            # Where known pairs are not neighbours there is a stretch: in front of so many of them.
            first, second = np.append(known, n), np.append(columns[known], m)
            steps = np.diff(first, prepend=-1) + np.diff(second, prepend=-1)
            places = np.flatnonzero(steps > 2).tolist()
            pieces, before = [], 0
            for place in places:
                pieces += [np.full(place - before, PAIR, dtype=np.uint8), inner[stretch]]
                before, stretch = place, stretch + 1
            found.append(np.concatenate([*pieces, np.full(len(known) - before, PAIR, dtype=np.uint8)]))
        return Alignments.join(corpus, found)

    @property
    def is_partial(self) -> bool:
        """Whether only some pairs of positions are known."""
        return self.stretches is not None


def anchor_columns(moves: NDArray[np.uint8], chosen: Mask | None = None) -> Ids:
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
