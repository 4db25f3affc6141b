"""Symbols numbered by their hashes: no table of names, however many there are; some share a number."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.errors import InputError
from weft.sequences.checks import refuse_tables
from weft.sequences.name_hashes import name_hashes

MOST_COLUMNS = 2**28
TOGETHER = 2**20
"""Symbols that are looked at together: those that come again are hashed once."""


def columns_of(hashes: NDArray[np.uint64], n_columns: int) -> NDArray[np.int32]:
    """Columns of attributes with these hashes.

    Examples
    --------
    >>> columns_of(np.array([3, 13], dtype=np.uint64), 10)
    array([3, 3], dtype=int32)
    """
    return (hashes % np.uint64(n_columns)).astype(np.int32)


class HashedAlphabet:
    """Numbers symbols by a hash; it knows none and takes all, and never grows.

    Parameters
    ----------
    n_columns : int
        Numbers are smaller than this.

    Examples
    --------
    >>> alphabet = HashedAlphabet(1000)
    >>> alphabet.encode(["the", "cat", "the"])
    array([849, 564, 849], dtype=int32)
    """

    def __init__(self, n_columns: int) -> None:
        given: Any = n_columns
        if not (isinstance(given, int | np.integer) and 1 <= given <= MOST_COLUMNS):
            raise InputError(f"n_features is {given!r}; a whole number from 1 to {MOST_COLUMNS} is needed, or None.")
        self.n_columns = int(n_columns)

    @property
    def symbols(self) -> Sequence[int]:
        """The numbers: names are not kept."""
        return range(self.n_columns)

    def encode(self, symbols: Iterable[Hashable]) -> NDArray[np.int32]:
        """Numbers of the symbols."""
        refuse_tables(symbols, "symbols")
        left, found = iter(symbols), [np.empty(0, dtype=np.int32)]
        while block := list(islice(left, TOGETHER)):
            distinct = dict.fromkeys(block)
            numbers = columns_of(name_hashes(list(distinct)), self.n_columns)
            own = dict(zip(distinct, numbers.tolist(), strict=True))
            found.append(np.fromiter(map(own.__getitem__, block), dtype=np.int32, count=len(block)))
        return np.concatenate(found)

    encode_growing = encode

    def copy(self) -> HashedAlphabet:
        """Itself: it never changes."""
        return self

    def put_away(self) -> None:
        """Do nothing: no symbols are kept."""

    def prepare(self) -> None:
        """Do nothing: there is no table."""

    def __len__(self) -> int:
        return self.n_columns

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.n_columns))
