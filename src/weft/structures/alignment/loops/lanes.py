"""Whole numbers side by side in one register, for loops that the compiler does not vectorise by itself.

A compiled function has a value of so many lanes at a time where it calls one of these, each an instruction or a few,
narrower ones where the processor has no such wide registers; with the compiler off they are arrays of NumPy. Sums wrap
around.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, models, register_model, type_callable

__all__ = [
    "LANES",
    "larger",
    "last_everywhere",
    "load",
    "mark",
    "moved_up",
    "plus",
    "running_larger",
    "spread",
    "store",
]

LANES = 32


def load(array, start):
    """Numbers of an array from `start` on."""
    return array[start : start + LANES].copy()


def store(array, start, value):
    """Write them to an array, whose numbers may be narrower."""
    array[start : start + LANES] = value.astype(array.dtype)


def spread(array, number):
    """The same number in all lanes, of the type of an array."""
    return np.full(LANES, number, dtype=array.dtype)


def plus(a, b):
    """Sum of each two lanes."""
    return a + b


def larger(a, b):
    """The larger one of each two lanes."""
    return np.maximum(a, b)


def mark(marks, a, b, bit):
    """The marks, with a bit more where a is larger than b."""
    return np.where(a > b, marks | marks.dtype.type(bit), marks)


def moved_up(a, b):
    """Each lane of `a` in the next one; the first is that of `b`."""
    return np.concatenate([b[:1], a[:-1]])


def running_larger(a):
    """The largest of each lane and those before it."""
    return np.maximum.accumulate(a)


def last_everywhere(a):
    """The last lane in all of them."""
    return np.full_like(a, a[-1])


# ------------------------------------------------------------------------------------------- compiled


class LanesType(types.Type):
    """What the compiler takes lanes for."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype
        super().__init__(name=f"Lanes({dtype})")


def _vector(dtype):
    return ir.VectorType(ir.IntType(dtype.bitwidth), LANES)


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, lanes: LanesType) -> None:
        super().__init__(manager, lanes, _vector(lanes.dtype))


def _compiled(function, typer, *arguments):
    """Say what type a function has in compiled code, and, as a decorator, which instructions stand for it."""
    type_callable(function)(lambda context: typer)
    return lower_builtin(function, *arguments)


def _place(context, builder, array_type, array, start, dtype):
    """Where lanes of an array begin."""
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [start]), _vector(dtype).as_pointer())


def _order(numbers):
    return ir.Constant(ir.VectorType(ir.IntType(32), LANES), numbers)


def _everywhere(builder, number):
    nothing = ir.Constant(ir.VectorType(number.type, LANES), ir.Undefined)
    one = builder.insert_element(nothing, number, ir.Constant(ir.IntType(32), 0))
    return builder.shuffle_vector(one, nothing, _order([0] * LANES))


def _maximum(builder, a, b):
    return builder.select(builder.icmp_signed(">", a, b), a, b)


@_compiled(load, lambda array, start: LanesType(array.dtype), types.Array, types.Integer)
def _load(context, builder, signature, args):
    dtype = signature.args[0].dtype
    found = builder.load(_place(context, builder, signature.args[0], args[0], args[1], dtype))
    found.align = dtype.bitwidth // 8
    return found


@_compiled(store, lambda array, start, value: types.none, types.Array, types.Integer, LanesType)
def _store(context, builder, signature, args):
    dtype, value = signature.args[0].dtype, args[2]
    if dtype.bitwidth < signature.args[2].dtype.bitwidth:
        value = builder.trunc(value, _vector(dtype))
    place = _place(context, builder, signature.args[0], args[0], args[1], dtype)
    builder.store(value, place, align=dtype.bitwidth // 8)
    return context.get_dummy_value()


@_compiled(spread, lambda array, number: LanesType(array.dtype), types.Array, types.Integer)
def _spread(context, builder, signature, args):
    return _everywhere(builder, context.cast(builder, args[1], signature.args[1], signature.args[0].dtype))


@_compiled(plus, lambda a, b: a, LanesType, LanesType)
def _plus(context, builder, signature, args):
    return builder.add(*args)


@_compiled(larger, lambda a, b: a, LanesType, LanesType)
def _larger(context, builder, signature, args):
    return _maximum(builder, *args)


@_compiled(mark, lambda marks, a, b, bit: a, LanesType, LanesType, LanesType, types.Integer)
def _mark(context, builder, signature, args):
    marks, a, b, bit = args
    bits = _everywhere(builder, context.cast(builder, bit, signature.args[3], signature.args[0].dtype))
    return builder.select(builder.icmp_signed(">", a, b), builder.or_(marks, bits), marks)


@_compiled(moved_up, lambda a, b: a, LanesType, LanesType)
def _moved_up(context, builder, signature, args):
    return builder.shuffle_vector(args[1], args[0], _order([0, *range(LANES, 2 * LANES - 1)]))


@_compiled(running_larger, lambda a: a, LanesType)
def _running_larger(context, builder, signature, args):
    value, step = args[0], 1
    while step < LANES:
        before = builder.shuffle_vector(value, value, _order([i - step if i >= step else i for i in range(LANES)]))
        value, step = _maximum(builder, value, before), 2 * step
    return value


@_compiled(last_everywhere, lambda a: a, LanesType)
def _last_everywhere(context, builder, signature, args):
    return builder.shuffle_vector(args[0], args[0], _order([LANES - 1] * LANES))
