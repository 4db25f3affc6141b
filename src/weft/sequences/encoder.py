"""From the five input forms to one feature matrix.

A sequence is a string (its characters), a list of tokens, a list of feature dicts, a list of attribute
lists, or a float array of shape (length, d).
"""

from __future__ import annotations

import math
import operator
import uuid
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from weft.errors import InputError
from weft.sequences.alphabet import UNKNOWN, Alphabet
from weft.sequences.checks import as_sequences, locate, read_once, shown
from weft.sequences.corpus import Corpus, SparseTokens
from weft.sequences.hashed_alphabet import HashedAlphabet
from weft.sequences.token_forms import Form
from weft.state_rules import LARGEST

Kind = Literal["symbols", "attributes", "dicts", "vectors"]

FORMS = (
    "a string, a list of tokens, a list of feature dicts, a list of attribute lists or a float array of shape "
    "(length, d)"
)

MAY_BE_MISSING = frozenset({"NoneType", "NAType", "float", "float64"})
"""Types of what data frames have in empty cells."""

ATTRIBUTE_TYPES = (str, int, np.integer)

PLAIN_TOKENS = frozenset({list, tuple, set, frozenset, dict})
"""Types, but not their subclasses, of tokens whose length and iteration agree."""


@lru_cache(maxsize=64)
def _type_kind(token_type: type, where: str) -> Kind:
    if issubclass(token_type, str | int | np.integer):
        return "symbols"
    if issubclass(token_type, Mapping):
        return "dicts"
    if issubclass(token_type, list | tuple | set | frozenset):
        return "attributes"
    hint = ", which may be a missing value" if token_type.__name__ in MAY_BE_MISSING else ""
    raise InputError(f"{where} holds a token of type {token_type.__name__}{hint}; a sequence is {FORMS}.")


def _sequence_kinds(sequence: Any, index: int) -> set[Kind]:
    where = f"X[{index}]"
    if isinstance(sequence, str):
        return {"symbols"}
    if isinstance(sequence, np.ndarray) and sequence.dtype != object:
        if sequence.ndim == 2 and sequence.dtype.kind in "fiub":
            return {"vectors"}
        if sequence.ndim == 1 and sequence.dtype.kind in "iuU":
            return {"symbols"}
        raise InputError(
            f"{where} is an array of shape {sequence.shape} and dtype {sequence.dtype}; "
            "needed floats of shape (length, d), or symbols of shape (length,)."
        )
    return {_type_kind(token_type, where) for token_type in set(map(type, sequence))}


def input_kind(sequences: list[Any]) -> Kind:
    """Tell which of the input forms a list of sequences has; all must have the same.

    Examples
    --------
    >>> input_kind(["abc", ["a", "bc"]])
    'symbols'
    >>> input_kind([[{"word": "a"}]])
    'dicts'
    """
    return _kind_and_type(sequences)[0]


def _kind_and_type(sequences: list[Any]) -> tuple[Kind, type | None]:
    """Form of the sequences, and the type of all their tokens where one look tells."""
    if set(map(type, sequences)) <= {list, tuple}:  # the common case, without a Python loop over sequences
        token_types = set(map(type, chain.from_iterable(sequences)))
        if len(token_types) == 1:
            token_type = token_types.pop()
            return _type_kind(token_type, "X"), token_type
    first: Kind | None = None
    for index, sequence in enumerate(sequences):
        for kind in _sequence_kinds(sequence, index):
            if first is None:
                first = kind
            elif kind != first:
                raise InputError(
                    f"X[{index}] holds {kind} but the tokens before it are {first}; "
                    f"give every sequence the same form: {FORMS}."
                )
    assert first is not None, "as_sequences guarantees a first token"
    return first, None


