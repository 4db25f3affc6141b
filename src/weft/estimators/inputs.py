"""Small things that every sequence estimator does to its arguments."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats, Integers, Mask
from weft.core.threads import check_jobs
from weft.errors import InputError
from weft.parameters.base import Parameters
from weft.parameters.rules import check_switches
from weft.sequences.alphabet import Alphabet
from weft.sequences.checks import as_list, as_numbers, shown
from weft.state_rules import LARGEST

NUMBERS = tuple(np.dtype(kind) for kind in "df?bBhHiIlLqQ")
"""Types of weights that compiled loops read: none of other machines, of 16 bits, or complex."""
LARGEST_WEIGHT = 1e15
"""Beside one that counts more often, a sequence that counts once is lost in rounding."""


def check_shared(estimator: Parameters) -> None:
    """Refuse what parameters that mean the same in every estimator cannot be, before anything is learned.

    Examples
    --------
    >>> from weft.estimators.tag.tagger import Tagger
    >>> check_shared(Tagger(warm_start="no"))
    Traceback (most recent call last):
    ...
    weft.errors.InputError: warm_start of Tagger is 'no'; use True or False.
    """
    check_switches(estimator)
    for name, check in _SHARED.items():
        if hasattr(estimator, name):
            check(getattr(estimator, name))


def check_held_out(X_dev: Any, y_dev: Any) -> None:
    """Refuse held-out outputs without their inputs, which nobody would look at.

    Examples
    --------
    >>> check_held_out(None, [["D", "N"]])
    Traceback (most recent call last):
    ...
    weft.errors.InputError: y_dev given without X_dev; give the held-out inputs too, or leave both out.
    """
    if X_dev is None and y_dev is not None:
        raise InputError("y_dev given without X_dev; give the held-out inputs too, or leave both out.")


def _check_verbose(verbose: Any) -> None:
    if not isinstance(verbose, int | np.integer | np.bool_) or verbose < 0:
        raise InputError(f"verbose is {verbose!r:.60}; 0 for silence or 1 for a progress bar is needed.")


def _check_fraction(fraction: Any) -> None:
    if fraction is not None and not (isinstance(fraction, int | float | np.number) and 0.0 <= fraction < 1.0):
        raise InputError(f"validation_fraction is {fraction!r:.60}; a number between 0 and 1 is needed.")


def _check_patience(patience: Any) -> None:
    is_number = isinstance(patience, int | np.integer) and not isinstance(patience, bool)
    if patience is not None and not (is_number and patience >= 1):
        raise InputError(f"patience is {patience!r:.60}; a whole number of at least 1 is needed, or None.")


def generator(random_state: Any) -> np.random.Generator:
    """A new-style generator from any form of scikit-learn's `random_state`."""
    return np.random.default_rng(_legacy(random_state).randint(np.iinfo(np.int32).max))


def _legacy(random_state: Any) -> Any:
    """Read `random_state` as scikit-learn does: None is NumPy's global state, which `np.random.seed` sets."""
    if random_state is None or random_state is np.random:
        return np.random
    if isinstance(random_state, numbers.Integral) and 0 <= int(random_state) < 2**32:
        return np.random.RandomState(int(random_state))
    if isinstance(random_state, np.random.RandomState):
        return random_state
    raise InputError(
        f"random_state is {random_state!r:.60}; use a whole number from 0 to 2**32 - 1, a numpy.random.RandomState or "
        "None."
    )


_SHARED: dict[str, Callable[[Any], object]] = {
    "n_jobs": check_jobs,
    "verbose": _check_verbose,
    "random_state": _legacy,
    "validation_fraction": _check_fraction,
    "patience": _check_patience,
}


def as_classes(classes: Any) -> list[Any]:
    """All labels that will come, as a list; they are sorted later, so a set will do.

    Examples
    --------
    >>> as_classes({"N"})
    ['N']
    """
    given = list(classes) if isinstance(classes, str | set | frozenset) else classes
    return as_list(given, "classes", "a list of labels is needed")


