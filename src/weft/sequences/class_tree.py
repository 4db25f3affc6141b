"""A binary tree over classes of words, in which like classes share the beginnings of their paths."""

from __future__ import annotations

import numpy as np

from weft.arrays import Integers
from weft.core.array_checks import checked_numbers
from weft.errors import InputError
from weft.sequences.loops.merges import merge


def paths_of(text: Integers, n_free: int, n_fixed: int, values: Integers) -> list[str]:
    """Path of each class from the root of a tree, such as ``"0110"``, by mergers from the leaves on.

    Parameters
    ----------
    text : ndarray of int
        Classes of the words of a text, which is a ring; those from `n_free` on have no path.
    n_free, n_fixed : int
    values : ndarray of int
        ``x ln x`` of all whole numbers up to the length of the text, rounded to whole numbers.

    Examples
    --------
    >>> values = (1000 * np.arange(13) * np.log(np.maximum(np.arange(13), 1))).astype(int)
    >>> paths_of(np.array([0, 2, 3, 1, 2, 3, 0, 2, 3, 1, 2, 3]), 3, 1, values)
    ['00', '01', '1']
    """
    n_all = n_free + n_fixed
    text = checked_numbers("text", text, n_all, "number the classes from 0", dtype=np.int64)
    if values.dtype != np.int64 or values.shape != (len(text) + 1,):
        raise InputError(
            f"values of shape {values.shape} and type {values.dtype} given; need int64 of all numbers up to {len(text)}"
        )
    pairs = np.bincount(text * n_all + np.roll(text, -1), minlength=n_all**2).reshape(n_all, n_all)
    merged = np.zeros((n_free - 1, 2), dtype=np.int64)
    gains = np.zeros((n_free, n_free), dtype=np.int64)
    merge(pairs.astype(np.int64), values, np.ones(n_all, dtype=np.bool_), gains, merged)
    paths = {0: ""}
    for first, second in merged[::-1].tolist():
        paths[second] = paths[first] + "1"
        paths[first] += "0"
    return [paths[number] for number in range(n_free)]
