"""Leading coefficients: the weight of the first string that a state accepts."""

from __future__ import annotations

import numpy as np

from weft.automata.semirings import times
from weft.core.jit import jit


@jit
def leading_weights(offsets, targets, weights, final, zero, semiring):
    """Weight of the shortest string from each state, and of these the one whose labels come first.

    The arcs of a state have different labels and are sorted by them, and an end is reached from every state. The
    first string depends only on which strings are accepted, so states that differ by a factor have the same one.
    """
    n_states = len(offsets) - 1
    n_incoming = np.zeros(n_states + 1, dtype=np.int64)
    for arc in range(len(targets)):
        n_incoming[targets[arc] + 1] += 1
    for state in range(n_states):
        n_incoming[state + 1] += n_incoming[state]
    sources = np.empty(len(targets), dtype=np.int32)
    cursor = n_incoming[:n_states].copy()
    for state in range(n_states):
        for arc in range(offsets[state], offsets[state + 1]):
            sources[cursor[targets[arc]]] = state
            cursor[targets[arc]] += 1
    lengths = np.full(n_states, -1, dtype=np.int64)
    queue = np.empty(n_states, dtype=np.int32)
    n_found = 0
    for state in range(n_states):
        if final[state] != zero:
            lengths[state] = 0
            queue[n_found] = state
            n_found += 1
    leading = final.copy()
    head = 0
    while head < n_found:
        state = queue[head]
        head += 1
        if lengths[state] > 0:
            # States are visited by length, so those one step nearer to the end are finished.
            for arc in range(offsets[state], offsets[state + 1]):
                if lengths[targets[arc]] == lengths[state] - 1:
                    leading[state] = times(semiring, weights[arc], leading[targets[arc]])
                    break
        for place in range(n_incoming[state], n_incoming[state + 1]):
            source = sources[place]
            if lengths[source] == -1:
                lengths[source] = lengths[state] + 1
                queue[n_found] = source
                n_found += 1
    return leading
