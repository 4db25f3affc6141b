"""The one batch format: ragged sequences of tokens, each token a row of a feature matrix."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.core.array_checks import checked_floats, checked_numbers, checked_offsets
from weft.errors import InputError
from weft.sequences.loops.entries import keep_known

AT_ONCE = 2**18
"""Columns that are counted at a time: NumPy makes their numbers twice as wide first."""


def column_sums(ids: NDArray[np.int32], values: NDArray[np.float64] | None, n_columns: int) -> NDArray[Any]:
    """Sum of the values of each column; without values how often it comes.

    Examples
    --------
    >>> ids = np.array([0, 2, 0], dtype=np.int32)
    >>> column_sums(ids, None, 3), column_sums(ids, np.array([0.5, 1.0, 2.0]), 3)
    (array([2, 0, 1]), array([2.5, 0. , 1. ]))
    """
    if values is not None:
        return np.bincount(ids, values, minlength=n_columns)
    counts = np.zeros(n_columns, dtype=np.int64)
    for begin in range(0, len(ids), AT_ONCE):
        counts += np.bincount(ids[begin : begin + AT_ONCE], minlength=n_columns)
    return counts


@dataclass(frozen=True)
class SparseTokens:
    """Rows of a sparse feature matrix, one per token (compressed rows).

    Attributes
    ----------
    offsets : ndarray of int64, shape (n_tokens + 1,)
    ids : ndarray of int32, shape (n_entries,)
    values : ndarray of float64, shape (n_entries,) or (0,)
        Empty when every value is one, the common case.
    n_columns : int
    """

    offsets: NDArray[np.int64]
    ids: NDArray[np.int32]
    values: NDArray[np.float64]
    n_columns: int

    def __post_init__(self) -> None:
        cure = "make the rows with TokenEncoder"
        ids = checked_numbers("ids", self.ids, self.n_columns, cure)
        offsets = checked_offsets("offsets", self.offsets, len(ids), cure)
        values = checked_floats("values", self.values, (len(ids) if len(self.values) else 0,), cure)
        for name, array in (("offsets", offsets), ("ids", ids), ("values", values)):
            object.__setattr__(self, name, array)

    @classmethod
    def of_found(
        cls, ids: NDArray[np.int32], values: NDArray[np.float64], counts: NDArray[np.int64], n_columns: int
    ) -> SparseTokens:
        """Rows of so many ids each, with unknown ones, which are negative, left out; the array of ids is used up.

        Examples
        --------
        >>> found = SparseTokens.of_found(np.array([1, -1, 0], np.int32), np.empty(0), np.array([2, 1]), 2)
        >>> found.ids, found.offsets
        (array([1, 0], dtype=int32), array([0, 1, 2]))
        """
        values = values[ids >= 0] if len(values) else values
        offsets = np.empty(len(counts) + 1, dtype=np.int64)
        n_kept = keep_known(ids, counts, n_columns, offsets)
        if n_kept < 0:
            raise InputError(f"ids of tokens do not fit {n_columns} columns; make the rows with TokenEncoder")
        found = cls.__new__(cls)  # all that is checked otherwise is so by now
        vars(found).update(offsets=offsets, ids=ids[:n_kept], values=values, n_columns=n_columns)
        return found

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def rows(self, selected: NDArray[np.int64]) -> SparseTokens:
        """Copy the given token rows."""
        lengths = np.diff(self.offsets)[selected]
        offsets = np.zeros(len(selected) + 1, dtype=np.int64)
        np.cumsum(lengths, out=offsets[1:])
        entries = np.repeat(self.offsets[selected] - offsets[:-1], lengths) + np.arange(offsets[-1])
        values = self.values[entries] if len(self.values) else self.values
        return SparseTokens(offsets, self.ids[entries], values, self.n_columns)


@dataclass(frozen=True)
class Corpus:
    """Encoded sequences: where each begins, and the features of every token.

    Attributes
    ----------
    offsets : ndarray of int64, shape (n_sequences + 1,)
        Tokens of sequence i are ``offsets[i]:offsets[i + 1]``.
    tokens : SparseTokens or ndarray of shape (n_tokens, n_columns)
    encoder_key : str
        Which encoder chose the columns; a model refuses a corpus of another.

    Examples
    --------
    >>> corpus = Corpus(np.array([0, 2, 5]), np.zeros((5, 3)))
    >>> len(corpus), corpus.n_tokens, corpus.lengths
    (2, 5, array([2, 3]))
    """

    offsets: NDArray[np.int64]
    tokens: SparseTokens | NDArray[np.float64]
    encoder_key: str = ""

    @classmethod
    def of_lengths(
        cls, lengths: NDArray[np.int64], tokens: SparseTokens | NDArray[np.float64], encoder_key: str
    ) -> Corpus:
        """Sequences of so many tokens each."""
        offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
        np.add.accumulate(lengths, out=offsets[1:])  # as np.cumsum, in a third of the time for few numbers
        if offsets[-1] != len(tokens):
            raise InputError(f"{offsets[-1]} tokens in sequences, {len(tokens)} with features; need as many: encode X")
        found = cls.__new__(cls)  # all that is checked otherwise is so by now
        vars(found).update(offsets=offsets, tokens=tokens, encoder_key=encoder_key)
        return found

    def __post_init__(self) -> None:
        offsets = checked_offsets("offsets", self.offsets, len(self.tokens), "end with the number of tokens")
        object.__setattr__(self, "offsets", offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def n_tokens(self) -> int:
        """Number of tokens of all sequences together."""
        return int(self.offsets[-1])

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Length of each sequence."""
        return self.offsets[1:] - self.offsets[:-1]

    @property
    def n_columns(self) -> int:
        """Number of token features."""
        return self.tokens.n_columns if isinstance(self.tokens, SparseTokens) else self.tokens.shape[1]

    def split(self, flat: Any) -> list[Any]:
        """Cut a list or array with one entry per token into one piece per sequence."""
        return [flat[a:b] for a, b in pairwise(self.offsets.tolist())]

    def select(self, indices: NDArray[np.int64]) -> Corpus:
        """Copy the given sequences."""
        if len(indices) == 0:
            raise InputError("no sequence selected from the corpus; at least one is needed")
        lengths = self.lengths[indices]
        offsets = np.zeros(len(indices) + 1, dtype=np.int64)
        np.cumsum(lengths, out=offsets[1:])
        rows = np.repeat(self.offsets[indices] - offsets[:-1], lengths) + np.arange(offsets[-1])
        tokens = self.tokens.rows(rows) if isinstance(self.tokens, SparseTokens) else self.tokens[rows]
        return Corpus(offsets, tokens, self.encoder_key)
