"""Symbols and their numbers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.errors import InputError
from weft.sequences.checks import refuse_tables
from weft.sequences.hash_index import HashIndex

UNKNOWN = -1
"""The number of a symbol that a frozen alphabet does not hold."""

MANY = 5_000
"""From this size on, strings are looked up by their hashes, for speed."""


class Alphabet:
    """Numbers symbols in the order of their first appearance.

    A lookup is one C call per symbol, a dictionary or a hash behind ``map``: that bounds the speed of reading Python
    objects at all.

    Parameters
    ----------
    symbols : iterable of hashable
        Symbols numbered from 0; duplicates are ignored.

    Examples
    --------
    >>> alphabet = Alphabet("abc")
    >>> alphabet.encode("cab!")
    array([ 2,  0,  1, -1], dtype=int32)
    >>> alphabet.encode_growing("cd")
    array([2, 3], dtype=int32)
    >>> alphabet.symbols
    ['a', 'b', 'c', 'd']
    """

    def __init__(self, symbols: Iterable[Hashable] = ()) -> None:
        self._index: HashIndex | None = None
        self._is_indexed = False
        refuse_tables(symbols, "symbols")
        try:
            self._ids: dict[Any, int] = dict.fromkeys(symbols, 0)
        except TypeError as error:
            raise _no_symbol(error) from None
        _refuse_nan(self._ids)
        for number, symbol in enumerate(self._ids):
            self._ids[symbol] = number

    @property
    def symbols(self) -> list[Any]:
        """All symbols, in the order of their numbers."""
        return list(self._ids)

    def encode(self, symbols: Iterable[Hashable]) -> NDArray[np.int32]:
        """Numbers of the symbols; `UNKNOWN` for those that the alphabet lacks."""
        refuse_tables(symbols, "symbols")
        index = self._hash_index()
        try:
            if index is not None:
                return index.find(symbols)
            return np.fromiter(map(self._ids.get, symbols, repeat(UNKNOWN)), dtype=np.int32)
        except TypeError as error:
            raise _no_symbol(error) from None

    def copy(self) -> Alphabet:
        """An alphabet that can grow without changing this one."""
        return Alphabet(self)

    def prepare(self) -> None:
        """Build now what the first large `encode` would build: when no more symbols are to come."""
        self._hash_index()

    def _hash_index(self) -> HashIndex | None:
        """Index of many strings; None for few symbols or other types."""
        if not self._is_indexed:
            self._is_indexed = True
            self._index = HashIndex.build(list(self._ids)) if len(self._ids) >= MANY else None
        return self._index

    def encode_growing(self, symbols: Iterable[Hashable]) -> NDArray[np.int32]:
        """Numbers of the symbols; new symbols are added."""
        refuse_tables(symbols, "symbols")
        self._index, self._is_indexed = None, False
        growing: defaultdict[Any, int] = defaultdict(None, self._ids)
        growing.default_factory = growing.__len__
        try:
            found = np.fromiter(map(growing.__getitem__, symbols), dtype=np.int32)
            _refuse_nan(growing)
            return found
        except TypeError as error:
            raise _no_symbol(error) from None
        finally:
            growing.default_factory = None
            self._ids = dict(growing)

    def __getstate__(self) -> dict[str, Any]:
        # Hashes of strings hold for this process only.
        return {"_ids": self._ids, "_index": None, "_is_indexed": False}

    def __len__(self) -> int:
        return len(self._ids)

    def __contains__(self, symbol: object) -> bool:
        return symbol in self._ids

    def __iter__(self) -> Iterator[Any]:
        return iter(self._ids)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Alphabet) and list(self._ids) == list(other._ids)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, list(self._ids)[:5]))
        return f"Alphabet([{shown}{', ...' if len(self) > 5 else ''}]) of {len(self)} symbols"


def _refuse_nan(symbols: Iterable[Any]) -> None:
    # It equals nothing, so that each one would be a symbol of its own.
    if float in set(map(type, symbols)) and any(type(each) is float and each != each for each in symbols):
        raise InputError("NaN came as a symbol; symbols are strings, numbers or tuples of them: fill it in or drop it.")


def _no_symbol(error: TypeError) -> InputError:
    return InputError(f"a symbol has no number ({error}); symbols are strings, numbers or tuples of them: convert it.")
