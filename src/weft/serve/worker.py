"""A worker process: loads and warms the models, then takes connections until it is told to end."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import sys
import threading
from multiprocessing.connection import Connection
from typing import Any

from weft.errors import WeftError
from weft.serve.settings import Settings
from weft.serve.sharing import Acceptor, Share

__all__ = ["run_worker"]

LOG = logging.getLogger("weft.serve")

LINGER = 0.4
"""Seconds in which a server that ends still takes connections, and asks clients to close theirs."""


def run_worker(settings: Settings, sock: socket.socket, control: Connection, counts: Any, place: int) -> None:
    """Serve until SIGTERM, SIGINT, or the end of the process that started this one.

    `control` is told "ready", or why the worker cannot start; `counts` are the connections of all workers.
    """
    from weft.serve.metrics import FOLDER

    os.environ[FOLDER] = str(settings.folder)  # read by the library of metrics when it is imported
    for number in (signal.SIGINT, signal.SIGTERM):  # until there is something to drain, just end
        signal.signal(number, lambda *_: os._exit(0))
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(asctime)s %(process)d %(levelname)s %(message)s", force=True
    )
    LOG.setLevel(logging.INFO)
    try:
        _serve(settings, sock, control, Share(counts, place) if len(counts) > 1 else None)
    except WeftError as error:
        control.send(("failed", " ".join(str(error).split())))
        sys.exit(2)


def _serve(settings: Settings, sock: socket.socket, control: Connection, share: Share | None) -> None:
    import uvicorn

    from weft.serve.batching import install_warnings
    from weft.serve.connections import bounded_protocol
    from weft.serve.guards import State
    from weft.serve.metrics import Metrics
    from weft.serve.models import Models
    from weft.serve.routes import Routes, application

    install_warnings()
    metrics, state = Metrics(), State()

    def report(name: str, version: str | None, error: str | None) -> None:
        metrics.loads.labels(name, "failed" if version is None else "loaded").inc()
        if version is None:
            LOG.warning("model %s: the new file could not be loaded, the old one stays: %s", name, error)
        else:
            LOG.info("model %s: version %s", name, version)

    models = Models(settings.files, settings.folder, settings.threads, report)
    models.load_all()
    routes = Routes(models, settings, metrics, state)

    class Server(uvicorn.Server):
        """Ends in two steps: first it says that it will, then it takes no more connections."""

        acceptor: Acceptor | None = None

        async def startup(self, sockets: Any = None) -> None:
            await super().startup(sockets if share is None else [])
            if share is not None:
                self.acceptor = Acceptor(sock, share, self._protocol)
            control.send(("ready", os.getpid()))
            loop = asyncio.get_running_loop()
            # A worker whose parent is gone, however that ended, drains too.
            threading.Thread(target=_watch_parent, args=(control, loop, self), daemon=True).start()
            if settings.reload:
                self._watch = asyncio.create_task(models.watch(settings.reload))

        async def shutdown(self, sockets: Any = None) -> None:
            state.draining = True
            await asyncio.sleep(LINGER)
            if self.acceptor is not None:
                self.acceptor.close()
            await super().shutdown(sockets)
            routes.executor.shutdown(wait=False, cancel_futures=True)
            self._captured_signals.clear()  # the end was asked for, and is no failure

        def _protocol(self) -> Any:
            return protocol(config=config, server_state=self.server_state, app_state=self.lifespan.state)

    protocol = bounded_protocol(settings.limits, share)
    config = uvicorn.Config(
        application(routes),
        http=protocol,
        ws="none",
        lifespan="off",
        access_log=False,
        log_config=None,
        log_level="error",
        server_header=False,
        backlog=512,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=int(settings.limits.timeout) + 5,
        workers=settings.workers,
    )
    Server(config).run([sock])


def _watch_parent(control: Connection, loop: asyncio.AbstractEventLoop, server: Any) -> None:
    try:
        control.recv()
    except (EOFError, OSError):
        server.should_exit = True
