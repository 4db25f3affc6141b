"""Are these pairs of sequences and alignments of them? If not, say what was given, what is needed and what to do."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Mask
from weft.errors import InputError
from weft.sequences.checks import as_list, as_sequence, check_symbols, shown
from weft.structures.alignment.pair_corpus import GAP, moves_of_gapped

A_PAIR = "a pair of sequences is needed, such as ('ACG', 'AG')"
A_STRING = "a string or a list of symbols is needed"


def as_pairs(X: Any, name: str = "X", may_be_empty: bool = False) -> list[tuple[Any, Any]]:
    """A non-empty list of pairs of sequences; of empty ones too if `may_be_empty`.

    Examples
    --------
    >>> as_pairs([["AC", "A"]])
    [('AC', 'A')]
    """
    if isinstance(X, str | bytes) or not hasattr(X, "__iter__"):
        raise InputError(f"{name} is {shown(X)}; a list of pairs is needed, such as [('ACG', 'AG')].")
    pairs = []
    for index, given in enumerate(as_list(X, name, "a list of pairs is needed")):
        if type(given) is tuple and len(given) == 2 and all(type(each) is str and each for each in given):
            pairs.append(given)  # nothing to check, as is usual
            continue
        where = f"{name}[{index}]"
        if isinstance(given, str | bytes) or not hasattr(given, "__len__"):
            raise InputError(f"{where} is {shown(given)}; {A_PAIR}.")
        # A row of a structured array is a pair, though no sequence.
        pair = as_sequence(given.item() if isinstance(given, np.void) else given, where, A_PAIR)
        if len(pair) != 2:
            raise InputError(f"{where} is {shown(given)}; {A_PAIR}.")
        first, second = (as_sequence(pair[side], f"{where}[{side}]", A_STRING) for side in (0, 1))
        for side, sequence in enumerate((first, second)):
            check_symbols(sequence, f"{where}[{side}]")
        if not may_be_empty and (len(first) == 0 or len(second) == 0):
            raise InputError(f"{where} holds an empty sequence; drop such pairs.")
        pairs.append((first, second))
    if not pairs:
        raise InputError(f"{name} is empty; at least one pair of sequences is needed.")
    return pairs


def upper(sequence: Any) -> Any:
    """The sequence in upper case."""
    return sequence.upper() if isinstance(sequence, str) else [str(symbol).upper() for symbol in sequence]


def as_references(
    X: list[tuple[Any, Any]], y: Any, reliable: str, columns: Any = None
) -> tuple[list[NDArray[np.uint8]], list[Mask] | None]:
    """Moves of the reference alignments and, unless all is reliable, a mask of each.

    Examples
    --------
    >>> as_references([("AC", "A")], [("Ac", "A-")], "upper")
    ([array([0, 1], dtype=uint8)], [array([ True, False])])
    """
    alignments = as_pairs(y, "y")
    if len(alignments) != len(X):
        raise InputError(f"X has {len(X)} pairs but y has {len(alignments)}; each pair needs its own alignment.")
    moves, masks = [], []
    for index, (pair, rows) in enumerate(zip(X, alignments, strict=True)):
        moves.append(moves_of_gapped(rows, f"y[{index}]"))
        for side in (0, 1):
            given = [symbol for symbol in rows[side] if symbol != GAP]
            if reliable == "upper":
                given = upper(given)
            wanted = list(upper(pair[side]) if reliable == "upper" else pair[side])
            if given != wanted:
                raise InputError(
                    f"row {side + 1} of y[{index}] spells {_shown(given)} but X[{index}] has {_shown(wanted)}; "
                    "an alignment of the same two sequences is needed."
                )
        if reliable == "upper":
            masks.append(np.array([_is_upper(a) and _is_upper(b) for a, b in zip(*rows, strict=True)], dtype=bool))
    if columns is None:
        return moves, masks or None
    chosen = [np.asarray(mask, dtype=bool) for mask in as_list(columns, "columns", "a list of masks is needed")]
    if len(chosen) != len(moves) or any(mask.shape != (len(each),) for mask, each in zip(chosen, moves, strict=True)):
        raise InputError("columns does not fit y; one mask for each alignment, with one value per column, is needed.")
    return moves, chosen


def _is_upper(symbol: Any) -> bool:
    return symbol != GAP and str(symbol) == str(symbol).upper()


def _shown(symbols: list[Any]) -> str:
    text = "".join(map(str, symbols))
    return repr(text if len(text) <= 20 else text[:17] + "...")
