"""Compiled beam search for the most probable forms of words."""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit
from weft.core.ties import TIE_TOLERANCE, insert_ranked
from weft.rewriting.candidates.loops.contexts import _slot
from weft.rewriting.candidates.loops.templates import _mix
from weft.rewriting.edits.loops.likelihood import _softmax
from weft.rewriting.edits.loops.pictures import (
    AT_END,
    INSERTED,
    INSIDE,
    MASK,
    N_PICTURES,
    _picture_keys,
    _tag_keys,
    most_tag_keys,
)
from weft.rewriting.edits.loops.steps import COPY, DELETE, STOP

__all__ = ["search_forms"]


@jit
def search_forms(words, offsets, tags, tag_offsets, model, width, margin, room, forms, lengths, probabilities):
    """The most probable forms of every word, best first, and their log-probabilities, summed over ways to write them.

    Hypotheses with equally many edits are compared. Their probabilities only fall, so that a search ends when none is
    better than the worst form that is wanted.

    Parameters
    ----------
    words, offsets, tags, tag_offsets : ndarrays
    model : tuple
        Table of descriptions, entries of each, their edits and weights, the symbol that each edit inserts, vowels.
    width : int
        Hypotheses that are kept.
    margin : float
        Hypotheses that are less probable than the best by more than this, as a logarithm, are dropped.
    room : int
        Symbols that a form may have beyond those of its word.
    forms, lengths, probabilities : ndarrays
        (n_words, k, longest), (n_words, k), (n_words, k): what is found; ``-inf`` where there is no form.
    """
    table_keys, table_numbers, entry_offsets, entry_edits, weights, inserted, vowels = model
    mask = np.int64(len(table_keys) - 1)
    n_edits, longest = len(inserted), forms.shape[2]
    tag_keys, pictures = np.empty(most_tag_keys(tag_offsets), dtype=np.int64), np.empty(N_PICTURES, dtype=np.int64)
    scores = np.empty(n_edits)
    # Rows of `states`: next place, deleted symbols, written symbols, where the run of insertions began.
    states, new_states = np.zeros((width, 4), dtype=np.int64), np.zeros((width, 4), dtype=np.int64)
    written, new_written = np.zeros((width, longest), dtype=np.int64), np.zeros((width, longest), dtype=np.int64)
    values, best, chosen = np.zeros(width), np.empty(width), np.empty(width, dtype=np.int64)
    n_wanted = forms.shape[1]
    for w in range(len(offsets) - 1):
        begin, end = offsets[w], offsets[w + 1]
        most = min(longest, end - begin + room)
        n_tags = _tag_keys(tags, tag_offsets[w], tag_offsets[w + 1], tag_keys)
        probabilities[w, :] = -np.inf
        n_alive, n_found = 1, 0
        states[0, 0], states[0, 1], states[0, 2], states[0, 3], values[0] = begin, 0, 0, 0, 0.0
        while n_alive > 0:
            best[:], chosen[:] = -np.inf, -1
            floor = values[0] - margin
            for h in range(n_alive):
                place, n_deleted, n_written, run_begin = states[h, 0], states[h, 1], states[h, 2], states[h, 3]
                kind = AT_END if place == end else INSERTED if n_written > run_begin else INSIDE
                n_pictures = _picture_keys(
                    words, begin, end, place, n_deleted, written[h], n_written, run_begin, vowels, pictures
                )  # fmt: skip
                scores[:] = 0.0
                for k in range(n_pictures):
                    for f in range(n_tags):
                        key = _mix(pictures[k], tag_keys[f]) & np.int64(MASK)
                        slot = _slot(key, mask)
                        while table_keys[slot] != key and table_keys[slot] >= 0:
                            slot = (slot + 1) & mask
                        if table_keys[slot] >= 0:
                            number = table_numbers[slot]
                            for e in range(entry_offsets[number], entry_offsets[number + 1]):
                                scores[entry_edits[e]] += weights[e]
                _softmax(scores, kind)
                if kind == AT_END:
                    n_found = _add_form(
                        forms[w], lengths[w], probabilities[w], written[h], n_written,
                        values[h] + np.log(scores[STOP]), n_found,
                    )  # fmt: skip
                for a in range(n_edits):
                    if a == STOP or (a != DELETE and n_written >= most):
                        continue
                    value = values[h] + np.log(scores[a]) if scores[a] > 0.0 else -np.inf
                    if value >= floor and value > best[width - 1] + TIE_TOLERANCE * abs(value):
                        insert_ranked(best, chosen, value, h * n_edits + a, TIE_TOLERANCE * abs(value))
            worst = probabilities[w, :].min() if n_found >= n_wanted else -np.inf
            n_new = 0
            while n_new < width and chosen[n_new] >= 0 and best[n_new] > worst:
                h, a = chosen[n_new] // n_edits, chosen[n_new] % n_edits
                new_states[n_new] = states[h]
                new_written[n_new, : states[h, 2]] = written[h, : states[h, 2]]
                if a == DELETE:
                    new_states[n_new, 0] += 1
                    new_states[n_new, 1] += 1
                else:
                    new_written[n_new, states[h, 2]] = words[states[h, 0]] if a == COPY else inserted[a]
                    new_states[n_new, 2] += 1
                    if a == COPY:
                        new_states[n_new, 0] += 1
                        new_states[n_new, 1] = 0
                        new_states[n_new, 3] = states[h, 2] + 1
                n_new += 1
            n_alive = n_new
            states, new_states = new_states, states
            written, new_written = new_written, written
            values[:n_alive] = best[:n_alive]
        _sort_forms(forms[w], lengths[w], probabilities[w], n_found)


@jit
def _add_form(forms, lengths, probabilities, written, n_written, value, n_found):
    """Add a way to write a form to the same form, or put the form in the place of the least probable one."""
    for k in range(n_found):
        if lengths[k] == n_written and (forms[k, :n_written] == written[:n_written]).all():
            probabilities[k] = np.logaddexp(probabilities[k], value)
            return n_found
    place = n_found
    if n_found == len(lengths):
        place = int(np.argmin(probabilities))
        if probabilities[place] >= value - TIE_TOLERANCE * abs(value):
            return n_found
    forms[place, :n_written] = written[:n_written]
    lengths[place], probabilities[place] = n_written, value
    return min(n_found + 1, len(lengths))


@jit
def _sort_forms(forms, lengths, probabilities, n_found):
    """Most probable first; of equal ones that which was found first."""
    for k in range(1, n_found):
        j = k
        while j > 0 and probabilities[j] > probabilities[j - 1] + TIE_TOLERANCE * abs(probabilities[j]):
            for c in range(forms.shape[1]):
                forms[j, c], forms[j - 1, c] = forms[j - 1, c], forms[j, c]
            lengths[j], lengths[j - 1] = lengths[j - 1], lengths[j]
            probabilities[j], probabilities[j - 1] = probabilities[j - 1], probabilities[j]
            j -= 1
