"""Dense linear algebra in the calling thread, so that its last digits do not hang on the number of threads.

Libraries of linear algebra share products, factors and eigenvectors of matrices among threads of their own, as many as
the machine has cores or a variable such as OPENBLAS_NUM_THREADS says, and each number of threads adds terms in another
order. What such a library computes for a model or an answer is computed inside `one_algebra_thread`. Work that is long
is cut by the data and shared among our own threads (`weft.core.shards`), each of which calls the library.

The number of threads of a library belongs to the whole process. So blocks are counted, whichever threads they run in:
the first that begins notes the number and sets it to one, the last that ends puts it back. Limits of threadpoolctl do
not do: where two overlap in two threads, some of its versions leave the process with one thread, others set no limit in
the second. Products that a caller's other threads make meanwhile are made in one thread as well.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

_LOCK = Lock()
_BEFORE: dict[str, tuple[Any, int]] = {}
"""Libraries that have one thread for now, and how many they had."""
_n_blocks = 0


@cache
def _libraries(with_scipy: bool) -> list[Any]:
    """Libraries in this process; those of SciPy join once its linalg is loaded. To look for them takes milliseconds."""
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

    return list(ThreadpoolController().select(user_api="blas").lib_controllers)


@contextmanager
def one_algebra_thread(*, scipy: bool = False) -> Iterator[None]:
    """Let libraries of linear algebra work in the calling thread, inside a block or a function that this decorates.

    It costs about ten microseconds, and may be nested.

    Parameters
    ----------
    scipy : bool
        Load SciPy's linear algebra, which has a library of its own, first: one that is loaded inside of the block would
        take all threads. Not for what only predicts, since loading takes a tenth of a second.

    Examples
    --------
    >>> import numpy as np
    >>> with one_algebra_thread():
    ...     float(np.ones(20_000) @ np.ones(20_000))
    20000.0
    """
    if scipy:
        importlib.import_module("scipy.linalg")
    own = _begin()
    try:
        yield
    finally:
        _end(own)


def _begin() -> list[tuple[Any, int]]:
    """Hold all libraries; those of OpenMP, and how many threads they had in this thread."""
    global _n_blocks
    own = []
    with _LOCK:
        # A module is among the others before all of it is loaded; what it offers comes last.
        for library in _libraries(hasattr(sys.modules.get("scipy.linalg"), "eigh")):
            n_threads = library.get_num_threads()
            if getattr(library, "threading_layer", None) == "openmp":  # has a number for each thread
                own.append((library, n_threads))
                library.set_num_threads(1)
            elif library.filepath not in _BEFORE:
                _BEFORE[library.filepath] = library, n_threads
                _set(library, 1)
        _n_blocks += 1
    return own


def _end(own: list[tuple[Any, int]]) -> None:
    global _n_blocks
    for library, n_threads in own:
        library.set_num_threads(n_threads)
    with _LOCK:
        _n_blocks -= 1
        if _n_blocks == 0:
            for library, n_threads in _BEFORE.values():
                _set(library, n_threads)
            _BEFORE.clear()


def _set(library: Any, n_threads: int) -> None:
    """Set the number from whichever thread: threadpoolctl 3.8 lets only one do so, and ignores the others."""
    clear = getattr(library, "clear_controlling_thread", None)
    if clear is not None:
        clear(force=True)
    library.set_num_threads(n_threads)
    if clear is not None:
        clear()
