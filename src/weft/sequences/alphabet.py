"""Symbols and their numbers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from itertools import islice, repeat
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
        self._is_stream = False
        refuse_tables(symbols, "symbols")
        try:
            self._ids: dict[Any, int] = dict.fromkeys(symbols, 0)
        except TypeError as error:
            raise _no_symbol(error) from None
        _refuse_nan(self._ids)
        for number, symbol in enumerate(self._ids):
            self._ids[symbol] = number

    def copy(self) -> Alphabet:
        """An alphabet that can grow without changing this one."""
        other = Alphabet()
        other._ids, other._is_stream = self._ids.copy(), True
        return other

    def latest(self, n_before: int) -> list[Any]:
        """Symbols that came after the first `n_before`, the last one first."""
        return list(islice(reversed(self._ids), len(self._ids) - n_before))

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

    def prepare(self) -> None:
        """Build now what the first large `encode` would build: when no more symbols are to come."""
        if not self._is_stream:  # a copy grows part by part: what is built after one part is lost with the next
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
        n_before = len(self._ids)
        try:
            found = self._added(list(symbols)) if n_before else self._all_added(symbols)
        except TypeError as error:
            raise _no_symbol(error) from None
        _refuse_nan(self.latest(n_before))
        return found

    def _all_added(self, symbols: Iterable[Hashable]) -> NDArray[np.int32]:
        """Numbers where all symbols are new: one pass."""
        growing: defaultdict[Any, int] = defaultdict(None)
        growing.default_factory = growing.__len__
        try:
            return np.fromiter(map(growing.__getitem__, symbols), dtype=np.int32)
        finally:
            self._ids = dict(growing)

    def _added(self, symbols: list[Any]) -> NDArray[np.int32]:
        """Numbers where few symbols are new: in place, so that the time is that of these and not of all."""
        ids = self._ids
        found = np.fromiter(map(ids.get, symbols, repeat(UNKNOWN)), dtype=np.int32, count=len(symbols))
        places = np.flatnonzero(found == UNKNOWN)
        new = [symbols[place] for place in places.tolist()]
        for symbol in new:
            ids.setdefault(symbol, len(ids))
        found[places] = np.fromiter(map(ids.__getitem__, new), dtype=np.int32, count=len(new))
        return found

    def __getstate__(self) -> dict[str, Any]:
        # Hashes of strings hold for this process only.
        return {"_ids": self._ids, "_index": None, "_is_indexed": False, "_is_stream": self._is_stream}

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
