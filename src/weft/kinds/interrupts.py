"""Ctrl-C that is never lost.

An interrupt that arrives while compiled code calls back into Python, as Numba does when it loads from its cache, is
printed or dropped there instead of raised. So the signal is noted as well, and commands ask before they wait for more
input and before they write a result.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["check_interrupt", "interrupts_noted"]

_noted = threading.Event()


def _note(number: int, frame: FrameType | None) -> None:
    _noted.set()
    signal.default_int_handler(number, frame)


@contextmanager
def interrupts_noted() -> Iterator[None]:
    """Note interrupts while the block runs; only where Python's own handler would raise them."""
    ours = threading.current_thread() is threading.main_thread()
    ours = ours and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    _noted.clear()
    before = sys.unraisablehook

    def report(unraisable: sys.UnraisableHookArgs) -> None:
        if not (_noted.is_set() and unraisable.exc_type is KeyboardInterrupt):
            before(unraisable)

    if ours:
        signal.signal(signal.SIGINT, _note)
        sys.unraisablehook = report
    try:
        yield
    finally:
        if ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            sys.unraisablehook = before


def check_interrupt() -> None:
    """Raise the interrupt that came, if one did.

    Examples
    --------
    >>> check_interrupt()
    """
    if _noted.is_set():
        raise KeyboardInterrupt
