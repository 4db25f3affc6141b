"""The n-grams of output strings as coordinates of a vector space."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np
import scipy.sparse

from weft.arrays import Integers
from weft.core.array_checks import checked_numbers
from weft.core.checks import checked_number
from weft.errors import InputError
from weft.sequences.alphabet import Alphabet
from weft.sequences.checks import as_list, each_sequence

BOUNDARY = 0
"""Number of the symbol before the first and after the last one of every string."""


class GramSpace:
    """Counts of n-grams, one coordinate for each n-gram of the training strings.

    One boundary symbol stands before and one after each string, so that n-grams tell how it begins and ends.

    Parameters
    ----------
    symbols : sequence of hashable
        Numbered from 1.
    grams : list of ndarray of shape (n_grams, n)
        Numbers of the symbols of the n-grams of each length; rows sorted.

    Attributes
    ----------
    base : int
        All numbers of symbols are below it.
    lengths : list of int
        Length of the n-grams of each block of coordinates.
    starts : list of int
        First coordinate of each block, and the number of coordinates.

    Examples
    --------
    >>> space = GramSpace.learn(["ab", "abb"], [2])
    >>> space.names()
    ['^a', 'ab', 'b^', 'bb']
    >>> space.counts(["abbb"]).toarray()
    array([[1., 1., 1., 2.]])
    """

    def __init__(self, symbols: Sequence[Hashable], grams: list[Integers]) -> None:
        self.alphabet = Alphabet(symbols)
        self.base = len(self.alphabet) + 1
        self.grams = grams
        self.lengths = [each.shape[1] for each in grams]
        self.starts = np.cumsum([0, *map(len, grams)]).tolist()
        for each in grams:
            if each.ndim != 2 or not each.shape[1] or not np.issubdtype(each.dtype, np.integer):
                raise InputError(
                    f"n-grams of shape {each.shape} and type {each.dtype} given; need integers (n_grams, n)."
                )
            checked_numbers("n-grams", each.ravel(), self.base, "number the symbols from 1, the boundary is 0")
            if float(self.base) ** each.shape[1] > 2.0**62:
                raise InputError(f"{len(symbols)} symbols have too many n-grams of length {each.shape[1]}; lower it.")
        self.keys = [self.encode_rows(each) for each in grams]
        if any((keys[1:] <= keys[:-1]).any() for keys in self.keys):
            raise InputError("the rows of n-grams are not sorted, or one stands twice; sort them: use GramSpace.learn")

    @classmethod
    def learn(cls, strings: Sequence[Any], lengths: Iterable[int]) -> GramSpace:
        """Coordinates for all n-grams of the strings.

        Parameters
        ----------
        strings : list of strings or token lists
        lengths : iterable of int
            Lengths of n-grams.
        """
        wanted = sorted({checked_number("n", n) for n in lengths})
        if not wanted:
            raise InputError("no length of n-grams given; give at least one, such as [2].")
        strings = each_sequence(as_list(strings, "strings"), "strings")
        try:
            found = set(chain.from_iterable(strings))
        except TypeError as error:
            raise InputError(
                f"a symbol of the strings cannot be numbered ({error}); give strings or numbers."
            ) from None
        try:
            symbols = sorted(found)
        except TypeError:
            symbols = list(dict.fromkeys(chain.from_iterable(strings)))
        space = cls(symbols, [])
        padded, offsets = space.encode(strings)
        if (len(symbols) + 1.0) ** wanted[-1] > 2.0**62:
            raise InputError(
                f"{len(symbols)} symbols have too many n-grams of length {wanted[-1]} to number them; lower it."
            )
        grams = []
        for n in wanted:
            windows, _ = _windows(padded, offsets, n)
            if n == 1:
                windows = windows[windows[:, 0] != BOUNDARY]
            if len(windows) == 0:
                raise InputError(f"no output is long enough for n-grams of length {n}; lower it.")
            keys = np.unique(space.encode_rows(windows))
            grams.append(space.decode_keys(keys, n))
        return cls(symbols, grams)

    @classmethod
    def join(cls, spaces: Sequence[GramSpace]) -> GramSpace:
        """The n-grams of several spaces with the same lengths, as `learn` would find them in all their strings.

        Examples
        --------
        >>> GramSpace.join([GramSpace.learn(["b"], [2]), GramSpace.learn(["ab"], [2])]).names()
        ['^a', '^b', 'ab', 'b^']
        """
        found = dict.fromkeys(symbol for space in spaces for symbol in space.alphabet.symbols)
        try:
            symbols = sorted(found)
        except TypeError:
            symbols = list(found)
        whole = cls(symbols, [])
        numbers = [np.append(0, whole.alphabet.encode(space.alphabet.symbols).astype(np.int64) + 1) for space in spaces]
        grams = []
        for place, n in enumerate(spaces[0].lengths):
            keys = [whole.encode_rows(own[space.grams[place]]) for own, space in zip(numbers, spaces, strict=True)]
            grams.append(whole.decode_keys(np.unique(np.concatenate(keys)), n))
        return cls(symbols, grams)

    @property
    def n_grams(self) -> int:
        """Number of coordinates."""
        return int(self.starts[-1])

    def encode(self, strings: Sequence[Any]) -> tuple[Integers, Integers]:
        """Numbers of all symbols with boundaries, one string after the other, and where each begins; -1 is unknown."""
        strings = each_sequence(as_list(strings, "strings"), "strings")
        lengths = np.fromiter(map(len, strings), dtype=np.int64, count=len(strings)) + 2
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        padded = np.full(int(offsets[-1]), BOUNDARY, dtype=np.int64)
        inner = np.ones(len(padded), dtype=bool)
        inner[offsets[:-1]] = inner[offsets[1:] - 1] = False
        numbers = self.alphabet.encode(chain.from_iterable(strings)).astype(np.int64) + 1
        padded[inner] = np.where(numbers == 0, -1, numbers)
        return padded, offsets

    def encode_rows(self, rows: Integers) -> Integers:
        """One number for each row of symbols."""
        keys = np.zeros(len(rows), dtype=np.int64)
        for column in rows.T:
            keys = keys * self.base + column
        return keys

    def decode_keys(self, keys: Integers, n: int) -> Integers:
        """Rows of symbols back from `encode_rows`."""
        powers = self.base ** np.arange(n - 1, -1, -1, dtype=np.int64)
        return keys[:, None] // powers % self.base

    def block(self, n: int) -> slice:
        """Coordinates of the n-grams of one length."""
        if n not in self.lengths:
            raise InputError(f"there are n-grams of lengths {self.lengths}, none of {n}; learn them first.")
        i = self.lengths.index(n)
        return slice(self.starts[i], self.starts[i + 1])

    def counts(self, strings: Sequence[Any]) -> scipy.sparse.csr_array:
        """Counts of the n-grams in each string; n-grams unseen in training are left out."""
        padded, offsets = self.encode(strings)
        n_strings = len(offsets) - 1
        rows, columns = [], []
        for n, keys, start in zip(self.lengths, self.keys, self.starts, strict=False):
            windows, owners = _windows(padded, offsets, n)
            known = (windows >= 0).all(axis=1)
            wanted = self.encode_rows(windows[known])
            places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
            hits = keys[places] == wanted
            rows.append(owners[known][hits])
            columns.append(places[hits] + start)
        row, column = np.concatenate(rows), np.concatenate(columns)
        counted = scipy.sparse.coo_array((np.ones(len(row)), (row, column)), shape=(n_strings, self.n_grams))
        return counted.tocsr()

    def names(self, boundary: str = "^") -> list[str]:
        """N-grams as text."""
        shown = [boundary, *map(str, self.alphabet.symbols)]
        return ["".join(shown[k] for k in row) for grams in self.grams for row in grams.tolist()]

    def decode(self, numbers: Iterable[int]) -> list[Any]:
        """Symbols of a string, boundaries left out."""
        symbols = self.alphabet.symbols
        return [symbols[k - 1] for k in numbers if k != BOUNDARY]


def _windows(padded: Integers, offsets: Integers, n: int) -> tuple[Integers, Integers]:
    """All n-grams that lie within one string, and the number of that string."""
    if len(padded) < n:
        return np.empty((0, n), dtype=np.int64), np.empty(0, dtype=np.int64)
    windows = np.lib.stride_tricks.sliding_window_view(padded, n)
    owner = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    inside = owner[: len(windows)] == owner[n - 1 :]
    return windows[inside], owner[: len(windows)][inside]
