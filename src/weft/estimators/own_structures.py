"""Structures and learners of one's own, whose code weft does not know: what they learned, and files of it."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import numpy as np

from weft.errors import InputError, ModelFileError


def own_structure_state(structure: Any) -> dict[str, Any]:
    """What a file keeps of a structure: the name of its class, and its attributes as plain values."""
    return {"name": type(structure).__name__, "values": dict(vars(structure))}


def own_structure_from_state(given: Any, kept: dict[str, Any]) -> Any:
    """A copy of the given structure with the attributes of a file; a file never replaces a method."""
    wanted = type(given).__name__
    if set(kept) != {"name", "values"} or kept["name"] != wanted or not isinstance(kept["values"], dict):
        raise ModelFileError(f"the file is of a {str(kept.get('name'))[:40]}, and a {wanted} was given")
    for name in kept["values"]:
        if not isinstance(name, str) or callable(getattr(type(given), name, None)):
            raise ModelFileError(f"the file says what {str(name)[:40]!r} of a {wanted} is, which is a method")
    structure = copy.copy(given)
    vars(structure).update(kept["values"])
    return structure


def check_learned(weights: Any, learner: Any, structure: Any) -> None:
    """Refuse what is no vector of weights, and warn if features of one's own are such that nothing can be learned."""
    if np.ndim(weights) != 1:  # their number is the learner's: those that extend a structure may add some
        came = "None" if weights is None else f"shape {np.shape(weights)}"
        raise InputError(f"learn of {type(learner).__name__} returned {came}; a vector of weights is needed.")
    if weights.any():
        return
    from weft.structures.graph_structure import GraphStructure  # most predictions do without

    if isinstance(structure, GraphStructure):
        warnings.warn(
            f"all {len(weights)} weights are zero: the features of {type(structure).__name__} do not tell the outputs "
            "of these data apart; see its part_features, feature_names and collect.",
            UserWarning,
            stacklevel=3,
        )
