"""Pairs of sequences as numbers, and alignments of them as moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Ids, Integers, Mask
from weft.core.array_checks import checked_numbers, checked_offsets
from weft.errors import InputError
from weft.structures.alignment.loops.pairs import write_rows
from weft.structures.alignment.loops.passes import FIRST, SECOND

GAP = "-"
"""What stands for no symbol in a row of an alignment."""


@dataclass(frozen=True, eq=False)
class PairCorpus:
    """Pairs of symbol numbers, laid end to end.

    Attributes
    ----------
    first, second : ndarray of int32
        Symbols of all first and of all second sequences.
    first_offsets, second_offsets : ndarray of int64, shape (n_pairs + 1,)
    n_symbols : int

    Examples
    --------
    >>> corpus = PairCorpus.join([([0, 1], [1]), ([2], [2, 0])], 3)
    >>> corpus.first, corpus.first_lengths
    (array([0, 1, 2], dtype=int32), array([2, 1]))
    """

    first: Ids
    first_offsets: Integers
    second: Ids
    second_offsets: Integers
    n_symbols: int

    def __post_init__(self) -> None:
        cure = "encode the pairs with Alignment.encode"
        for name in ("first", "second"):
            symbols = checked_numbers(name, getattr(self, name), self.n_symbols, cure)
            offsets = checked_offsets(f"{name}_offsets", getattr(self, f"{name}_offsets"), len(symbols), cure)
            object.__setattr__(self, name, symbols)
            object.__setattr__(self, f"{name}_offsets", offsets)
        if len(self.first_offsets) != len(self.second_offsets):
            raise InputError(
                f"{len(self)} first and {len(self.second_offsets) - 1} second sequences given; need pairs."
            )

    @classmethod
    def join(cls, pairs: Sequence[tuple[Any, Any]], n_symbols: int) -> PairCorpus:
        """Lay pairs of numbers end to end."""
        columns = []
        for side in (0, 1):
            sequences = [np.asarray(pair[side], dtype=np.int32) for pair in pairs]
            offsets = np.zeros(len(pairs) + 1, dtype=np.int64)
            np.cumsum([len(sequence) for sequence in sequences], out=offsets[1:])
            columns += [np.concatenate([*sequences, np.empty(0, dtype=np.int32)]), offsets]
        return cls(columns[0], columns[1], columns[2], columns[3], n_symbols)

    def __len__(self) -> int:
        return len(self.first_offsets) - 1

    @property
    def first_lengths(self) -> Integers:
        """Number of symbols of each first sequence."""
        return np.diff(self.first_offsets)

    @property
    def second_lengths(self) -> Integers:
        """Number of symbols of each second sequence."""
        return np.diff(self.second_offsets)

    @property
    def n_cells(self) -> Integers:
        """Size of the table of each pair."""
        return (self.first_lengths + 1) * (self.second_lengths + 1)

    @property
    def arrays(self) -> tuple[Ids, Integers, Ids, Integers]:
        """What compiled loops take."""
        return self.first, self.first_offsets, self.second, self.second_offsets

    def pair(self, index: int) -> tuple[Ids, Ids]:
        """Symbols of one pair."""
        return (
            self.first[self.first_offsets[index] : self.first_offsets[index + 1]],
            self.second[self.second_offsets[index] : self.second_offsets[index + 1]],
        )

    def select(self, indices: Sequence[int] | Integers) -> PairCorpus:
        """Some of the pairs."""
        return self.joined([self.pair(int(index)) for index in indices])

    def joined(self, pairs: Sequence[tuple[Any, Any]]) -> PairCorpus:
        """Other pairs of the same symbols."""
        return PairCorpus.join(pairs, self.n_symbols)


@dataclass(frozen=True, eq=False)
class Alignments:
    """One alignment of each pair of a corpus: moves PAIR, FIRST or SECOND, laid end to end.

    Attributes
    ----------
    moves : ndarray of uint8
        A slot for each symbol of a pair; alignments with pairs use fewer.
    offsets : ndarray of int64, shape (n_pairs + 1,)
        First slot of each pair.
    n_moves : ndarray of int64, shape (n_pairs,)
        Slots that are used.

    Examples
    --------
    >>> corpus = PairCorpus.join([([0, 1], [1])], 2)
    >>> alignments = Alignments.empty(corpus)
    >>> len(alignments.moves), len(alignments[0])
    (3, 0)
    """

    moves: NDArray[np.uint8]
    offsets: Integers
    n_moves: Integers

    @classmethod
    def empty(cls, corpus: PairCorpus) -> Alignments:
        """Room for an alignment of each pair."""
        offsets = corpus.first_offsets + corpus.second_offsets
        return cls(np.empty(offsets[-1], dtype=np.uint8), offsets, np.zeros(len(corpus), dtype=np.int64))

    @classmethod
    def join(cls, corpus: PairCorpus, each: Sequence[NDArray[np.uint8]]) -> Alignments:
        """Lay given moves end to end."""
        if len(each) != len(corpus):
            raise InputError(f"{len(each)} alignments of {len(corpus)} pairs given; need one each.")
        joined = cls.empty(corpus)
        for index, moves in enumerate(each):
            begin = joined.offsets[index]
            if begin + len(moves) > joined.offsets[index + 1]:
                raise InputError(
                    f"alignment {index} has {len(moves)} moves, its pair only {joined.offsets[index + 1] - begin} "
                    "symbols; fix the moves, or the pair."
                )
            joined.moves[begin : begin + len(moves)] = moves
            joined.n_moves[index] = len(moves)
        return joined

    def check(self, corpus: PairCorpus) -> None:
        """Raise an error unless there is one alignment of each pair; whether it is one, compiled loops see."""
        if len(self) != len(corpus) or len(self.offsets) <= len(corpus):
            raise InputError(f"{len(self)} alignments of {len(corpus)} pairs given; need one each.")

    def __len__(self) -> int:
        return len(self.n_moves)

    def __getitem__(self, index: int) -> NDArray[np.uint8]:
        begin = self.offsets[index]
        return self.moves[begin : begin + self.n_moves[index]]


def joined_text(sequences: list[Any]) -> NDArray[np.uint8] | None:
    """Characters of all strings, laid end to end; None unless all are strings of ASCII.

    Examples
    --------
    >>> joined_text(["AC", "G"]), joined_text(["AC", ["G"]])
    (array([65, 67, 71], dtype=uint8), None)
    """
    if not all(type(sequence) is str for sequence in sequences):
        return None
    text = "".join(sequences)
    return np.frombuffer(text.encode("ascii"), dtype=np.uint8) if text.isascii() else None


def gapped_pairs(pairs: list[tuple[Any, Any]], alignments: Alignments) -> list[tuple[Any, Any]]:
    """The two rows of each alignment, which must use up its pair (`AlignmentBatch.scores` refuses others).

    Examples
    --------
    >>> corpus = PairCorpus.join([([0, 1, 2], [0, 2])], 3)
    >>> gapped_pairs([("ACG", "AG")], Alignments.join(corpus, [np.array([0, 1, 0], dtype=np.uint8)]))
    [('ACG', 'A-G')]
    """
    first, second = (joined_text([pair[side] for pair in pairs]) for side in (0, 1))
    if first is None or second is None:
        return [gapped_pair(pair, alignments[index]) for index, pair in enumerate(pairs)]
    n_columns = alignments.n_moves
    rows = np.full((2, int(n_columns.sum())), ord(GAP), dtype=np.uint8)
    write_rows(alignments.moves, alignments.offsets, n_columns, first, second, rows)
    texts = [row.tobytes().decode("ascii") for row in rows]
    ends = np.cumsum(n_columns).tolist()
    return [(texts[0][begin:end], texts[1][begin:end]) for begin, end in zip([0, *ends], ends, strict=False)]


def gapped_pair(pair: tuple[Any, Any], moves: NDArray[np.uint8]) -> tuple[Any, Any]:
    """The two rows of an alignment, strings for strings and lists for lists.

    Examples
    --------
    >>> gapped_pair(("ACG", "AG"), np.array([0, 1, 0], dtype=np.uint8))
    ('ACG', 'A-G')
    """
    return _with_gaps(pair[0], moves != SECOND), _with_gaps(pair[1], moves != FIRST)


def _with_gaps(sequence: Any, has_symbol: Mask) -> Any:
    """Symbols of a sequence in the columns that have one, gaps in the others."""
    if isinstance(sequence, str) and sequence.isascii():
        row = np.full(len(has_symbol), ord(GAP), dtype=np.uint8)
        row[has_symbol] = np.frombuffer(sequence.encode("ascii"), dtype=np.uint8)
        return row.tobytes().decode("ascii")
    symbols = iter(sequence)
    columns = [next(symbols) if one else GAP for one in has_symbol.tolist()]
    return "".join(columns) if isinstance(sequence, str) else columns


def moves_of_gapped(rows: tuple[Any, Any], name: str = "y") -> NDArray[np.uint8]:
    """Moves of an alignment given as two rows with gaps.

    Examples
    --------
    >>> moves_of_gapped(("AC-G", "A-TG"))
    array([0, 1, 2, 0], dtype=uint8)
    """
    try:
        first, second = rows
    except (TypeError, ValueError):
        raise InputError(f"{name} is {str(rows)[:40]!r}; a pair of rows is needed, such as ('AC-G', 'A-TG').") from None
    if len(first) != len(second):
        raise InputError(
            f"the rows of {name} have {len(first)} and {len(second)} columns; one length is needed: fill up with gaps "
            "'-'."
        )
    gap_first = np.array([symbol == GAP for symbol in first], dtype=bool)
    gap_second = np.array([symbol == GAP for symbol in second], dtype=bool)
    both = np.flatnonzero(gap_first & gap_second)
    if len(both):
        raise InputError(f"column {both[0]} of {name} has a gap in both rows; drop such columns.")
    return (gap_second * np.uint8(FIRST) + gap_first * np.uint8(SECOND)).astype(np.uint8)
