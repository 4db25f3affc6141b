"""Compiled loops of the latent SVM."""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit


@jit
def best_path(weights, symbols, begins, gold):
    """Bi-symbols and states of the best score, plus one for each that differs from `gold` if there is one.

    The step between states depends on the bi-symbol alone, so the best way into a state is kept once for all.
    """
    length = len(symbols)
    n_states = weights.shape[1]
    reached = np.zeros(n_states)
    from_pair = np.zeros((length, n_states), dtype=np.int64)
    from_state = np.zeros((length, n_states), dtype=np.int64)
    for t in range(length):
        following = np.full(n_states, -np.inf)
        for pair in range(begins[symbols[t]], begins[symbols[t] + 1]):
            cost = 1.0 if len(gold) > 0 and gold[t] != pair else 0.0
            for h in range(n_states):
                for k in range(n_states):
                    value = reached[h] + weights[pair, h, k] + cost
                    if value > following[k]:
                        following[k] = value
                        from_pair[t, k] = pair
                        from_state[t, k] = h
        reached = following
    pairs = np.empty(length, dtype=np.int64)
    states = np.empty(length + 1, dtype=np.int64)
    states[length] = np.argmax(reached)
    for t in range(length - 1, -1, -1):
        pairs[t] = from_pair[t, states[t + 1]]
        states[t] = from_state[t, states[t + 1]]
    return pairs, states


@jit
def fill_states(weights, flat, offsets):
    """Best states of the reference bi-symbols, one more than letters for each word."""
    n_words = len(offsets) - 1
    filled = np.empty(len(flat) + n_words, dtype=np.int64)
    every = np.arange(len(weights) + 1)
    none = np.empty(0, dtype=np.int64)
    for i in range(n_words):
        begin, end = offsets[i], offsets[i + 1]
        # Bi-symbols as if each were a letter of its own: nothing is left to choose but the states.
        _, states = best_path(weights, flat[begin:end], every, none)
        filled[begin + i : end + i + 1] = states
    return filled


@jit
def hinge_pass(weights, total, flat, symbols, offsets, begins, filled, order, ridge, clock):
    """One pass of subgradient steps over the words; adds the weights after each to `total`. Returns the clock."""
    scale = 1.0  # of the weights: the penalty shrinks them all at each step
    for i in order:
        clock += 1
        step = 1.0 / (ridge * (clock + 1.0 / ridge))
        begin, end = offsets[i], offsets[i + 1]
        gold = flat[begin:end]
        best, states = best_path(weights * scale, symbols[begin:end], begins, gold)
        scale *= 1.0 - step * ridge
        for t in range(end - begin):
            h, k = filled[begin + i + t], filled[begin + i + t + 1]
            weights[gold[t], h, k] += step / scale
            weights[best[t], states[t], states[t + 1]] -= step / scale
        total += scale * weights
    weights *= scale
    return clock
