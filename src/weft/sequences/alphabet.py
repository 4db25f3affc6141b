"""Symbols and their numbers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from itertools import islice, repeat
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.errors import InputError
from weft.sequences.checks import refuse_tables
from weft.sequences.hash_index import HashIndex

UNKNOWN = -1
"""The number of a symbol that a frozen alphabet does not hold."""

GROWING = Lock()
"""Held while an alphabet grows."""

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

    _size: int
    """Symbols that are this alphabet's; copies that have grown may have put more into the dictionary that all share."""

    def __init__(self, symbols: Iterable[Hashable] = ()) -> None:
        self._index: HashIndex | None = None
        self._is_indexed = False
        self._is_stream = False
        self._listed: list[Any] = []
        refuse_tables(symbols, "symbols")
        try:
            ids: dict[Any, int] = dict.fromkeys(symbols, 0)
        except TypeError as error:
            raise _no_symbol(error) from None
        _refuse_nan(ids)
        for number, symbol in enumerate(ids):
            ids[symbol] = number
        self._dictionary: dict[Any, int] | None = ids
        self._size = len(ids)

    @property
    def _ids(self) -> dict[Any, int]:
        found = self._dictionary
        if found is None:  # put away
            found = self._dictionary = dict(zip(self._listed, range(self._size), strict=True))
        return found

    def put_away(self) -> None:
        """Keep a list of the symbols, a seventh of the memory of a dictionary with its numbers, until that is needed.

        Strings are found by their hashes without it (`prepare`).
        """
        if self._size >= MANY and not self._is_stream:
            self._listed, self._dictionary = self.symbols, None

    def copy(self) -> Alphabet:
        """An alphabet that can grow without changing this one.

        Both share one dictionary until they part, so that a stream takes the time of what is new and not of all.
        """
        other = Alphabet()
        other._dictionary, other._size, other._is_stream = self._ids, self._size, True
        return other

    def latest(self, n_before: int) -> list[Any]:
        """Symbols that came after the first `n_before`, the last one first."""
        n_foreign = len(self._ids) - self._size
        return list(islice(reversed(self._ids), n_foreign, n_foreign + self._size - n_before))

    @property
    def symbols(self) -> list[Any]:
        """All symbols, in the order of their numbers."""
        every = list(self._dictionary or self._listed)
        return every if len(every) == self._size else every[: self._size]

    def encode(self, symbols: Iterable[Hashable]) -> NDArray[np.int32]:
        """Numbers of the symbols; `UNKNOWN` for those that the alphabet lacks."""
        refuse_tables(symbols, "symbols")
        index = self._hash_index()
        try:
            if index is not None:
                return index.find(symbols)
            found = np.fromiter(map(self._ids.get, symbols, repeat(UNKNOWN)), dtype=np.int32)
        except TypeError as error:
            raise _no_symbol(error) from None
        if len(self._ids) > self._size:
            found[found >= self._size] = UNKNOWN
        return found

    def prepare(self) -> None:
        """Build now what the first large `encode` would build: when no more symbols are to come."""
        if not self._is_stream:  # a copy grows part by part: what is built after one part is lost with the next
            self._hash_index()

    def _hash_index(self) -> HashIndex | None:
        """Index of many strings; None for few symbols or other types."""
        if not self._is_indexed:
            self._is_indexed = True
            self._index = HashIndex.build(self.symbols) if self._size >= MANY else None
        return self._index

    def encode_growing(self, symbols: Iterable[Hashable]) -> NDArray[np.int32]:
        """Numbers of the symbols; new symbols are added."""
        refuse_tables(symbols, "symbols")
        self._index, self._is_indexed = None, False
        n_before = self._size
        try:
            with GROWING:  # of all that share a dictionary, only one goes on with it
                if len(self._ids) > n_before:
                    self._dictionary = defaultdict(None, islice(self._ids.items(), n_before))
                self._listed = []
                found = self._added(symbols)
                self._size = len(self._ids)
        except TypeError as error:
            raise _no_symbol(error) from None
        _refuse_nan(self.latest(n_before))
        return found

    def _added(self, symbols: Iterable[Hashable]) -> NDArray[np.int32]:
        """Numbers of symbols, new ones added in place: one pass, so that the time is that of these and not of all."""
        ids = self._ids
        if not isinstance(ids, defaultdict):
            ids = self._dictionary = defaultdict(None, ids)
        ids.default_factory = ids.__len__
        try:
            return np.fromiter(map(ids.__getitem__, symbols), dtype=np.int32)
        finally:
            ids.default_factory = None
            if not self._size:  # most never grow again: a copy takes no more room than it needs
                self._dictionary = dict(ids)

    def __getstate__(self) -> dict[str, Any]:
        # Hashes of strings hold for this process only.
        state = {"_index": None, "_is_indexed": False, "_is_stream": self._is_stream, "_size": self._size}
        return {"_listed": self.symbols, "_dictionary": None, **state}

    def __len__(self) -> int:
        return self._size

    def __contains__(self, symbol: object) -> bool:
        return self._ids.get(symbol, self._size) < self._size

    def __iter__(self) -> Iterator[Any]:
        return iter(self.symbols)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Alphabet) and self.symbols == other.symbols

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self.symbols[:5]))
        return f"Alphabet([{shown}{', ...' if len(self) > 5 else ''}]) of {len(self)} symbols"


def _refuse_nan(symbols: Iterable[Any]) -> None:
    # It equals nothing, so that each one would be a symbol of its own.
    if float in set(map(type, symbols)) and any(type(each) is float and each != each for each in symbols):
        raise InputError("NaN given as a symbol; need strings, numbers or tuples of them: fill it in or drop it.")


def _no_symbol(error: TypeError) -> InputError:
    return InputError(f"a symbol has no number ({error}); symbols are strings, numbers or tuples of them: convert it.")
