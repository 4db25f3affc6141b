"""The one batch format: ragged sequences of tokens, each token a row of a feature matrix."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.core.array_checks import checked_floats, checked_numbers, checked_offsets
from weft.errors import InputError


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
