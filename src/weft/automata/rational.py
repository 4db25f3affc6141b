"""Rational operations: sum, concatenation, closure, inverse, projection."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar, cast

import numpy as np

from weft.automata.arc_arrays import Symbols, sort_arcs
from weft.automata.automaton import Automaton
from weft.automata.composition import renumbering
from weft.automata.machine import Machine, require_machine
from weft.automata.semirings import plus
from weft.automata.transducer import Transducer
from weft.errors import InputError

M = TypeVar("M", bound=Machine)


def union(first: M, *others: M) -> M:
    """Sum: the weight of a string (or pair) is the sum of its weights in the machines.

    Parameters
    ----------
    first, *others : Automaton or Transducer
        All of one kind and semiring.

    Returns
    -------
    of the same kind
        A new start has copies of the arcs of all starts, so no epsilon is added.

    Examples
    --------
    >>> from weft.automata import Automaton, total_weight, union
    >>> union(Automaton.from_string("ab"), Automaton.from_string("ac", weight=-3.0))
    Automaton(7 states, 6 arcs, 2 final states, semiring='real')
    """
    machines = _side_by_side(first, *others)
    shift = 1
    columns: list[list[Any]] = [[], [], [], [], []]
    start_weight = first.zero
    for machine in machines:
        begin, end = machine.offsets[machine.start], machine.offsets[machine.start + 1]
        for sources, kept in (
            (np.zeros(end - begin, dtype=np.int32), slice(begin, end)),
            (machine.sources + shift, slice(None)),
        ):
            columns[0].append(sources)
            columns[1].append(machine.inputs[kept])
            columns[2].append(machine.outputs[kept])
            columns[3].append(machine.targets[kept] + shift)
            columns[4].append(machine.weights[kept])
        start_weight = plus(machine.semiring_code, start_weight, float(machine.final[machine.start]))
        shift += machine.n_states
    final = np.concatenate([[start_weight], *(machine.final for machine in machines)])
    sources, inputs, outputs, targets, weights = (np.concatenate(column) for column in columns)
    return machines[0].replaced(sources, inputs, outputs, targets, weights, final, 0)


def concatenate(first: M, *others: M) -> M:
    """Product: a string is cut in all ways, and the weights of its pieces in the machines are multiplied.

    Parameters
    ----------
    first, *others : Automaton or Transducer
        All of one kind and semiring.

    Returns
    -------
    of the same kind
        Epsilon arcs lead from the ends of one machine to the start of the next.

    Examples
    --------
    >>> from weft.automata import Automaton, concatenate, strings_and_weights
    >>> strings_and_weights(concatenate(Automaton.from_string("a", weight=2.0), Automaton.from_string("b")))
    {('a', 'b'): 2.0}
    """
    machines = _side_by_side(first, *others)
    shift = 0
    columns: list[list[Any]] = [[], [], [], [], []]
    finals = []
    for place, machine in enumerate(machines):
        own = (machine.sources + shift, machine.inputs, machine.outputs, machine.targets + shift, machine.weights)
        for column, values in zip(columns, own, strict=True):
            column.append(values)
        final = machine.final
        if place + 1 < len(machines):
            ends = np.flatnonzero(final != machine.zero)
            nothing = np.zeros(len(ends), dtype=np.int32)
            begin = shift + machine.n_states + machines[place + 1].start
            for column, values in zip(
                columns, (ends + shift, nothing, nothing, np.full(len(ends), begin), final[ends]), strict=True
            ):
                column.append(values)
            final = np.full(machine.n_states, machine.zero)
        finals.append(final)
        shift += machine.n_states
    sources, inputs, outputs, targets, weights = (np.concatenate(column) for column in columns)
    return machines[0].replaced(sources, inputs, outputs, targets, weights, np.concatenate(finals), machines[0].start)


def closure(machine: M) -> M:
    """Kleene closure: the sum of all powers, the empty string with weight one among them.

    Parameters
    ----------
    machine : Automaton or Transducer

    Returns
    -------
    of the same kind
        A new start, the only final state, with epsilon arcs to the old start and from the old ends.

    Examples
    --------
    >>> from weft.automata import Automaton, closure, total_weight
    >>> total_weight(closure(Automaton.from_string("ab", weight=0.5)))
    2.0
    """
    require_machine(machine, "machine")
    ends = np.flatnonzero(machine.final != machine.zero)
    nothing = np.zeros(len(ends) + 1, dtype=np.int32)
    final = np.full(machine.n_states + 1, machine.zero)
    final[0] = machine.one
    return machine.replaced(
        np.concatenate([machine.sources + 1, [0], ends + 1]),
        np.concatenate([machine.inputs, nothing]),
        np.concatenate([machine.outputs, nothing]),
        np.concatenate([machine.targets + 1, [machine.start + 1], np.zeros(len(ends), dtype=np.int32)]),
        np.concatenate([machine.weights, [machine.one], machine.final[ends]]),
        final,
        0,
    )


def invert(machine: M) -> M:
    """Inverse: the weight of (x, y) is that of (y, x) before; an automaton is its own inverse.

    Parameters
    ----------
    machine : Automaton or Transducer

    Returns
    -------
    of the same kind

    Examples
    --------
    >>> from weft.automata import Transducer, invert
    >>> next(invert(Transducer.from_string("a", "b")).arcs()).label
    ('b', 'a')
    """
    require_machine(machine, "machine")
    if not isinstance(machine, Transducer):
        return machine
    offsets, inputs, outputs, targets, weights = sort_arcs(
        machine.sources, machine.outputs, machine.inputs, machine.targets, machine.weights, machine.n_states
    )
    inverse = replace(
        machine,
        offsets=offsets,
        inputs=inputs,
        outputs=outputs,
        targets=targets,
        weights=weights,
        input_symbols=machine.output_symbols,
        output_symbols=machine.input_symbols,
    )
    return cast(M, inverse)


def project(machine: Machine, side: str = "output") -> Automaton:
    """Projection: the automaton of the input or output strings, LK section 2.1.

    Parameters
    ----------
    machine : Automaton or Transducer
    side : {"output", "input"}

    Returns
    -------
    Automaton

    Examples
    --------
    >>> from weft.automata import Transducer, project
    >>> project(Transducer.from_string("a", "bc")).symbols
    [None, 'b', 'c']
    """
    require_machine(machine, "machine")
    if side not in ("input", "output"):
        raise InputError(f"side={side!r} given; need 'input' or 'output': choose one of them")
    if isinstance(machine, Automaton):
        return machine
    labels = machine.inputs if side == "input" else machine.outputs
    offsets, labels, _, targets, weights = sort_arcs(
        machine.sources, labels, labels, machine.targets, machine.weights, machine.n_states
    )
    return Automaton(
        offsets=offsets,
        labels=labels,
        targets=targets,
        weights=weights,
        final=machine.final,
        symbols=machine.input_symbols if side == "input" else machine.output_symbols,
        start=machine.start,
        semiring=machine.semiring,
    )


def _side_by_side(first: M, *others: M) -> list[M]:
    """The machines, checked to be of one kind and semiring, with the symbols of all."""
    machines = [first, *others]
    kind: type[Machine] = type(require_machine(first, "the first machine"))
    for machine in others:
        require_machine(machine, "each machine", kind)
        if machine.semiring != first.semiring:
            raise InputError(
                f"machines with semirings {first.semiring!r} and {machine.semiring!r} given; "
                "need the same: build all with one"
            )
    reads = _joint_table([machine.input_symbols for machine in machines])
    writes = reads if isinstance(first, Automaton) else _joint_table([machine.output_symbols for machine in machines])
    return [_renamed(machine, reads, writes) for machine in machines]


def _joint_table(tables: list[Symbols]) -> Symbols:
    if all(table is tables[0] for table in tables):
        return tables[0]
    return list(dict.fromkeys(symbol for table in tables for symbol in table))


def _renamed(machine: M, reads: Symbols, writes: Symbols) -> M:
    """The machine with larger symbol tables; arcs are sorted when it becomes part of another."""
    inputs = renumbering(machine.input_symbols, reads)[machine.inputs]
    if isinstance(machine, Transducer):
        outputs = renumbering(machine.output_symbols, writes)[machine.outputs]
        return cast(M, replace(machine, inputs=inputs, outputs=outputs, input_symbols=reads, output_symbols=writes))
    return cast(M, replace(cast(Automaton, machine), labels=inputs, symbols=reads))
