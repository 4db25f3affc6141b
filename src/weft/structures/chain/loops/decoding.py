"""Best and k best labellings of a chain; states and tables as in `weft.structures.chain.loops.passes`."""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit, jit_fast
from weft.core.ties import TIE_TOLERANCE, insert_ranked, larger_size
from weft.structures.chain.loops.passes import LANES


@jit_fast
def _raise_maxima(before, arcs, here):
    """``here[z] = max over s of before[s] + arcs[s, z]`` for one block, four states at a time to save stores."""
    width = len(here)
    for s in range(0, width, LANES):
        value_0, value_1, value_2, value_3 = before[s], before[s + 1], before[s + 2], before[s + 3]
        row_0, row_1, row_2, row_3 = arcs[s], arcs[s + 1], arcs[s + 2], arcs[s + 3]
        for z in range(width):
            first = value_0 + row_0[z]
            other = value_1 + row_1[z]
            first = first if first > other else other
            third = value_2 + row_2[z]
            other = value_3 + row_3[z]
            third = third if third > other else other
            first = first if first > third else third
            here[z] = first if first > here[z] else here[z]


@jit_fast
def _best_scores(scores, arcs, successor, start, end, best):
    """Best score of any path that ends in each state, for each position."""
    length, width = scores.shape
    n_states = best.shape[1]
    for t in range(length):
        here = best[t]
        for s in range(n_states):
            here[s] = -np.inf
        if t == 0:
            for z in range(width):
                here[z] = start[z]
        else:
            before = best[t - 1]
            if n_states == width:
                _raise_maxima(before, arcs, here)
            else:
                for s in range(n_states):
                    value = before[s]
                    departures = arcs[s]
                    block = here[successor[s] : successor[s] + width]
                    for z in range(width):
                        candidate = value + departures[z]
                        block[z] = candidate if candidate > block[z] else block[z]
        row = scores[t]
        for base in range(0, n_states, width):
            for z in range(width):
                here[base + z] += row[z]
            if t == length - 1:
                for z in range(width):
                    here[base + z] += end[z]


@jit
def _size(best, size):
    """Size of the scores, for ties: the largest, in absolute value, of the best scores at the positions."""
    for t in range(best.shape[0]):
        here = best[t]
        value_0, value_1, value_2, value_3 = here[0], here[1], here[2], here[3]
        for s in range(LANES, len(here), LANES):
            value_0 = here[s] if here[s] > value_0 else value_0
            value_1 = here[s + 1] if here[s + 1] > value_1 else value_1
            value_2 = here[s + 2] if here[s + 2] > value_2 else value_2
            value_3 = here[s + 3] if here[s + 3] > value_3 else value_3
        size = larger_size(size, max(max(value_0, value_1), max(value_2, value_3)))
    return size


@jit
def _origin(before, arcs, successor, z, block, floor):
    """First state from which a step to label z of a block reaches `floor`; if none does, the best one."""
    for s in range(len(before)):
        if before[s] + arcs[s, z] >= floor and successor[s] == block:
            return s
    # Rounding may lift the floor above all, where scores are far larger than those of the best path.
    origin = -1
    value = -np.inf
    for s in range(len(before)):
        if successor[s] == block and (before[s] + arcs[s, z] > value or origin < 0):
            value = before[s] + arcs[s, z]
            origin = s
    return origin


@jit
def viterbi(scores, tables, best, labels, size=0.0):
    """Best label sequence into `labels`; its score is the result, ``-inf`` if every path is forbidden.

    The forward pass keeps maxima only, which vectorises; the walk back finds each predecessor again by one
    look at the candidates. Ties (`weft.core.ties`) go to the smallest state; `size` is that of the weights behind the
    scores.
    """
    arcs, successor, start, end = tables
    length, width = scores.shape
    _best_scores(scores, arcs, successor, start, end, best)
    tolerance = TIE_TOLERANCE * _size(best, size)
    last = best[length - 1]
    score = last[0]
    for s in range(1, len(last)):
        score = max(score, last[s])
    state = 0
    while last[state] < score - tolerance:
        state += 1
    labels[length - 1] = state % width
    for t in range(length - 1, 0, -1):
        z = state % width
        value = best[t, state] - scores[t, z]
        if t == length - 1:
            value -= end[z]
        state = _origin(best[t - 1], arcs, successor, z, state - z, value - tolerance)
        labels[t - 1] = state % width
    return score


@jit
def kbest(scores, tables, labels, values, size=0.0):
    """The k best label sequences, best first, into `labels` of shape (k, length), their scores into `values` (k,).

    ``-inf`` where there are fewer than k paths. Equal scores (`weft.core.ties`) come in order of state.
    """
    arcs, successor, start, end = tables
    length, width = scores.shape
    n_states = arcs.shape[0]
    k = len(values)
    tolerance = TIE_TOLERANCE * size
    best = np.empty((length, n_states, k))
    best[:] = -np.inf
    origin = np.empty((length, n_states, k), dtype=np.int64)
    origin[:] = -1
    for z in range(width):
        best[0, z, 0] = start[z]
    for t in range(length):
        if t > 0:
            for s in range(n_states):
                for z in range(width):
                    if arcs[s, z] > -np.inf:
                        target = successor[s] + z
                        for rank in range(k):
                            value = best[t - 1, s, rank] + arcs[s, z]
                            if not value > best[t, target, k - 1] + tolerance:
                                break  # ranks only get worse
                            insert_ranked(best[t, target], origin[t, target], value, s * k + rank, tolerance)
        for s in range(n_states):
            for rank in range(k):
                best[t, s, rank] += scores[t, s % width]
                if t == length - 1:
                    best[t, s, rank] += end[s % width]
        largest = -np.inf
        for s in range(n_states):
            largest = max(largest, best[t, s, 0])
        size = larger_size(size, largest)
        tolerance = TIE_TOLERANCE * size
    finals = np.empty(k, dtype=np.int64)
    for rank in range(k):
        values[rank] = -np.inf
        finals[rank] = -1
    for s in range(n_states):
        for rank in range(k):
            value = best[length - 1, s, rank]
            if value > values[k - 1] + tolerance:
                insert_ranked(values, finals, value, s * k + rank, tolerance)
    for i in range(k):
        place = finals[i]
        for t in range(length - 1, -1, -1):
            if place < 0:
                break
            labels[i, t] = (place // k) % width
            place = origin[t, place // k, place % k]
    for i in range(1, k):
        values[i] = min(values[i], values[i - 1])  # equal scores may come in any order of their last digits
