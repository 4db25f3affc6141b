"""Paths of epsilons replaced by the arcs behind them."""

from __future__ import annotations

import numpy as np

from weft.automata.loops.growing import doubled
from weft.automata.semirings import cancels, plus, times
from weft.core.jit import jit


@jit
def close_epsilons(machine, is_epsilon, order, is_needed, zero, one, semiring):
    """Arcs without epsilon, and final weights, of the states that are needed.

    `machine` is ``(offsets, targets, weights, final)``; `order` sorts the states so that every epsilon leads forwards.
    A state gets one arc for every way of epsilons to an arc; the caller adds up those that are alike.

    Returns
    -------
    sources, arcs, weights, final
        For each new arc its source, the old arc that gives label and target, and its weight.
    """
    offsets, targets, arc_weights, final_weights = machine
    n_states = len(offsets) - 1
    final = final_weights.copy()
    # Whether epsilons lead to any other arc: long tails of epsilons without one are not walked again and again.
    leads_on = np.zeros(n_states, dtype=np.bool_)
    for place in range(n_states - 1, -1, -1):
        state = order[place]
        size = abs(final[state])
        for arc in range(offsets[state], offsets[state + 1]):
            if is_epsilon[arc]:
                target = targets[arc]
                leads_on[state] |= leads_on[target]
                weight = times(semiring, arc_weights[arc], final[target])
                final[state] = plus(semiring, final[state], weight)
                size = max(size, abs(weight))
            else:
                leads_on[state] = True
        if cancels(semiring, final[state], size):
            final[state] = zero

    sources = np.empty(256, dtype=np.int32)
    arcs = np.empty(256, dtype=np.int64)
    weights = np.empty(256, dtype=np.float64)
    n_arcs = 0
    reached = np.full(n_states, zero)
    sizes = np.zeros(n_states)  # the largest of the weights that were added up in `reached`
    last_visit = np.full(n_states, -1, dtype=np.int32)
    next_arc = np.empty(n_states, dtype=np.int64)
    stack = np.empty(n_states, dtype=np.int32)
    found = np.empty(n_states, dtype=np.int32)
    for source in range(n_states):
        if not is_needed[source]:
            continue
        # Depth first: a state is found after all that epsilons lead to, so the reverse is a topological order.
        last_visit[source] = source
        reached[source] = one
        sizes[source] = abs(one)
        next_arc[source] = offsets[source]
        stack[0] = source
        n_waiting, n_found = 1, 0
        while n_waiting > 0:
            state = stack[n_waiting - 1]
            arc = next_arc[state]
            if arc == offsets[state + 1]:
                n_waiting -= 1
                found[n_found] = state
                n_found += 1
                continue
            next_arc[state] += 1
            target = targets[arc]
            if is_epsilon[arc] and leads_on[target] and last_visit[target] != source:
                last_visit[target] = source
                reached[target] = zero
                sizes[target] = 0.0
                next_arc[target] = offsets[target]
                stack[n_waiting] = target
                n_waiting += 1
        for place in range(n_found - 1, -1, -1):
            state = found[place]
            if cancels(semiring, reached[state], sizes[state]):
                continue
            for arc in range(offsets[state], offsets[state + 1]):
                weight = times(semiring, reached[state], arc_weights[arc])
                if is_epsilon[arc]:
                    target = targets[arc]
                    if leads_on[target]:
                        reached[target] = plus(semiring, reached[target], weight)
                        sizes[target] = max(sizes[target], abs(weight))
                    continue
                if n_arcs == len(sources):
                    sources, arcs, weights = doubled(sources), doubled(arcs), doubled(weights)
                sources[n_arcs] = source
                arcs[n_arcs] = arc
                weights[n_arcs] = weight
                n_arcs += 1
    return sources[:n_arcs].copy(), arcs[:n_arcs].copy(), weights[:n_arcs].copy(), final
