"""Compiled functions that keep what they call to themselves, so that code from disk and code just compiled are one.

Numba links a copy of every callee into its caller, under the callee's public name, and optimises it once more there.
Which of several copies then runs depends on what the process loaded before: one that has just compiled the callee
takes that, one that reads the caller from disk takes the caller's. Where sums may be reordered (`jit_fast`), copies
that were optimised apart round differently, by a unit of the last digit, and fits in different processes part. A copy
that is private to its caller is the only one that the caller can reach, in every process.
"""

from __future__ import annotations

from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler

from weft.core.garbage import no_collection

COMPILED = "_ZN"
"""How names of compiled functions begin; Numba's runtime, which it looks for by name, keeps its own."""


class _OwnCopies(JITCodeLibrary):
    """Code of one function and of all that it calls."""

    def _optimize_final_module(self) -> None:
        # Everything is linked in by now, and nothing is optimised yet.
        for function in self._final_module.functions:
            if function.linkage.name == "linkonce_odr" and function.name.startswith(COMPILED):
                function.linkage = "internal"
        super()._optimize_final_module()


class OwnCopiesCompiler(Compiler):
    """Numba's compiler, whose functions have copies of their own of all that they call.

    Examples
    --------
    >>> import numba
    >>> @numba.njit(pipeline_class=OwnCopiesCompiler)
    ... def twice(a):
    ...     return a + a
    >>> twice(2)
    4
    """

    def compile_extra(self, func: Any) -> Any:
        """Compile a function."""
        if self.state.library is None:
            self.state.library = _OwnCopies(self.state.targetctx.codegen(), func.__qualname__)
            self.state.library.enable_object_caching()  # or it could not be kept on disk
        with no_collection():
            return super().compile_extra(func)
