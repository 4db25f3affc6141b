"""Say what something would take before it is taken: a system out of memory kills processes without a word."""

from __future__ import annotations

import os
from pathlib import Path

from weft.errors import InputError

WORTH_A_LOOK = 2**28
"""Less is granted without asking the system."""

CONTROL_GROUP = Path("/sys/fs/cgroup")
STATISTICS = Path("/proc/meminfo")


def free_memory() -> int | None:
    """Bytes that this process may still take: the least that system, container and user limits leave; None if unknown.

    Examples
    --------
    >>> free = free_memory()
    >>> free is None or free > 0
    True
    """
    found = [left for left in (_of_system(), _of_container(), _of_limits()) if left is not None]
    return max(min(found), 0) if found else None


def require_memory(n_bytes: float, what: str, instead: str) -> None:
    """Refuse what does not fit into memory.

    Parameters
    ----------
    n_bytes : float
        What it would take.
    what : str
        Begins the sentence, in the plural: "tables of 24,000 bases".
    instead : str
        What to do.

    Examples
    --------
    >>> require_memory(1e18, "tables of 10,000,000 bases", "fold windows of it")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    weft.errors.InputError: tables of 10,000,000 bases take 1,000,000,000.0 GB and ... GB are free; fold windows of it
    """
    if n_bytes < WORTH_A_LOOK:
        return
    free = free_memory()
    if free is not None and n_bytes > free:
        raise InputError(f"{what} take {n_bytes / 1e9:,.1f} GB and {free / 1e9:,.1f} GB are free; {instead}")


def _of_system() -> int | None:
    """What is available without swapping, caches that can be dropped included; else all there is."""
    try:
        lines = STATISTICS.read_text().splitlines()
        return next(1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable:"))
    except (OSError, ValueError, StopIteration):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def _of_container() -> int | None:
    """What a control group leaves; its caches of files can be dropped."""
    try:
        most = int((CONTROL_GROUP / "memory.max").read_text())
        used = int((CONTROL_GROUP / "memory.current").read_text())
        statistics = dict(line.split() for line in (CONTROL_GROUP / "memory.stat").read_text().splitlines())
        return most - used + int(statistics.get("inactive_file", 0))
    except (OSError, ValueError):  # no such group, or "max": no limit
        return None


def _of_limits() -> int | None:
    """What `ulimit -v` leaves."""
    try:
        import resource

        most = resource.getrlimit(resource.RLIMIT_AS)[0]
        if most == resource.RLIM_INFINITY:
            return None
        used = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        return most - used
    except (ImportError, OSError, ValueError):
        return None
