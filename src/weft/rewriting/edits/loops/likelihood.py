"""Compiled loop over the states of known edits: how probable each edit is among those that may come next."""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit, jit_inline
from weft.rewriting.edits.loops.pictures import AT_END, INSIDE
from weft.rewriting.edits.loops.steps import COPY, DELETE, STOP

__all__ = ["sum_states"]


@jit_inline
def _softmax(scores, kind):
    """Probabilities in place of scores, of those edits alone that may come next; logarithm of their sum."""
    if kind == AT_END:
        scores[COPY], scores[DELETE] = -np.inf, -np.inf
    else:
        scores[STOP] = -np.inf
        if kind != INSIDE:
            scores[DELETE] = -np.inf
    largest = -np.inf
    for a in range(len(scores)):
        largest = max(largest, scores[a])
    total = 0.0
    for a in range(len(scores)):
        scores[a] = np.exp(scores[a] - largest)
        total += scores[a]
    for a in range(len(scores)):
        scores[a] /= total
    return largest + np.log(total)


@jit
def sum_states(first, last, rows, features, kinds, shares, entry_offsets, entry_edits, n_edits, weights, means):
    """Sum of the log-partitions of the states from `first` to `last`, each times its share; adds expected features."""
    scores = np.empty(n_edits)
    total = 0.0
    for t in range(first, last):
        scores[:] = 0.0
        for k in range(rows[t], rows[t + 1]):
            for e in range(entry_offsets[features[k]], entry_offsets[features[k] + 1]):
                scores[entry_edits[e]] += weights[e]
        total += shares[t] * _softmax(scores, kinds[t])
        for k in range(rows[t], rows[t + 1]):
            for e in range(entry_offsets[features[k]], entry_offsets[features[k] + 1]):
                means[e] += shares[t] * scores[entry_edits[e]]
    return total
