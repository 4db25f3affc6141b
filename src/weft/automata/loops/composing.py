"""The product of two machines, with a filter so that each pair of paths counts once."""

from __future__ import annotations

import numpy as np

from weft.automata.loops.growing import doubled, find_place, rehashed
from weft.automata.semirings import times
from weft.core.jit import jit


@jit
def compose_arcs(left, right, semiring):
    """Arcs and final weights of the reachable part of a composition, sorted by source.

    `left` and `right` are ``(offsets, inputs, outputs, targets, weights, final, start)``; outputs of the left are
    numbered as the inputs of the right (-1 where the right lacks the symbol), by which arcs of the right are sorted.

    Between two real matches the epsilon moves of both sides can interleave in many ways, and naive composition adds
    the same pair of paths once for each. A filter with three states leaves one: joint moves first (state 0), then
    moves of one side alone, the left's (state 1) or the right's (state 2).

    Returns
    -------
    arcs, weights, final
        Source, input, output and target of each arc, one after another.
    """
    l_offsets, l_inputs, l_outputs, l_targets, l_weights, l_final, l_start = left
    r_offsets, r_inputs, r_outputs, r_targets, r_weights, r_final, r_start = right
    n_right = np.int64(len(r_offsets) - 1)

    pairs = np.empty(64, dtype=np.int64)  # state -> (left state, right state, filter state) as one number
    keys = np.full(256, -1, dtype=np.int64)
    numbers = np.empty(256, dtype=np.int32)
    pairs[0] = (l_start * n_right + r_start) * 3
    place = find_place(keys, pairs[0])
    keys[place] = pairs[0]
    numbers[place] = 0
    n_states = 1

    arcs = np.empty(1024, dtype=np.int32)  # source, input, output and target of each
    weights = np.empty(256, dtype=np.float64)
    n_arcs = 0

    state = 0
    while state < n_states:
        mode = pairs[state] % 3
        right_state = (pairs[state] // 3) % n_right
        left_state = pairs[state] // (3 * n_right)
        left_begin, left_end = l_offsets[left_state], l_offsets[left_state + 1]
        right_begin, right_end = r_offsets[right_state], r_offsets[right_state + 1]
        right_matches = right_begin  # epsilons come first
        while right_matches < right_end and r_inputs[right_matches] == 0:
            right_matches += 1

        # One round for every arc of the left, and a last one for the moves of the right alone.
        for left_arc in range(left_begin, left_end + 1):
            first, stop, next_mode = right_begin, right_matches, 2
            alone = False
            if left_arc < left_end:
                label = l_outputs[left_arc]
                if label < 0:
                    continue
                next_mode = 0
                if label == 0:
                    alone = mode != 2
                    if mode != 0:
                        stop = first
                else:
                    first, stop = right_matches, right_end
                    while first < stop:
                        middle = (first + stop) // 2
                        if r_inputs[middle] < label:
                            first = middle + 1
                        else:
                            stop = middle
                    while stop < right_end and r_inputs[stop] == label:
                        stop += 1
            elif mode == 1:
                stop = first

            for right_arc in range(first - 1 if alone else first, stop):
                if right_arc < first:  # the left moves alone
                    target_pair = (l_targets[left_arc] * n_right + right_state) * 3 + 1
                    read, written, weight = l_inputs[left_arc], np.int32(0), l_weights[left_arc]
                elif left_arc == left_end:  # the right moves alone
                    target_pair = (left_state * n_right + r_targets[right_arc]) * 3 + next_mode
                    read, written, weight = np.int32(0), r_outputs[right_arc], r_weights[right_arc]
                else:
                    target_pair = (l_targets[left_arc] * n_right + r_targets[right_arc]) * 3 + next_mode
                    read, written = l_inputs[left_arc], r_outputs[right_arc]
                    weight = times(semiring, l_weights[left_arc], r_weights[right_arc])
                place = find_place(keys, target_pair)
                if keys[place] == -1:
                    keys[place] = target_pair
                    numbers[place] = n_states
                    if n_states == len(pairs):
                        pairs = doubled(pairs)
                    pairs[n_states] = target_pair
                    n_states += 1
                target = numbers[place]
                if 2 * n_states > len(keys):
                    keys, numbers = rehashed(keys, numbers)
                if n_arcs == len(weights):
                    arcs, weights = doubled(arcs), doubled(weights)
                arcs[4 * n_arcs] = state
                arcs[4 * n_arcs + 1] = read
                arcs[4 * n_arcs + 2] = written
                arcs[4 * n_arcs + 3] = target
                weights[n_arcs] = weight
                n_arcs += 1
        state += 1

    final = np.empty(n_states, dtype=np.float64)
    for state in range(n_states):
        right_state = (pairs[state] // 3) % n_right
        left_state = pairs[state] // (3 * n_right)
        final[state] = times(semiring, l_final[left_state], r_final[right_state])
    return arcs[: 4 * n_arcs].copy(), weights[:n_arcs].copy(), final
