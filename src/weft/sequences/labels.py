"""Label sequences as numbers."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.errors import InputError
from weft.sequences.alphabet import UNKNOWN, Alphabet
from weft.sequences.checks import as_sequences, check_same_lengths, is_missing, locate


def label_classes(y: Any, known: Sequence[Any] = ()) -> NDArray[np.object_]:
    """All distinct labels, sorted, together with those already known.

    Examples
    --------
    >>> label_classes([["N", "V"], ["D", "N"]])
    array(['D', 'N', 'V'], dtype=object)
    """
    distinct = set(known)
    y = as_sequences(y, "y")
    for index, labels in enumerate(y):
        try:
            distinct.update(labels.tolist() if isinstance(labels, np.ndarray) else labels)
        except TypeError:
            bad = next(label for label in labels if not isinstance(label, Hashable))
            raise InputError(
                f"y[{index}] holds a label of type {type(bad).__name__}; labels are strings or numbers: "
                "y is a list of label sequences."
            ) from None
    if any(map(is_missing, distinct)):
        places = ((i, j, label) for i, labels in enumerate(y) for j, label in enumerate(labels) if is_missing(label))
        index, place, label = next(places)
        raise InputError(
            f"y[{index}][{place}] is {label}, a missing label; give the token a label, or drop the sequence."
        )
    try:
        ordered = sorted(distinct)
    except TypeError:  # labels of several types: any fixed order will do
        ordered = sorted(distinct, key=lambda label: (type(label).__name__, str(label)))
    classes = np.empty(len(ordered), dtype=object)
    classes[:] = ordered
    return classes


class UnseenLabelError(InputError):
    """A label unseen in training."""


def encode_labels(X: Sequence[Any], y: Any, classes: NDArray[np.object_]) -> NDArray[np.int32]:
    """Numbers of all labels in one flat array; every label must be known."""
    sequences = as_sequences(y, "y")
    check_same_lengths(X, sequences)
    flat = chain.from_iterable(s.tolist() if isinstance(s, np.ndarray) else s for s in sequences)
    try:
        ids = Alphabet(classes).encode(flat)
    except InputError:
        label_classes(sequences)  # names the sequence with a label that is none
        raise
    unknown = np.flatnonzero(ids == UNKNOWN)
    if len(unknown):
        sequence, position = locate(int(unknown[0]), [len(s) for s in sequences])
        shown = ", ".join(map(repr, classes[:8])) + (", ..." if len(classes) > 8 else "")
        label = sequences[sequence][position]
        raise (InputError if is_missing(label) else UnseenLabelError)(
            f"y[{sequence}][{position}] is the label {label!r}, unseen in training; "
            f"known labels are {shown}: add it to the training data or drop the sequence."
        )
    return ids
