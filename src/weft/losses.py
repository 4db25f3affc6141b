"""Losses between two structures of one input: Hamming, base pair, edit."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.core.jit import jit
from weft.errors import InputError
from weft.sequences import formats
from weft.sequences.checks import as_sequence

# Rfam's marks of unpaired positions.
_AS_DOTS = str.maketrans(":,-_~", ".....")


def hamming(y: Sequence[Hashable], y_hat: Sequence[Hashable]) -> int:
    """Count the positions at which two sequences of one length differ.

    Parameters
    ----------
    y, y_hat : sequences of labels

    Returns
    -------
    int

    Examples
    --------
    >>> hamming(["B", "I", "O"], ["B", "O", "O"])
    1
    """
    y, y_hat = as_sequence(y, "y"), as_sequence(y_hat, "y_hat")
    if len(y) != len(y_hat):
        raise InputError(
            f"Hamming loss got {len(y)} and {len(y_hat)} labels; it needs one length. "
            "Use the edit loss for sequences of different lengths."
        )
    return sum(1 for a, b in zip(y, y_hat, strict=True) if a != b)


def base_pair(y: str, y_hat: str) -> int:
    """Count the base pairs that only one of two dot-bracket strings has.

    Parameters
    ----------
    y, y_hat : str
        Structures of one sequence in dot-bracket notation.

    Returns
    -------
    int

    Examples
    --------
    >>> base_pair("((..))", "(....)")
    1
    """
    y, y_hat = _dot_bracket(y), _dot_bracket(y_hat)
    if len(y) != len(y_hat):
        raise InputError(
            f"base-pair loss got structures of {len(y)} and {len(y_hat)} positions; "
            "it needs two structures of one sequence."
        )
    return len(base_pairs(y) ^ base_pairs(y_hat))


def base_pairs(structure: str) -> frozenset[tuple[int, int]]:
    """Positions ``(i, j)``, ``i < j``, that a dot-bracket string pairs.

    Parameters
    ----------
    structure : str
        Brackets ``()``, ``[]``, ``{}`` and ``<>`` pair, each kind on its own; ``.`` is unpaired,
        and so are the marks ``: , - _ ~`` of Rfam.

    Returns
    -------
    frozenset of (int, int)

    Examples
    --------
    >>> sorted(base_pairs("(.[)]"))
    [(0, 3), (2, 4)]
    """
    return frozenset(formats.base_pairs(_dot_bracket(structure).translate(_AS_DOTS)))


def _dot_bracket(structure: Any) -> str:
    if not isinstance(structure, str):
        raise InputError(f"a structure is a {type(structure).__name__}; a dot-bracket string is needed, '(((...)))'.")
    return structure


def edit(y: Sequence[Hashable] | NDArray[Any], y_hat: Sequence[Hashable] | NDArray[Any]) -> int:
    """Edit distance: the least number of insertions, deletions and substitutions between two sequences.

    Parameters
    ----------
    y, y_hat : str, sequence of hashable symbols, or integer array

    Returns
    -------
    int

    Examples
    --------
    >>> edit("kitten", "sitting")
    3
    >>> edit(["K", "AE", "T"], ["K", "AE", "T", "S"])
    1
    """
    first, second = _as_integers(y, y_hat)
    return int(_edit_distance(first, second))


def _as_integers(
    y: Sequence[Hashable] | NDArray[Any], y_hat: Sequence[Hashable] | NDArray[Any]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Two sequences as integers that are equal exactly where the symbols are."""
    if type(y) is str and type(y_hat) is str:
        return _code_points(y), _code_points(y_hat)
    if _is_integer_array(y) and _is_integer_array(y_hat):
        return np.ascontiguousarray(y, dtype=np.int64), np.ascontiguousarray(y_hat, dtype=np.int64)
    y, y_hat = as_sequence(y, "y"), as_sequence(y_hat, "y_hat")
    identity: dict[Hashable, int] = {}
    try:
        first = [identity.setdefault(symbol, len(identity)) for symbol in y]
        second = [identity.setdefault(symbol, len(identity)) for symbol in y_hat]
    except TypeError as error:
        raise InputError(f"a symbol cannot be compared ({error}); give strings, numbers or tuples of them.") from None
    return np.array(first, dtype=np.int64), np.array(second, dtype=np.int64)


def _is_integer_array(sequence: object) -> bool:
    return isinstance(sequence, np.ndarray) and sequence.ndim == 1 and sequence.dtype.kind in "iu"


def _code_points(text: str) -> NDArray[np.int64]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.int64)


@jit
def _edit_distance(first: NDArray[np.int64], second: NDArray[np.int64]) -> int:
    """Return d[n, m] of d[i, j] = min(d[i-1, j] + 1, d[i, j-1] + 1, d[i-1, j-1] + [first_i != second_j])."""
    row = np.arange(second.size + 1)
    for i in range(first.size):
        diagonal = row[0]
        row[0] = i + 1
        for j in range(second.size):
            substituted = diagonal + (first[i] != second[j])
            diagonal = row[j + 1]
            row[j + 1] = min(substituted, diagonal + 1, row[j] + 1)
    return row[second.size]  # type: ignore[no-any-return]
