"""Determinisation: one path for each string."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from weft.automata.arc_arrays import is_count
from weft.automata.connection import connect
from weft.automata.epsilons import remove_epsilon
from weft.automata.loops.subsets import determinize_arcs
from weft.automata.machine import Machine, require_machine
from weft.errors import InputError

M = TypeVar("M", bound=Machine)


def is_deterministic(machine: Machine) -> bool:
    """Whether no arc is an epsilon and no state has two arcs with one label (pair of labels for a transducer).

    Examples
    --------
    >>> from weft.automata import Automaton, is_deterministic
    >>> is_deterministic(Automaton.from_arcs([(0, "a", 1), (0, "a", 2)], final={1: 1.0}))
    False
    """
    require_machine(machine, "machine")
    if ((machine.inputs == 0) & (machine.outputs == 0)).any():
        return False
    labels = machine.inputs * np.int64(len(machine.output_symbols)) + machine.outputs
    keys = np.sort(machine.sources * np.int64(len(machine.input_symbols) * len(machine.output_symbols)) + labels)
    return bool((np.diff(keys) > 0).all())


def determinize(machine: M, *, max_states: int = 1_000_000) -> M:
    """An equivalent machine that reads each string along one path.

    The weighted subset construction. Residual weights are divided by the one of the first state of a set, so weights
    may have signs and cancel; residuals that agree to about 11 digits count as equal. It ends for every acyclic
    machine and for cyclic ones with the twins property (two states reached by one string give each cycle that both
    can read the same weight). Epsilons are removed first. Arcs of a transducer are told apart by both labels, so
    what comes out has one path for each *aligned* pair of strings.

    Parameters
    ----------
    machine : Automaton or Transducer
    max_states : int
        Where to give up.

    Returns
    -------
    of the same kind

    Raises
    ------
    InputError
        If more than `max_states` states are needed, or a cycle of epsilons diverges.

    Examples
    --------
    >>> from weft.automata import Automaton, determinize
    >>> twice = Automaton.from_arcs([(0, "a", 1, 2.0), (0, "a", 2, -1.0), (1, "b", 3), (2, "b", 3)], final={3: 1.0})
    >>> determinize(twice)
    Automaton(3 states, 2 arcs, 1 final state, semiring='real')
    """
    require_machine(machine, "machine")
    if not is_count(max_states):
        raise InputError(f"max_states={max_states!r} given; need an integer of at least 1: choose a limit")
    machine = remove_epsilon(machine)
    n_outputs = np.int64(len(machine.output_symbols))
    labels = machine.inputs * n_outputs + machine.outputs
    is_done, sources, labels, targets, weights, final = determinize_arcs(
        (machine.offsets, machine.targets, machine.weights, machine.final),
        labels,
        machine.start,
        machine.zero,
        machine.one,
        machine.semiring_code,
        int(max_states),
    )
    if not is_done:
        why = (
            "it is acyclic, so a larger max_states will do"
            if machine.is_acyclic
            else "it has cycles and may lack the twins property, without which there is no end: "
            "give the cycles that one string can follow equal weights, or raise max_states"
        )
        raise InputError(f"determinize needs more than max_states={max_states} states for {machine!r}; {why}")
    inputs = (labels // n_outputs).astype(np.int32)
    outputs = (labels % n_outputs).astype(np.int32)
    return connect(machine.replaced(sources, inputs, outputs, targets, weights, final, 0))
