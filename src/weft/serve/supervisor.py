"""The process that was started: binds the socket, starts workers, replaces those that die, ends them in good order.

All workers take connections from one socket, which this process holds open: when a worker dies, only the connections
that it had are lost, and those that wait are taken by another one. `sharing.py` says who takes which.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import shutil
import signal
import socket
import sys
import tempfile
import time
from dataclasses import replace
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from weft.errors import InputError
from weft.serve.settings import Settings
from weft.serve.sharing import ABSENT, Share
from weft.serve.worker import run_worker

__all__ = ["serve"]

FIRST_DELAY, LONGEST_DELAY = 0.1, 10.0
"""Seconds before a worker that died is started again; twice as many each time that it was never ready."""

SPAWN = multiprocessing.get_context("spawn")


class _Worker:
    """A process and the pipe to it."""

    def __init__(self, settings: Settings, sock: socket.socket, counts: Any, place: int) -> None:
        self.control, theirs = SPAWN.Pipe()
        self.place = place
        self.process = SPAWN.Process(
            target=run_worker, args=(settings, sock, theirs, counts, place), name="weft-worker"
        )
        self.process.start()
        theirs.close()
        self.ready, self.failed = False, ""

    def listen(self) -> None:
        """Take in what the worker has to say."""
        with contextlib.suppress(EOFError, OSError):
            while self.control.poll():
                word, fact = self.control.recv()
                self.ready, self.failed = (True, "") if word == "ready" else (False, fact)

    def end(self, number: int) -> None:
        """Send a signal."""
        with contextlib.suppress(ProcessLookupError, AttributeError):
            self.process.terminate() if number == signal.SIGTERM else self.process.kill()

    def close(self) -> None:
        """Forget it."""
        self.control.close()
        self.process.join()
        self.process.close()


def bind(host: str, port: int) -> socket.socket:
    """A socket that listens."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # what it accepts inherits it: answers leave at once
    try:
        sock.bind((host, port))
    except (OSError, OverflowError) as error:
        sock.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"cannot listen on {host}, port {port}: {reason}; choose another --host or --port.") from None
    sock.listen(512)
    sock.setblocking(False)
    return sock


def serve(settings: Settings) -> None:
    """Serve until SIGINT or SIGTERM.

    Raises
    ------
    InputError
        If the address is taken, or a model cannot be loaded.
    """
    sock = bind(settings.host, settings.port)
    folder = Path(tempfile.mkdtemp(prefix="weft-serve-", dir=settings.folder))
    settings = replace(settings, folder=folder)
    try:
        _Supervisor(settings, sock).run()
    finally:
        sock.close()
        shutil.rmtree(folder, ignore_errors=True)


class _Supervisor:
    def __init__(self, settings: Settings, sock: socket.socket) -> None:
        self.settings, self.sock = settings, sock
        self.workers: list[_Worker] = []
        self.counts = SPAWN.RawArray("i", [ABSENT] * settings.workers)
        self.stopping = False
        self.delay = FIRST_DELAY
        self.not_before = 0.0

    def run(self) -> None:
        before = {number: signal.signal(number, self._stop) for number in (signal.SIGINT, signal.SIGTERM)}
        # A signal must end a wait at once; what it writes here does.
        self.wake, written = socket.socketpair()
        written.setblocking(False)
        woken = signal.set_wakeup_fd(written.fileno(), warn_on_full_buffer=False)
        try:
            self._first()
            if not self.stopping:
                self._announce()
            while not self.stopping:
                self._tend()
            self._drain()
        finally:
            for worker in self.workers:
                worker.end(signal.SIGKILL)
                worker.close()
            signal.set_wakeup_fd(woken)
            for number, handler in before.items():
                signal.signal(number, handler)
            self.wake.close()
            written.close()

    def _stop(self, number: int, frame: Any) -> None:
        self.stopping = True

    def _wait(self, seconds: float | None) -> None:
        """Wait until something happens."""
        things: list[Any] = [self.wake]
        for worker in self.workers:
            things += [worker.process.sentinel, *([] if worker.ready else [worker.control])]
        wait(things, seconds)
        for worker in self.workers:
            worker.listen()

    def _start(self) -> _Worker:
        place = min(set(range(self.settings.workers)) - {each.place for each in self.workers})
        worker = _Worker(self.settings, self.sock, self.counts, place)
        self.workers.append(worker)
        return worker

    def _first(self) -> None:
        """One worker first: it copies the models, compiles what is not yet compiled, and says if something is wrong."""
        first = self._start()
        while not (self.stopping or first.ready):
            if first.failed:
                raise InputError(first.failed)
            if not first.process.is_alive():
                first.listen()
                if first.failed:
                    raise InputError(first.failed)
                raise InputError(
                    f"the first worker ended with {first.process.exitcode} before it was ready; see the lines above."
                )
            self._wait(0.5)

    def _announce(self) -> None:
        host, port = self.sock.getsockname()[:2]
        shown = f"[{host}]" if ":" in host else host
        names = ", ".join(self.settings.files)
        print(f"weft serves {names} on http://{shown}:{port}/ (Ctrl-C ends it)", flush=True)

    def _tend(self) -> None:
        """Start workers that are missing, and wait."""
        for worker in [each for each in self.workers if not each.process.is_alive()]:
            worker.listen()
            self.workers.remove(worker)
            Share(self.counts, worker.place).end()
            _forget(worker.process.pid, self.settings.folder)
            self.delay = FIRST_DELAY if worker.ready else min(2 * self.delay, LONGEST_DELAY)
            self.not_before = time.monotonic() + (0.0 if worker.ready else self.delay)
            why = worker.failed or f"exit code {worker.process.exitcode}"
            print(f"weft: a worker has ended ({why}); another one is started", file=sys.stderr, flush=True)
            worker.close()
        missing = self.settings.workers - len(self.workers)
        if missing > 0 and time.monotonic() >= self.not_before:
            for _ in range(missing):
                self._start()
        self._wait(0.5 if missing <= 0 or time.monotonic() >= self.not_before else 0.05)

    def _drain(self) -> None:
        """End all workers, and wait for what they still have to answer."""
        for worker in self.workers:
            worker.end(signal.SIGTERM)
        self.sock.close()
        patience = time.monotonic() + self.settings.limits.timeout + 10.0
        for worker in self.workers:
            worker.process.join(max(0.0, patience - time.monotonic()))


def _forget(pid: int | None, folder: Path) -> None:
    """Take the memory and the queue of a dead process out of the metrics."""
    from prometheus_client import multiprocess

    with contextlib.suppress(OSError, KeyError, ValueError):
        multiprocess.mark_process_dead(pid, str(folder))
