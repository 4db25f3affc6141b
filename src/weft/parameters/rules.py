"""What parameters may be: switches, and numbers of any type."""

from __future__ import annotations

import inspect
from functools import cache
from typing import Any

import numpy as np

from weft.errors import InputError
from weft.parameters.base import Parameters


def check_switches(owner: Parameters) -> None:
    """Refuse switches that are neither True nor False, those of parts such as a learner too.

    What is no switch counts as one that is on, an empty list as one that is off, and nobody would notice.

    Examples
    --------
    >>> from weft.learners.perceptron import Perceptron
    >>> check_switches(Perceptron(early_update="no"))
    Traceback (most recent call last):
    ...
    weft.errors.InputError: early_update of Perceptron is 'no'; use True or False.
    """
    kind: Any = type(owner)
    switches = _switches(kind)
    for name, value in owner.get_params(deep=False).items():
        if isinstance(value, Parameters):
            check_switches(value)
        elif name in switches and not isinstance(value, bool | np.bool_):
            raise InputError(f"{name} of {kind.__name__} is {value!r:.60}; use True or False.")


def is_number(value: Any, most: float) -> bool:
    """Whether a value is a number from 0 to `most`; one of 32 bits cannot be compared with numbers that it cannot hold.

    Examples
    --------
    >>> is_number(np.float32(0.5), 1e100), is_number("0.5", 1e100), is_number(np.nan, 1e100)
    (True, False, False)
    """
    if not isinstance(value, int | float | np.integer | np.floating):
        return False
    return bool(0 <= (float(value) if isinstance(value, np.floating) else value) <= most)


@cache
def _switches(kind: Any) -> frozenset[str]:
    """Names of the parameters that the constructor declares to be of type bool."""
    parameters = inspect.signature(kind).parameters.values()
    return frozenset(each.name for each in parameters if each.annotation in (bool, "bool"))
