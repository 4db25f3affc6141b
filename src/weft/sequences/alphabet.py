"""Symbols and their numbers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["UNKNOWN", "Alphabet"]

UNKNOWN = -1
"""The number of a symbol that a frozen alphabet does not hold."""


class Alphabet:
    """Numbers symbols in the order of their first appearance.

    A lookup is one C call per symbol (a dictionary behind ``map``), which is what bounds the speed of reading
    Python objects at all.

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
        self._ids: dict[Any, int] = dict.fromkeys(symbols, 0)
        for number, symbol in enumerate(self._ids):
            self._ids[symbol] = number

    @property
    def symbols(self) -> list[Any]:
        """All symbols, in the order of their numbers."""
        return list(self._ids)

    def encode(self, symbols: Iterable[Hashable]) -> NDArray[np.int32]:
        """Numbers of the symbols; `UNKNOWN` for those that the alphabet lacks."""
        return np.fromiter(map(self._ids.get, symbols, repeat(UNKNOWN)), dtype=np.int32)

    def encode_growing(self, symbols: Iterable[Hashable]) -> NDArray[np.int32]:
        """Numbers of the symbols; new symbols are added."""
        growing: defaultdict[Any, int] = defaultdict(None, self._ids)
        growing.default_factory = growing.__len__
        try:
            return np.fromiter(map(growing.__getitem__, symbols), dtype=np.int32)
        finally:
            growing.default_factory = None
            self._ids = dict(growing)

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
