"""Strings or token lists on either side of a rewriter: checks, Unicode normal forms, numbers."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable
from itertools import chain
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from weft.errors import InputError
from weft.rewriting.tagged import BEGIN, END, tag_symbol
from weft.sequences.alphabet import Alphabet
from weft.sequences.checks import as_list, each_sequence, is_missing, shown

Kind = Literal["characters", "tokens"]
NORMAL_FORMS = ("auto", "NFC", "NFD", "NFKC", "NFKD", None)
OPPOSITE = {"NFC": "NFD", "NFD": "NFC"}

MUCH_SMALLER = 3
"""Decomposed text is used if that leaves the alphabet smaller by this factor, as for the syllables of Hangul."""


def as_outputs(values: Any, name: str) -> tuple[list[Any], Kind]:
    """A list of strings, or of token lists; empty ones may occur.

    Examples
    --------
    >>> as_outputs(["ab", ""], "y")
    (['ab', ''], 'characters')
    """
    if isinstance(values, str | bytes) or not hasattr(values, "__iter__"):
        raise InputError(
            f"{name} is {shown(values)}; a list of strings or of token lists is needed, such as ['abc', 'de']."
        )
    sequences = as_list(values, name, "a list of strings or of token lists is needed")
    if not sequences:
        raise InputError(f"{name} is empty; at least one sequence is needed.")
    texts = sum(isinstance(sequence, str) for sequence in sequences)
    if texts not in (0, len(sequences)):
        missing = next((place for place, each in enumerate(sequences) if is_missing(each)), None)
        if missing is not None:
            raise InputError(
                f"{name}[{missing}] is {shown(sequences[missing])}, a missing value; a string or a list of tokens is "
                "needed: fill it, or drop the example."
            )
        raise InputError(f"{name} mixes strings and token lists; give all as strings, or all as lists.")
    return each_sequence(sequences, name, "a string or a list of tokens is needed"), "characters" if texts else "tokens"


def normalised(sequences: list[Any], form: str | None) -> list[Any]:
    """Strings, or the strings among tokens, in a normal form.

    Examples
    --------
    >>> normalised(["e\u0301"], "NFC") == ["\u00e9"]
    True
    """
    if form is None:
        return sequences
    normal: Any = unicodedata.normalize
    return [
        normal(form, sequence)
        if isinstance(sequence, str)
        else [normal(form, token) if isinstance(token, str) else token for token in sequence]
        for sequence in sequences
    ]


class SideSurvey(NamedTuple):
    """What sequences of one side, of all examples or of a part of them, are made of.

    Attributes
    ----------
    kind : {"characters", "tokens"}
    wanted : str or None
        The normal form to use; "auto" is NFC, or NFD where that leaves a much smaller alphabet.
    symbols : dict
        The different symbols in each form that may be chosen.
    n_foreign : dict
        How many sequences are not in each form.
    """

    kind: Kind
    wanted: str | None
    symbols: dict[str | None, set[Any]]
    n_foreign: dict[str | None, int]

    @classmethod
    def of(cls, sequences: list[Any], kind: Kind, wanted: str | None) -> SideSurvey:
        """Look at sequences."""
        if wanted not in NORMAL_FORMS:
            raise InputError(f"normal_form is {wanted!r}; use one of {', '.join(map(repr, NORMAL_FORMS))}.")
        forms: list[Any] = [wanted]
        if wanted == "auto":
            forms = ["NFC", "NFD"] if kind == "characters" else ["NFC"]
        texts = ["".join(token for token in sequence if isinstance(token, str)) for sequence in sequences]
        others = [OPPOSITE[form] for form in forms if form in OPPOSITE]
        if wanted is None or all(map(str.isascii, texts)):
            found = symbols_of(sequences)
            return cls(kind, wanted, dict.fromkeys(forms, found), dict.fromkeys([*forms, *others], 0))
        normal: Any = unicodedata.is_normalized
        foreign = {form: sum(not normal(form, text) for text in texts) for form in dict.fromkeys([*forms, *others])}
        return cls(kind, wanted, {form: symbols_of(normalised(sequences, form)) for form in forms}, foreign)

    def joined(self, other: SideSurvey) -> SideSurvey:
        """What both have together."""
        symbols = {form: known | other.symbols[form] for form, known in self.symbols.items()}
        foreign = {form: known + other.n_foreign[form] for form, known in self.n_foreign.items()}
        return SideSurvey(self.kind, self.wanted, symbols, foreign)

    def chosen(self) -> tuple[str | None, int]:
        """The normal form to use, and how many sequences are not in it."""
        form: Any = "NFC" if self.wanted == "auto" else self.wanted
        if "NFC" in self.symbols and 0 < MUCH_SMALLER * len(self.symbols.get("NFD", ())) <= len(self.symbols["NFC"]):
            form = "NFD"
        # Text that is all in one other form is no mixture: count the rarer habit only.
        usual = OPPOSITE.get(form)
        return form, 0 if usual is not None and not self.n_foreign[usual] else self.n_foreign[form]

    def side(self) -> Side:
        """The symbols, numbered."""
        form = self.chosen()[0]
        return Side.of_symbols(self.symbols[form], self.kind, form)


def choose_normal_form(sequences: list[Any], kind: Kind, wanted: str | None) -> tuple[str | None, int]:
    """The normal form to use, and how many sequences are not in it.

    With "auto" that is NFC, or NFD where that leaves a much smaller alphabet.

    Examples
    --------
    >>> choose_normal_form(["e\u0301t\u00e9", "a"], "characters", "auto")
    ('NFC', 1)
    """
    return SideSurvey.of(sequences, kind, wanted).chosen()


def checked_tags(tags: Any, n_sequences: int) -> list[list[str]]:
    """The different tags of each sequence, sorted.

    Examples
    --------
    >>> checked_tags([["V", "PST"], "N;SG"], 2)
    [['PST', 'V'], ['N', 'SG']]
    """
    wanted = f"a list of tags is needed for each of {n_sequences} sequences"
    if isinstance(tags, str) or not hasattr(tags, "__len__"):
        raise InputError(f"tags are {shown(tags)}; {wanted}.")
    given = as_list(tags, "tags", wanted)
    if len(given) != n_sequences:
        raise InputError(f"tags are {shown(tags)}; {wanted}.")
    # Tags are sorted, so those of one sequence may be a set.
    given = [sorted(map(str, each)) if isinstance(each, set | frozenset) else each for each in given]
    given = each_sequence(given, "tags", "a list of tags is needed")
    return [sorted({tag for tag in (each.split(";") if isinstance(each, str) else map(str, each)) if tag})
            for each in given]  # fmt: skip


def with_tags(sequences: list[Any], tags: list[list[str]]) -> list[list[Any]]:
    r"""Sequences between symbols for their ends, after symbols for their tags; see `weft.rewriting.tagged`.

    Examples
    --------
    >>> with_tags(["go"], [["PST"]])
    [['\x00tag PST', '\x00begin', 'g', 'o', '\x00end']]
    """
    return [
        [*map(tag_symbol, each), BEGIN, *sequence, END] if len(sequence) else []
        for sequence, each in zip(sequences, tags, strict=True)
    ]


def repeat_inputs(inputs: list[Any], outputs: list[Any]) -> bool:
    """Whether outputs have most symbols of their inputs, as forms have those of their lemmas.

    Examples
    --------
    >>> repeat_inputs(["walk", "go"], ["walked", "went"]), repeat_inputs(["cat"], [["K", "AE", "T"]])
    (True, False)
    """
    shared, total = shared_symbols(inputs, outputs)
    return 2 * shared >= total > 0


def shared_symbols(inputs: list[Any], outputs: list[Any]) -> tuple[int, int]:
    """How many symbols of the inputs their outputs have too, and how many there are."""
    shared = sum(sum((Counter(a) & Counter(b)).values()) for a, b in zip(inputs, outputs, strict=True))
    return shared, sum(map(len, inputs))


def symbols_of(sequences: list[Any]) -> set[Any]:
    """The different symbols of sequences."""
    try:
        return set(chain.from_iterable(sequences))
    except TypeError:  # a list in a list of symbols
        raise InputError(
            "a sequence holds symbols that are lists or dicts; strings, or lists of strings or numbers, are needed."
        ) from None


class Side:
    """Symbols of one side and their numbers.

    Parameters
    ----------
    kind : {"characters", "tokens"}
    alphabet : Alphabet
    form : str, optional
        Normal form.

    Examples
    --------
    >>> side = Side.learn(["ab", "b"], "characters", None)
    >>> side.encode(["bx"])
    (array([1, 2], dtype=int32), array([0, 2]))
    """

    def __init__(self, kind: Kind, alphabet: Alphabet, form: str | None) -> None:
        self.kind = kind
        self.alphabet = alphabet
        self.form = form

    @classmethod
    def learn(cls, sequences: list[Any], kind: Kind, form: str | None) -> Side:
        """Number the symbols of training sequences, in their order, so that the order of the data does not matter."""
        return cls.of_symbols(symbols_of(sequences), kind, form)

    @classmethod
    def of_symbols(cls, symbols: Iterable[Any], kind: Kind, form: str | None) -> Side:
        """Number different symbols in their order."""
        return cls(kind, Alphabet(sorted(symbols, key=lambda symbol: (type(symbol).__name__, symbol))), form)

    def __len__(self) -> int:
        return len(self.alphabet)

    def encode(self, sequences: list[Any]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Flat numbers and offsets; a symbol that the alphabet lacks gets the number after all others."""
        flat = self.alphabet.encode(chain.from_iterable(sequences))
        flat[flat < 0] = len(self.alphabet)
        lengths = np.fromiter(map(len, sequences), dtype=np.int64, count=len(sequences))
        offsets = np.zeros(len(sequences) + 1, dtype=np.int64)
        np.add.accumulate(lengths, out=offsets[1:])
        return flat, offsets

    def unseen(self, sequences: list[Any]) -> Counter[Any]:
        """Symbols that the alphabet lacks, and how often they occur."""
        known = set(self.alphabet.symbols)
        return Counter(symbol for symbol in chain.from_iterable(sequences) if symbol not in known)

    def join(self, symbols: list[Any]) -> Any:
        """A string or a list, as in training."""
        return "".join(symbols) if self.kind == "characters" else symbols
