"""Ctrl-C and SIGTERM that are never lost.

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

SIGNALS = (signal.SIGINT, signal.SIGTERM)

_noted: list[int] = []


def _note(number: int, frame: FrameType | None) -> None:
    _noted.append(number)
    raise KeyboardInterrupt


@contextmanager
def interrupts_noted() -> Iterator[None]:
    """Note interrupts while the block runs, and raise them; only where they would end the process."""
    handlers = {}
    if threading.current_thread() is threading.main_thread():
        handlers = {number: signal.getsignal(number) for number in SIGNALS}
    ours = [n for n, handler in handlers.items() if handler in (signal.default_int_handler, signal.SIG_DFL)]
    _noted.clear()
    before = sys.unraisablehook

    def report(unraisable: sys.UnraisableHookArgs) -> None:
        if not _noted:  # afterwards objects that were being made may complain that they are not whole
            before(unraisable)

    sys.unraisablehook = report
    for number in ours:
        signal.signal(number, _note)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, handlers[number])
        sys.unraisablehook = before


def check_interrupt() -> None:
    """Raise the interrupt that came, if one did.

    Examples
    --------
    >>> check_interrupt()
    """
    if _noted:
        raise KeyboardInterrupt


def noted_signal() -> int | None:
    """Number of the first signal that came since `interrupts_noted` began, if one did.

    Examples
    --------
    >>> noted_signal() is None
    True
    """
    return _noted[0] if _noted else None