def checked_sample_weight(sample_weight: Any, n_sequences: int) -> Floats | None:
    """Check `sample_weight`: one number per sequence, at least 0 and of a size that sums can hold, or None.

    Examples
    --------
    >>> checked_sample_weight([1.0, 1e300], 2)
    Traceback (most recent call last):
    ...
    weft.errors.InputError: sample_weight has 1e+300; at most 1e+15 is needed: divide all of them by their mean.
    """
    if sample_weight is None:
        return None
    wanted = f"one number per sequence is needed, shape ({n_sequences},)"
    weights = as_numbers(sample_weight, "sample_weight", wanted)
    if weights.shape != (n_sequences,):
        raise InputError(f"sample_weight has shape {weights.shape}; {wanted}.")
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        raise InputError("sample_weight holds negative or non-finite numbers; finite numbers >= 0 are needed.")
    if not weights.any():
        raise InputError("sample_weight is zero everywhere; at least one sequence needs a positive weight.")
    if not 1.0 / LARGEST_WEIGHT <= weights.max() <= LARGEST_WEIGHT:
        wanted = (
            f"most {LARGEST_WEIGHT:g}" if weights.max() > 1.0 else f"least {1.0 / LARGEST_WEIGHT:g} for one of them"
        )
        raise InputError(
            f"sample_weight has {weights.max():g}; at {wanted} is needed: divide all of them by their mean."
        )
    return weights


def check_weights(*weights: Floats, what: str = "weights_") -> None:
    """Refuse weights that no fit ends with, before sums of them leave the range of numbers and answers become zero.

    Examples
    --------
    >>> check_weights(np.array([0.5, 1e300]))
    Traceback (most recent call last):
    ...
    weft.errors.InputError: weights_ has 1e+300; finite numbers of at most 1e+100 are needed: fit again with a ...
    """
    for each in weights:
        given: Any = each
        if not isinstance(given, np.ndarray) or given.dtype not in NUMBERS or not given.ndim:
            raise InputError(f"{what} is {shown(given)}; an array of numbers is needed, such as float64: fit again.")
        ends = (each.item(each.argmin()), each.item(each.argmax())) if each.size else ()
        bad = next((end for end in ends if not -LARGEST <= end <= LARGEST), None)
        if bad is not None:
            raise InputError(
                f"{what} has {bad}; finite numbers of at most {LARGEST} are needed: fit again with a stronger penalty, "
                "smaller steps or scaled features."
            )


def hold_out(
    X: list[Any],
    y: list[Any],
    sample_weight: Floats | None,
    fraction: float,
    random: np.random.Generator,
    can_be_scored: Callable[[Any, Integers, Integers], Mask],
) -> tuple[list[Any], list[Any], Floats | None, list[Any], list[Any]]:
    """Split off a share of the examples: X, y and sample_weight to train on, X and y held out.

    `can_be_scored(y, kept, held_out)` says which of the held-out ones a model of the others can be scored on; the rest
    is trained on.
    """
    if len(X) < 2:
        raise InputError("validation_fraction needs at least 2 sequences; pass more or set it to 0.")
    order = random.permutation(len(X))
    n_held_out = min(max(1, round(fraction * len(X))), len(X) - 1)
    held_out, kept = np.sort(order[:n_held_out]), np.sort(order[n_held_out:])
    scored = can_be_scored(y, kept, held_out)
    kept = np.union1d(kept, held_out[~scored]).astype(np.int64)
    held_out = held_out[scored]
    if not len(held_out):
        raise InputError("every held-out sequence has a label of its own; lower validation_fraction or add data.")
    return (
        [X[i] for i in kept],
        [y[i] for i in kept],
        None if sample_weight is None else sample_weight[kept],
        [X[i] for i in held_out],
        [y[i] for i in held_out],
    )


def label_map(old: NDArray[np.object_], new: NDArray[np.object_]) -> Integers:
    """Number of each old label among the new ones, -1 if it is gone."""
    return Alphabet(new).encode(list(old)).astype(np.int64)
