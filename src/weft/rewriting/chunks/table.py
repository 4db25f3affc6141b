"""Numbers of the chunks of two sides, and of the pairs of them that occur in any alignment.

They are learned from blocks of pairs, one block in memory at a time, and are the same however the pairs are cut.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.arrays import Ids, Integers
from weft.core.array_checks import checked_numbers, checked_offsets
from weft.errors import InputError
from weft.rewriting.chunks import loops
from weft.rewriting.chunks.pairs import Pairs

__all__ = ["ChunkTable", "SideChunks"]

SHIFT = 31
"""A longer chunk is coded by the number of the one without its last symbol, and by that symbol below so many bits."""


@dataclass(frozen=True)
class SideChunks:
    """Chunks of one side: single symbols first, then those of two symbols in their order, and so on.

    Attributes
    ----------
    n_single : int
        Symbols are below it.
    codes : list of ndarray
        Codes of the chunks of two symbols, of three, ..., sorted.

    Examples
    --------
    >>> chunks = SideChunks(2, [])
    >>> chunks = chunks.with_longer([chunks.longer_codes(np.array([1, 0, 1], dtype=np.int32), np.array([0, 3]))])
    >>> chunks.rows(np.array([1, 0, 1], dtype=np.int32), np.array([0, 3]))
    array([[ 1,  0,  1],
           [ 3,  2, -1]], dtype=int32)
    >>> chunks.spelled().tolist()
    [[0, -1], [1, -1], [0, 1], [1, 0]]
    """

    n_single: int
    codes: list[Integers]

    @property
    def ends(self) -> Integers:
        """The number after the last chunk of each length."""
        return self.n_single + np.concatenate([[0], np.cumsum([len(own) for own in self.codes])]).astype(np.int64)

    def rows(self, symbols: Ids, offsets: Integers) -> Ids:
        """Number of the chunk of each length that begins at each symbol, -1 where the sequence ends before."""
        left = np.repeat(offsets[1:], np.diff(offsets)) - np.arange(len(symbols))
        rows = np.full((len(self.codes) + 1, len(symbols)), -1, dtype=np.int32)
        rows[0] = symbols
        for length, (known, before) in enumerate(zip(self.codes, self.ends.tolist(), strict=False), start=2):
            fits = np.flatnonzero(left >= length)
            codes = _coded(rows[length - 2], symbols, fits, length)
            places = np.minimum(np.searchsorted(known, codes), len(known) - 1)
            if len(fits) and (not len(known) or (known[places] != codes).any()):
                raise InputError("no training pair has this chunk; number the chunks of all pairs first.")
            rows[length - 1, fits] = before + places
        return rows

    def longer_codes(self, symbols: Ids, offsets: Integers) -> Integers:
        """Codes of the chunks that are one symbol longer than the longest known ones, sorted."""
        length = len(self.codes) + 2
        left = np.repeat(offsets[1:], np.diff(offsets)) - np.arange(len(symbols))
        return np.unique(_coded(self.rows(symbols, offsets)[-1], symbols, np.flatnonzero(left >= length), length))

    def with_longer(self, found: Sequence[Integers]) -> SideChunks:
        """The same with longer chunks, whose codes each block has found."""
        return SideChunks(self.n_single, [*self.codes, np.unique(np.concatenate(found))])

    def spelled(self) -> Ids:
        """Symbols of each chunk, -1 beyond its end."""
        spelled = np.full((int(self.ends[-1]), len(self.codes) + 1), -1, dtype=np.int32)
        spelled[: self.n_single, 0] = np.arange(self.n_single)
        for length, (codes, before) in enumerate(zip(self.codes, self.ends.tolist(), strict=False), start=2):
            own = spelled[before : before + len(codes)]
            own[:, : length - 1] = spelled[codes >> SHIFT, : length - 1]
            own[:, length - 1] = codes & ((1 << SHIFT) - 1)
        return spelled


def _coded(shorter: Ids, symbols: Ids, places: Integers, length: int) -> Integers:
    return shorter[places].astype(np.int64) * (1 << SHIFT) + symbols[places + length - 1]


class ChunkTable:
    """Chunks of both sides, and the pairs of them that occur in any alignment, numbered in the order of their keys.

    Parameters
    ----------
    inputs, outputs : SideChunks
    steps : ndarray of shape (n_steps, 2)
    keys : ndarray
        ``input chunk * n_outputs + output chunk``, sorted; output chunk 0 is the empty one, the others follow.
    """

    def __init__(self, inputs: SideChunks, outputs: SideChunks, steps: Integers, keys: Integers) -> None:
        self.inputs, self.outputs, self.steps, self.keys = inputs, outputs, steps, keys
        size = 1 << int(2 * len(keys)).bit_length()
        self.places = (np.full(size, -1, dtype=np.int64), np.empty(size, dtype=np.int32))
        loops.insert_keys(keys, *self.places)

    @property
    def n_outputs(self) -> int:
        """Number of output chunks, the empty one among them."""
        return int(self.outputs.ends[-1]) + 1

    @classmethod
    def collect(cls, blocks: Sequence[Callable[[], Pairs]], steps: Integers) -> ChunkTable:
        """Number the chunks of all pairs, which are read block by block."""
        tops = [(int(pairs.inputs.max(initial=-1)), int(pairs.outputs.max(initial=-1))) for pairs in _read(blocks)]
        inputs, outputs = (SideChunks(max(each) + 1, []) for each in zip(*tops, strict=True))
        max_input, max_output = (int(n) for n in steps.max(axis=0))
        for _ in range(2, max_input + 1):
            inputs = inputs.with_longer(
                [inputs.longer_codes(pairs.inputs, pairs.input_offsets) for pairs in _read(blocks)]
            )
        for _ in range(2, max_output + 1):
            outputs = outputs.with_longer(
                [outputs.longer_codes(pairs.outputs, pairs.output_offsets) for pairs in _read(blocks)]
            )
        bare = cls(inputs, outputs, steps, np.empty(0, dtype=np.int64))
        keys = np.empty(0, dtype=np.int64)
        for pairs in _read(blocks):
            keys = np.union1d(keys, bare._keys_of(pairs)) if len(keys) else bare._keys_of(pairs)
        return cls(inputs, outputs, steps, keys)

    def _keys_of(self, pairs: Pairs) -> Integers:
        """Keys of the chunk pairs that occur in any alignment, sorted."""
        words, size, known, word = self.words(pairs), 1 << 16, 0, 0
        table = np.full(size, -1, dtype=np.int64)
        while word < len(pairs):
            word, known = loops.collect_pairs(words, self.steps, self.n_outputs, word, table, known)
            if word < len(pairs):
                keys = table[table >= 0]
                size *= 2
                table = np.full(size, -1, dtype=np.int64)
                loops.insert_keys(keys, table, np.empty(size, dtype=np.int32))
        return np.sort(table[table >= 0])

    def words(self, pairs: Pairs) -> tuple[Ids, Integers, Ids, Integers]:
        """Pairs as the loops read them: chunks of each length at each symbol, row 0 of outputs the empty one."""
        inputs = self.inputs.rows(pairs.inputs, pairs.input_offsets)
        outputs = self.outputs.rows(pairs.outputs, pairs.output_offsets)
        outputs = np.vstack([np.zeros_like(outputs[:1]), np.where(outputs >= 0, outputs + 1, -1)])
        return inputs, pairs.input_offsets, outputs, pairs.output_offsets

    def checked_words(self, words: tuple[Any, Any, Any, Any]) -> tuple[Ids, Integers, Ids, Integers]:
        """What `words` made, if it can be: it may come from a file."""
        cure = "number the chunks with this table"
        checked: list[Any] = []
        least, tops = (0, 1), (int(self.inputs.ends[-1]), self.n_outputs)
        for side, (chunks, offsets) in enumerate(((words[0], words[1]), (words[2], words[3]))):
            n_rows = len((self.inputs, self.outputs)[side].codes) + 1 + side
            if chunks.ndim != 2 or len(chunks) != n_rows or chunks.dtype != np.int32:
                raise InputError(f"chunks of shape {chunks.shape} given; need {n_rows} rows: {cure}")
            offsets = checked_offsets("offsets", offsets, chunks.shape[1], cure)
            left = np.repeat(offsets[1:], np.diff(offsets)) - np.arange(chunks.shape[1])
            for length, row in enumerate(chunks[side:], start=1):
                checked_numbers("chunks", row[left >= length], tops[side], cure, low=least[side])
            checked += [chunks, offsets]
        if len(checked[1]) != len(checked[3]) or (np.diff(checked[1]) < 1).any():
            raise InputError(f"an empty input given, or another number of outputs: {cure}")
        return checked[0], checked[1], checked[2], checked[3]

    def lengths(self) -> tuple[Integers, Integers]:
        """How many symbols of input and output each chunk pair has."""
        first = np.searchsorted(self.inputs.ends, self.keys // self.n_outputs, side="right") + 1
        second = np.searchsorted(self.outputs.ends, self.keys % self.n_outputs - 1, side="right") + 1
        return first, np.where(self.keys % self.n_outputs > 0, second, 0)

    def spelled(self) -> tuple[Ids, Ids]:
        """Input and output symbols of each chunk pair; -1 beyond a chunk's end."""
        inputs, outputs = self.inputs.spelled(), self.outputs.spelled()
        empty = np.full((1, outputs.shape[1]), -1, dtype=np.int32)
        return inputs[self.keys // self.n_outputs], np.vstack([empty, outputs])[self.keys % self.n_outputs]


def _read(blocks: Sequence[Callable[[], Pairs]]) -> Iterator[Pairs]:
    return (block() for block in blocks)
