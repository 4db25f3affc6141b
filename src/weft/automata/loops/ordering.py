"""Orders of states: topological, and which of them lie on a path from the start to an end."""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit


@jit
def topological_order(offsets, targets):
    """States with every arc leading forwards; shorter than the number of states if there is a cycle.

    Examples
    --------
    >>> topological_order(np.array([0, 0, 1]), np.array([0], dtype=np.int32))
    array([1, 0], dtype=int32)
    """
    n_states = len(offsets) - 1
    n_incoming = np.zeros(n_states, dtype=np.int32)
    for arc in range(len(targets)):
        n_incoming[targets[arc]] += 1
    order = np.empty(n_states, dtype=np.int32)
    n_done = 0
    for state in range(n_states):
        if n_incoming[state] == 0:
            order[n_done] = state
            n_done += 1
    head = 0
    while head < n_done:
        state = order[head]
        head += 1
        for arc in range(offsets[state], offsets[state + 1]):
            target = targets[arc]
            n_incoming[target] -= 1
            if n_incoming[target] == 0:
                order[n_done] = target
                n_done += 1
    return order[:n_done].copy()


@jit
def useful_states(offsets, targets, weights, final, start, zero):
    """Flag of every state that lies on a path of weights other than `zero` from the start to a final state.

    Examples
    --------
    >>> useful_states(np.array([0, 1, 1]), np.array([1], dtype=np.int32), np.ones(1), np.array([0.0, 1.0]), 0, 0.0)
    array([ True,  True])
    """
    n_states = len(offsets) - 1
    reached = np.zeros(n_states, dtype=np.bool_)
    stack = np.empty(n_states, dtype=np.int32)
    stack[0] = start
    reached[start] = True
    n_waiting = 1
    n_incoming = np.zeros(n_states + 1, dtype=np.int64)
    while n_waiting > 0:
        n_waiting -= 1
        state = stack[n_waiting]
        for arc in range(offsets[state], offsets[state + 1]):
            if weights[arc] == zero:
                continue
            target = targets[arc]
            n_incoming[target + 1] += 1
            if not reached[target]:
                reached[target] = True
                stack[n_waiting] = target
                n_waiting += 1
    for state in range(n_states):
        n_incoming[state + 1] += n_incoming[state]
    sources = np.empty(n_incoming[n_states], dtype=np.int32)
    cursor = n_incoming[:n_states].copy()
    for state in range(n_states):
        if not reached[state]:
            continue
        for arc in range(offsets[state], offsets[state + 1]):
            if weights[arc] != zero:
                target = targets[arc]
                sources[cursor[target]] = state
                cursor[target] += 1
    useful = np.zeros(n_states, dtype=np.bool_)
    for state in range(n_states):
        if reached[state] and final[state] != zero:
            useful[state] = True
            stack[n_waiting] = state
            n_waiting += 1
    while n_waiting > 0:
        n_waiting -= 1
        state = stack[n_waiting]
        for place in range(n_incoming[state], n_incoming[state + 1]):
            source = sources[place]
            if not useful[source]:
                useful[source] = True
                stack[n_waiting] = source
                n_waiting += 1
    return useful
