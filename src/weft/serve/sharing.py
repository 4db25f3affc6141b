"""Connections shared out among workers: one that has more of them than another lets it go first.

All workers wait at one socket, so that a connection is lost with a worker only after that worker has taken it. But the
first to wake up would take all that wait, and keep them; then one process works and the others look on.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, MutableSequence
from typing import Any

__all__ = ["ABSENT", "Acceptor", "Share"]

ABSENT = -1
"""Stands for the connections of a worker that takes none."""

STEP, STEPS = 0.002, 5
"""Seconds that a worker lets others go first, and how many times."""
HURRY = 0.1
"""Seconds in which it waits no more, after nobody came."""
REST = 1.0
"""Seconds without new connections after the system has refused one, such as for want of files."""


class Share:
    """What one worker has of the connections that are open.

    Parameters
    ----------
    counts : sequence of int
        Open connections of each worker, in memory that all processes see.
    place : int
        Of this worker.

    Examples
    --------
    >>> counts = [3, 2, ABSENT]
    >>> Share(counts, 0).is_ahead, Share(counts, 1).is_ahead
    (True, False)
    """

    def __init__(self, counts: MutableSequence[int], place: int) -> None:
        self._counts, self._place = counts, place

    def begin(self) -> None:
        """From now on this worker takes connections."""
        self._counts[self._place] = 0

    def end(self) -> None:
        """It takes no more, or is dead."""
        self._counts[self._place] = ABSENT

    def add(self, number: int) -> None:
        """A connection more, or less."""
        if self._counts[self._place] != ABSENT:
            self._counts[self._place] += number

    @property
    def is_ahead(self) -> bool:
        """Whether another worker has fewer."""
        return any(ABSENT < count < self._counts[self._place] for count in self._counts)


class Acceptor:
    """Takes connections, one at a time, when it is this worker's turn.

    Parameters
    ----------
    sock : socket
        That listens.
    share : Share
    make_protocol : callable
        A protocol for each connection; it calls ``share.add(-1)`` when that is over.
    """

    def __init__(self, sock: socket.socket, share: Share, make_protocol: Callable[[], Any]) -> None:
        self._sock, self._share, self._make = sock, share, make_protocol
        self._loop = asyncio.get_running_loop()
        self._waited, self._hurry_until = 0, 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[Any]] = set()
        share.begin()
        self._listen()

    def close(self) -> None:
        """Take no more."""
        self._share.end()
        if self._timer is not None:
            self._timer.cancel()
        self._loop.remove_reader(self._sock.fileno())

    def _listen(self) -> None:
        self._loop.add_reader(self._sock.fileno(), self._come)

    def _pause(self, seconds: float) -> None:
        self._loop.remove_reader(self._sock.fileno())
        self._timer = self._loop.call_later(seconds, self._listen)

    def _come(self) -> None:
        """A connection waits."""
        if self._share.is_ahead and self._loop.time() >= self._hurry_until:
            if self._waited < STEPS:
                self._waited += 1
                self._pause(STEP)
                return
            self._hurry_until = self._loop.time() + HURRY  # the others are busy, or stand still
        self._waited = 0
        try:
            connection, _ = self._sock.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            return  # another worker has it
        except OSError:
            self._pause(REST)
            return
        connection.setblocking(False)
        self._share.add(1)
        task = self._loop.create_task(self._serve(connection))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, connection: socket.socket) -> None:
        try:
            await self._loop.connect_accepted_socket(self._make, connection)
        except OSError:  # gone before it began
            self._share.add(-1)
            connection.close()
