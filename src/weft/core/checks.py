"""What a query accepts, and the one-line errors for everything else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from weft.core.array_checks import checked_numbers, checked_offsets
from weft.core.graph import DerivationGraph
from weft.core.semirings import FloatArray
from weft.errors import InputError

MOST = 2**62
"""What a compiled loop can count to, and double."""

if TYPE_CHECKING:
    from scipy.sparse import csr_array


def no_derivation() -> InputError:
    """Error for a query on an empty set."""
    return InputError(
        "the graph has no derivation of finite score; this query needs at least one: "
        "allow more parts (scores above -inf) or more edges"
    )


def require_derivation(value: float) -> None:
    """Refuse the value of an empty set."""
    if value == -np.inf:
        raise no_derivation()


def checked_scores(graph: DerivationGraph, scores: npt.ArrayLike) -> FloatArray:
    """Scores as the passes want them: one float64 per part, none of them NaN or ``inf``."""
    array = np.ascontiguousarray(scores, dtype=np.float64)
    if array.shape != (graph.n_parts,):
        raise InputError(f"scores of shape {array.shape} given; need ({graph.n_parts},): give one score per part")
    # The maximum is NaN if any score is, so one sweep finds both faults.
    if array.size and not array.max() < np.inf:
        part = int(np.argmax(np.isnan(array) | (array == np.inf)))
        raise InputError(
            f"part {part} has score {array[part]}; need a finite number, or -inf to forbid the part: "
            "check the weights and features it comes from"
        )
    return array


def checked_features(graph: DerivationGraph, features: Any) -> csr_array:
    """Features as a CSR array of float64 with one row per part."""
    from scipy.sparse import csr_array  # whoever only predicts need not wait for it

    rows = csr_array(features, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[0] != graph.n_parts:
        raise InputError(f"features of shape {rows.shape} given; need ({graph.n_parts}, d): give one row per part")
    if not np.isfinite(rows.data).all():
        value = rows.data[int(np.argmin(np.isfinite(rows.data)))]
        raise InputError(f"features hold {value}; need finite numbers: replace it, or drop what it describes")
    cure = "make the matrix with scipy.sparse.csr_array, and check it with check_format()"
    checked_offsets("the index pointer of features", rows.indptr, len(rows.data), cure)
    checked_numbers("columns of features", rows.indices, rows.shape[1], cure, size=len(rows.data))
    return rows


def checked_number(name: str, value: Any) -> int:
    """Positive integer that a compiled loop can hold."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 1:
        raise InputError(f"{name}={value!r} given; need an integer of at least 1: ask for one or more")
    if value > MOST:
        raise InputError(f"{name}={value!r:.30} given; need an integer of at most {MOST}: ask for fewer")
    return int(value)
