"""Sequences as arrays of small numbers: 0 is no symbol, 1 to n the known ones, n + 1 all others."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weft.errors import InputError
from weft.sequences.alphabet import Alphabet

__all__ = ["CodedSequences", "SymbolTable", "form_of"]

FORMS = {"characters": "strings", "tokens": "lists of tokens", "automata": "automata"}


class CodedSequences(NamedTuple):
    """Numbers of all symbols, one sequence after the other; sequence i begins at ``offsets[i]``."""

    codes: NDArray[np.int32]
    offsets: NDArray[np.int64]


def form_of(X: Any, name: str = "X") -> str:
    """Which form the sequences have: ``characters``, ``tokens`` or ``automata``.

    Examples
    --------
    >>> form_of(["abc", ""]), form_of([["to", "be"], []])
    ('characters', 'tokens')
    >>> form_of(["abc", ["to", "be"]])
    Traceback (most recent call last):
    ...
    weft.errors.InputError: X[0] is a string but X[1] is a list; want all of one form: strings, lists of tokens...
    """
    if isinstance(X, str | bytes):
        raise InputError(f"{name} is one string, {X[:20]!r}; a list of sequences is wanted: wrap it as [{name}].")
    if not hasattr(X, "__len__") or isinstance(X, dict):
        raise InputError(f"{name} is a {type(X).__name__}; a list of sequences is wanted, such as ['abc', 'de'].")
    kinds = set(map(type, X))
    if kinds == {str}:
        return "characters"
    first: str | None = None
    for index, sequence in enumerate(X):
        form = _form_of_one(sequence, f"{name}[{index}]")
        if first is None:
            first = form
        elif form != first:
            raise InputError(
                f"{name}[0] is a {_noun(X[0])} but {name}[{index}] is a {_noun(sequence)}; "
                "want all of one form: strings, lists of tokens, or automata."
            )
    return first or "characters"


def _noun(value: Any) -> str:
    return "string" if isinstance(value, str) else type(value).__name__


def _form_of_one(sequence: Any, name: str) -> str:
    if isinstance(sequence, str):
        return "characters"
    if hasattr(sequence, "arcs") or type(sequence).__name__ == "Automaton":
        return "automata"
    if isinstance(sequence, bytes | dict) or not hasattr(sequence, "__len__"):
        raise InputError(
            f"{name} is a {type(sequence).__name__}; a string, a list of tokens or an automaton is wanted: "
            "convert it first."
        )
    return "tokens"


class SymbolTable:
    """Numbers of symbols from 1 on, in sorted order.

    Parameters
    ----------
    form : {"characters", "tokens"}
    symbols : list of str, or of other hashable values for tokens
        In the order of their numbers.

    Examples
    --------
    >>> table, coded = SymbolTable.learn(["cab", "b"])
    >>> table.symbols, coded.codes, coded.offsets
    (['a', 'b', 'c'], array([3, 1, 2, 2], dtype=int32), array([0, 3, 4]))
    >>> table.encode(["bx"]).codes
    array([2, 4], dtype=int32)
    """

    def __init__(self, form: str, symbols: Sequence[Any]) -> None:
        self.form = form
        self.symbols = list(symbols)
        if form == "tokens":
            self._alphabet = Alphabet(self.symbols)
        else:
            self._numbers = _number_table(np.array(list(map(ord, self.symbols)), dtype=np.int64))

    def __len__(self) -> int:
        return len(self.symbols)

    @property
    def unknown(self) -> int:
        """Number of every symbol that the table lacks."""
        return len(self.symbols) + 1

    @classmethod
    def learn(cls, X: Sequence[Any]) -> tuple[SymbolTable, CodedSequences]:
        """Table of the symbols of `X`, and `X` in its numbers."""
        form = form_of(X)
        if form == "characters":
            points, offsets = _code_points(X)
            present = np.flatnonzero(np.bincount(points, minlength=1))
            if not points.size:
                present = present[:0]
            table = cls(form, list(map(chr, present.tolist())))
            return table, CodedSequences(table._numbers[points], offsets)
        alphabet = Alphabet()
        found = _encode_tokens(alphabet.encode_growing, X)
        order = sorted(range(len(alphabet)), key=lambda i: _sort_key(alphabet.symbols[i]))
        symbols = alphabet.symbols
        rank = np.empty(len(order), dtype=np.int32)
        rank[order] = np.arange(1, len(order) + 1, dtype=np.int32)
        return cls(form, [symbols[i] for i in order]), found._replace(codes=rank[found.codes])

    def encode(self, X: Sequence[Any], name: str = "X") -> CodedSequences:
        """Numbers of the symbols of `X`."""
        form = form_of(X, name)
        if len(X) and form != self.form:
            raise InputError(
                f"{name} holds {FORMS[form]}, but the columns were learned on {FORMS[self.form]}; "
                "give the form of the training data."
            )
        if self.form == "characters":
            points, offsets = _code_points(X)
            points = np.minimum(points, len(self._numbers) - 1)
            return CodedSequences(self._numbers[points], offsets)
        found = _encode_tokens(self._alphabet.encode, X)
        return found._replace(codes=np.where(found.codes < 0, self.unknown, found.codes + 1).astype(np.int32))


def _sort_key(symbol: Any) -> tuple[str, Any]:
    return type(symbol).__name__, symbol


def _number_table(points: NDArray[np.int64]) -> NDArray[np.int32]:
    """Number of each code point; the last entry stands for all beyond."""
    numbers = np.full(int(points.max(initial=0)) + 2, len(points) + 1, dtype=np.int32)
    numbers[points] = np.arange(1, len(points) + 1, dtype=np.int32)
    return numbers


def _code_points(X: Sequence[str]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    offsets = np.zeros(len(X) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, X), dtype=np.int64, count=len(X)), out=offsets[1:])
    joined = "".join(X)
    if joined.isascii():
        return np.frombuffer(joined.encode("ascii"), dtype=np.uint8), offsets
    return np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype=np.uint32), offsets


def _encode_tokens(encode: Any, X: Sequence[Any]) -> CodedSequences:
    offsets = np.zeros(len(X) + 1, dtype=np.int64)
    np.cumsum([len(sequence) for sequence in X], out=offsets[1:])
    try:
        return CodedSequences(encode(chain.from_iterable(X)), offsets)
    except TypeError:
        raise InputError(
            "X has a token that is not hashable, such as a list or dict; want strings or numbers as tokens."
        ) from None
