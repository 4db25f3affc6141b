"""Total weight: the sum over all paths, with cycles too."""

from __future__ import annotations

import math

import numpy as np

from weft.automata.arc_arrays import FloatArray, IntArray
from weft.automata.connection import connected
from weft.automata.cycles import cyclic_distances
from weft.automata.loops import distances as passes
from weft.automata.machine import Machine, require_machine
from weft.errors import InputError


def total_weight(machine: Machine) -> float:
    """Sum of the weights of all accepting paths, the operator D of LK section 2.1.

    Acyclic machines take one pass in topological order. With cycles, real and log weights solve a linear system, and
    tropical ones use the algorithm of Bellman and Ford.

    Parameters
    ----------
    machine : Automaton or Transducer

    Returns
    -------
    float

    Raises
    ------
    InputError
        If the sum has no finite value: around a cycle, absolute weights do not shrink (their spectral radius is 1 or
        more), a tropical cycle has a negative cost, or the sum leaves the range of floats.

    Examples
    --------
    >>> from weft.automata import Automaton, total_weight
    >>> total_weight(Automaton.from_arcs([(0, "a", 0, 0.5), (0, "b", 1, -3.0)], final={1: 1.0}))
    -6.0
    """
    require_machine(machine, "machine")
    names = None
    if not machine.is_acyclic:
        machine, names = connected(machine)
    total = float(_distances(machine, True, names)[machine.start])
    if machine.semiring == "real" and not math.isfinite(total):
        raise InputError(
            f"the sum over the paths of {machine!r} is {total}, beyond the range of floats; need a finite one: "
            "scale the weights, or use semiring='log' if they are positive"
        )
    return total


def shortest_distance(machine: Machine, *, to_end: bool = False) -> FloatArray:
    """Sum over the paths from the start to each state, or from each state to an end.

    Parameters
    ----------
    machine : Automaton or Transducer
    to_end : bool
        Whether paths lead from each state to the end, final weights included, rather than from the start to it.

    Returns
    -------
    ndarray of shape (n_states,)

    Raises
    ------
    InputError
        If a sum has no finite value, as in `total_weight`. Cycles that no path of a sum goes through do not matter;
        `connect` first, if only states between the start and an end are wanted.

    Examples
    --------
    >>> from weft.automata import Automaton, shortest_distance
    >>> shortest_distance(Automaton.from_arcs([(0, "a", 1, 0.5), (0, "b", 1, 0.25)], final={1: 2.0}))
    array([1.  , 0.75])
    """
    require_machine(machine, "machine")
    return _distances(machine, to_end)


def _distances(machine: Machine, to_end: bool, names: IntArray | None = None) -> FloatArray:
    code = machine.semiring_code
    if not machine.is_acyclic:
        first, second, ends = machine.sources, machine.targets, machine.final
        if not to_end:
            first, second, ends = second, first, np.full(machine.n_states, machine.zero)
            ends[machine.start] = machine.one
        return cyclic_distances(first, second, machine.weights, ends, machine.semiring, names)
    arrays = machine.order, machine.offsets, machine.targets, machine.weights
    distances: FloatArray
    if to_end:
        distances = passes.to_end(*arrays, machine.final, code)
    else:
        distances = passes.from_start(*arrays, machine.start, machine.zero, machine.one, code)
    return distances