class TokenEncoder:
    """Learns the columns of the feature matrix from training data and encodes with them.

    Attributes
    ----------
    kind : str or None
        Form of the training data; None before the first `encode_training`.
    alphabet : Alphabet or HashedAlphabet
        Names of the columns (numbers as names for arrays), or what makes their numbers without knowing any.
    form : str or None
        How training wrote its sequences, before any transformer; see `weft.sequences.token_forms`.
    key : str
        Marks the corpora of this encoder; copies keep it, since they only add columns.

    Examples
    --------
    >>> encoder = TokenEncoder()
    >>> encoder.encode_training(["ab", "ba"]).tokens.ids
    array([0, 1, 1, 0], dtype=int32)
    >>> encoder.encode(["ax"]).tokens.ids
    array([0], dtype=int32)
    """

    def __init__(self, kind: Kind | None = None, alphabet: Alphabet | HashedAlphabet | None = None) -> None:
        self.kind = kind
        self.form: Form | None = None
        self.alphabet: Alphabet | HashedAlphabet = alphabet if alphabet is not None else Alphabet()
        self.key = uuid.uuid4().hex

    def copy(self) -> TokenEncoder:
        """An encoder that can grow without changing this one."""
        other = TokenEncoder(self.kind, self.alphabet.copy())
        other.key, other.form = self.key, self.form
        return other

    @property
    def is_hashed(self) -> bool:
        """Whether columns are hashes of attributes, whose names are not kept."""
        return isinstance(self.alphabet, HashedAlphabet)

    @property
    def feature_names(self) -> Sequence[Any]:
        """Name of each column; its number if attributes are hashed."""
        return self.alphabet.symbols

    def encode_training(self, X: Any) -> Corpus:
        """Encode and add new columns for what was not seen before."""
        sequences = as_sequences(X, "X")
        kind, token_type = _kind_and_type(sequences)
        if self.kind is None:
            self.kind = kind
        return self._encode(sequences, kind, token_type, grow=True)

    def without_rare(self, corpus: Corpus, min_count: int, n_known: int = 0) -> tuple[TokenEncoder, Corpus]:
        """The encoder and the corpus without columns that fewer tokens have, but for the first `n_known`.

        Examples
        --------
        >>> encoder = TokenEncoder()
        >>> encoder, corpus = encoder.without_rare(encoder.encode_training(["ab", "cb"]), min_count=2)
        >>> encoder.feature_names, corpus.tokens.offsets
        (['b'], array([0, 0, 1, 1, 2]))
        """
        if not isinstance(corpus.tokens, SparseTokens):  # columns of an array are all there at every token
            return self, corpus
        tokens = corpus.tokens
        frequent = np.bincount(tokens.ids, minlength=len(self.alphabet)) >= min_count
        frequent[:n_known] = True
        places = np.where(frequent, np.cumsum(frequent) - 1, UNKNOWN).astype(np.int32)
        if self.is_hashed:  # columns keep their numbers, and rare ones get no weights
            encoder, places = self, np.where(frequent, np.arange(len(frequent)), UNKNOWN).astype(np.int32)
        else:
            names = [name for name, is_kept in zip(self.alphabet.symbols, frequent.tolist(), strict=True) if is_kept]
            encoder = TokenEncoder(self.kind, Alphabet(names))
            encoder.form = self.form
        n_columns = len(encoder.alphabet)
        rows = SparseTokens.of_found(places[tokens.ids], tokens.values, np.diff(tokens.offsets), n_columns)
        return encoder, Corpus(corpus.offsets, rows, encoder.key)

    def encode(self, X: Any) -> Corpus:
        """Encode with the known columns; features never seen in training are left out."""
        if isinstance(X, Corpus):
            return X
        sequences = as_sequences(X, "X")
        return self._encode(sequences, *_kind_and_type(sequences), grow=False)

    def _encode(self, sequences: list[Any], kind: Kind, token_type: type | None, grow: bool) -> Corpus:
        if kind != self.kind:
            raise InputError(f"X holds {kind} but the model was fitted on {self.kind}; pass the form of training.")
        lengths = np.fromiter(map(len, sequences), dtype=np.int64, count=len(sequences))
        if kind == "vectors":
            if self.is_hashed:
                raise InputError("X holds vectors, whose columns have no names to hash; leave n_features out.")
            return Corpus.of_lengths(lengths, self._stack(sequences, grow), self.key)
        values = np.empty(0)
        if kind == "symbols":
            flat: Iterable[Any] = chain.from_iterable(_plain(sequence) for sequence in sequences)
            ids = self._look_up(flat, grow)
            counts = np.ones(len(ids), dtype=np.int64)
        else:
            tokens = list(chain.from_iterable(sequences))
            if token_type not in PLAIN_TOKENS:
                tokens = _plain_tokens(tokens, lengths)
            if kind == "attributes":
                n_before = len(self.alphabet)
                try:
                    ids = self._look_up(chain.from_iterable(tokens), grow)
                except InputError:
                    self._explain_attribute(tokens, lengths)
                    raise
                # Numbers would pass as names without a word, so the types of all new names are looked at.
                is_named = grow and isinstance(self.alphabet, Alphabet)
                new = self.alphabet.latest(n_before) if is_named else []  # type: ignore[union-attr]
                if not all(issubclass(each, ATTRIBUTE_TYPES) for each in set(map(type, new))):
                    self._explain_attribute(tokens, lengths)
            else:
                tokens, ids, values = self._encode_dicts(tokens, lengths, grow)
            counts = np.fromiter(map(len, tokens), dtype=np.int64, count=len(tokens))
        return Corpus.of_lengths(lengths, SparseTokens.of_found(ids, values, counts, len(self.alphabet)), self.key)

    def _look_up(self, symbols: Iterable[Any], grow: bool) -> NDArray[np.int32]:
        return self.alphabet.encode_growing(symbols) if grow else self.alphabet.encode(symbols)

    def _explain_attribute(self, tokens: list[Any], lengths: NDArray[np.int64]) -> None:
        for place, token in enumerate(tokens):
            for attribute in token:
                if not isinstance(attribute, ATTRIBUTE_TYPES):
                    sequence, position = locate(place, lengths.tolist())
                    raise InputError(
                        f"X[{sequence}][{position}] has an attribute of type {type(attribute).__name__}; "
                        "attributes are strings (for numbers use feature dicts or a float array)."
                    ) from None

    def _encode_dicts(
        self, tokens: list[Any], lengths: NDArray[np.int64], grow: bool
    ) -> tuple[list[Any], NDArray[np.int32], NDArray[np.float64]]:
        table = _ItemTable()
        try:
            rows = table.rows(tokens)
        except TypeError:  # a list, set or dict as a value cannot be a key: spell it out first
            tokens = [_flattened(token) for token in tokens]
            table = _ItemTable()
            try:
                rows = table.rows(tokens)
            except TypeError:
                raise InputError(
                    "a feature dict in X has a value that is neither a string, a number, a list, a set nor a dict "
                    "of them; turn it into one of these."
                ) from None
        values = np.array(table.numbers)[rows] if table.numbers else np.empty(0)
        bad = np.flatnonzero(~(np.abs(values) <= LARGEST))
        if len(bad):
            counts = np.fromiter(map(len, tokens), dtype=np.int64, count=len(tokens))
            place = int(np.searchsorted(np.cumsum(counts), bad[0], side="right"))
            sequence, position = locate(place, lengths.tolist())
            raise InputError(
                f"X[{sequence}][{position}] has {table.names[rows[bad[0]]]!r} = {values[bad[0]]}; finite numbers of at "
                f"most {LARGEST} are needed: drop the feature, scale it or replace the value."
            )
        ids = self._look_up(table.names, grow)
        columns = ids[rows] if len(ids) else np.empty(0, dtype=np.int32)
        return tokens, columns, np.empty(0) if np.all(values == 1.0) else values

    def _stack(self, sequences: list[Any], grow: bool) -> NDArray[np.float64]:
        width = sequences[0].shape[1] if grow and not len(self.alphabet) else len(self.alphabet)
        for index, sequence in enumerate(sequences):
            if sequence.shape[1] != width:
                raise InputError(
                    f"X[{index}] has {sequence.shape[1]} columns but {width} were needed; every array needs the same."
                )
        stacked = np.ascontiguousarray(np.concatenate(sequences), dtype=np.float64)
        fits = np.abs(stacked) <= LARGEST
        if not fits.all():
            place, column = np.argwhere(~fits)[0]
            sequence, position = locate(int(place), [len(s) for s in sequences])
            raise InputError(
                f"X[{sequence}][{position}, {column}] is {stacked[place, column]}; finite numbers of at most {LARGEST} "
                "are needed: impute, scale or drop them first."
            )
        if grow and not len(self.alphabet):
            self.alphabet = Alphabet(range(width))
        return stacked


