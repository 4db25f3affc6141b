"""How functions become machine code: once, in what Python calls, with copies of their own of all that they call.

Numba compiles every function by itself, and links a copy of every callee into its caller, under the callee's public
name, to optimise it once more there. Two things are wrong with that. Which of several copies runs depends on what the
process loaded before: one that has just compiled the callee takes that, one that reads the caller from disk takes the
caller's. Where sums may be reordered (`jit_fast`), copies that were optimised apart round differently, by a unit of the
last digit, and fits in different processes part. And most functions are only ever called by compiled ones: what was
optimised for Python to call is never used.

So there are two forms of a function. Called from Python it is a whole: everything that it calls is linked in, private
to it, and all is optimised together. Called from a compiled function it is a part, which is neither optimised nor made
machine code of: it waits to be linked into wholes.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any, ClassVar

import llvmlite.binding as llvm
from numba.core.caching import CompileResultCacheImpl
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, DefaultPassBuilder, compile_result
from numba.core.compiler_machinery import PassManager
from numba.core.environment import lookup_environment
from numba.core.registry import cpu_target
from numba.core.untyped_passes import InlineClosureLikes

from weft.garbage import no_collection

COMPILED = "_ZN"
"""How names of compiled functions begin; Numba's runtime, which it looks for by name, keeps its own."""
ENVIRONMENT = "_ZN08NumbaEnv"
"""How names of the variables begin that hold what a function needs of Python, such as messages of its errors."""


class _Whole(JITCodeLibrary):
    """Code of one function and of all that it calls."""

    def _optimize_final_module(self) -> None:
        # Everything is linked in by now, and nothing is optimised yet.
        for function in self._final_module.functions:
            if function.linkage.name == "linkonce_odr" and function.name.startswith(COMPILED):
                function.linkage = "internal"
        super()._optimize_final_module()

    def _finalize_specific(self) -> None:
        super()._finalize_specific()
        codegen: Any = self._codegen
        for variable in self._final_module.global_variables:  # those of parts, which nobody has set
            if variable.name.startswith(ENVIRONMENT) and (environment := lookup_environment(variable.name)):
                codegen.set_env(variable.name, environment)


class _WholeOfRows(_Whole):
    """Code whose loops run along rows of a few vector registers.

    LLVM would have loops go over several registers at a time, which leaves most of a short row to what comes after.
    """

    def _optimize_final_module(self) -> None:
        codegen: Any = self._codegen
        codegen._pass_builder = lambda **options: _one_register_at_a_time(codegen._tm, **options)
        try:
            super()._optimize_final_module()
        finally:
            del codegen._pass_builder  # which hides that of all code


def _one_register_at_a_time(
    machine: Any, opt: int = 3, loop_vectorize: bool = True, slp_vectorize: bool = False
) -> llvm.PassBuilder:
    options = llvm.create_pipeline_tuning_options(opt)
    options.loop_vectorization, options.slp_vectorization = loop_vectorize, slp_vectorize
    options.loop_interleaving = options.loop_unrolling = False
    return llvm.create_pass_builder(machine, options)


class _NoVariables:
    @staticmethod
    def set_env(name: str, environment: Any) -> None:
        """Do nothing: the whole that a part is linked into sets what it needs."""


class _Part(JITCodeLibrary):
    """Code of a function and of all that it calls as it was written, to be linked into that of others."""

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    @property
    def codegen(self) -> Any:
        """What Numba sets variables of compiled code by: a part has none yet."""
        return _NoVariables

    def serialize_using_object_code(self) -> Any:
        return self.name, "part", self._get_module_for_linking().as_bitcode()


_internal: dict[frozenset[str], dict[Any, Any]] = {}
"""Numba's own functions, by what may be reordered in them."""


