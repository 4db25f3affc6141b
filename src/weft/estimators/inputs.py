"""Small things that every sequence estimator does to its arguments."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from weft.errors import InputError
from weft.sequences.alphabet import Alphabet
from weft.sequences.checks import as_list, as_numbers
from weft.sequences.labels import label_classes

__all__ = ["as_classes", "checked_sample_weight", "generator", "hold_out", "label_map"]

Floats = NDArray[np.float64]


def generator(random_state: Any) -> np.random.Generator:
    """A new-style generator from any form of scikit-learn's `random_state`."""
    return np.random.default_rng(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def as_classes(classes: Any) -> list[Any]:
    """All labels that will come, as a list; they are sorted later, so a set will do.

    Examples
    --------
    >>> as_classes({"N"})
    ['N']
    """
    given = list(classes) if isinstance(classes, str | set | frozenset) else classes
    return as_list(given, "classes", "a list of labels is wanted")


def checked_sample_weight(sample_weight: Any, n_sequences: int) -> Floats | None:
    """Check `sample_weight`: one finite number >= 0 per sequence, or None."""
    if sample_weight is None:
        return None
    wanted = f"one number per sequence is wanted, shape ({n_sequences},)"
    weights = as_numbers(sample_weight, "sample_weight", wanted)
    if weights.shape != (n_sequences,):
        raise InputError(f"sample_weight has shape {weights.shape}; {wanted}.")
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        raise InputError("sample_weight holds negative or non-finite numbers; finite numbers >= 0 are wanted.")
    if not weights.any():
        raise InputError("sample_weight is zero everywhere; at least one sequence needs a positive weight.")
    return weights


def hold_out(
    X: list[Any], y: list[Any], sample_weight: Floats | None, fraction: float, random: np.random.Generator
) -> tuple[list[Any], list[Any], Floats | None, list[Any], list[Any]]:
    """Split off a share of the sequences: X, y and sample_weight to train on, X and y held out."""
    if not 0.0 < fraction < 1.0:
        raise InputError(f"validation_fraction is {fraction!r}; a number between 0 and 1 is wanted.")
    if len(X) < 2:
        raise InputError("validation_fraction needs at least 2 sequences; pass more or set it to 0.")
    if len(X) != len(y):
        raise InputError(f"X has {len(X)} sequences but y has {len(y)}; each sequence needs its own label sequence.")
    order = random.permutation(len(X))
    n_held_out = min(max(1, round(fraction * len(X))), len(X) - 1)
    held_out, kept = np.sort(order[:n_held_out]), np.sort(order[n_held_out:])
    try:
        known = {label for i in kept for label in y[i]}
        # A label that only the held-out part has could not be scored: train on those sequences instead.
        moved = [i for i in held_out if not known.issuperset(y[i])]
    except TypeError:
        label_classes(y)  # names the sequence with a label that is none
        raise
    held_out = np.setdiff1d(held_out, moved)
    kept = np.union1d(kept, moved).astype(np.int64)
    if not len(held_out):
        raise InputError("every held-out sequence has a label of its own; lower validation_fraction or add data.")
    return (
        [X[i] for i in kept],
        [y[i] for i in kept],
        None if sample_weight is None else sample_weight[kept],
        [X[i] for i in held_out],
        [y[i] for i in held_out],
    )


def label_map(old: NDArray[np.object_], new: NDArray[np.object_]) -> NDArray[np.int64]:
    """Number of each old label among the new ones, -1 if it is gone."""
    return Alphabet(new).encode(list(old)).astype(np.int64)
