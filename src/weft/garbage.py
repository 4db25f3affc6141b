"""When Python does not look for garbage."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["no_collection"]


@contextmanager
def no_collection() -> Iterator[None]:
    """Let Python not look for circles among millions of objects that all stay.

    That takes a third of the time to read and encode a part of the data, a sixth of that to load a first model, and a
    tenth of that to compile a function.

    Examples
    --------
    >>> with no_collection():
    ...     gc.isenabled()
    False
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:  # not inside another one, which goes on
            gc.enable()
