"""Sums over all paths, in topological order; least costs with cycles."""

from __future__ import annotations

import numpy as np

from weft.automata.semirings import plus, times
from weft.core.jit import jit


@jit
def to_end(order, offsets, targets, weights, final, semiring):
    """Sum over the paths from each state to an end; `order` is topological."""
    distances = final.copy()
    for place in range(len(order) - 1, -1, -1):
        state = order[place]
        total = distances[state]
        for arc in range(offsets[state], offsets[state + 1]):
            total = plus(semiring, total, times(semiring, weights[arc], distances[targets[arc]]))
        distances[state] = total
    return distances


@jit
def from_start(order, offsets, targets, weights, start, zero, one, semiring):
    """Sum over the paths from the start to each state; `order` is topological."""
    distances = np.full(len(offsets) - 1, zero)
    distances[start] = one
    for place in range(len(order)):
        state = order[place]
        reached = distances[state]
        if reached == zero:
            continue
        for arc in range(offsets[state], offsets[state + 1]):
            target = targets[arc]
            distances[target] = plus(semiring, distances[target], times(semiring, reached, weights[arc]))
    return distances


@jit
def least_costs(sources, targets, weights, costs):
    """Lower `costs` in place to the least cost of a path that ends in each state; a state on a negative cycle, or -1.

    Initial costs are those of ending at once; arcs may be of any sign. This is the algorithm of Bellman and Ford.
    """
    n_arcs = len(sources)
    changed = -1
    for sweep in range(len(costs) + 1):
        changed = -1
        for step in range(n_arcs):
            # Sweeps to and fro: whichever way states are numbered, few are needed.
            arc = step if sweep % 2 == 0 else n_arcs - 1 - step
            cost = costs[sources[arc]] + weights[arc]
            # A cycle of weight 0 must not look negative because of rounding.
            if cost < costs[targets[arc]] - 1e-12 * (1.0 + abs(cost)):
                costs[targets[arc]] = cost
                changed = targets[arc]
        if changed == -1:
            return -1
    return changed
