"""AT&T text, as OpenFst reads and prints it: one arc or end per line."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, TypeAlias, overload

from weft.automata.arc_arrays import symbol_table
from weft.automata.automaton import Automaton
from weft.automata.machine import Machine, require_machine
from weft.automata.semirings import one_of, semiring_code
from weft.automata.transducer import Transducer
from weft.errors import InputError
from weft.sequences.formats.text import Source, Target, name_of, read_lines, write_lines

BLANKS = re.compile(r"[ \t]+")
NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?|Infinity")
SPACE = "<space>"
"""How a blank is written, which separates columns."""


Lines: TypeAlias = list[tuple[int, list[str]]]
Table: TypeAlias = Iterable[str | None] | Mapping[int, str]


@overload
def read_att(
    source: Source,
    kind: Literal["automaton"],
    *,
    semiring: str | None = ...,
    input_symbols: Table | None = ...,
    output_symbols: Table | None = ...,
    numeric: bool | None = ...,
    epsilon: str = ...,
) -> Automaton: ...
@overload
def read_att(
    source: Source,
    kind: Literal["transducer"],
    *,
    semiring: str | None = ...,
    input_symbols: Table | None = ...,
    output_symbols: Table | None = ...,
    numeric: bool | None = ...,
    epsilon: str = ...,
) -> Transducer: ...
@overload
def read_att(
    source: Source,
    kind: None = ...,
    *,
    semiring: str | None = ...,
    input_symbols: Table | None = ...,
    output_symbols: Table | None = ...,
    numeric: bool | None = ...,
    epsilon: str = ...,
) -> Automaton | Transducer: ...
def read_att(
    source: Source,
    kind: str | None = None,
    *,
    semiring: str | None = None,
    input_symbols: Table | None = None,
    output_symbols: Table | None = None,
    numeric: bool | None = None,
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
    kind : {"transducer", "automaton"}, optional
        None tells it from the columns: an arc of three is of an automaton, one of five of a transducer, and of four
        of an automaton if all the fourth are numbers. Whole numbers alone may be either, and are then an error.
    semiring : {"log", "tropical", "real"}
        What the weights are, which the file does not say; must be given. OpenFst prints costs, ``"log"`` or
        ``"tropical"``; ``"real"`` is for probabilities and other factors.
    input_symbols, output_symbols : iterable of str, or dict from int to str, optional
        Symbol tables, as `read_symbols` gives them; a label that is not in them is then an error. An automaton
        uses the first.
    numeric : bool, optional
        Whether labels are numbers rather than names; without symbol tables they are named by their digits. Number 0 is
        epsilon. None reads names, and refuses a 0 among labels that are all numbers.
    epsilon : str
        Name of epsilon; so is what a symbol table calls number 0.

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
    >>> read_att(io.StringIO("0\t1\ta\tb\t0.5\n1\t0\n"), semiring="tropical")
    Transducer(2 states, 1 arc, 1 final state, semiring='tropical')
    """
    if semiring is None:
        raise InputError(
            "semiring is missing; AT&T text does not say what its weights are: need 'log' or 'tropical' for costs, as "
            "OpenFst prints them, or 'real' for probabilities"
        )
    one = one_of(semiring)
    if kind not in (None, "transducer", "automaton"):
        raise InputError(f"kind={kind!r} given; need 'transducer' or 'automaton', or None to tell it from the columns")
    lines = [(number, BLANKS.split(line.strip(" \t"))) for number, line in read_lines(source) if line.strip(" \t")]
    where = name_of(source)
    is_automaton = (kind or _kind_of(lines, output_symbols is not None, where)) == "automaton"
    sides = [_Labels(input_symbols, "input_symbols", numeric, epsilon)]
    if not is_automaton:
        sides.append(_Labels(output_symbols, "output_symbols", numeric, epsilon))
    n_columns = 2 + len(sides)
    arcs: list[tuple[int, Any, int, float]] = []
    final: dict[int, float] = {}
    states: dict[int, None] = {}  # in the order of appearance
    for number, fields in lines:
        try:
            if len(fields) <= 2:
                state = _state(fields[0])
                if state in final:
                    raise InputError(f"state {state} ends a second time; need one line per end: drop one")
                final[state] = _weight(fields[1], semiring) if len(fields) == 2 else one
                if semiring == "real" and final[state] == 0.0 and states:  # the first line names a start, at least
                    raise InputError(
                        f"state {state} ends with weight 0, which is not an end; need another weight, or "
                        "semiring='log' or 'tropical' if weights are costs"
                    )
                states.setdefault(state)
            elif len(fields) in (n_columns, n_columns + 1):
                begin, end = _state(fields[0]), _state(fields[1])
                labels = tuple(side.label(field) for side, field in zip(sides, fields[2:n_columns], strict=True))
                weight = _weight(fields[-1], semiring) if len(fields) > n_columns else one
                arcs.append((begin, labels[0] if is_automaton else labels, end, weight))
                states.setdefault(begin)
                states.setdefault(end)
            else:
                raise InputError(
                    f"{len(fields)} columns; an arc of {'an automaton' if is_automaton else 'a transducer'} needs "
                    f"{n_columns}, or {n_columns + 1} with a weight, and an end 1 or 2: fix the line or choose the "
                    "other kind"
                )
        except InputError as error:
            raise InputError(f"{where}, line {number}: {error}") from None
    if numeric is None:
        _refuse_doubtful_zeros(lines, sides, n_columns, where)
    start = next(iter(states), 0)
    if max(states, default=0) >= len(states):
        numbers = {state: place for place, state in enumerate(states)}
        arcs = [(numbers[begin], label, numbers[end], weight) for begin, label, end, weight in arcs]
        final = {numbers[state]: weight for state, weight in final.items()}
        start = 0
    if is_automaton:
        return Automaton.from_arcs(arcs, final, start=start, symbols=sides[0].table, semiring=semiring)
    return Transducer.from_arcs(
        arcs, final, start=start, input_symbols=sides[0].table, output_symbols=sides[1].table, semiring=semiring
    )


