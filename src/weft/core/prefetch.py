"""Numbers that a loop will need soon, asked of memory beforehand.

A loop that takes rows from all over a large table waits for each of them. It knows which rows come next, and the
processor brings them nearer while it still adds up others.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import lower_builtin, type_callable

LINE = 8
"""Doubles that come at once: a line of the cache."""

READ, KEEP, DATA = 0, 3, 1
"""What the instruction is told: to read, to keep it in the nearest cache, and that it is no code."""


def prefetch(array: Any, place: int) -> None:
    """Bring ``array[place]`` of a contiguous vector nearer; results are the same with and without.

    Any place may be given, those beyond the end too, for nothing is read.
    """


@type_callable(prefetch)
def _type_of_prefetch(context: Any) -> Any:
    def typed(array: Any, place: Any) -> Any:
        is_vector = isinstance(array, types.Array) and array.ndim == 1
        return types.none if is_vector and isinstance(place, types.Integer) else None

    return typed


@lower_builtin(prefetch, types.Array, types.Integer)  # type: ignore[untyped-decorator]
def _lower_prefetch(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    array_type, place_type = signature.args
    array = context.make_array(array_type)(context, builder, arguments[0])
    place = context.cast(builder, arguments[1], place_type, types.intp)
    address, byte, number = builder.gep(array.data, [place]), ir.IntType(8).as_pointer(), ir.IntType(32)
    form = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
    instruction = builder.module.declare_intrinsic("llvm.prefetch", [byte], form)
    builder.call(instruction, [builder.bitcast(address, byte), number(READ), number(KEEP), number(DATA)])
    return context.get_dummy_value()