@contextmanager
def _own_rules(state: Any) -> Iterator[None]:
    """Have what is compiled on the way take Numba's own functions from those with the same rules."""
    kept = _internal.setdefault(frozenset(map(str, state.flags.fastmath.flags)), {})
    shared: Any = cpu_target.target_context
    before = shared.cached_internal_func
    shared.cached_internal_func = state.targetctx.cached_internal_func = kept
    try:
        yield
    finally:
        shared.cached_internal_func = before


class WholeCompiler(Compiler):
    """Numba's compiler, for functions that Python calls.

    Examples
    --------
    >>> import numba
    >>> @numba.njit(pipeline_class=WholeCompiler)
    ... def twice(a):
    ...     return a + a
    >>> twice(2)
    4
    """

    library: ClassVar[type[JITCodeLibrary]] = _Whole

    def compile_extra(self, func: Any) -> Any:
        """Compile a function."""
        self._set_library(func)
        with no_collection(), _overloads_as_parts(self.state.targetctx.codegen()), _own_rules(self.state):
            return super().compile_extra(func)

    def define_pipelines(self) -> list[PassManager]:
        """Numba's list of passes, without one over closures where there are none: it goes over all of a function."""
        every = DefaultPassBuilder.define_nopython_pipeline(self.state)
        has_closures = any(isinstance(constant, CodeType) for constant in self.state.func_id.code.co_consts)
        manager = PassManager(every.pipeline_name)
        manager.passes = [one for one in every.passes if has_closures or one[0] is not InlineClosureLikes]
        manager.finalize()
        return [manager]

    def _set_library(self, func: Any) -> None:
        if self.state.library is None:
            self.state.library = self.library(self.state.targetctx.codegen(), func.__qualname__)
            self.state.library.enable_object_caching()  # or it could not be kept on disk


class RowCompiler(WholeCompiler):
    """For functions that Python calls, and whose loops run along short rows."""

    library = _WholeOfRows


class PartCompiler(WholeCompiler):
    """For functions that compiled ones call."""

    library = _Part

    def compile_extra(self, func: Any) -> Any:
        """Compile a function as far as its callers need."""
        self._set_library(func)
        self.state.flags.no_compile = True
        with no_collection(), _overloads_as_parts(self.state.targetctx.codegen()), _own_rules(self.state):
            return _usable(Compiler.compile_extra(self, func))


@contextmanager
def _overloads_as_parts(codegen: Any) -> Iterator[None]:
    """Have what Numba compiles of its own on the way, such as `np.empty`, become parts as well: only loops call it."""
    if "_library_class" in vars(codegen):  # for a caller
        yield
        return
    codegen._library_class = _Part
    try:
        yield
    finally:
        del codegen._library_class  # which hides that of all code


def _usable(compiled: Any) -> Any:
    """Let callers find a part by what stands in the place of its machine code."""
    name = object()
    compiled.target_context.insert_user_function(name, compiled.fndesc, [compiled.library])
    return compiled._replace(entry_point=name)


class PartCacheImpl(CompileResultCacheImpl):
    """How parts are kept on disk: as what is to be linked."""

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        """A part from disk."""
        (name, _, code), fndesc, environment, signature, objectmode, lifted, annotation, reload_init, envs = payload
        library = _Part(target_context.codegen(), name)
        library._final_module = library._shared_module = llvm.parse_bitcode(code)
        library._finalize_final_module()
        for again in reload_init:
            again()
        return _usable(
            compile_result(
                target_context=target_context,
                typing_context=target_context.typing_context,
                library=library,
                environment=environment,
                fndesc=fndesc,
                type_annotation=annotation,
                signature=signature,
                objectmode=objectmode,
                lifted=lifted,
                reload_init=reload_init,
                referenced_envs=envs,
            )
        )


def use_part(whole: Any, part: Any) -> None:
    """Have compiled functions that call one dispatcher take what another one compiles."""
    part.add_overload = lambda compiled: part.overloads.__setitem__(tuple(compiled.signature.args), compiled)
    whole.get_call_template = part.get_call_template
    whole.get_overload = part.get_overload
