"""Connection: drop what lies on no path from the start to an end."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from weft.automata.arc_arrays import IntArray
from weft.automata.loops.ordering import useful_states
from weft.automata.machine import Machine, require_machine

M = TypeVar("M", bound=Machine)


def connect(machine: M) -> M:
    """The machine without arcs of weight zero and without states on no path from the start to an end.

    Parameters
    ----------
    machine : Automaton or Transducer

    Returns
    -------
    of the same kind
        States keep their order. If nothing is accepted, one state without arcs is left.

    Examples
    --------
    >>> from weft.automata import Automaton, connect
    >>> connect(Automaton.from_arcs([(0, "a", 1), (0, "b", 2), (3, "a", 1)], final={1: 1.0}))
    Automaton(2 states, 1 arc, 1 final state, semiring='real')
    """
    return connected(machine)[0]


def connected(machine: M) -> tuple[M, IntArray]:
    """`connect`, and the old numbers of the states that are left, for messages."""
    require_machine(machine, "machine")
    useful = useful_states(
        machine.offsets, machine.targets, machine.weights, machine.final, machine.start, machine.zero
    )
    is_kept = machine.weights != machine.zero
    if useful.all() and is_kept.all():
        return machine, np.arange(machine.n_states, dtype=np.int32)
    is_kept &= useful[machine.sources] & useful[machine.targets]
    useful[machine.start] = True  # kept for form if nothing is accepted
    numbers = (np.cumsum(useful) - 1).astype(np.int32)
    smaller = machine.replaced(
        numbers[machine.sources[is_kept]],
        machine.inputs[is_kept],
        machine.outputs[is_kept],
        numbers[machine.targets[is_kept]],
        machine.weights[is_kept],
        machine.final[useful],
        int(numbers[machine.start]),
    )
    return smaller, np.flatnonzero(useful).astype(np.int32)
