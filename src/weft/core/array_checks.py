"""What compiled loops may be given: arrays of the right type and shape whose numbers are in range.

A compiled loop has no bounds checks, so that a number out of range would read or write foreign memory. These checks
stand in the Python code before it; each is a sweep or two over an array that the loop reads more than once. The least
number is looked up where `argmin` finds it: `min` begins a reduction, which takes five times as long for few numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.errors import InputError


def checked_floats(name: str, values: Any, shape: tuple[int, ...], cure: str) -> NDArray[np.float64]:
    """Contiguous float64 of a given shape; the same array if it is that already.

    Examples
    --------
    >>> checked_floats("weights", [1, 2], (2,), "give one per feature")
    array([1., 2.])
    >>> checked_floats("weights", [1, 2], (3,), "give one per feature")
    Traceback (most recent call last):
    ...
    weft.errors.InputError: weights of shape (2,) given; need (3,): give one per feature
    """
    try:
        array = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} given as {type(values).__name__}; need numbers of shape {shape}: {cure}") from None
    if array.shape != shape:
        raise InputError(f"{name} of shape {array.shape} given; need {shape}: {cure}")
    return array


def checked_numbers(
    name: str, values: Any, stop: int, cure: str, *, low: int = 0, size: int | None = None, dtype: Any = np.int32
) -> NDArray[Any]:
    """Contiguous whole numbers from `low` up to `stop`, which is not included; the same array if it is that already.

    Examples
    --------
    >>> checked_numbers("labels", [0, 1], 2, "number the labels from 0")
    array([0, 1], dtype=int32)
    >>> checked_numbers("labels", [0, 2], 2, "number the labels from 0")
    Traceback (most recent call last):
    ...
    weft.errors.InputError: labels[1] is 2; need 0 to 1: number the labels from 0
    """
    array = np.asarray(values)
    if array.size == 0 and array.ndim == 1:
        array = array.astype(dtype)
    if array.ndim != 1 or array.dtype.kind not in "iu" or (size is not None and len(array) != size):
        wanted = "any length" if size is None else f"length {size}"
        raise InputError(
            f"{name} of shape {array.shape} and type {array.dtype} given; need integers of {wanted}: {cure}"
        )
    if array.size and (array[array.argmin()] < low or array[array.argmax()] >= stop):
        place = int(np.argmax((array < low) | (array >= stop)))
        raise InputError(f"{name}[{place}] is {int(array[place])}; need {low} to {stop - 1}: {cure}")
    return np.ascontiguousarray(array, dtype=dtype)


def checked_offsets(name: str, offsets: Any, end: int, cure: str, n_ranges: int | None = None) -> NDArray[np.int64]:
    """Where ranges begin: int64 that do not fall, from 0 to `end`.

    Examples
    --------
    >>> checked_offsets("offsets", [0, 2, 5], 5, "begin at 0")
    array([0, 2, 5])
    >>> checked_offsets("offsets", [0, 6, 5], 5, "begin at 0")
    Traceback (most recent call last):
    ...
    weft.errors.InputError: offsets falls at place 2; need numbers that rise from 0 to 5: begin at 0
    """
    array = np.asarray(offsets)
    if array.ndim != 1 or len(array) == 0 or array.dtype.kind not in "iu":
        raise InputError(f"{name} of shape {array.shape} and type {array.dtype} given; need integers, one row: {cure}")
    if n_ranges is not None and len(array) != n_ranges + 1:
        raise InputError(f"{name} has {len(array)} numbers; need {n_ranges + 1}: {cure}")
    if array[0] != 0 or array[-1] != end:
        raise InputError(f"{name} goes from {int(array[0])} to {int(array[-1])}; need 0 to {end}: {cure}")
    falls = array[1:] < array[:-1]
    if np.count_nonzero(falls):
        place = int(np.argmax(falls)) + 1
        raise InputError(f"{name} falls at place {place}; need numbers that rise from 0 to {end}: {cure}")
    return np.ascontiguousarray(array, dtype=np.int64)
