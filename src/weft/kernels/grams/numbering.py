"""Numbers of keys in sorted order, on all cores."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weft.core.threads import in_threads
from weft.errors import InputError
from weft.kernels.grams.loops.numbering import count_shares, deal, number_shares, write_columns
from weft.kernels.grams.loops.rows import fill_table

Keys = NDArray[np.uint64]
SHARE_BITS = 12
MOST_KEYS = 2**31 - 1
"""Places of keys are numbers of 32 bits."""


def number_keys(keys: list[Keys], n_threads: int) -> tuple[Keys, NDArray[np.int32]]:
    """Return what ``np.unique(concatenation, return_inverse=True)`` would, faster.

    Parameters
    ----------
    keys : list of ndarrays of uint64
    n_threads : int

    Returns
    -------
    different : ndarray of uint64
        Sorted.
    columns : ndarray of int32
        Place of each key of the concatenation in `different`.

    Examples
    --------
    >>> number_keys([np.array([7, 3], dtype=np.uint64), np.array([7], dtype=np.uint64)], n_threads=1)
    (array([3, 7], dtype=uint64), array([1, 0, 1], dtype=int32))
    """
    total = sum(map(len, keys))
    if total > MOST_KEYS:
        raise InputError(
            f"{total} grams given at once; need at most {MOST_KEYS}: take shorter grams, or fewer sequences."
        )
    columns = np.empty(total, dtype=np.int32)
    if not total:
        return np.empty(0, dtype=np.uint64), columns
    largest = max(int(part.max()) for part in keys if len(part))
    shift = np.uint64(max(largest.bit_length() - SHARE_BITS, 0))
    n_shares = (largest >> int(shift)) + 1
    counts = np.zeros((len(keys), n_shares), dtype=np.int64)
    in_threads(lambda part: count_shares(keys[part], shift, counts[part]), range(len(keys)))
    begins = np.concatenate([[0], np.cumsum(counts.sum(axis=0))])
    # Keys of earlier parts come first in each share.
    places = begins[:-1] + np.cumsum(counts, axis=0) - counts
    firsts = np.concatenate([[0], np.cumsum([len(part) for part in keys])])
    dealt, positions = np.empty(total, dtype=np.uint64), np.empty(total, dtype=np.int32)
    in_threads(lambda part: deal(keys[part], firsts[part], shift, places[part], dealt, positions), range(len(keys)))
    ranks, n_different = np.empty(total, dtype=np.int32), np.zeros(n_shares, dtype=np.int64)
    cuts = np.searchsorted(begins, np.linspace(0, total, n_threads + 1)[1:-1]).tolist()
    ranges = list(pairwise([0, *cuts, n_shares]))
    in_threads(lambda cut: number_shares(dealt, begins, *cut, ranks, n_different), ranges)
    n_before = np.concatenate([[0], np.cumsum(n_different)])
    different = np.empty(n_before[-1], dtype=np.uint64)

    def write(cut: tuple[Any, Any]) -> None:
        write_columns(begins, *cut, ranks, positions, dealt, n_before, columns, different)

    in_threads(write, ranges)
    return different, columns


def hash_table(keys: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    """Keys and their numbers by open addressing.

    Examples
    --------
    >>> keys, columns = hash_table(np.array([3, 7], dtype=np.uint64))
    >>> len(keys), sorted(columns)[-2:]
    (16, [np.int32(0), np.int32(1)])
    """
    size = 1 << max(4, (2 * len(keys)).bit_length())
    table = np.zeros(size, dtype=np.uint64), np.full(size, -1, dtype=np.int32)
    fill_table(keys, *table)
    return table
