"""The best columns of many sequences under scores and a language model; compiled."""

from __future__ import annotations

from typing import Any

import numpy as np

from weft.core.jit import jit
from weft.core.ties import TIE_TOLERANCE, larger_size, mean_size
from weft.language_model.tables import step


@jit
def decode_strings(
    scores: Any,
    offsets: Any,
    weight: Any,
    floor: Any,
    tables: Any,
    dense_scores: Any,
    dense_targets: Any,
    start: Any,
    end: Any,
    symbols: Any,
    width: Any,
) -> Any:
    """Best column of `scores` at each place of each sequence, and the value of each sequence.

    Only states that some path reaches are visited. `width` bounds how many are kept at each place; 0 keeps all, which
    makes the result exact. Of equal strings (`weft.core.ties`) the one that was met first is kept.
    """
    n_states = len(tables.back_off_states)
    n_columns = scores.shape[1]
    is_dense = len(dense_scores) > 0
    longest = 0
    for i in range(len(offsets) - 1):
        longest = max(longest, offsets[i + 1] - offsets[i])
    # Back pointers of one sequence, place after place; they grow with what is reached.
    begins = np.zeros(longest + 1, dtype=np.int64)
    pointers, columns = np.empty(1024, dtype=np.int32), np.empty(1024, dtype=np.int32)
    best = np.empty(len(scores), dtype=np.int64)
    values = np.empty(len(offsets) - 1)
    slot = np.full(n_states, -1, dtype=np.int64)
    here_states, here_values = np.empty(n_states, dtype=np.int64), np.empty(n_states)
    next_states, next_values = np.empty(n_states, dtype=np.int64), np.empty(n_states)
    usual = mean_size(scores.reshape(scores.size))
    for i in range(len(offsets) - 1):
        here_states[0], here_values[0] = start, 0.0
        n_here = 1
        size = usual
        for place in range(offsets[i], offsets[i + 1]):
            n_next = 0
            top = -np.inf
            tolerance = TIE_TOLERANCE * size
            at_most = min(n_states, n_here * n_columns)
            first = begins[place - offsets[i]]
            if first + at_most > len(pointers):
                more_pointers = np.empty(2 * (first + at_most), dtype=np.int32)
                more_columns = np.empty(2 * (first + at_most), dtype=np.int32)
                more_pointers[:first], more_columns[:first] = pointers[:first], columns[:first]
                pointers, columns = more_pointers, more_columns
            pointer, column = pointers[first:], columns[first:]
            for h in range(n_here):
                for c in range(n_columns):
                    if is_dense:
                        value = dense_scores[here_states[h], symbols[c]]
                        target = dense_targets[here_states[h], symbols[c]]
                    else:
                        value, target = step(tables, here_states[h], symbols[c])
                    total = here_values[h] + scores[place, c] + weight * max(value, floor)
                    at = slot[target]
                    if at < 0:
                        at = n_next
                        slot[target] = at
                        next_states[at] = target
                        next_values[at] = -np.inf
                        # Ways back even where every way here scores -inf.
                        pointer[at] = h
                        column[at] = c
                        n_next += 1
                    if total > next_values[at] + tolerance:
                        next_values[at] = total
                        top = max(top, total)
                        pointer[at] = h
                        column[at] = c
            for a in range(n_next):
                slot[next_states[a]] = -1
            size = larger_size(size, top)
            tolerance = TIE_TOLERANCE * size
            if width > 0 and n_next > width:
                limit = np.sort(next_values[:n_next])[n_next - width]
                n_equal = width
                for a in range(n_next):
                    n_equal -= next_values[a] > limit + tolerance
                m = 0
                for a in range(n_next):
                    is_equal = abs(next_values[a] - limit) <= tolerance
                    n_equal -= is_equal
                    if next_values[a] > limit + tolerance or (is_equal and n_equal >= 0):
                        next_states[m], next_values[m] = next_states[a], next_values[a]
                        pointer[m], column[m] = pointer[a], column[a]
                        m += 1
                n_next = m
            begins[place - offsets[i] + 1] = first + n_next
            here_states, next_states = next_states, here_states
            here_values, next_values = next_values, here_values
            n_here = n_next
        last, top = 0, -np.inf
        for h in range(n_here):
            value, _ = step(tables, here_states[h], end)
            total = here_values[h] + weight * max(value, floor)
            if total > top + TIE_TOLERANCE * size:
                last, top = h, total
        values[i] = top
        for place in range(offsets[i + 1] - 1, offsets[i] - 1, -1):
            at = begins[place - offsets[i]] + last
            best[place] = columns[at]
            last = pointers[at]
    return best, values
