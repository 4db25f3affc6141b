"""Minimisation: the smallest deterministic machine."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

from weft.automata.arc_arrays import FloatArray, IntArray, LongArray
from weft.automata.connection import connect
from weft.automata.determinization import determinize, is_deterministic
from weft.automata.loops.merging import future_classes
from weft.automata.loops.pushing import leading_weights
from weft.automata.loops.subsets import rounded_all
from weft.automata.machine import Machine, require_machine
from weft.errors import InputError

M = TypeVar("M", bound=Machine)


def minimize(machine: M, *, max_states: int = 1_000_000) -> M:
    """The equivalent deterministic machine with the fewest states.

    Weights are first moved towards the start: every state is divided by its *leading coefficient*, the weight of the
    first string it accepts (the shortest, and of these the least in the order of symbol numbers). Unlike a sum of
    weights it cannot be zero, so signs do no harm. States with equal futures are then merged, where weights that
    agree to about 11 digits are equal. What is left over at the start becomes a factor of all final weights.

    Parameters
    ----------
    machine : Automaton or Transducer
        Determinised first if need be.
    max_states : int
        Where `determinize` gives up.

    Returns
    -------
    of the same kind

    Examples
    --------
    The strings aa, ab, ba, bb with weights 1, -1, 2, -2, whose sum is 0:

    >>> from weft.automata import Automaton, minimize, union
    >>> strings = [("aa", 1.0), ("ab", -1.0), ("ba", 2.0), ("bb", -2.0)]
    >>> minimize(union(*(Automaton.from_string(text, weight=weight) for text, weight in strings)))
    Automaton(3 states, 4 arcs, 1 final state, semiring='real')
    """
    require_machine(machine, "machine")
    machine = connect(machine)
    if not is_deterministic(machine):
        machine = determinize(machine, max_states=max_states)
    pair_keys = machine.inputs * np.int64(len(machine.output_symbols)) + machine.outputs
    by_label = np.lexsort((pair_keys, machine.sources))
    pair_keys, targets = pair_keys[by_label], machine.targets[by_label]
    leading = leading_weights(
        machine.offsets, targets, machine.weights[by_label], machine.final, machine.zero, machine.semiring_code
    )
    if machine.final[machine.start] == machine.zero and machine.n_arcs == 0:
        return machine  # nothing is accepted
    weights, final = _pushed(machine, machine.weights[by_label], targets, leading)
    arc_keys = _numbered(pair_keys, rounded_all(weights, machine.semiring_code))
    final_keys = np.unique(rounded_all(final, machine.semiring_code), return_inverse=True)[1].reshape(-1)
    classes = _classes(machine, targets, arc_keys, final_keys)
    # Classes are numbered by their first states, so that the order of states is kept.
    firsts = np.unique(classes, return_index=True)[1]
    rank = np.argsort(np.argsort(firsts)).astype(np.int32)
    classes = rank[classes]
    firsts = np.sort(firsts)
    is_kept = np.zeros(machine.n_states, dtype=np.bool_)
    is_kept[firsts] = True
    kept = is_kept[machine.sources]
    start_weight = leading[machine.start]
    final = final[firsts] * start_weight if machine.semiring == "real" else final[firsts] + start_weight
    return machine.replaced(
        classes[machine.sources[kept]],
        machine.inputs[by_label][kept],
        machine.outputs[by_label][kept],
        classes[targets[kept]],
        weights[kept],
        final,
        int(classes[machine.start]),
    )


def _pushed(
    machine: Machine, weights: FloatArray, targets: IntArray, leading: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Weights of arcs and ends, with every state divided by its leading coefficient."""
    if machine.semiring != "real":
        return weights + leading[targets] - leading[machine.sources], machine.final - leading
    if not (np.isfinite(leading) & (leading != 0)).all():
        raise InputError(
            "the weight of a string leaves the range of floats, so states cannot be compared; "
            "need weights nearer to 1: rescale them or use semiring='log'"
        )
    return weights * leading[targets] / leading[machine.sources], machine.final / leading


def _numbered(left: LongArray, right: LongArray) -> LongArray:
    """One number for each different pair."""
    first = np.unique(left, return_inverse=True)[1].reshape(-1)
    values, second = np.unique(right, return_inverse=True)
    return np.asarray(first * np.int64(len(values) + 1) + second.reshape(-1), dtype=np.int64)


def _classes(machine: Machine, targets: IntArray, arc_keys: LongArray, final_keys: npt.NDArray[np.int64]) -> IntArray:
    classes: IntArray = np.zeros(machine.n_states, dtype=np.int32)
    if machine.is_acyclic:
        classes, _ = future_classes(machine.order, machine.offsets, arc_keys, targets, final_keys, classes, False)
        return classes
    order = np.arange(machine.n_states, dtype=np.int32)
    n_classes, n_before = 1, 0
    while n_classes > n_before:
        n_before = n_classes
        classes, n_classes = future_classes(order, machine.offsets, arc_keys, targets, final_keys, classes, True)
    return classes
