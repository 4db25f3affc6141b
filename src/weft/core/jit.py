"""The one place that says how hot loops are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

__all__ = ["jit", "jit_fast", "jit_inline"]

F = TypeVar("F", bound=Callable[..., Any])


def jit(function: F) -> F:
    """Compile without the GIL and cache on disk; results keep IEEE rules for NaN and infinity."""
    return cast(F, numba.njit(nogil=True, cache=True, error_model="numpy")(function))


def jit_fast(function: F) -> F:
    """Like `jit`, and let sums be reordered so that they vectorise. For finite numbers only."""
    flags = {"reassoc", "contract", "arcp", "nsz"}
    return cast(F, numba.njit(nogil=True, cache=True, error_model="numpy", fastmath=flags)(function))


def jit_inline(function: F) -> F:
    """Copy the function into its callers before they compile: for thin layers, which would else be compiled twice."""
    return cast(F, numba.njit(nogil=True, cache=True, error_model="numpy", inline="always")(function))
