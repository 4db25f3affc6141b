"""Epsilon removal, with cycles of epsilons too."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt
import scipy  # which loads its sparse at first use: not to predict

from weft.automata.arc_arrays import FloatArray, IntArray
from weft.automata.connection import connect, connected
from weft.automata.cycles import check_convergence, cyclic_distances
from weft.automata.loops.closing import close_epsilons
from weft.automata.loops.ordering import topological_order
from weft.automata.machine import Machine, require_machine
from weft.automata.semirings import TOLERANCE

M = TypeVar("M", bound=Machine)


def remove_epsilon(machine: M) -> M:
    """An equivalent machine without epsilon arcs; for a transducer, without arcs that read and write nothing.

    Cycles of epsilons are summed as geometric series.

    Parameters
    ----------
    machine : Automaton or Transducer

    Returns
    -------
    of the same kind
        Connected, and with at most one arc for each source, label and target.

    Raises
    ------
    InputError
        If the series of a cycle of epsilons diverges; the message names its states and spectral radius.

    Examples
    --------
    >>> from weft.automata import Automaton, remove_epsilon, strings_and_weights
    >>> loop = Automaton.from_arcs([(0, None, 0, 0.5), (0, "a", 1, 3.0)], final={1: 1.0})
    >>> strings_and_weights(remove_epsilon(loop))
    {('a',): 6.0}
    """
    require_machine(machine, "machine")
    machine, names = connected(machine)
    is_epsilon = (machine.inputs == 0) & (machine.outputs == 0)
    if not is_epsilon.any():
        return connect(merge_arcs(machine))
    order = _epsilon_order(machine, is_epsilon)
    if len(order) < machine.n_states:
        machine = _without_cycles(machine, is_epsilon, names)
        is_epsilon = (machine.inputs == 0) & (machine.outputs == 0)
        order = _epsilon_order(machine, is_epsilon)
    is_needed = np.zeros(machine.n_states, dtype=np.bool_)
    is_needed[machine.start] = True
    is_needed[machine.targets[~is_epsilon]] = True
    sources, arcs, weights, final = close_epsilons(
        (machine.offsets, machine.targets, machine.weights, machine.final),
        is_epsilon,
        order,
        is_needed,
        machine.zero,
        machine.one,
        machine.semiring_code,
    )
    closed = machine.replaced(
        sources,
        machine.inputs[arcs],
        machine.outputs[arcs],
        machine.targets[arcs],
        weights,
        final,
        machine.start,
    )
    return connect(merge_arcs(closed))


def merge_arcs(machine: M) -> M:
    """The machine with arcs of the same source, label and target added up.

    Examples
    --------
    >>> from weft.automata import Automaton
    >>> merge_arcs(Automaton.from_arcs([(0, "a", 1, 2.0), (0, "a", 1, -0.5)], final={1: 1.0})).weights
    array([1.5])
    """
    columns = (machine.targets, machine.outputs, machine.inputs, machine.sources)
    order = np.lexsort(columns)
    is_first = np.zeros(machine.n_arcs, dtype=np.bool_)
    is_first[:1] = True
    for column in columns:
        is_first[1:] |= np.diff(column[order]) != 0
    if is_first.all():
        return machine
    begins = np.flatnonzero(is_first)
    if machine.semiring == "real":
        weights = np.add.reduceat(machine.weights[order], begins)
        sizes = np.maximum.reduceat(np.abs(machine.weights[order]), begins)
        weights[np.abs(weights) <= TOLERANCE * sizes] = 0.0
    elif machine.semiring == "log":
        weights = -np.logaddexp.reduceat(-machine.weights[order], begins)
    else:
        weights = np.minimum.reduceat(machine.weights[order], begins)
    kept = order[begins]
    return machine.replaced(
        machine.sources[kept],
        machine.inputs[kept],
        machine.outputs[kept],
        machine.targets[kept],
        weights,
        machine.final,
        machine.start,
    )


def _epsilon_order(machine: Machine, is_epsilon: npt.NDArray[np.bool_]) -> IntArray:
    """States sorted so that epsilons lead forwards; fewer if epsilons form a cycle."""
    offsets = np.zeros(machine.n_states + 1, dtype=np.int64)
    np.cumsum(np.bincount(machine.sources[is_epsilon], minlength=machine.n_states), out=offsets[1:])
    order: IntArray = topological_order(offsets, machine.targets[is_epsilon])
    return order


def _without_cycles(machine: M, is_epsilon: npt.NDArray[np.bool_], names: IntArray) -> M:
    """Cycles of epsilons unrolled.

    Every state of a strong component of epsilons is cut in two: arcs arrive at the first half and leave from the
    second, and epsilons from the first halves to the second ones carry the sums over all walks inside.
    """
    n_states = machine.n_states
    sources, targets, weights = machine.sources, machine.targets, machine.weights
    epsilons = sources[is_epsilon], targets[is_epsilon], weights[is_epsilon]
    if machine.semiring == "real":
        check_convergence(*epsilons, names, "epsilon paths")
    else:  # costs are checked by summing them all
        cyclic_distances(*epsilons, np.full(n_states, machine.one), machine.semiring, names)
    pattern = scipy.sparse.csr_array((np.ones(len(epsilons[0])), epsilons[:2]), shape=(n_states, n_states))
    part_of = scipy.sparse.csgraph.connected_components(pattern, connection="strong")[1]
    is_inner = is_epsilon & (part_of[sources] == part_of[targets])
    is_cut = np.zeros(n_states, dtype=np.bool_)
    is_cut[sources[is_inner]] = True
    second = np.arange(n_states, dtype=np.int32)
    second[is_cut] = n_states + np.arange(int(is_cut.sum()), dtype=np.int32)
    final = np.concatenate([np.where(is_cut, machine.zero, machine.final), machine.final[is_cut]])
    new: list[tuple[IntArray, IntArray, FloatArray]] = []
    for part in np.unique(part_of[is_cut]):
        states = np.flatnonzero(part_of == part).astype(np.int32)
        place = np.empty(n_states, dtype=np.int32)
        place[states] = np.arange(len(states))
        arcs = np.flatnonzero(is_inner & (part_of[sources] == part))
        for last in range(len(states)):
            ends = np.full(len(states), machine.zero)
            ends[last] = machine.one
            sums = cyclic_distances(place[sources[arcs]], place[targets[arcs]], weights[arcs], ends, machine.semiring)
            new.append((states, np.full(len(states), second[states[last]], dtype=np.int32), sums))
    kept = np.flatnonzero(~is_inner)
    n_new = sum(len(entry[0]) for entry in new)
    nothing = np.zeros(n_new, dtype=np.int32)
    return machine.replaced(
        np.concatenate([second[sources[kept]], *(entry[0] for entry in new)]),
        np.concatenate([machine.inputs[kept], nothing]),
        np.concatenate([machine.outputs[kept], nothing]),
        np.concatenate([targets[kept], *(entry[1] for entry in new)]),
        np.concatenate([weights[kept], *(entry[2] for entry in new)]),
        final,
        machine.start,
    )
