"""Compiled walks through an automaton of keys that counts what it accepts."""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit

UNKNOWN = -1


@jit
def depth_first(begin, size, targets, root):
    """States that can be reached, each after all that it leads to."""
    order, stack = [0 for _ in range(0)], [root for _ in range(0 if root < 0 else 1)]
    seen = np.zeros(len(begin), dtype=np.uint8)
    while len(stack):
        state = stack.pop()
        if state < 0:  # all it leads to is done
            order.append(-1 - state)
        elif seen[state] == 0:
            seen[state] = 1
            stack.append(-1 - state)
            for k in range(begin[state], begin[state] + size[state]):
                if seen[targets[k]] == 0:
                    stack.append(np.int64(targets[k]))
    return np.array(order, dtype=np.int64)


@jit
def count_keys(offsets, targets, final):
    """Number of keys that end in or below each state; states come after those they lead to."""
    below = np.zeros(len(final), dtype=np.int32)
    for state in range(len(final)):
        total = np.int32(1 if final[state] else 0)
        for k in range(offsets[state], offsets[state + 1]):
            total += below[targets[k]]
        below[state] = total
    return below


@jit
def find_keys(state_offsets, labels, targets, below, final, codes, offsets, found):
    """Place of each string among the keys, -1 for one that is none: counts that its walk passes by, summed."""
    for i in range(len(found)):
        state, place = np.int64(len(final) - 1), np.int64(0)
        for k in range(offsets[i], offsets[i + 1]):
            if final[state]:
                place += 1
            arc, end = np.int64(state_offsets[state]), np.int64(state_offsets[state + 1])
            while arc < end and labels[arc] < codes[k]:
                place += below[targets[arc]]
                arc += 1
            if arc == end or labels[arc] != codes[k]:
                state = np.int64(UNKNOWN)
                break
            state = np.int64(targets[arc])
        found[i] = place if state >= 0 and final[state] else UNKNOWN
