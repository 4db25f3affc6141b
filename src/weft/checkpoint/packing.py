"""Strings and labels packed into arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.errors import ModelFileError
from weft.state_rules import PACKED

# Their order is part of the file format.
_KINDS: tuple[type, ...] = (str, int, bool, float, type(None))


def pack_strings(strings: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Put strings into arrays without loss, lone surrogates included.

    Parameters
    ----------
    strings : sequence of str

    Returns
    -------
    data : ndarray of uint8
        The UTF-8 bytes of all strings, one after the other.
    offsets : ndarray of int64 of shape (n + 1,)
        String ``i`` is ``data[offsets[i] : offsets[i + 1]]``.

    Examples
    --------
    >>> data, offsets = pack_strings(["a", "", "bc"])
    >>> offsets
    array([0, 1, 1, 3])
    >>> unpack_strings(data, offsets)
    ['a', '', 'bc']
    """
    encoded = [string.encode("utf-8", "surrogatepass") for string in strings]
    offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum([len(each) for each in encoded], out=offsets[1:])
    return np.frombuffer(b"".join(encoded), dtype=np.uint8), offsets


def unpack_strings(data: NDArray[Any], offsets: NDArray[Any]) -> list[str]:
    """Return the strings that `pack_strings` packed.

    Parameters
    ----------
    data : ndarray of uint8
    offsets : ndarray of int64

    Returns
    -------
    list of str

    Raises
    ------
    ModelFileError
        When the arrays are not those of packed strings.

    Examples
    --------
    >>> unpack_strings(*pack_strings(["é", "x"]))
    ['é', 'x']
    """
    fits = (
        data.dtype == np.uint8
        and offsets.dtype == np.int64
        and data.ndim == offsets.ndim == 1
        and offsets.size > 0
        and offsets[0] == 0
        and offsets[-1] == data.size
        and bool(np.all(offsets[1:] >= offsets[:-1]))
    )
    if not fits:
        raise ModelFileError("the file's packed strings are damaged: bytes and offsets do not fit. Save it again.")
    text, ends = data.tobytes(), offsets.tolist()
    try:
        return [text[start:end].decode("utf-8", "surrogatepass") for start, end in pairwise(ends)]
    except UnicodeDecodeError as error:
        raise ModelFileError("the file's packed strings are damaged: not UTF-8. Save it again.") from error


def pack_symbols(symbols: Sequence[Any]) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.uint8]]:
    """Put labels into arrays and keep their types: str, int, bool, float or None.

    Parameters
    ----------
    symbols : sequence
        NumPy scalars become the Python values that they hold.

    Returns
    -------
    data : ndarray of uint8
    offsets : ndarray of int64
    kinds : ndarray of uint8

    Examples
    --------
    >>> unpack_symbols(*pack_symbols(["1", 1, True]))
    ['1', 1, True]
    """
    texts, kinds = [], np.zeros(len(symbols), dtype=np.uint8)
    for i, symbol in enumerate(symbols):
        value = symbol.item() if isinstance(symbol, np.generic) else symbol
        if type(value) not in _KINDS:
            raise ModelFileError(
                f"cannot save the label {value!r} of type {type(value).__name__}; "
                "needed strings, integers, booleans, floats or None. Convert the labels before fit."
            )
        kinds[i] = _KINDS.index(type(value))
        texts.append(value if type(value) is str else repr(value))
    return (*pack_strings(texts), kinds)


def unpack_symbols(data: NDArray[Any], offsets: NDArray[Any], kinds: NDArray[Any]) -> list[Any]:
    """Return the labels that `pack_symbols` packed.

    Parameters
    ----------
    data : ndarray of uint8
    offsets : ndarray of int64
    kinds : ndarray of uint8

    Returns
    -------
    list

    Raises
    ------
    ModelFileError
        When the arrays are not those of packed labels.

    Examples
    --------
    >>> unpack_symbols(*pack_symbols([None, 0.5]))
    [None, 0.5]
    """
    texts = unpack_strings(data, offsets)
    if kinds.shape != (len(texts),) or kinds.dtype != np.uint8 or bool(np.any(kinds >= len(_KINDS))):
        raise ModelFileError("the file's packed labels are damaged: types do not fit. Save it again.")
    constants = {"True": True, "False": False, "None": None}
    symbols: list[Any] = []
    try:
        for text, kind in zip(texts, kinds.tolist(), strict=True):
            read = _KINDS[kind]
            symbols.append(read(text) if read in (str, int, float) else constants[text])
    except (ValueError, KeyError) as error:
        raise ModelFileError("the file's packed labels are damaged: a value is unreadable. Save it again.") from error
    return symbols


def pack_named(name: str, symbols: Sequence[Any]) -> dict[str, NDArray[Any]]:
    """Put labels into arrays whose names begin with `name`.

    Examples
    --------
    >>> list(pack_named("classes", ["x", 1]))
    ['classes.data', 'classes.offsets', 'classes.kinds']
    """
    packed: tuple[NDArray[Any], ...] = pack_symbols(symbols)
    return {f"{name}.{key}": array for key, array in zip(PACKED, packed, strict=True)}


def unpack_named(name: str, arrays: Mapping[str, NDArray[Any]]) -> list[Any]:
    """Return the labels that `pack_named` packed.

    Examples
    --------
    >>> unpack_named("classes", pack_named("classes", ["x", 1]))
    ['x', 1]
    """
    return unpack_symbols(*(arrays[f"{name}.{key}"] for key in PACKED))
