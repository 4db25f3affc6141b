"""Best and k best labellings of a chain; states and tables as in `weft.core.dense_chain`."""

from __future__ import annotations

import numpy as np

from weft.core.dense_chain import LANES
from weft.core.jit import jit, jit_fast

__all__ = ["kbest", "viterbi"]


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
def viterbi(scores, tables, best, labels):
    """Best label sequence into `labels`; its score is the result, ``-inf`` if every path is forbidden.

    The forward pass keeps maxima only, which vectorises; the walk back finds each predecessor again by one
    look at the candidates. Ties go to the smallest state.
    """
    arcs, successor, start, end = tables
    length, width = scores.shape
    n_states = arcs.shape[0]
    _best_scores(scores, arcs, successor, start, end, best)
    state = int(np.argmax(best[length - 1]))
    score = best[length - 1, state]
    labels[length - 1] = state % width
    for t in range(length - 1, 0, -1):
        z = state % width
        block = state - z
        origin = -1
        value = -np.inf
        for s in range(n_states):
            if successor[s] == block:
                candidate = best[t - 1, s] + arcs[s, z]
                if candidate > value or origin < 0:
                    value = candidate
                    origin = s
        state = origin
        labels[t - 1] = state % width
    return score


@jit
def kbest(scores, tables, labels, values):
    """The k best label sequences, best first, into `labels` of shape (k, length), their scores into `values` (k,).

    ``-inf`` where there are fewer than k paths. Equal scores come in order of state.
    """
    arcs, successor, start, end = tables
    length, width = scores.shape
    n_states = arcs.shape[0]
    k = len(values)
    best = np.empty((length, n_states, k))
    best.fill(-np.inf)
    origin = np.empty((length, n_states, k), dtype=np.int64)
    origin.fill(-1)
    for z in range(width):
        best[0, z, 0] = start[z]
    # Numbers are added in the order of `viterbi`, so that rounding breaks near ties alike and the first is its path.
    for t in range(length):
        if t > 0:
            for s in range(n_states):
                for z in range(width):
                    if arcs[s, z] > -np.inf:
                        target = successor[s] + z
                        for rank in range(k):
                            value = best[t - 1, s, rank] + arcs[s, z]
                            if not value > best[t, target, k - 1]:
                                break  # ranks only get worse
                            _insert(best[t, target], origin[t, target], value, s * k + rank)
        for s in range(n_states):
            for rank in range(k):
                best[t, s, rank] += scores[t, s % width]
                if t == length - 1:
                    best[t, s, rank] += end[s % width]
    finals = np.empty(k, dtype=np.int64)
    for rank in range(k):
        values[rank] = -np.inf
        finals[rank] = -1
    for s in range(n_states):
        for rank in range(k):
            value = best[length - 1, s, rank]
            if value > values[k - 1]:
                _insert(values, finals, value, s * k + rank)
    for i in range(k):
        place = finals[i]
        for t in range(length - 1, -1, -1):
            if place < 0:
                break
            labels[i, t] = (place // k) % width
            place = origin[t, place // k, place % k]


@jit
def _insert(values, places, value, place):
    """Put (value, place) into lists sorted from best to worst, dropping the last; equal values keep their order."""
    i = len(values) - 1
    while i > 0 and value > values[i - 1]:
        values[i] = values[i - 1]
        places[i] = places[i - 1]
        i -= 1
    values[i] = value
    places[i] = place