class _ItemTable(dict[Any, int]):
    """(key, value) of a feature dict -> row of (column name, column value), in CRFsuite's reading.

    A string value makes a name of its own, ``key:value`` with value one; a number or truth value keeps the
    key as name. Equal items (1, 1.0, True) mean the same, so they may share a row. Floats are not kept:
    real-valued features would fill the memory with keys that never come again.
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        self.numbers: list[float] = []

    def __missing__(self, item: tuple[Any, Any]) -> int:
        key, value = _text(item[0]), item[1]
        row = len(self.names)
        if isinstance(value, str | bytes):
            self.names.append(f"{key}:{_text(value)}")
            self.numbers.append(1.0)
        elif isinstance(value, bool | int | float | np.number | np.bool_):
            self.names.append(str(key))
            self.numbers.append(_as_float(value))
            if isinstance(value, float | np.floating):
                return row
        else:
            raise TypeError(f"feature {key!r} has a value of type {type(value).__name__}")
        self[item] = row
        return row

    def rows(self, tokens: list[Any]) -> NDArray[np.int64]:
        items = chain.from_iterable(map(operator.methodcaller("items"), tokens))
        return np.fromiter(map(self.__getitem__, items), dtype=np.int64)


def _text(value: Any) -> Any:
    """Bytes as the text that they spell, as in CRFsuite; all else as it is."""
    if not isinstance(value, bytes):
        return value
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(f"a feature dict in X has {shown(value)}, which is not UTF-8; decode it first.") from None


def _as_float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:  # a whole number beyond all floats: refused with the infinite ones
        return math.inf


def _flattened(token: Mapping[Any, Any]) -> dict[str, Any]:
    """Spell out nested values: a dict as ``key:inner``, a list or set as ``key:item`` with value one."""
    flat: dict[str, Any] = {}
    for key, value in zip(map(_text, token), token.values(), strict=True):
        if isinstance(value, Mapping):
            flat.update({f"{key}:{inner}": content for inner, content in _flattened(value).items()})
        elif isinstance(value, list | tuple | set | frozenset):
            flat.update({f"{key}:{_text(item)}": True for item in value})
        else:
            flat[str(key)] = value
    return flat


def _plain(sequence: Any) -> Any:
    """Array elements as plain Python symbols, so that 3 and numpy's 3 are one symbol of one type."""
    return sequence.tolist() if isinstance(sequence, np.ndarray) else sequence


def _plain_tokens(tokens: list[Any], lengths: NDArray[np.int64]) -> list[Any]:
    """Tokens that are no plain lists, sets or dicts, read once into such."""
    plain = []
    for index, (begin, length) in enumerate(zip(np.cumsum(lengths) - lengths, lengths, strict=True)):
        for position, token in enumerate(tokens[begin : begin + length]):
            if type(token) not in PLAIN_TOKENS:
                items = read_once(
                    token, f"X[{index}][{position}]", "a list, set or dict whose length and items agree is needed"
                )
                token = dict(items) if isinstance(token, Mapping) else items
            plain.append(token)
    return plain
