"""Scores that are whole numbers of some unit: alignments by them need no rounding, and narrow integers hold them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats

__all__ = ["whole_scores"]

UNITS = (1, 2, 4, 8, 16, 5, 10, 20, 100, 1000)
"""Parts of 1 that are tried as units."""
LARGEST = 1 << 24
"""Scores of so many units are still told apart from equal ones (`weft.core.ties`) in alignments of usual length."""
ROUNDING = 4
"""So many last digits of a score may be off: decimal fractions are not what they seem."""


def whole_scores(pairs: Floats, opening: float) -> list[tuple[NDArray[np.signedinteger], int]]:
    """Reduced scores of pairs and of an opening as whole numbers, in 16 bits if they fit and in 32; else none.

    An opening that is better than an extension has none either: `loops.integers` counts on it.

    Examples
    --------
    >>> whole_scores(np.array([[0.3, -0.1]]), -2.0)
    [(array([[ 3, -1]], dtype=int16), -20), (array([[ 3, -1]], dtype=int32), -20)]
    >>> whole_scores(np.array([[0.3, -0.1]]), 2.0), whole_scores(np.array([[np.pi]]), -2.0)
    ([], [])
    """
    scores = np.append(pairs.reshape(-1), opening)
    largest = float(np.abs(scores).max())
    if not (opening <= 0.0 and largest < LARGEST):
        return []
    for unit in UNITS:
        scaled = scores * unit
        whole = np.rint(scaled)
        if np.abs(whole).max() > LARGEST:
            break
        if (np.abs(scaled - whole) <= ROUNDING * np.spacing(largest * unit)).all():
            table, own = whole[:-1].reshape(pairs.shape), int(whole[-1])
            kinds = [kind for kind in (np.int16, np.int32) if np.abs(whole).max() < np.iinfo(kind).max]
            return [(table.astype(kind), own) for kind in kinds]
    return []
