"""Compiled loops that describe where a form stands when its next edit is chosen.

A description is one of `N_PICTURES` pictures of the state (what was inserted since the last copy, the symbols around
the place in the word, the ends, the last vowels written) times nothing, a tag or all tags, mixed into
one number; equal descriptions have equal numbers.
"""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit, jit_inline
from weft.rewriting.candidates.loops.templates import _mix
from weft.rewriting.edits.loops.steps import COPY, DELETE, STOP

__all__ = ["INSIDE", "MASK", "N_PICTURES", "describe_states", "most_tag_keys"]

N_PLAIN, N_PICTURES = 18, 28
"""Pictures without the run of insertions, and all of them."""
INSIDE, INSERTED, AT_END = 0, 1, 2
"""What may come next: everything but stopping; neither that nor a deletion; stopping and insertions."""
MASK = 4611686018427387903
"""Numbers of descriptions are not negative."""


@jit_inline
def _around(word, begin, end, place):
    """The symbol at a place; all places outside are one before and one after the word."""
    if place < begin:
        return np.int64(0)
    return np.int64(1) if place >= end else np.int64(word[place]) + 2


@jit
def _picture_keys(word, begin, end, place, n_deleted, written, n_written, run_begin, vowels, keys):
    """Pictures of one state, and how many: `place` is that of the next symbol, a run of insertions begins at a place.

    Inside a word and right after a copy, the pictures with the run would say nothing that the others do not.
    """
    run = np.int64(n_deleted > 0)
    for k in range(run_begin, n_written):
        run = _mix(run, np.int64(written[k]))
    to_end, from_begin = end - place, place - begin
    left, right = _around(word, begin, end, place - 1), _around(word, begin, end, place)
    further_left, further_right = _around(word, begin, end, place - 2), _around(word, begin, end, place + 1)
    last = np.int64(written[n_written - 1]) + 1 if n_written > 0 else np.int64(0)
    keys[0] = np.int64(3)
    code = np.int64(7)
    for back in range(1, 4):
        code = _mix(code, np.int64(written[n_written - back]) + 1 if n_written >= back else np.int64(0))
        keys[back] = code
    code = np.int64(11)
    for ahead in range(3):
        code = _mix(code, _around(word, begin, end, place + ahead))
        keys[4 + ahead] = code
    code, code_of_run = np.int64(17), _mix(np.int64(13), run)
    for back in range(1, 4):
        before = _around(word, begin, end, place - back)
        code, code_of_run = _mix(code, before), _mix(code_of_run, before)
        keys[6 + back] = code
        keys[N_PLAIN + back] = code_of_run
    both = _mix(_mix(np.int64(19), left), right)
    keys[10] = both
    keys[11] = _mix(_mix(both, np.int64(23)), further_left)
    keys[12] = _mix(_mix(both, np.int64(29)), further_right)
    keys[13] = _mix(keys[11], further_right)
    keys[14] = _mix(np.int64(31), np.int64(min(to_end, 6)))
    keys[15] = _mix(np.int64(37), np.int64(min(from_begin, 4)))
    keys[16] = _mix(_mix(np.int64(59), last), right)
    code = _mix(np.int64(61), run)
    if to_end <= 4:
        for k in range(place, end):
            code = _mix(code, np.int64(word[k]))
    else:
        code = _mix(code, np.int64(-2))
    keys[17] = code
    if place < end and n_deleted == 0 and n_written == run_begin:
        return N_PLAIN
    keys[N_PLAIN] = _mix(np.int64(5), run)
    keys[N_PLAIN + 4] = _mix(_mix(np.int64(41), run), right)
    keys[N_PLAIN + 5] = _mix(keys[N_PLAIN + 4], further_right)
    keys[N_PLAIN + 6] = _mix(_mix(np.int64(47), run), np.int64(min(to_end, 4)))
    code = _mix(_mix(np.int64(43), run), np.int64(min(to_end, 3)))
    for k in range(place - n_deleted, place):
        code = _mix(code, np.int64(word[k]))
    keys[N_PLAIN + 7] = code
    # The last vowels that were written: harmony reaches over consonants.
    code, n_vowels = _mix(np.int64(53), run), 0
    keys[N_PLAIN + 8], keys[N_PLAIN + 9] = code, code
    for k in range(n_written - 1, -1, -1):
        if written[k] < len(vowels) and vowels[written[k]] == 1:
            code = _mix(code, np.int64(written[k]))
            keys[N_PLAIN + 8 + n_vowels] = code
            n_vowels += 1
            if n_vowels == 2:
                break
    return N_PICTURES


@jit
def _tag_keys(tags, begin, end, keys):
    """Nothing, single tags, and all of more than two; how many.

    All of two would take half of what each of them says, and leave it to say half as much beside another tag.
    """
    keys[0] = 7
    n, whole = 1, np.int64(11)
    for a in range(begin, end):
        keys[n] = _mix(np.int64(13), np.int64(tags[a]))
        whole = _mix(whole, np.int64(tags[a]))
        n += 1
    if end - begin > 2:
        keys[n] = whole
        n += 1
    return n


@jit
def most_tag_keys(tag_offsets):
    """Room for what a state is described with beside the pictures."""
    most = 0
    for w in range(len(tag_offsets) - 1):
        most = max(most, tag_offsets[w + 1] - tag_offsets[w])
    return 2 + most


@jit
def describe_states(words, offsets, tags, tag_offsets, edits, edit_offsets, vowels, kinds, rows, keys):
    """Descriptions of the state before each edit into `keys`, unless it is empty; how many there are.

    What may come next goes into `kinds`, and where the descriptions of each state begin into `rows`.
    """
    tag_keys = np.empty(most_tag_keys(tag_offsets), dtype=np.int64)
    pictures = np.empty(N_PICTURES, dtype=np.int64)
    longest = 0
    for w in range(len(offsets) - 1):
        longest = max(longest, edit_offsets[w + 1] - edit_offsets[w])
    written = np.empty(longest, dtype=np.int64)
    n = 0
    for w in range(len(offsets) - 1):
        begin, end = offsets[w], offsets[w + 1]
        n_tags = _tag_keys(tags, tag_offsets[w], tag_offsets[w + 1], tag_keys)
        place, n_deleted, n_written, run_begin = begin, 0, 0, 0
        for e in range(edit_offsets[w], edit_offsets[w + 1]):
            rows[e] = n
            kinds[e] = AT_END if place == end else INSERTED if n_written > run_begin else INSIDE
            n_pictures = N_PLAIN if kinds[e] == INSIDE and n_deleted == 0 else N_PICTURES
            if len(keys) > 0:
                n_pictures = _picture_keys(
                    words, begin, end, place, n_deleted, written, n_written, run_begin, vowels, pictures
                )  # fmt: skip
                for k in range(n_pictures):
                    for f in range(n_tags):
                        keys[n + k * n_tags + f] = _mix(pictures[k], tag_keys[f]) & np.int64(MASK)
            n += n_pictures * n_tags
            edit = edits[e]
            if edit == COPY:
                written[n_written] = words[place]
                n_written += 1
                place += 1
                n_deleted, run_begin = 0, n_written
            elif edit == DELETE:
                place += 1
                n_deleted += 1
            elif edit != STOP:
                written[n_written] = edit - 3
                n_written += 1
    rows[len(kinds)] = n
    return n
