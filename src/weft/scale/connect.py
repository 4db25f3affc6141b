"""A client of a Dask cluster: one that is started on this machine for a run, or one that is there already."""

from __future__ import annotations

import importlib.util
import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from weft.errors import InputError

__all__ = ["connected"]

CONNECT_SECONDS = 20.0
"""How long a scheduler may take to answer."""

QUIET = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "500ms",
    "distributed.admin.system-monitor.interval": "2s",
    "distributed.worker.memory.monitor-interval": "500ms",
}
"""Settings of clusters that are started here: a look at every worker's stack 100 times a second takes its time, and so
do 50 ticks."""


@contextmanager
def connected(
    workers: int | None = None, address: str | None = None, scheduler_file: str | Path | None = None
) -> Iterator[Any]:
    """A client, closed at the end; so is a cluster that was started for it.

    Parameters
    ----------
    workers : int, optional
        Start a cluster of this many processes with one thread each, which nobody can reach from another machine.
    address : str, optional
        Join the cluster of this scheduler, such as ``tcp://10.0.0.1:8786``.
    scheduler_file : path, optional
        Join the cluster whose scheduler has written this file.

    Yields
    ------
    dask.distributed.Client

    Examples
    --------
    >>> with connected(2, "tcp://10.0.0.1:8786"):
    ...     pass
    Traceback (most recent call last):
    ...
    weft.errors.InputError: 2 ways to a cluster given; give one of workers, address and scheduler_file.
    """
    ways = sum(way is not None for way in (workers, address, scheduler_file))
    if ways != 1:
        raise InputError(f"{ways} ways to a cluster given; give one of workers, address and scheduler_file.")
    if importlib.util.find_spec("distributed") is None:
        raise InputError("Dask is not installed, which clusters need; install it with: pip install 'weft[dask]'")
    if scheduler_file is not None and not Path(scheduler_file).is_file():
        raise InputError(f"there is no file {scheduler_file}; give the one that the scheduler wrote, or its address.")
    import dask
    from distributed import Client, LocalCluster

    with ExitStack() as stack:
        _hush(stack)
        try:
            if workers is not None:
                stack.enter_context(dask.config.set(QUIET))
                cluster = LocalCluster(
                    n_workers=workers,
                    threads_per_worker=1,
                    processes=True,
                    host="127.0.0.1",
                    dashboard_address="127.0.0.1:0",
                )
                stack.enter_context(cluster)
                client = Client(cluster, direct_to_workers=True)  # vectors pass the scheduler by
            else:
                given: dict[str, Any] = (
                    {"address": address} if address is not None else {"scheduler_file": str(scheduler_file)}
                )
                client = Client(**given, timeout=CONNECT_SECONDS)
        except (OSError, TimeoutError, ValueError, KeyError) as error:  # the last two: no address, no such file
            place = next((way for way in (address, scheduler_file) if way is not None), "this machine")
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise InputError(
                f"no scheduler answers at {place} ({reason:.100}); start one, or check the address."
            ) from None
        yield stack.enter_context(client)


def _hush(stack: ExitStack) -> None:
    """Keep the log of Dask off standard error for a while: what matters comes as one line of ours."""
    for name in ("distributed", "asyncio", "tornado"):
        log = logging.getLogger(name)
        stack.callback(log.setLevel, log.level)
        log.setLevel(logging.CRITICAL)
