"""Is this a list of sequences? If not, say what came, what was wanted and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from weft.errors import InputError

__all__ = ["as_sequences", "check_same_lengths", "locate"]


def as_sequences(values: Any, name: str) -> list[Any]:
    """Return `values` as a non-empty list of non-empty sequences, or explain why it is none.

    Examples
    --------
    >>> as_sequences(["abc", "de"], "X")
    ['abc', 'de']
    >>> as_sequences("abc", "X")
    Traceback (most recent call last):
    ...
    weft.errors.InputError: X is one string, 'abc'; a list of sequences is wanted: wrap it as [X].
    """
    if isinstance(values, str | bytes):
        shown = repr(values[:20])
        raise InputError(f"{name} is one string, {shown}; a list of sequences is wanted: wrap it as [{name}].")
    try:
        sequences = list(values)
    except TypeError:
        raise InputError(
            f"{name} is a {type(values).__name__}; a list of sequences is wanted, such as ['abc', 'de']."
        ) from None
    if not sequences:
        raise InputError(f"{name} is empty; at least one sequence is wanted.")
    if isinstance(values, dict):
        raise InputError(f"{name} is a dict; a list of sequences is wanted: pass its values as a list.")
    for index, sequence in enumerate(sequences):
        try:
            length = len(sequence)
        except TypeError:
            raise InputError(
                f"{name}[{index}] is {sequence!r} of type {type(sequence).__name__}; a sequence (string, list or "
                f"array) is wanted: {name} is a list of sequences, not one sequence."
            ) from None
        if length == 0:
            raise InputError(f"{name}[{index}] has length 0; drop empty sequences before fitting or predicting.")
    return sequences


def check_same_lengths(X: Sequence[Any], y: Sequence[Any]) -> None:
    """Raise unless X and y pair up sequence by sequence and token by token."""
    if len(X) != len(y):
        raise InputError(f"X has {len(X)} sequences but y has {len(y)}; each sequence needs its own label sequence.")
    for index, (sequence, labels) in enumerate(zip(X, y, strict=True)):
        if len(sequence) != len(labels):
            raise InputError(
                f"X[{index}] has {len(sequence)} tokens but y[{index}] has {len(labels)} labels; "
                "one label per token is wanted."
            )


def locate(flat_index: int, lengths: Sequence[int]) -> tuple[int, int]:
    """Sequence and position of a token given its place in the concatenation.

    Examples
    --------
    >>> locate(4, [3, 3])
    (1, 1)
    """
    ends = np.cumsum(np.asarray(lengths))
    sequence = int(np.searchsorted(ends, flat_index, side="right"))
    return sequence, int(flat_index - (ends[sequence] - lengths[sequence]))