def _kind_of(lines: Lines, has_outputs: bool, where: str) -> str:
    """What the columns of the arcs say."""
    arcs = [(number, fields) for number, fields in lines if len(fields) > 2]
    certain = next(((number, len(fields)) for number, fields in arcs if len(fields) != 4), None)
    if certain is not None:
        first, n_columns = certain
        kind = "automaton" if n_columns == 3 else "transducer"
        for number, fields in arcs:
            if n_columns in (3, 5) and len(fields) == 8 - n_columns:
                raise InputError(
                    f"{where}, line {number}: {len(fields)} columns; line {first} is an arc of "
                    f"{'an' if kind == 'automaton' else 'a'} {kind}, with {n_columns}: fix one of them"
                )
        return kind
    last = [fields[3] for _, fields in arcs]
    if has_outputs or not all(map(NUMBER.fullmatch, last)):
        return "transducer"
    if last and all(map(_is_number, last)):
        raise InputError(
            f"{where}, line {arcs[0][0]}: column 4 may be a weight or an output; need to know: say kind='automaton' or "
            "kind='transducer'"
        )
    return "automaton"


def _refuse_doubtful_zeros(lines: Lines, sides: list[_Labels], n_columns: int, where: str) -> None:
    """Labels that are all numbers, with a 0 and without a table: OpenFst means epsilon by it, a text a digit."""
    for place, side in enumerate(sides, start=2):
        column = [(number, fields[place]) for number, fields in lines if len(fields) >= n_columns]
        if side.table is None and all(_is_number(field) for _, field in column):
            for number, field in column:
                if int(field) == 0 and field not in side.epsilons:
                    raise InputError(
                        f"{where}, line {number}: label {field!r} may be epsilon or a symbol; need to know: say "
                        "numeric=True if labels are numbers, as OpenFst prints them without tables, else numeric=False"
                    )


class _Labels:
    """From columns to labels on one side of the arcs."""

    def __init__(self, symbols: Table | None, name: str, numeric: bool | None, epsilon: str) -> None:
        self.table = None if symbols is None else symbol_table(symbols, name)
        self._numeric = bool(numeric)
        self._names = dict(symbols) if isinstance(symbols, Mapping) else dict(enumerate(self.table or ()))
        self._known = set(self.table or ())
        self.epsilons = {epsilon, self._names.get(0)}

    def label(self, field: str) -> str | None:
        """The symbol that a column stands for, None for epsilon."""
        if self._numeric:
            number = int(field) if _is_number(field) else -1
            if number < 0 or (self.table is not None and number not in self._names):
                table = "" if self.table is None else " of the symbol table"
                raise InputError(f"label {field!r} is not a number{table}; need one: fix the line or the symbol table")
            return self._names.get(number, str(number)) if number else None
        name = None if field in self.epsilons else " " if field == SPACE else field
        if self.table is not None and name not in self._known:
            raise InputError(f"label {field!r} is not in the symbol table; need one of its symbols: add it")
        return name


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


def read_symbols(source: Source) -> dict[int, str]:
    r"""Read a symbol table: lines of a symbol and its number, where 0 is epsilon whatever its name; gaps are allowed.

    Parameters
    ----------
    source : path, "-" for standard input, or an open stream

    Returns
    -------
    dict from int to str
        Name of each number.

    Examples
    --------
    >>> import io
    >>> from weft.automata import read_symbols
    >>> read_symbols(io.StringIO("<eps>\t0\na\t1\n<space>\t7\n"))
    {0: '<eps>', 1: 'a', 7: ' '}
    """
    names: dict[int, str] = {}
    for number, line in read_lines(source):
        fields = BLANKS.split(line.strip(" \t"))
        if fields == [""]:
            continue
        if len(fields) != 2 or not _is_number(fields[1]):
            raise InputError(f"{name_of(source)}, line {number}: {line!r}; need a symbol and its number: fix the line")
        if int(fields[1]) in names:
            raise InputError(
                f"{name_of(source)}, line {number}: number {fields[1]} comes twice; need it once: drop one"
            )
        names[int(fields[1])] = " " if fields[0] == SPACE else fields[0]
    symbol_table(names, name_of(source))
    return names


def write_symbols(symbols: Table, target: Target, *, epsilon: str = "<eps>") -> None:
    """Write a symbol table: lines of a symbol and its number.

    Parameters
    ----------
    symbols : iterable of str, or dict from int to str
        Such as `Automaton.symbols`, where None is epsilon, number 0; or names by number, as `read_symbols` gives them.
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
    numbered: Iterable[tuple[int, str | None]] = enumerate(symbol_table(symbols))
    if isinstance(symbols, Mapping):
        epsilon = symbols.get(0, epsilon)
        numbered = ((number, symbols[number] if number else None) for number in sorted({0, *symbols}))
    write_lines((f"{_written(name, epsilon)}\t{number}" for number, name in numbered), target)


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
        raise InputError(f"state {field!r}; need an integer from 0 with at most 9 digits: fix the line")
    return int(field)


def _weight(field: str, semiring: str) -> float:
    try:
        weight = float(field)
    except ValueError:
        weight = math.nan
    is_cost = semiring_code(semiring) > 0
    if math.isnan(weight) or weight == -math.inf or (weight == math.inf and not is_cost):
        wanted = "a number or Infinity" if is_cost else "a finite number"
        raise InputError(f"weight {field!r}; need {wanted}: fix the line")
    return weight
