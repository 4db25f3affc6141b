"""Threads for compiled loops, which run without the GIL.

The standard library's pool and not joblib's: joblib looks every 10 ms whether a task is done, which is as long as
decoding 50,000 tokens takes (measured: 80 ms against 20 ms). joblib stays the way to processes and clusters.

Threads add up and do not multiply. A task that runs beside others has a share of the cores, and ``n_jobs=-1`` inside
it means that share (`available_cores`).
"""

from __future__ import annotations

import math
import multiprocessing
import numbers
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from weft.errors import InputError

MOST_THREADS = 4096
"""More threads at once are no use on any machine; buffers are made for each."""

Task = TypeVar("Task")
Result = TypeVar("Result")

_SHARE: ContextVar[int | None] = ContextVar("_SHARE", default=None)


CGROUPS = (("/sys/fs/cgroup/cpu.max",), ("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "/sys/fs/cgroup/cpu/cpu.cfs_period_us"))
"""Where Linux says how much of the processors a container may use: microseconds, and in how many."""


@cache
def _cpu_count() -> int:
    """Cores of this process, as joblib counts them, which is not imported for that: it takes a tenth of a second."""
    affinity = getattr(os, "sched_getaffinity", None)
    counts = [os.cpu_count() or 1, int(os.environ.get("LOKY_MAX_CPU_COUNT") or sys.maxsize)]
    counts += [len(affinity(0))] if affinity is not None else []
    for files in CGROUPS:
        try:
            quota, period = " ".join(Path(file).read_text() for file in files).split()
        except (OSError, ValueError):
            continue
        if quota.isdigit() and int(quota) > 0 and int(period) > 0:
            counts.append(math.ceil(int(quota) / int(period)))
    return max(1, min(counts))


def available_cores() -> int:
    """Cores that the running task may use.

    All that the process may use, unless the task is one of several: a thread of `in_threads` has an equal share of
    its caller's, a process of joblib (as in a search of scikit-learn) the share that joblib has reserved for the
    compiled loops in it. A thread of joblib, which does not say how many there are, has one core.

    Examples
    --------
    >>> with core_share(2):
    ...     available_cores()
    2
    """
    share = _SHARE.get()
    if share is not None:
        return share
    cores = _cpu_count()
    parallel = sys.modules.get("joblib.parallel")  # who has not imported it runs no task in it
    if parallel is None or not parallel.get_active_backend()[0].nesting_level:
        return cores
    reserved = os.environ.get("NUMBA_NUM_THREADS", "")  # what joblib sets in its processes
    if multiprocessing.parent_process() is None or not reserved.isdigit():
        return 1
    return max(1, min(cores, int(reserved)))


@contextmanager
def core_share(n_cores: int) -> Iterator[None]:
    """Let everything inside use so many cores.

    Examples
    --------
    >>> with core_share(1):
    ...     effective_jobs(-1)
    1
    """
    before = _SHARE.set(max(1, n_cores))
    try:
        yield
    finally:
        _SHARE.reset(before)


def effective_jobs(n_jobs: int | None) -> int:
    """Number of threads that scikit-learn's `n_jobs` means: None is 1, -1 all available cores, -2 all but one.

    Examples
    --------
    >>> effective_jobs(None), effective_jobs(3), effective_jobs(-1) >= 1
    (1, 3, True)
    >>> effective_jobs(0)
    Traceback (most recent call last):
    ...
    weft.errors.InputError: n_jobs is 0; a number of threads up to 4096 is needed, -1 for all cores, or None for one.
    """
    check_jobs(n_jobs)
    if n_jobs is None:
        return 1
    return max(1, n_jobs if n_jobs > 0 else available_cores() + 1 + n_jobs)


def check_jobs(n_jobs: Any) -> None:
    """Refuse numbers of threads that mean nothing; for who has a single task, and need not count cores."""
    is_number = isinstance(n_jobs, numbers.Integral) and not isinstance(n_jobs, bool)
    if n_jobs is not None and (not is_number or n_jobs == 0 or n_jobs > MOST_THREADS):
        raise InputError(
            f"n_jobs is {n_jobs!r:.60}; a number of threads up to {MOST_THREADS} is needed, -1 for all cores, or None "
            "for one."
        )


def in_threads(work: Callable[[Task], Result], tasks: Sequence[Task], n_threads: int | None = None) -> list[Result]:
    """Results of `work` for each task, which begin in their order.

    Parameters
    ----------
    work : callable
    tasks : sequence
    n_threads : int, optional
        How many run at once; all of them if None.

    Returns
    -------
    list
        If tasks fail, the error of the first of them is raised.

    Examples
    --------
    >>> in_threads(lambda x: x * x, [1, 2, 3])
    [1, 4, 9]
    """
    n_threads = len(tasks) if n_threads is None else min(n_threads, len(tasks))
    if n_threads <= 1:
        return [work(task) for task in tasks]
    share = available_cores() // n_threads

    def alone(task: Task) -> Result:
        with core_share(share):
            return work(task)

    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(alone, tasks))
