"""What the state of a model must be before a compiled loop sees it.

A model file has a checksum but no key, so anybody can make one that looks whole. Compiled loops do not check indices:
one out of range reads or writes foreign memory. So every class that a model file may hold declares, next to its state,
what each array must be: type, shape in terms of others, range, order. `check_arrays` holds the arrays of a file to
these rules, `check_state` its plain values, and both refuse what no rule names.

A size in a shape is a number, the name of a size, or a name and a number such as ``"n_states+1"``. The first array with
a new name says how large it is; the others must agree.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from weft.errors import ModelFileError

Arrays = Mapping[str, NDArray[Any]]
Size = int | str
Bound = float | str

LARGEST = 1e100
"""Weights beyond this are no result of a fit: their sums could leave the range of numbers."""


@dataclass(frozen=True)
class ArrayRule:
    """What one array must be.

    Attributes
    ----------
    dtypes : tuple of str
        Types that are accepted.
    shape : tuple of int or str
    low, below : number or str, optional
        Every entry is at least `low` and less than `below`, numbers or sizes; floats may be `below` itself.
    order : {"", "offsets", "rising offsets", "distinct"}
        Offsets begin at zero, never fall and end at `below`; ``distinct`` entries rise.
    impossible : bool
        Let floats be ``-inf``, the logarithm of zero.
    optional : bool
        The array may be missing.
    """

    dtypes: tuple[str, ...]
    shape: tuple[Size, ...]
    low: Bound | None = None
    below: Bound | None = None
    order: str = ""
    impossible: bool = False
    optional: bool = False


def integers(*shape: Size, low: int = 0, below: Size | None = None, dtype: str = "int64", order: str = "") -> ArrayRule:
    """Rule for numbers of things: from `low` to less than `below`."""
    return ArrayRule((dtype,), shape, low, below, order)


def offsets(size: Size, end: Size, *, empty: bool = True) -> ArrayRule:
    """Rule for where rows begin in an array of `end` entries; rows may be empty unless told."""
    return ArrayRule(("int64",), (size,), 0, end, "offsets" if empty else "rising offsets")


def floats(
    *shape: Size, impossible: bool = False, dtype: str = "float64", low: float = -LARGEST, high: float = LARGEST
) -> ArrayRule:
    """Rule for numbers from `low` to `high`, or for logarithms, which may be those of zero."""
    return ArrayRule((dtype,), shape, low, high, impossible=impossible)


def flags(*shape: Size) -> ArrayRule:
    """Rule for truth values."""
    return ArrayRule(("bool",), shape)


Rule = TypeVar("Rule", "ArrayRule", "ValueRule")


def optional(rule: Rule) -> Rule:
    """The same rule for an array or a value that may be missing."""
    return replace(rule, optional=True)


PACKED = ("data", "offsets", "kinds")
"""How the names of the three arrays end that hold a list of symbols."""


def packed_symbols(name: str, size: str) -> dict[str, ArrayRule]:
    """Rules for the arrays of `weft.checkpoint.pack_named`, which reads them again with checks of its own."""
    data, places, kinds = (f"{name}.{key}" for key in PACKED)
    return {
        data: integers(f"bytes of {name}", dtype="uint8"),
        kinds: integers(size, dtype="uint8"),
        places: offsets(f"{size}+1", f"bytes of {name}"),
    }


def part(arrays: Arrays, name: str) -> dict[str, NDArray[Any]]:
    """Arrays of a part: those whose names begin with its name and a dot, without it.

    Examples
    --------
    >>> part({"chain.first": np.zeros(1), "weights": np.zeros(2)}, "chain")
    {'first': array([0.])}
    """
    prefix = f"{name}."
    return {key.removeprefix(prefix): array for key, array in arrays.items() if key.startswith(prefix)}


def rest(arrays: Arrays, *names: str) -> dict[str, NDArray[Any]]:
    """Arrays that belong to none of the named parts.

    Examples
    --------
    >>> rest({"chain.first": np.zeros(1), "weights": np.zeros(2)}, "chain")
    {'weights': array([0., 0.])}
    """
    prefixes = tuple(f"{name}." for name in names)
    return {key: array for key, array in arrays.items() if not key.startswith(prefixes)}


def check_arrays(owner: str, arrays: Arrays, rules: Mapping[str, ArrayRule], **sizes: int) -> dict[str, int]:
    """Raise unless the arrays are exactly those of the rules.

    Parameters
    ----------
    owner : str
        Whose arrays these are, for the message.
    arrays : mapping of str to ndarray
    rules : mapping of str to ArrayRule
        Looked at in this order: a size must be known before it bounds another array's entries.
    **sizes : int
        Sizes that are known beforehand.

    Returns
    -------
    dict of str to int
        All sizes.

    Examples
    --------
    >>> rules = {"labels": integers("n", below="n_labels"), "weights": floats("n")}
    >>> check_arrays("a chain", {"labels": np.array([0, 1]), "weights": np.zeros(2)}, rules, n_labels=2)
    {'n_labels': 2, 'n': 2}
    >>> check_arrays("a chain", {"labels": np.array([0, 7]), "weights": np.zeros(2)}, rules, n_labels=2)
    Traceback (most recent call last):
    ...
    weft.errors.ModelFileError: array 'labels' of a chain has entries from 0 to 7; needed 0 to 1
    """
    unknown = next((name for name in arrays if name not in rules), None)
    if unknown is not None:
        raise ModelFileError(f"{owner} has an array {unknown[:40]!r}; needed only {', '.join(rules)}")
    for name, rule in rules.items():
        if name in arrays:
            _check_array(f"array {name!r} of {owner}", arrays[name], rule, sizes)
        elif not rule.optional:
            raise ModelFileError(f"{owner} lacks the array {name!r}")
    return sizes


def _check_array(what: str, array: NDArray[Any], rule: ArrayRule, sizes: dict[str, int]) -> None:
    if array.dtype not in map(np.dtype, rule.dtypes):
        raise ModelFileError(f"{what} has type {array.dtype}; needed {' or '.join(rule.dtypes)}")
    fits = array.ndim == len(rule.shape) and all(
        _fits(size, length, sizes) for size, length in zip(rule.shape, array.shape, strict=True)
    )
    if not fits:
        wanted = ", ".join(map(str, rule.shape))
        known = ", ".join(f"{name} = {size}" for name, size in sizes.items() if name in wanted)
        raise ModelFileError(f"{what} has shape {array.shape}; needed ({wanted}){f' with {known}' if known else ''}")
    if array.dtype.kind == "f":
        _check_floats(what, array, rule)
    elif rule.order.endswith("offsets"):
        end = _size(rule.below, sizes)
        falls = array[1:] < array[:-1] if rule.order == "offsets" else array[1:] <= array[:-1]
        if not len(array) or array[0] != 0 or array[-1] != end or bool(falls.any()):
            raise ModelFileError(f"{what} does not rise from 0 to {end}, the number of entries that it cuts into rows")
    elif array.dtype.kind in "iu":
        _check_integers(what, array, rule, sizes)


def _check_floats(what: str, array: NDArray[Any], rule: ArrayRule) -> None:
    if not array.size or rule.low is None or rule.below is None:
        return
    low, high = float(rule.low), float(rule.below)
    # The length of the vector bounds all its entries, in one pass; squares that overflow are looked at below.
    flat = array.reshape(-1)
    if math.sqrt(float(np.einsum("i,i", flat, flat))) <= min(-low, high):
        return
    lowest, largest = array.min(), array.max()
    if rule.impossible and lowest == -np.inf:
        lowest = np.min(array, initial=max(largest, low), where=array > -np.inf)
        largest = max(largest, low)
    if not (lowest >= low and largest <= high):  # NaN fails too
        wanted = f"{low:g} to {high:g}{' or -inf' if rule.impossible else ''}"
        raise ModelFileError(f"{what} has entries from {lowest} to {largest}; needed {wanted}")


def _check_integers(what: str, array: NDArray[Any], rule: ArrayRule, sizes: dict[str, int]) -> None:
    if array.size:
        low, below = (None if bound is None else _size(bound, sizes) for bound in (rule.low, rule.below))
        lowest, highest = 0, 0
        if low == 0 and below is not None and array.dtype.kind == "i":
            # As unsigned numbers negative ones are the largest, so that one pass sees both ends.
            highest = int(array.view(f"u{array.dtype.itemsize}").max())
        if low != 0 or below is None or highest >= below:
            lowest, highest = int(array.min()), int(array.max())
        if (low is not None and lowest < low) or (below is not None and highest >= below):
            wanted = f"{low} to {below - 1}" if below is not None else f"at least {low}"
            raise ModelFileError(f"{what} has entries from {lowest} to {highest}; needed {wanted}")
    if rule.order == "distinct" and bool((array[1:] <= array[:-1]).any()):
        raise ModelFileError(f"{what} is not sorted without repeats")


def _parsed(size: str) -> tuple[str, int]:
    name, _, more = size.partition("+")
    return name, int(more or 0)


def _fits(size: Size, length: int, sizes: dict[str, int]) -> bool:
    if isinstance(size, int):
        return length == size
    name, more = _parsed(size)
    return length >= more and sizes.setdefault(name, length - more) == length - more


def _size(size: Bound | None, sizes: dict[str, int]) -> int:
    if not isinstance(size, str):
        return int(size or 0)
    name, more = _parsed(size)
    return sizes[name] + more


# ------------------------------------------------------------------------------------------------ plain values


@dataclass(frozen=True)
class ValueRule:
    """What one plain value must be.

    Attributes
    ----------
    wanted : str
        For the message: ``"a whole number of at least 1"``.
    accepts : callable
    optional : bool
        The value may be missing.
    """

    wanted: str
    accepts: Callable[[Any], bool]
    optional: bool = False


def whole(low: int = 0, high: int = 2**31) -> ValueRule:
    """Rule for a whole number from `low` to `high`."""
    return ValueRule(f"a whole number from {low} to {high}", lambda value: type(value) is int and low <= value <= high)


def real(low: float = -LARGEST, high: float = LARGEST) -> ValueRule:
    """Rule for a finite number."""
    return ValueRule(
        f"a number from {low:g} to {high:g}",
        lambda value: type(value) in (int, float) and low <= value <= high,
    )


def boolean() -> ValueRule:
    """Rule for a truth value."""
    return ValueRule("true or false", lambda value: type(value) is bool)


def choice(*values: Any) -> ValueRule:
    """Rule for one of a few values."""
    shown = " or ".join(map(repr, values))
    return ValueRule(shown, lambda value: any(type(value) is type(each) and value == each for each in values))


def anything(wanted: str, accepts: Callable[[Any], bool]) -> ValueRule:
    """Rule by a predicate."""
    return ValueRule(wanted, accepts)


ANY = ValueRule("anything", lambda value: True)
"""Rule for a value that a part checks by rules of its own."""


def list_of(each: ValueRule, least: int = 0) -> ValueRule:
    """Rule for a list or tuple whose items keep a rule."""
    return ValueRule(
        f"a list of at least {least} items, each {each.wanted}",
        lambda value: isinstance(value, list | tuple) and len(value) >= least and all(map(each.accepts, value)),
    )


def dict_of(each: ValueRule) -> ValueRule:
    """Rule for a dict with text as keys whose values keep a rule."""
    return ValueRule(
        f"a dict of values, each {each.wanted}",
        lambda value: (
            isinstance(value, dict)
            and all(isinstance(key, str) for key in value)
            and all(map(each.accepts, value.values()))
        ),
    )


def _is_fact(value: Any) -> bool:
    """Whether a value of a history is a number or a word; a fit that diverged may have noted NaN."""
    return value is None or isinstance(value, str | bool | int | float)


def _is_symbol(value: Any) -> bool:
    return all(map(_is_symbol, value)) if isinstance(value, tuple) else _is_fact(value)


SYMBOLS = list_of(ValueRule("text, a number, true, false, null or a tuple of them", _is_symbol))
"""Rule for symbols that stand among plain values."""

HISTORY = list_of(dict_of(ValueRule("a number or text", _is_fact)))
"""Rule for what a fit noted of its iterations."""


def check_state(owner: str, state: Any, rules: Mapping[str, ValueRule]) -> None:
    """Raise unless the plain values are exactly those of the rules.

    Examples
    --------
    >>> check_state("a chain", {"order": -1}, {"order": whole(1)})
    Traceback (most recent call last):
    ...
    weft.errors.ModelFileError: 'order' of a chain is -1; needed a whole number from 1 to 2147483648
    """
    if not isinstance(state, dict):
        raise ModelFileError(f"the state of {owner} is a {type(state).__name__}; needed a dict")
    unknown = next((name for name in state if name not in rules), None)
    if unknown is not None:
        raise ModelFileError(f"{owner} has a value {str(unknown)[:40]!r}; needed only {', '.join(rules)}")
    for name, rule in rules.items():
        if name not in state:
            if not rule.optional:
                raise ModelFileError(f"{owner} lacks the value {name!r}")
        elif not rule.accepts(state[name]):
            raise ModelFileError(f"{name!r} of {owner} is {_shown(state[name])}; needed {rule.wanted}")


def _shown(value: Any) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    text = repr(value)
    return text if len(text) <= 60 else f"a {type(value).__name__} that begins with {text[:40]}"
