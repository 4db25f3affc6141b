"""The first compilation says so: a bar on standard error or in the notebook, once, and lines in the log.

Numba tells when it compiles; what it finds in its cache is not compiled, so that later runs say nothing.
"""

from __future__ import annotations

import atexit
import logging
import os
import sys
import threading
import time
from contextlib import suppress
from typing import Any

LOG = logging.getLogger("weft")
"""What fits and the compiler do: ``logging.getLogger("weft").setLevel("INFO")``, or "DEBUG" for each iteration."""
LOG.addHandler(logging.NullHandler())

MESSAGE = "compiling for this machine, once"
PAUSE = 0.7
"""Seconds without compiling after which the bar goes away; the next function shows it again."""


def is_watched() -> bool:
    """Whether somebody looks at what is printed: a terminal or a notebook, unless ``WEFT_COMPILE_BAR`` is 0."""
    if os.environ.get("WEFT_COMPILE_BAR") == "0":
        return False
    return in_notebook() or (sys.stderr is not None and sys.stderr.isatty())


def in_notebook() -> bool:
    """Whether this runs in a notebook, where standard error is no terminal but bars can be shown."""
    shell = sys.modules.get("IPython")
    running = None if shell is None else shell.get_ipython()
    return running is not None and type(running).__name__ == "ZMQInteractiveShell"


class Announcer:
    """Shows a bar while loops of weft compile.

    Parameters
    ----------
    watched : callable
        Whether to show it.

    Attributes
    ----------
    n_compiled : int
        Functions that were compiled in this process, with those of Numba's own that they need.
    seconds : float
        How long that took.

    Examples
    --------
    >>> announcer = Announcer(lambda: False)
    >>> announcer.begin("viterbi")
    >>> announcer.end()
    >>> announcer.n_compiled
    1
    """

    def __init__(self, watched: Any = is_watched) -> None:
        self._watched = watched
        self._depth = 0
        self._began = 0.0
        self.n_compiled, self.seconds = 0, 0.0
        self._bar: Any = None
        self._task: Any = None
        self._timer: threading.Timer | None = None
        self._said = False
        self.is_muted = False
        """Whether another bar is there that says it."""
        self._lock = threading.RLock()

    def begin(self, name: str) -> None:
        """A function is about to be compiled, perhaps within another."""
        with self._lock:
            self._depth += 1
            if self._depth > 1:
                return
            self._began = time.perf_counter()
            LOG.debug("compiling %s", name)
            if not self._said:
                self._said = True
                LOG.info("weft compiles its loops for this machine; later runs find them on disk")
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            if self._bar is None and not self.is_muted and self._watched():
                self._show()

    def end(self) -> None:
        """A function was compiled."""
        with self._lock:
            self._depth -= 1
            self.n_compiled += 1
            if self._bar is not None:
                self._bar.update(self._task, done=self.n_compiled)
            if self._depth:
                return
            self.seconds += time.perf_counter() - self._began
            if self._bar is not None:
                self._timer = threading.Timer(PAUSE, self.close)
                self._timer.daemon = True
                self._timer.start()

    def _show(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        console = Console() if in_notebook() else Console(stderr=True)
        bar = Progress(
            TextColumn("weft"),
            BarColumn(12),
            TextColumn(f"{MESSAGE}: {{task.fields[done]}} functions"),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            redirect_stdout=False,  # what the user prints stays where it belongs
            redirect_stderr=False,
        )
        with suppress(Exception):  # another bar of rich's on the same console
            bar.start()
            self._bar, self._task = bar, bar.add_task("", total=None, done=self.n_compiled)

    def close(self) -> None:
        """Take the bar away."""
        with self._lock:
            if self._bar is not None and not self._depth:
                self._bar.stop()
                self._bar = None


ANNOUNCER = Announcer()
atexit.register(ANNOUNCER.close)


def announce_compilation() -> None:
    """Listen to Numba from now on; called where loops are declared."""
    from numba.core import event

    class Listener(event.Listener):
        def on_start(self, found: Any) -> None:
            function = found.data["dispatcher"].py_func
            ANNOUNCER.begin(f"{function.__module__}.{function.__name__}")

        def on_end(self, found: Any) -> None:
            ANNOUNCER.end()

    event.register("numba:compile", Listener())
