"""Classes of states with the same future."""

from __future__ import annotations

import numpy as np

from weft.automata.loops.growing import find_place
from weft.core.jit import jit


@jit
def future_classes(order, offsets, arc_keys, targets, final_keys, classes, refine):
    """Class of every state: states are alike if final weights, arcs and the classes these lead to are.

    `arc_keys` and `final_keys` number labels with weights; the arcs of a state are sorted by label. In topological
    order with ``refine=False`` one call is enough, as targets are classified first. With ``refine=True`` the given
    classes are split once (Moore): states of different old classes stay apart.

    Returns
    -------
    classes, n_classes
    """
    n_states = len(offsets) - 1
    n_places = 4
    while n_places < 2 * n_states + 2:
        n_places *= 2
    hashes = np.full(n_places, -1, dtype=np.int64)
    examples = np.empty(n_places, dtype=np.int32)  # a state of the class
    result = np.full(n_states, -1, dtype=np.int32)
    known = classes if refine else result
    n_classes = 0
    for place in range(n_states - 1, -1, -1):
        state = order[place]
        mixed = np.uint64(final_keys[state])
        if refine:
            mixed = (mixed ^ np.uint64(classes[state])) * np.uint64(0xBF58476D1CE4E5B9)
        for arc in range(offsets[state], offsets[state + 1]):
            mixed = (mixed ^ np.uint64(arc_keys[arc])) * np.uint64(0x9E3779B97F4A7C15)
            mixed = (mixed ^ (mixed >> np.uint64(29)) ^ np.uint64(known[targets[arc]])) * np.uint64(0xBF58476D1CE4E5B9)
            mixed ^= mixed >> np.uint64(32)
        hash_value = np.int64(mixed & np.uint64(0x3FFFFFFFFFFFFFFF))
        while True:
            slot = find_place(hashes, hash_value)
            if hashes[slot] == -1:
                hashes[slot] = hash_value
                examples[slot] = state
                result[state] = n_classes
                n_classes += 1
                break
            other = examples[slot]
            same = final_keys[other] == final_keys[state] and (not refine or classes[other] == classes[state])
            begin, length = offsets[state], offsets[state + 1] - offsets[state]
            shift = offsets[other] - begin
            same = same and offsets[other + 1] - offsets[other] == length
            if same:
                for arc in range(begin, begin + length):
                    if arc_keys[arc] != arc_keys[arc + shift] or known[targets[arc]] != known[targets[arc + shift]]:
                        same = False
                        break
            if same:
                result[state] = result[other]
                break
            hash_value = (hash_value + 1) & np.int64(0x3FFFFFFFFFFFFFFF)
    return result, n_classes
