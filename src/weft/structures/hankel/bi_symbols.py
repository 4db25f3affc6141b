"""Bi-symbols: an input symbol together with its label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.core.array_checks import checked_numbers, checked_offsets
from weft.errors import InputError
from weft.sequences.corpus import Corpus, SparseTokens

UNSEEN = -1


def symbol_columns(kind: str | None, names: list[Any], prefix: str) -> NDArray[np.int32]:
    """Number of the symbol that each column of the token features stands for, -1 where it stands for none.

    Parameters
    ----------
    kind : {"symbols", "attributes", "dicts"}
        Form of the input; plain symbols are columns themselves.
    names : list
        Names of the columns.
    prefix : str
        How the names of columns begin that give a token's symbol, for example ``0[0]=``.

    Examples
    --------
    >>> symbol_columns("attributes", ["0[-1]=a", "0[0]=a", "0[0]=b"], "0[0]=").tolist()
    [-1, 0, 1]
    """
    if kind == "vectors":
        raise InputError("a spectral tagger pairs symbols with labels, but X holds arrays; pass symbols or attributes.")
    if kind == "symbols":
        return np.arange(len(names), dtype=np.int32)
    chosen = np.array([isinstance(name, str) and name.startswith(prefix) for name in names], dtype=bool)
    if not chosen.any():
        raise InputError(
            f"no attribute begins with symbol={prefix!r}, so tokens have no symbol; name the prefix that gives it, "
            "such as symbol='word='."
        )
    return np.where(chosen, np.cumsum(chosen) - 1, UNSEEN).astype(np.int32)


@dataclass(frozen=True)
class BiSymbols:
    """The pairs of a symbol and a label that training data have, those of one symbol in a row.

    Attributes
    ----------
    symbol_of_column : ndarray of int32
        Symbol of each token feature, -1 for none.
    begins : ndarray of int64, shape (n_symbols + 1,)
        Pairs of symbol s are ``begins[s]:begins[s + 1]``; the one that comes first wins a tie.
    labels : ndarray of int32, shape (n_pairs + 1 + n_labels,)
        Label of each pair, -1 for the boundary, then all labels, for symbols that were never seen.

    Examples
    --------
    >>> corpus = Corpus(np.array([0, 3]), SparseTokens(np.arange(4), np.array([0, 1, 0], np.int32), np.empty(0), 2))
    >>> pairs = BiSymbols.collect(np.arange(2, dtype=np.int32), corpus, np.array([1, 0, 1], np.int32), 2)
    >>> pairs.n_pairs, pairs.names(["a", "b"], ["x", "y"])
    (2, [('a', 'y'), ('b', 'x')])
    """

    symbol_of_column: NDArray[np.int32]
    begins: NDArray[np.int64]
    labels: NDArray[np.int32]

    def __post_init__(self) -> None:
        cure = "use BiSymbols.collect"
        n_pairs = int(self.begins[-1]) if len(self.begins) else -1
        begins = checked_offsets("begins", self.begins, n_pairs, cure)
        symbols = checked_numbers("symbol_of_column", self.symbol_of_column, len(begins) - 1, cure, low=UNSEEN)
        labels = checked_numbers("labels", self.labels, np.iinfo(np.int32).max, cure, low=-1)
        if len(labels) <= n_pairs or (np.diff(begins) == 0).any():
            raise InputError(f"{len(labels)} labels given for {n_pairs} pairs, or a symbol without one: {cure}")
        for name, array in (("begins", begins), ("symbol_of_column", symbols), ("labels", labels)):
            object.__setattr__(self, name, array)

    @property
    def n_pairs(self) -> int:
        """Number of bi-symbols without the boundary, whose number this is."""
        return int(self.begins[-1])

    @property
    def candidates(self) -> tuple[NDArray[np.int64], NDArray[np.int32], int]:
        """The form of `weft.structures.hankel.loops.windows`."""
        return self.begins, self.labels, self.n_pairs

    def symbols(self, corpus: Corpus) -> NDArray[np.int32]:
        """Symbol of every token: that of its first column that has one, -1 if none has."""
        return _symbols_of_tokens(self.symbol_of_column, corpus)

    def names(self, columns: list[Any], classes: Any) -> list[tuple[Any, Any]]:
        """(name of the column, label) of each bi-symbol."""
        column_of = np.zeros(len(self.begins) - 1, dtype=np.int64)
        places = np.flatnonzero(self.symbol_of_column >= 0)
        column_of[self.symbol_of_column[places]] = places
        symbols = np.repeat(column_of, np.diff(self.begins))
        return [(columns[s], classes[z]) for s, z in zip(symbols, self.labels[: self.n_pairs], strict=True)]

    def positions_in(self, other: BiSymbols, label_map: NDArray[np.int64]) -> NDArray[np.int64]:
        """Number of each of our bi-symbols in another set over the same columns, -1 where it has none."""
        ours, theirs = (
            list(zip(each._pair_columns().tolist(), each.labels[: each.n_pairs].tolist(), strict=True))
            for each in (self, other)
        )
        place = {pair: i for i, pair in enumerate(theirs)}
        found = [place.get((column, int(label_map[label])), -1) for column, label in ours]
        return np.array([*found, other.n_pairs], dtype=np.int64)

    def _pair_columns(self) -> NDArray[np.int64]:
        column_of = np.zeros(len(self.begins) - 1, dtype=np.int64)
        places = np.flatnonzero(self.symbol_of_column >= 0)
        column_of[self.symbol_of_column[places]] = places
        return np.repeat(column_of, np.diff(self.begins))

    @classmethod
    def collect(
        cls,
        symbol_of_column: NDArray[np.int32],
        corpus: Corpus,
        labels: NDArray[np.int32],
        n_labels: int,
        min_count: int = 1,
        by_frequency: bool = True,
    ) -> BiSymbols:
        """Bi-symbols of training data.

        Symbols with fewer than `min_count` tokens count as never seen. With ``by_frequency=False`` labels keep their
        own order, which decides ties.
        """
        fallback = np.argsort(-np.bincount(labels, minlength=n_labels), kind="stable").astype(np.int32)
        if not by_frequency:
            fallback = np.arange(n_labels, dtype=np.int32)
        symbols = _symbols_of_tokens(symbol_of_column, corpus)
        n_symbols = int(symbol_of_column.max(initial=-1)) + 1
        counts = np.bincount(symbols[symbols >= 0], minlength=n_symbols)
        kept = counts >= min_count
        number = np.where(kept, np.cumsum(kept) - 1, UNSEEN)
        renumbered = np.where(symbol_of_column >= 0, number[symbol_of_column], UNSEEN).astype(np.int32)
        if not kept.any():
            raise InputError(
                f"no symbol has min_count={min_count} tokens or more; lower min_count, or name another symbol."
            )
        known = (symbols >= 0) & kept[symbols]
        codes, frequency = np.unique(
            number[symbols[known]] * n_labels + labels[known].astype(np.int64), return_counts=True
        )
        if by_frequency:
            codes = codes[np.lexsort((-frequency, codes // n_labels))]
        begins = np.searchsorted(codes, np.arange(int(kept.sum()) + 1) * n_labels).astype(np.int64)
        pair_labels = (codes % n_labels).astype(np.int32)
        return cls(renumbered, begins, np.concatenate([pair_labels, np.array([-1], np.int32), fallback]))


def _symbols_of_tokens(symbol_of_column: NDArray[np.int32], corpus: Corpus) -> NDArray[np.int32]:
    tokens = corpus.tokens
    symbols = np.full(corpus.n_tokens, UNSEEN, dtype=np.int32)
    if not isinstance(tokens, SparseTokens):
        raise InputError("a spectral tagger pairs symbols with labels, but X holds arrays; pass symbols or attributes.")
    found = symbol_of_column[tokens.ids]
    entries = np.flatnonzero(found >= 0)[::-1]  # backwards, so that the first one stays
    rows = np.repeat(np.arange(corpus.n_tokens), np.diff(tokens.offsets))
    symbols[rows[entries]] = found[entries]
    return symbols
