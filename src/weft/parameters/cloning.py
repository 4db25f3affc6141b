"""Copies that have learned nothing."""

from __future__ import annotations

import copy
from typing import Any


def clone(original: Any) -> Any:
    """Make an object again from copies of its parameters, without anything that it learned.

    Lists, tuples, sets and dicts are copied with what they hold; whatever has no parameters is copied deeply.

    Parameters
    ----------
    original : object

    Raises
    ------
    TypeError
        For a class: only its objects have parameters.
    RuntimeError
        When a constructor does not keep a parameter as it came.

    Examples
    --------
    >>> from weft.learners.crf import CRF
    >>> first = CRF(c2=0.5)
    >>> second = clone(first)
    >>> second, second is first
    (CRF(c2=0.5), False)
    """
    if isinstance(original, type):
        raise TypeError(f"cannot clone the class {original.__name__}; make an object of it first.")
    return _cloned(original)


def _cloned(value: Any) -> Any:
    kind = type(value)
    if kind is dict:
        return {name: _cloned(each) for name, each in value.items()}
    if kind in (list, tuple, set, frozenset):
        return kind([_cloned(each) for each in value])
    if isinstance(value, type):
        return copy.deepcopy(value)
    if hasattr(value, "__sklearn_clone__"):  # estimators of scikit-learn know how
        return value.__sklearn_clone__()
    return remade(value) if hasattr(value, "get_params") else copy.deepcopy(value)


def remade(value: Any) -> Any:
    """What `clone` makes of an object with parameters; classes that keep more begin with it in ``__sklearn_clone__``.

    Examples
    --------
    >>> from weft.learners.crf import CRF
    >>> remade(CRF(c2=0.5))
    CRF(c2=0.5)
    """
    kind = type(value)
    parameters = {name: _cloned(each) for name, each in value.get_params(deep=False).items()}
    made = kind(**parameters)
    if hasattr(value, "_metadata_request"):
        made._metadata_request = _cloned(value._metadata_request)
    kept = made.get_params(deep=False)
    for name, each in parameters.items():
        if kept[name] is not each:
            raise RuntimeError(f"cannot clone a {kind.__name__}: its constructor does not keep {name} as it is given.")
    return made
