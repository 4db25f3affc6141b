"""The one place that says how hot loops are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

__all__ = ["jit", "jit_fast"]

F = TypeVar("F", bound=Callable[..., Any])


def jit(function: F) -> F:
    """Compile without the GIL and cache on disk; results keep IEEE rules for NaN and infinity."""
    return cast(F, numba.njit(nogil=True, cache=True)(function))


def jit_fast(function: F) -> F:
    """Like `jit`, and let sums be reordered so that they vectorise. For finite numbers only."""
    flags = {"reassoc", "contract", "arcp", "nsz"}
    return cast(F, numba.njit(nogil=True, cache=True, fastmath=flags)(function))
