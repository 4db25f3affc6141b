"""Sequences as arrays of small numbers: 0 is no symbol, 1 to n the known ones, n + 1 all others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weft.automata import Automaton, from_openfst
from weft.automata.openfst import is_openfst
from weft.errors import InputError
from weft.kernels.grams.loops.emitting import mark_points, number_points
from weft.sequences.alphabet import Alphabet
from weft.sequences.checks import as_examples, is_missing, shown

FORMS = {"characters": "strings", "tokens": "lists of tokens", "automata": "automata"}


class CodedSequences(NamedTuple):
    """Numbers of all symbols, one sequence after the other; sequence i begins at ``offsets[i]``."""

    codes: NDArray[np.int32]
    offsets: NDArray[np.int64]


def as_coded(X: Any, name: str = "X") -> list[Any]:
    """A list of strings, lists, tuples, arrays and automata; each public function of a kernel begins with it.

    Examples
    --------
    >>> as_coded([range(2)])
    [[0, 1]]
    """
    if type(X) is list and set(map(type, X)) == {str}:
        return X
    if not hasattr(X, "__len__"):
        raise InputError(f"{name} is a {type(X).__name__}; a list of sequences is needed, such as ['abc', 'de'].")
    return as_examples(as_automata(X), name)


def as_automata(X: Any) -> Any:
    """Machines of pynini and OpenFst as automata; all else as it is.

    Examples
    --------
    >>> as_automata(["abc"])
    ['abc']
    """
    kinds = {type(x): x for x in X} if isinstance(X, list | tuple) else {}
    if not any(map(is_openfst, kinds.values())):
        return X
    return [from_openfst(x) if is_openfst(x) else x for x in X]


def form_of(X: Any, name: str = "X") -> str:
    """Which form the sequences have: ``characters``, ``tokens`` or ``automata``.

    Examples
    --------
    >>> form_of(["abc", ""]), form_of([["to", "be"], []])
    ('characters', 'tokens')
    >>> form_of(["abc", ["to", "be"]])
    Traceback (most recent call last):
    ...
    weft.errors.InputError: X[0] is a string, but X[1] is a list; need all of one form: strings, lists of tokens...
    """
    X = as_coded(X, name)
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
                f"{name}[0] is a {_noun(X[0])}, but {name}[{index}] is a {_noun(sequence)}; "
                "need all of one form: strings, lists of tokens, or automata."
            )
    return first or "characters"


def _noun(value: Any) -> str:
    return "string" if isinstance(value, str) else type(value).__name__


def _form_of_one(sequence: Any, name: str) -> str:
    if isinstance(sequence, str):
        return "characters"
    if isinstance(sequence, Automaton):
        return "automata"
    if is_missing(sequence):
        raise InputError(
            f"{name} is {shown(sequence)}, a missing value; a string, a list of tokens or an automaton is needed: fill "
            "it, or drop the example."
        )
    if isinstance(sequence, bytes | dict) or not hasattr(sequence, "__len__"):
        raise InputError(
            f"{name} is a {type(sequence).__name__}; a string, a list of tokens or an automaton is needed: "
            "convert it first."
        )
    return "tokens"


class SymbolTable:
    """Numbers of symbols from 1 on, in sorted order.

    Parameters
    ----------
    form : {"characters", "tokens", "automata"}
    symbols : list of str, or of other hashable values for tokens
        In the order of their numbers.

    Examples
    --------
    >>> table = SymbolTable.learn(["cab", "b"])
    >>> table.symbols
    ['a', 'b', 'c']
    >>> table.encode(["ab", "x"])
    CodedSequences(codes=array([1, 2, 4], dtype=int32), offsets=array([0, 2, 3]))
    """

    def __init__(self, form: str, symbols: Sequence[Any]) -> None:
        self.form = form
        self.symbols = list(symbols)
        if form != "characters":
            self._alphabet = Alphabet(self.symbols)
        else:
            self._numbers = _number_table(np.array(list(map(ord, self.symbols)), dtype=np.int64))

    def __len__(self) -> int:
        return len(self.symbols)

    @property
    def base(self) -> int:
        """Number of digits that grams are written in: the symbols, one for all others, and zero."""
        return len(self.symbols) + 2

    @property
    def unknown(self) -> int:
        """Number of every symbol that the table lacks."""
        return len(self.symbols) + 1

    @classmethod
    def learn(cls, X: Sequence[Any], further: Iterable[Any] = ()) -> SymbolTable:
        """Table of the symbols of `X`, and of some that it need not have."""
        X = as_coded(X)
        form = form_of(X)
        if form == "characters":
            points, _ = _code_points([*X, _text_of(further)])
            present = np.zeros(int(points.max(initial=0)) + 1, dtype=np.bool_)
            mark_points(points, present)
            return cls(form, list(map(chr, np.flatnonzero(present).tolist())))
        sequences = [lattice.symbols[1:] for lattice in X] if form == "automata" else X
        try:
            seen = set(further).union(*sequences)
        except TypeError:
            raise InputError(
                "a token of X is not hashable, such as a list or dict; need strings or numbers as tokens."
            ) from None
        return cls(form, sorted(seen, key=_sort_key))

    def joined(self, other: SymbolTable) -> SymbolTable:
        """Table of the symbols of both."""
        return SymbolTable(self.form, sorted({*self.symbols, *other.symbols}, key=_sort_key))

    def decoded(self, digits: NDArray[np.int64]) -> list[Any]:
        """Sequences whose symbols have the numbers in the rows.

        Examples
        --------
        >>> SymbolTable.learn(["cab"]).decoded(np.array([[1, 3]]))
        ['ac']
        """
        rows = [[self.symbols[digit - 1] for digit in row] for row in digits.tolist()]
        return ["".join(row) for row in rows] if self.form == "characters" else rows

    def encode(self, X: Sequence[Any], name: str = "X") -> CodedSequences:
        """Numbers of the symbols of `X`."""
        X = as_coded(X, name)
        form = form_of(X, name)
        if len(X) and form != self.form and self.form != "automata":
            raise InputError(
                f"{name} holds {FORMS[form]}, but the columns were learned on {FORMS[self.form]}; "
                "give the form of the training data."
            )
        if self.form == "characters":
            points, offsets = _code_points(X)
            return CodedSequences(self._look_up(points), offsets)
        offsets = np.zeros(len(X) + 1, dtype=np.int64)
        np.cumsum([len(sequence) for sequence in X], out=offsets[1:])
        codes = self._alphabet.encode(chain.from_iterable(X))
        if len(codes) != offsets[-1]:
            raise InputError(
                f"the sequences of {name} say that they have {offsets[-1]} tokens, but give {len(codes)}; need lists: "
                "convert each with list(x), or take one column of a data frame"
            )
        return CodedSequences(np.where(codes < 0, self.unknown, codes + 1).astype(np.int32), offsets)

    def number(self, symbol: Any) -> int:
        """Number of one symbol."""
        return self._numbers_by_symbol.get(symbol, self.unknown)

    @cached_property
    def known(self) -> frozenset[Any]:
        """The symbols, to look one up."""
        return frozenset(self.symbols)

    @cached_property
    def _numbers_by_symbol(self) -> dict[Any, int]:
        return {symbol: number for number, symbol in enumerate(self.symbols, 1)}

    def _look_up(self, points: NDArray[Any]) -> NDArray[np.int32]:
        codes = np.empty(len(points), dtype=np.int32)
        number_points(points, self._numbers, codes)
        return codes


def _sort_key(symbol: Any) -> tuple[str, Any]:
    return type(symbol).__name__, symbol


def _number_table(points: NDArray[np.int64]) -> NDArray[np.int32]:
    """Number of each code point; the last entry stands for all beyond."""
    numbers = np.full(int(points.max(initial=0)) + 2, len(points) + 1, dtype=np.int32)
    numbers[points] = np.arange(1, len(points) + 1, dtype=np.int32)
    return numbers


def _code_points(X: Sequence[str]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    offsets = np.zeros(len(X) + 1, dtype=np.int64)
    np.add.accumulate(np.fromiter(map(len, X), dtype=np.int64, count=len(X)), out=offsets[1:])
    joined = "".join(X)
    return np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype=np.uint32), offsets


def _text_of(symbols: Any) -> str:
    """Characters that were given as a string, or one by one."""
    try:
        return "".join(symbols)
    except TypeError:
        raise InputError(f"alphabet={symbols!r:.60} given; need the characters of X, such as 'ACGT'.") from None
