"""Compiled loop that finds the edits between a word and its form.

A word becomes its form from left to right: a symbol is copied or deleted, or a symbol is inserted. Between two copies
all deletions come before all insertions, so that there is one way to write each alignment. The cheapest edits are
taken: one for each deletion and insertion, and more for each run of them, less at the ends of a word.
"""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit

__all__ = ["COPY", "DELETE", "FIRST_INSERTION", "STOP", "find_edits"]

COPY, DELETE, STOP, FIRST_INSERTION = 0, 1, 2, 3
"""Numbers of edits; the insertion of the symbol s is ``FIRST_INSERTION + s``."""

RUN, RUN_AT_END = 2.5, 0.4
"""What a run of deletions and insertions costs beside one for each, inside a word and at its ends: so much inside that
"fureter" and "furetasses" do not share the "e" of the ending. Of (1, 0.4) and (2.5, 0.4) the second made more forms
right that were left out of the training data."""
SMALL = 1e-9
AFTER_COPY, AFTER_DELETION, AFTER_INSERTION = 0, 1, 2


@jit
def find_edits(words, offsets, forms, form_offsets, edits, edit_offsets):
    """Edits of all pairs, each ending with `STOP`, into `edits`; where those of each begin into `edit_offsets`.

    `edits` has room for all symbols of both sides and one more for each pair.
    """
    longest, longest_form = 0, 0
    for w in range(len(offsets) - 1):
        longest = max(longest, offsets[w + 1] - offsets[w])
        longest_form = max(longest_form, form_offsets[w + 1] - form_offsets[w])
    costs = np.empty((3, longest + 1, longest_form + 1))
    origins = np.empty((3, longest + 1, longest_form + 1), dtype=np.int8)
    found = np.empty(longest + longest_form, dtype=np.int64)
    n_edits = 0
    for w in range(len(offsets) - 1):
        begin, n = offsets[w], offsets[w + 1] - offsets[w]
        form, m = form_offsets[w], form_offsets[w + 1] - form_offsets[w]
        for i in range(n + 1):
            for j in range(m + 1):
                for state in range(3):
                    costs[state, i, j] = np.inf
                    origins[state, i, j] = 0
                if i == 0 and j == 0:
                    costs[AFTER_COPY, 0, 0] = 0.0
                if i > 0 and j > 0 and words[begin + i - 1] == forms[form + j - 1]:
                    for before in range(3):
                        if costs[before, i - 1, j - 1] < costs[AFTER_COPY, i, j] - SMALL:
                            costs[AFTER_COPY, i, j] = costs[before, i - 1, j - 1]
                            origins[AFTER_COPY, i, j] = before
                for before in range(3):
                    if i > 0 and before < AFTER_INSERTION:
                        opening = 0.0 if before > 0 else RUN_AT_END if i == 1 and j == 0 else RUN
                        cost = costs[before, i - 1, j] + 1.0 + opening
                        if cost < costs[AFTER_DELETION, i, j] - SMALL:
                            costs[AFTER_DELETION, i, j] = cost
                            origins[AFTER_DELETION, i, j] = before
                    if j > 0:
                        opening = 0.0 if before > 0 else RUN_AT_END if i == 0 else RUN
                        cost = costs[before, i, j - 1] + 1.0 + opening
                        if cost < costs[AFTER_INSERTION, i, j] - SMALL:
                            costs[AFTER_INSERTION, i, j] = cost
                            origins[AFTER_INSERTION, i, j] = before
        state = AFTER_COPY
        for other in range(1, 3):
            least = costs[state, n, m] - (RUN - RUN_AT_END if state > 0 else 0.0)
            if costs[other, n, m] - (RUN - RUN_AT_END) < least - SMALL:
                state = other
        i, j, count = n, m, 0
        while i > 0 or j > 0:
            before = origins[state, i, j]
            if state == AFTER_COPY:
                found[count] = COPY
                i -= 1
                j -= 1
            elif state == AFTER_DELETION:
                found[count] = DELETE
                i -= 1
            else:
                found[count] = FIRST_INSERTION + forms[form + j - 1]
                j -= 1
            count += 1
            state = before
        edit_offsets[w] = n_edits
        for k in range(count):
            edits[n_edits + k] = found[count - 1 - k]
        edits[n_edits + count] = STOP
        n_edits += count + 1
    edit_offsets[len(offsets) - 1] = n_edits
