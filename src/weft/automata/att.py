"""AT&T text, as OpenFst reads and prints it: one arc or end per line."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import Any, Literal, overload

from weft.automata.arc_arrays import Symbols, symbol_table
from weft.automata.automaton import Automaton
from weft.automata.machine import Machine, require_machine
from weft.automata.semirings import one_of, semiring_code
from weft.automata.transducer import Transducer
from weft.errors import InputError
from weft.sequences.formats.text import Source, Target, name_of, read_lines, write_lines

__all__ = ["read_att", "read_symbols", "write_att", "write_symbols"]

BLANKS = re.compile(r"[ \t]+")
SPACE = "<space>"
"""How a blank is written, which separates columns."""


@overload
def read_att(
    source: Source,
    kind: Literal["automaton"],
    *,
    semiring: str = ...,
    input_symbols: Iterable[str | None] | None = ...,
    output_symbols: Iterable[str | None] | None = ...,
    numeric: bool = ...,
    epsilon: str = ...,
) -> Automaton: ...
@overload
def read_att(
    source: Source,
    kind: Literal["transducer"] = ...,
    *,
    semiring: str = ...,
    input_symbols: Iterable[str | None] | None = ...,
    output_symbols: Iterable[str | None] | None = ...,
    numeric: bool = ...,
    epsilon: str = ...,
) -> Transducer: ...
def read_att(
    source: Source,
    kind: str = "transducer",
    *,
    semiring: str = "real",
    input_symbols: Iterable[str | None] | None = None,
    output_symbols: Iterable[str | None] | None = None,
    numeric: bool = False,
    epsilon: str = "<eps>",
) -> Automaton | Transducer:
    r"""Read a machine from AT&T text.

    A line is an arc, ``source target input output [weight]`` (for an automaton ``source target label [weight]``), or
    an end, ``state [weight]``; columns are separated by blanks or tabs. A weight left out is the one of the semiring.
    The start is the state of the first line. States keep their numbers if these are 0 to n - 1, else they are
    numbered as they appear. The label ``<space>`` is a blank.

    Parameters
    ----------
    source : path, "-" for standard input, or an open stream
    kind : {"transducer", "automaton"}
    semiring : {"real", "log", "tropical"}
        OpenFst prints costs, so its files are ``"log"`` or ``"tropical"``.
    input_symbols, output_symbols : iterable of str, optional
        Symbol tables, as `read_symbols` gives them; a label that is not in them is then an error. An automaton
        uses the first.
    numeric : bool
        Whether labels are numbers in the symbol tables rather than names.
    epsilon : str
        Name of epsilon.

    Returns
    -------
    Transducer or Automaton

    Raises
    ------
    InputError
        With file and line number, if a line is malformed.

    Examples
    --------
    >>> import io
    >>> from weft.automata import read_att
    >>> read_att(io.StringIO("0\t1\ta\tb\t0.5\n1\n"))
    Transducer(2 states, 1 arc, 1 final state, semiring='real')
    """
    one = one_of(semiring)
    if kind not in ("transducer", "automaton"):
        raise InputError(f"kind={kind!r} came; want 'transducer' or 'automaton': choose one of them")
    tables = [
        None if table is None else symbol_table(table, name)
        for table, name in ((input_symbols, "input_symbols"), (output_symbols, "output_symbols"))
    ]
    if kind == "automaton":
        tables[1] = tables[0]
    if numeric and None in tables:
        raise InputError("numeric=True came without symbol tables; want both: read them with read_symbols")
    known = [None if table is None else set(table) for table in tables]
    n_labels = 2 if kind == "transducer" else 1
    arcs: list[tuple[int, Any, int, float]] = []
    final: dict[int, float] = {}
    states: dict[int, None] = {}  # in the order of appearance
    for number, line in read_lines(source):
        fields = BLANKS.split(line.strip(" \t"))
        if fields == [""]:
            continue
        try:
            if len(fields) <= 2:
                state = _state(fields[0])
                if state in final:
                    raise InputError(f"state {state} ends a second time; want one line per end: drop one")
                final[state] = _weight(fields[1], semiring) if len(fields) == 2 else one
                states.setdefault(state)
            elif len(fields) in (2 + n_labels, 3 + n_labels):
                begin, end = _state(fields[0]), _state(fields[1])
                labels = [
                    _numbered_label(fields[2 + side], tables[side])
                    if numeric
                    else _named_label(fields[2 + side], known[side], epsilon)
                    for side in range(n_labels)
                ]
                weight = _weight(fields[-1], semiring) if len(fields) == 3 + n_labels else one
                arcs.append((begin, tuple(labels) if n_labels == 2 else labels[0], end, weight))
                states.setdefault(begin)
                states.setdefault(end)
            else:
                raise InputError(
                    f"{len(fields)} columns; an arc of {kind} wants {2 + n_labels}, or {3 + n_labels} with a weight, "
                    "and an end 1 or 2: fix the line or choose the other kind"
                )
        except InputError as error:
            raise InputError(f"{name_of(source)}, line {number}: {error}") from None
    start = next(iter(states), 0)
    if max(states, default=0) >= len(states):
        numbers = {state: place for place, state in enumerate(states)}
        arcs = [(numbers[begin], label, numbers[end], weight) for begin, label, end, weight in arcs]
        final = {numbers[state]: weight for state, weight in final.items()}
        start = 0
    if kind == "automaton":
        return Automaton.from_arcs(arcs, final, start=start, symbols=tables[0], semiring=semiring)
    return Transducer.from_arcs(
        arcs, final, start=start, input_symbols=tables[0], output_symbols=tables[1], semiring=semiring
    )


def write_att(machine: Machine, target: Target, *, numeric: bool = False, epsilon: str = "<eps>") -> None:
    r"""Write a machine as AT&T text, which `read_att` reads back without loss of precision.

    A path is replaced in one step, when all is written. The file does not name the semiring, and states without arcs
    and ends are left out.

    Parameters
    ----------
    machine : Automaton or Transducer
    target : path, "-" for standard output, or an open text stream
    numeric : bool
        Whether to write numbers of labels, for use with tables from `write_symbols`, rather than names.
    epsilon : str
        Name of epsilon.

    Examples
    --------
    >>> from weft.automata import Automaton, write_att
    >>> write_att(Automaton.from_string("a b", weight=-0.5), "-")
    0	1	a
    1	2	<space>
    2	3	b
    3	-0.5
    """
    require_machine(machine, "machine")
    write_lines(_lines(machine, numeric, epsilon), target)


def read_symbols(source: Source) -> Symbols:
    r"""Read a symbol table: lines of a symbol and its number, where 0 is epsilon.

    Parameters
    ----------
    source : path, "-" for standard input, or an open stream

    Returns
    -------
    list
        None, for epsilon, and then the symbols by number.

    Examples
    --------
    >>> import io
    >>> from weft.automata import read_symbols
    >>> read_symbols(io.StringIO("<eps>\t0\na\t1\n<space>\t2\n"))
    [None, 'a', ' ']
    """
    names: dict[int, str] = {}
    for number, line in read_lines(source):
        fields = BLANKS.split(line.strip(" \t"))
        if fields == [""]:
            continue
        if len(fields) != 2 or not _is_number(fields[1]):
            raise InputError(f"{name_of(source)}, line {number}: {line!r}; want a symbol and its number: fix the line")
        if int(fields[1]) in names:
            raise InputError(
                f"{name_of(source)}, line {number}: number {fields[1]} comes twice; want it once: drop one"
            )
        names[int(fields[1])] = " " if fields[0] == SPACE else fields[0]
    names.setdefault(0, "")
    for place in range(len(names)):
        if place not in names:
            raise InputError(
                f"{name_of(source)} has {len(names)} symbols but none with number {place}; "
                "want numbers without gaps: number the symbols anew"
            )
    return symbol_table([names[place] for place in range(1, len(names))], name_of(source))


def write_symbols(symbols: Iterable[str | None], target: Target, *, epsilon: str = "<eps>") -> None:
    """Write a symbol table: lines of a symbol and its number.

    Parameters
    ----------
    symbols : iterable of str
        Such as `Automaton.symbols`; None is epsilon, number 0.
    target : path, "-" for standard output, or an open text stream
    epsilon : str
        Name of epsilon.

    Examples
    --------
    >>> from weft.automata import write_symbols
    >>> write_symbols([None, "a"], "-")
    <eps>	0
    a	1
    """
    table = symbol_table(symbols)
    write_lines((f"{_written(name, epsilon)}\t{number}" for number, name in enumerate(table)), target)


def _lines(machine: Machine, numeric: bool, epsilon: str) -> Iterator[str]:
    reads = [_written(name, epsilon) for name in machine.input_symbols] if not numeric else None
    writes = [_written(name, epsilon) for name in machine.output_symbols] if not numeric else None
    others = (state for state in range(machine.n_states) if state != machine.start)
    is_automaton = isinstance(machine, Automaton)
    for state in (machine.start, *others):  # the first line names the start
        begin, end = int(machine.offsets[state]), int(machine.offsets[state + 1])
        for arc in range(begin, end):
            read, written = int(machine.inputs[arc]), int(machine.outputs[arc])
            fields = [str(state), str(int(machine.targets[arc])), reads[read] if reads else str(read)]
            if not is_automaton:
                fields.append(writes[written] if writes else str(written))
            yield "\t".join([*fields, *_shown(float(machine.weights[arc]), machine.one)])
        weight = float(machine.final[state])
        if weight != machine.zero or (state == machine.start and begin == end):
            yield "\t".join([str(state), *_shown(weight, machine.one)])


def _shown(weight: float, one: float) -> list[str]:
    if weight == one:
        return []
    return ["Infinity" if weight == math.inf else repr(weight)]


def _written(name: str | None, epsilon: str) -> str:
    if name is None:
        return epsilon
    if name == " ":
        return SPACE
    if name in ("", epsilon, SPACE) or re.search(r"[ \t\r\n]", name):
        raise InputError(
            f"symbol {name!r} cannot be written as AT&T text, where blanks separate columns and {epsilon} and {SPACE} "
            "have a meaning: rename it"
        )
    return name


def _is_number(field: str) -> bool:
    return field.isascii() and field.isdigit() and len(field) <= 9


def _state(field: str) -> int:
    if not _is_number(field):
        raise InputError(f"state {field!r}; want an integer from 0 with at most 9 digits: fix the line")
    return int(field)


def _weight(field: str, semiring: str) -> float:
    try:
        weight = float(field)
    except ValueError:
        weight = math.nan
    is_cost = semiring_code(semiring) > 0
    if math.isnan(weight) or weight == -math.inf or (weight == math.inf and not is_cost):
        wanted = "a number or Infinity" if is_cost else "a finite number"
        raise InputError(f"weight {field!r}; want {wanted}: fix the line")
    return weight


def _numbered_label(field: str, table: Symbols | None) -> str | None:
    size = len(table or ())
    if table is None or not _is_number(field) or int(field) >= size:
        raise InputError(f"label {field!r}; want a number below {size}: fix the line or the symbol table")
    return table[int(field)]


def _named_label(field: str, known: set[str | None] | None, epsilon: str) -> str | None:
    name = None if field == epsilon else " " if field == SPACE else field
    if known is not None and name not in known:
        raise InputError(f"label {field!r} is not in the symbol table; want one of its symbols: add it")
    return name
