"""One sum over shards: the same to the last digit for any number of threads.

Every question over data is a sum or a concatenation over shards, which are runs of consecutive sequences. How data are
cut follows from the data and the number of weights alone (`cut_into_shards`), and sums are added in the order of a
binary tree over the numbers of the shards (`sum_over_shards`). Who computes a shard, and when, changes nothing.

How many shards there are weighs two things. More of them share out better among threads. But each one costs a vector of
sums that is emptied, filled while it is cold, and added to another. With `WEIGHTS_PER_COST` = 16 CoNLL-2000 is cut into
four: on 5,000 of its sentences with 260,668 weights one thread takes 125 ms for a gradient where one part for each
thread took 118, two threads 127 for 124 (CPU time). Data with fewer weights are cut up to `MAX_SHARDS` times, data with
many more not at all.

Sums are final where they are added: what a shard gives is what a batch of its sequences alone would answer. So a shard
may as well be a file or live on another machine (`weft.scale`), and the sum is the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from threading import Lock
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from weft.core.threads import check_jobs, effective_jobs, in_threads

Shard = TypeVar("Shard")
Result = TypeVar("Result")
Partial = Sequence[Any]
"""What a shard contributes: numbers and arrays, which are added one by one, and sequences of these."""

MAX_SHARDS = 16
"""At most so many shards of data that are not large: as many threads as can be of use, and few enough calls."""
LARGE_COST = 2**17
"""Units of cost that a shard of large data has at most: more would fill the memory of whoever computes it."""
WEIGHTS_PER_COST = 16
"""Weights per unit of cost (a token of a chain) with which there is one shard; with half of them two, and so on."""
LEAST_COST = 2048
"""Units of cost that a shard has at least, if there are several: calling a thread takes as long as some hundred."""


def cut_into_shards(costs: npt.ArrayLike, n_weights: int) -> list[slice]:
    """Runs of sequences of about equal cost.

    Their number is ``WEIGHTS_PER_COST * total cost / n_weights`` or less where they would cost below `LEAST_COST`,
    rounded to a power of two from 1 to `MAX_SHARDS`, or to what cuts large data into shards of `LARGE_COST`. Nothing
    else counts, threads least of all, so that no sum depends on them. There are fewer if there are fewer sequences, or
    if one costs more than a shard.

    Parameters
    ----------
    costs : ndarray of shape (n_sequences,)
        What each sequence costs, in times of a token of a chain.
    n_weights : int
        Numbers that each shard sums up; 0 for a concatenation.

    Returns
    -------
    list of slices
        None of them empty.

    Examples
    --------
    >>> cut_into_shards([3000, 1000, 2000, 500, 2500], n_weights=1000)
    [slice(0, 1, None), slice(1, 3, None), slice(3, 5, None)]
    >>> cut_into_shards([3000, 1000, 2000, 500, 2500], n_weights=1_000_000)
    [slice(0, 5, None)]
    """
    if len(costs) == 1:  # type: ignore[arg-type]
        return [slice(0, 1)]
    ends = np.cumsum(np.asarray(costs, dtype=np.float64))
    n_sequences, total = len(ends), float(ends[-1]) if len(ends) else 0.0
    wanted = min(WEIGHTS_PER_COST * total / max(n_weights, 1), total / LEAST_COST)
    most = max(MAX_SHARDS, 2 ** math.ceil(math.log2(max(total / LARGE_COST, 1.0))))
    n_shards = min(2 ** round(math.log2(max(wanted, 1.0))), most, max(n_sequences, 1))
    cuts = np.searchsorted(ends, np.linspace(0.0, total, n_shards + 1)[1:-1]) + 1
    bounds = np.unique(np.concatenate([[0], np.minimum(cuts, n_sequences), [n_sequences]]))
    return [slice(int(a), int(b)) for a, b in pairwise(bounds)]


def concatenate_over_shards(
    work: Callable[[Shard], Result], shards: Sequence[Shard], n_jobs: int | None
) -> list[Result]:
    """Results of `work` for each shard in their order, as many at once as `n_jobs` allows.

    Examples
    --------
    >>> concatenate_over_shards(lambda shard: shard.stop, [slice(0, 2), slice(2, 5)], n_jobs=2)
    [2, 5]
    """
    if len(shards) == 1:
        check_jobs(n_jobs)
        return [work(shards[0])]
    return in_threads(work, shards, effective_jobs(n_jobs))


def sum_over_shards(
    work: Callable[[Shard], Partial],
    shards: Sequence[Shard],
    n_jobs: int | None,
    release: Callable[[Partial], None] | None = None,
    add: Callable[[Any, Any], Any] | None = None,
) -> Any:
    """Sum of what `work` gives for each shard, in the order of a binary tree.

    Shards 0 and 1, 2 and 3, ... are added, then the sums of these pairs, and so on: whoever ends a shard whose
    neighbour is done adds the two and goes on. Shards begin in their order, so that hardly more than one sum for each
    level of the tree and one for each thread is alive.

    Parameters
    ----------
    work : callable
        Makes the sums of one shard: arrays that nobody else changes, and numbers. It may be called in any thread.
    shards : list
    n_jobs : int or None
        How many shards are computed at once.
    release : callable, optional
        Gets what has been added to something else, so that `work` can take its arrays again: fresh memory costs a page
        fault per 4 kB.
    add : callable, optional
        Makes one result of two neighbours, where that is not a sum of numbers and arrays.

    Returns
    -------
    Of the kind that `work` returns

    Examples
    --------
    >>> total, counts = sum_over_shards(lambda s: (1.5, np.ones(2) * s.stop), [slice(0, 2), slice(2, 5)], n_jobs=2)
    >>> total, counts
    (3.0, array([7., 7.]))
    """
    waiting: dict[tuple[int, int], Partial] = {}
    lock = Lock()

    def task(number: int) -> None:
        partial, level, n_nodes = work(shards[number]), 0, len(shards)
        while n_nodes > 1:
            neighbour = number ^ 1
            if neighbour < n_nodes:  # the last one of an odd number goes up alone
                with lock:
                    other = waiting.pop((level, neighbour), None)
                    if other is None:
                        waiting[level, number] = partial
                        return
                left, right = (partial, other) if number < neighbour else (other, partial)
                partial = (add or added)(left, right)
                if release is not None:
                    release(right)
            number, level, n_nodes = number // 2, level + 1, (n_nodes + 1) // 2
        waiting[-1, 0] = partial

    in_threads(task, range(len(shards)), effective_jobs(n_jobs))
    return waiting[-1, 0]


def added(left: Any, right: Any) -> Any:
    """The sum of two partial results; arrays of the first are changed in place.

    Examples
    --------
    >>> added((1.5, np.ones(2)), (1.0, np.ones(2)))
    (2.5, array([2., 2.]))
    """
    if isinstance(left, np.ndarray):
        left += right
        return left
    if isinstance(left, tuple | list):
        return type(left)(added(mine, other) for mine, other in zip(left, right, strict=True))
    return left + right
