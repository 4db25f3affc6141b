"""Strings and lists of tokens in arrays, for models that keep training sequences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.checkpoint.packing import pack_named, unpack_named
from weft.errors import ModelFileError
from weft.state_rules import ArrayRule, choice, integers, packed_symbols

FORM = choice("characters", "tokens")
"""What the form of packed sequences may be."""


def sequence_rules(name: str, size: str) -> dict[str, ArrayRule]:
    """What the arrays of `pack_sequences` must be; `size` is the number of sequences."""
    return {**packed_symbols(name, f"symbols of {name}"), f"{name}.lengths": integers(size)}


def pack_sequences(name: str, sequences: Sequence[Any]) -> tuple[str, dict[str, NDArray[Any]]]:
    """Form of some sequences, and arrays of their symbols and lengths, whose names begin with `name`.

    Examples
    --------
    >>> form, arrays = pack_sequences("support", ["ab", ""])
    >>> form, arrays["support.lengths"]
    ('characters', array([2, 0]))
    """
    form = "characters" if all(isinstance(each, str) for each in sequences) else "tokens"
    if form == "tokens" and not all(isinstance(each, list | tuple) for each in sequences):
        raise ModelFileError(
            "cannot save support sequences that are neither strings nor lists of tokens; use a kernel with "
            "explicit features, or pickle the model."
        )
    arrays = pack_named(name, [symbol for sequence in sequences for symbol in sequence])
    return form, {**arrays, f"{name}.lengths": np.array([len(each) for each in sequences], dtype=np.int64)}


def unpack_sequences(name: str, form: str, arrays: Mapping[str, NDArray[Any]]) -> list[Any]:
    """Return the sequences that `pack_sequences` packed.

    Examples
    --------
    >>> unpack_sequences("support", *pack_sequences("support", ["ab", ""]))
    ['ab', '']
    """
    symbols, ends = unpack_named(name, arrays), np.cumsum(arrays[f"{name}.lengths"]).tolist()
    if len(symbols) != (ends[-1] if ends else 0):
        raise ModelFileError("symbols and lengths of support sequences do not fit each other")
    parts = [symbols[start:end] for start, end in zip([0, *ends[:-1]], ends, strict=True)]
    if form == "tokens":
        return parts
    if not all(isinstance(symbol, str) for symbol in symbols):
        raise ModelFileError("support sequences are strings, but a symbol of theirs is not")
    return ["".join(each) for each in parts]
