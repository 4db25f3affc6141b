"""From arcs with names to sorted arrays of numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from weft.errors import InputError
from weft.sequences.checks import as_list, refuse_tables

IntArray = npt.NDArray[np.int32]
LongArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
Symbols: TypeAlias = list[str | None]


def symbol_table(symbols: Iterable[str | None] | Mapping[int, str], name: str = "symbols") -> Symbols:
    """List whose first entry is None, the epsilon, and whose others are different strings.

    Examples
    --------
    >>> symbol_table("ab"), symbol_table({5: "b", 0: "<eps>", 2: "a"})
    ([None, 'a', 'b'], [None, 'a', 'b'])
    """
    if isinstance(symbols, Mapping):  # from number to name, as in files: 0 is epsilon, whatever it is called
        symbols = [symbols[number] for number in sorted(symbols) if number != 0]
    refuse_tables(symbols, name, "strings are needed")
    if not np.iterable(symbols):
        raise InputError(f"{name} are {symbols!r:.60}; need strings, such as 'ab' or a list: give them")
    table: Symbols = [None, *(symbol for symbol in symbols if symbol is not None)]
    for symbol in table[1:]:
        if not isinstance(symbol, str):
            raise InputError(
                f"{name} hold {symbol!r} of type {type(symbol).__name__}; need strings, or None for epsilon: convert it"
            )
    if len(set(table)) < len(table):
        twice = next(symbol for place, symbol in enumerate(table) if symbol in table[:place])
        raise InputError(f"{name} hold {twice!r} twice; need every symbol once: drop the second")
    return table


def as_tokens(text: Any, name: str) -> list[Any]:
    """Characters of a string, or the tokens of any iterable that has an order.

    Examples
    --------
    >>> as_tokens("ab", "text"), as_tokens(iter(["to", "be"]), "text")
    (['a', 'b'], ['to', 'be'])
    """
    return list(text) if isinstance(text, str) else as_list(text, name, "a string or a list of tokens is needed")


class SymbolNumbers:
    """Numbers symbols; a table that was given stays as it is, else it grows in the order of appearance."""

    def __init__(self, symbols: Iterable[str | None] | Mapping[int, str] | None, name: str = "symbols") -> None:
        self.table = symbol_table(symbols or (), name)
        self.is_fixed = symbols is not None
        self._numbers: dict[Any, int] = {symbol: number for number, symbol in enumerate(self.table)}

    def number(self, symbol: Any) -> int:
        """Number of a symbol, new or known."""
        try:
            return self._numbers[symbol]
        except (KeyError, TypeError):
            pass
        if not isinstance(symbol, str):
            raise InputError(
                f"label {symbol!r} is of type {type(symbol).__name__}; need a string, or None for epsilon: convert it"
            )
        if self.is_fixed:
            raise InputError(
                f"label {symbol!r} is not among the {len(self.table) - 1} symbols given; "
                "need one of them: add it to the symbols"
            )
        self._numbers[symbol] = len(self.table)
        self.table.append(symbol)
        return len(self.table) - 1


def sort_arcs(
    sources: npt.ArrayLike,
    inputs: npt.ArrayLike,
    outputs: npt.ArrayLike,
    targets: npt.ArrayLike,
    weights: npt.ArrayLike,
    n_states: int,
) -> tuple[LongArray, IntArray, IntArray, IntArray, FloatArray]:
    """Offsets and columns of arcs sorted by source, then input label; other ties keep their order.

    Examples
    --------
    >>> offsets, inputs, _, targets, _ = sort_arcs([1, 0, 0], [1, 2, 1], [1, 2, 1], [2, 1, 1], [1, 1, 1], 3)
    >>> offsets, inputs, targets
    (array([0, 2, 3, 3]), array([1, 2, 1], dtype=int32), array([1, 1, 2], dtype=int32))
    """
    source = np.ascontiguousarray(sources, dtype=np.int64)
    columns = [np.ascontiguousarray(column, dtype=np.int32) for column in (inputs, outputs, targets)]
    weight = np.ascontiguousarray(weights, dtype=np.float64)
    keys = source * (int(columns[0].max(initial=0)) + 1) + columns[0]
    if len(keys) and (keys[1:] < keys[:-1]).any():
        order = np.argsort(keys, kind="stable")
        columns = [column[order] for column in columns]
        source, weight = source[order], weight[order]
    offsets = np.zeros(n_states + 1, dtype=np.int64)
    np.cumsum(np.bincount(source, minlength=n_states), out=offsets[1:])
    return offsets, columns[0], columns[1], columns[2], weight


def arc_columns(
    arcs: Iterable[Any], inputs: SymbolNumbers, outputs: SymbolNumbers | None, one: float
) -> tuple[list[int], list[int], list[int], list[int], list[float]]:
    """Columns of arcs ``(source, label, target[, weight])``; with `outputs`, labels are pairs.

    Examples
    --------
    >>> arc_columns([(0, "a", 1, 0.5), (1, None, 0)], SymbolNumbers(None), None, 1.0)
    ([0, 1], [1, 0], [1, 0], [1, 0], [0.5, 1.0])
    """
    columns: tuple[list[int], list[int], list[int], list[int], list[float]] = ([], [], [], [], [])
    for index, arc in enumerate(as_list(arcs, "arcs", "a list of arcs is needed")):
        if isinstance(arc, str) or not isinstance(arc, Sequence) or len(arc) not in (3, 4):
            raise InputError(f"arc {index} is {arc!r}; need (source, label, target, weight): give these four")
        source, label, target = arc[:3]
        weight = arc[3] if len(arc) == 4 else one
        if outputs is None:
            pair = (label, label)
        elif isinstance(label, tuple | list) and len(label) == 2:
            pair = (label[0], label[1])
        else:
            raise InputError(
                f"arc {index} has label {label!r}; a transducer needs (input, output), None for epsilon: give a pair"
            )
        try:
            numbers = inputs.number(pair[0]), (inputs if outputs is None else outputs).number(pair[1])
        except InputError as error:
            raise InputError(f"arc {index}: {error}") from None
        columns[0].append(state_number(source, f"arc {index} has source"))
        columns[1].append(numbers[0])
        columns[2].append(numbers[1])
        columns[3].append(state_number(target, f"arc {index} has target"))
        columns[4].append(weight_number(weight, f"arc {index}"))
    return columns


def count_states(start: int, sources: list[int], targets: list[int], final: Mapping[int, float]) -> int:
    """Number of states if the largest that is named is the last.

    Examples
    --------
    >>> count_states(0, [0, 1], [1, 2], {3: 1.0})
    4
    """
    if not isinstance(final, Mapping):
        raise InputError(f"final is a {type(final).__name__}; need final={{state: weight}}: give a dict")
    ends = [state_number(state, "final holds state") for state in final]
    n_states = 1 + max([state_number(start, "start is"), *sources, *targets, *ends])
    if n_states > 1_000_000 + 10 * (len(sources) + len(ends)):
        raise InputError(
            f"state {n_states - 1} given with {len(sources)} arcs; need states numbered from 0 without large gaps: "
            "number them anew"
        )
    return n_states


def final_array(final: Mapping[int, float], n_states: int, zero: float) -> FloatArray:
    """Final weights of all states, `zero` where none is given.

    Examples
    --------
    >>> final_array({1: 0.5}, 2, 0.0)
    array([0. , 0.5])
    """
    weights = np.full(n_states, zero)
    for state, weight in final.items():
        weights[state_number(state, "final holds state")] = weight_number(weight, f"final state {state}")
    return weights


def state_number(value: Any, what: str) -> int:
    """A state: an integer from 0 to 2**31 - 2."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not 0 <= value < 2**31 - 1:
        raise InputError(f"{what} {value!r}; states are integers from 0: number the states")
    return int(value)


def weight_number(value: Any, what: str) -> float:
    """A weight: a float that is not NaN."""
    try:
        weight = float(value)
    except (TypeError, ValueError):
        weight = math.nan
    if isinstance(value, str) or math.isnan(weight):
        raise InputError(f"{what} has weight {value!r}; need a number: correct it")
    return weight


def is_count(value: Any) -> bool:
    """Whether this is an integer of at least 1.

    Examples
    --------
    >>> is_count(3), is_count(True), is_count(0.5)
    (True, False, False)
    """
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and bool(value >= 1)
