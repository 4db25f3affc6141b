"""n-grams that do not fit 64 bits: pairs of numbers of shorter ones.

An n-gram is its first and its last h symbols, h = n - n // 2, which may overlap. All h-grams are numbered in sorted
order first, in the same way if they too are long, so that equal numbers mean equal n-grams: nothing is left to a hash.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.errors import ModelFileError
from weft.kernels.grams.loops.emitting import emit_grams, emit_pairs
from weft.kernels.grams.loops.rows import find_columns
from weft.kernels.grams.numbering import hash_table, number_keys
from weft.kernels.symbols import CodedSequences, SymbolTable


def fits(base: int, n: int) -> bool:
    """Whether every n-gram is a number of 64 bits."""
    return bool(base ** int(n) < 2**64)


def check_keys(keys: NDArray[np.uint64], n_possible: int) -> None:
    """Raise for keys of a model file that no gram has."""
    if len(keys) and int(keys[-1]) >= n_possible:
        raise ModelFileError(f"n-grams have keys up to {keys[-1]}; needed numbers below {n_possible}")


def check_pairs(keys: NDArray[np.uint64], base: int) -> None:
    """Raise for keys of a model file that are no pairs of known h-grams."""
    check_keys(keys, base**2)
    digits = digits_of(keys, 2, base)
    if len(keys) and not 1 <= digits.min() <= digits.max() <= base - 2:
        raise ModelFileError("n-grams have keys that are no pairs of the halves")


class HalfGrams:
    """Numbers of the h-grams that n-grams are made of, from 1 on.

    Parameters
    ----------
    n : int
        Length of the n-grams.
    keys : list of ndarrays of uint64
        Sorted keys of the h-grams, after those of the halves that they are made of, if they are long.

    Attributes
    ----------
    length : int
        The h.
    base : int
        Number of digits to write pairs of h-grams in: the known ones, one for all others, and zero.
    """

    def __init__(self, n: int, keys: Sequence[NDArray[np.uint64]]) -> None:
        self.length = n - n // 2
        self.keys = keys[-1]
        self.below = HalfGrams(self.length, keys[:-1]) if len(keys) > 1 else None
        self.base = len(self.keys) + 2

    @classmethod
    def learn(cls, coded: CodedSequences, base: int, n: int, n_threads: int) -> tuple[HalfGrams, CodedSequences]:
        """Number the halves of all n-grams of some sequences, and give the sequences of these numbers."""
        length = n - n // 2
        if fits(base, length):
            below: list[NDArray[np.uint64]] = []
            found, offsets = _grams(coded, base, length)
        else:
            halves, numbered = cls.learn(coded, base, length, n_threads)
            below = halves.levels()
            found, offsets = _pairs(numbered, length - halves.length, halves.base)
        keys, columns = number_keys([found], n_threads)
        return cls(n, [*below, keys]), CodedSequences(columns + np.int32(1), offsets)

    def check_keys(self, base: int) -> None:
        """Raise for keys of a model file that no h-gram of `base` symbols has."""
        if self.below is None:
            check_keys(self.keys, base**self.length)
        else:
            self.below.check_keys(base)
            check_pairs(self.keys, self.below.base)

    def levels(self) -> list[NDArray[np.uint64]]:
        """Keys as the constructor takes them."""
        return [*(self.below.levels() if self.below else []), self.keys]

    def encode(self, coded: CodedSequences, base: int) -> CodedSequences:
        """Sequences of the numbers of their h-grams; unknown ones have the last number."""
        if self.below is None:
            keys, offsets = _grams(coded, base, self.length)
        else:
            step = self.length - self.below.length
            keys, offsets = _pairs(self.below.encode(coded, base), step, self.below.base)
        codes = np.empty(len(keys), dtype=np.int32)
        find_columns(keys, *self._table, codes)
        return CodedSequences(np.where(codes < 0, np.int32(self.base - 1), codes + np.int32(1)), offsets)

    @cached_property
    def _table(self) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
        return hash_table(self.keys)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_table"}

    def digits(self, numbers: NDArray[np.int64], table: SymbolTable) -> NDArray[np.int64]:
        """Symbols of the h-grams with some numbers, in rows."""
        keys = self.keys[numbers - 1]
        if self.below is None:
            return digits_of(keys, self.length, table.base)
        return join_halves(keys, self.length, self.below, table)


def digits_of(keys: NDArray[np.uint64], width: int, base: int) -> NDArray[np.int64]:
    """Numbers of the symbols of each gram, in rows."""
    rest = keys.copy()
    digits = np.empty((len(rest), width), dtype=np.int64)
    for position in range(width - 1, -1, -1):
        rest, digits[:, position] = np.divmod(rest, np.uint64(base))
    return digits


def join_halves(keys: NDArray[Any], n: int, halves: HalfGrams, table: SymbolTable) -> NDArray[np.int64]:
    """Symbols of n-grams that are pairs of halves, in rows."""
    first, last = digits_of(keys, 2, halves.base).T
    overlap = 2 * halves.length - n
    return np.hstack([halves.digits(first, table), halves.digits(last, table)[:, overlap:]])


def _grams(coded: CodedSequences, base: int, n: int) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Key of every n-gram in its place, and where those of each sequence begin."""
    keys, offsets = _room(coded, n - 1)
    emit_grams(coded.codes, coded.offsets, n, base, keys, offsets)
    return keys, offsets


def _pairs(coded: CodedSequences, step: int, base: int) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Key of every pair of numbers that are `step` apart, like `_grams`."""
    keys, offsets = _room(coded, step)
    emit_pairs(coded.codes, coded.offsets, step, base, keys, offsets)
    return keys, offsets


def _room(coded: CodedSequences, shorter: int) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    total = int(np.maximum(np.diff(coded.offsets) - shorter, 0).sum())
    return np.empty(total, dtype=np.uint64), np.zeros(len(coded.offsets), dtype=np.int64)
