"""Compiled loops over features of tagged words: what stands around a symbol, together with the tags of its word.

A word is its tags, then its symbols. A feature is one of `N_TEMPLATES` pictures of the surroundings of a symbol times
nothing, a tag, a pair of tags or all tags, mixed into one number; equal features have equal numbers.
"""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit, jit_inline
from weft.rewriting.candidates.loops.contexts import _slot

__all__ = ["MOST_PAIRED", "N_TEMPLATES", "TAG", "count_templates", "find_templates"]

N_TEMPLATES = 21
MOST_PAIRED = 8
"""Tags of a word that are looked at in pairs, at the most."""
TAG = 1
"""Kind of the symbols that are tags."""
FAR = 6


@jit_inline
def _mix(code, value):
    """Both in one number, by the multipliers of SplitMix64: every bit hangs on all others, also for small numbers."""
    code = code ^ ((value + np.int64(1)) * np.int64(-7046029254386353131))
    code = (code ^ ((code >> np.int64(32)) & np.int64(0xFFFFFFFF))) * np.int64(-4658895280553007687)
    return code ^ ((code >> np.int64(29)) & np.int64(0x7FFFFFFFF))


@jit_inline
def _at(symbols, begin, end, place):
    return np.int64(symbols[place]) + 1 if begin <= place < end else np.int64(0)


@jit_inline
def _parts(symbols, kinds, begin, end):
    """Where the symbols of a word begin and end, and where its tags do: before them, or, read backwards, after."""
    first, last = begin, end
    while first < end and kinds[symbols[first]] == TAG:
        first += 1
    while last > first and kinds[symbols[last - 1]] == TAG:
        last -= 1
    if first > begin:
        return first, last, begin, first
    return first, last, last, end


@jit_inline
def _tag_keys(symbols, begin, end, with_pairs, keys):
    """Nothing, single tags, pairs of them, and all of them; how many."""
    keys[0] = 7
    n, whole = 1, np.int64(11)
    for a in range(begin, end):
        keys[n] = _mix(np.int64(13), np.int64(symbols[a]))
        whole = _mix(whole, np.int64(symbols[a]))
        n += 1
    paired = min(end, begin + MOST_PAIRED) if with_pairs else begin
    for a in range(begin, paired):
        for b in range(a + 1, paired):
            keys[n] = _mix(_mix(np.int64(17), np.int64(symbols[a])), np.int64(symbols[b]))
            n += 1
    if end - begin > 2:
        keys[n] = whole
        n += 1
    return n


@jit_inline
def _template_keys(symbols, begin, end, t, classes, shared, keys):
    """Pictures of the surroundings of one symbol, with the symbol itself unless they are shared by all symbols."""
    middle = np.int64(0) if shared else np.int64(symbols[t]) + 1
    keys[0] = _mix(np.int64(19), middle)
    for side in range(2):
        code = _mix(np.int64(23 + side), middle)
        for distance in range(1, 6):
            place = t - distance if side == 0 else t + distance
            code = _mix(code, _at(symbols, begin, end, place))
            keys[5 * side + distance] = code
    left, right = _at(symbols, begin, end, t - 1), _at(symbols, begin, end, t + 1)
    both = _mix(_mix(_mix(np.int64(29), middle), left), right)
    further_left, further_right = _at(symbols, begin, end, t - 2), _at(symbols, begin, end, t + 2)
    keys[11] = both
    keys[12] = _mix(_mix(both, np.int64(31)), further_left)
    keys[13] = _mix(_mix(both, np.int64(37)), further_right)
    keys[14] = _mix(keys[12], further_right)
    keys[15] = _mix(_mix(np.int64(41), middle), np.int64(min(end - t, FAR)))
    keys[16] = _mix(_mix(np.int64(43), middle), np.int64(min(t - begin, FAR)))
    code = _mix(np.int64(47), middle)
    for distance in range(1, 4):
        for place in (t - distance, t + distance):
            inside = begin <= place < end
            code = _mix(code, np.int64(classes[symbols[place]]) if inside else np.int64(5))
    keys[17] = code
    # The nearest vowels: harmony reaches over consonants.
    code, n_vowels = _mix(np.int64(53), middle), 0
    keys[18], keys[19] = code, code
    for place in range(t - 1, begin - 1, -1):
        if classes[symbols[place]] == 1 and n_vowels < 2:
            code = _mix(code, np.int64(symbols[place]))
            keys[18 + n_vowels] = code
            n_vowels += 1
    code = _mix(np.int64(59), middle)
    for place in range(t + 1, end):
        if classes[symbols[place]] == 1:
            code = _mix(code, np.int64(symbols[place]))
            break
    keys[20] = code


@jit_inline
def _most_tag_keys(symbols, offsets, kinds):
    most = 0
    for w in range(len(offsets) - 1):
        _, _, tags_begin, tags_end = _parts(symbols, kinds, offsets[w], offsets[w + 1])
        most = max(most, tags_end - tags_begin)
    paired = min(most, MOST_PAIRED)
    return 2 + most + paired * (paired - 1) // 2


@jit
def count_templates(symbols, offsets, kinds, classes, shared, first_word, table_keys, table_counts, n_known):
    """Count the features of the words from `first_word` on, until the table is half full; next word, number of keys."""
    mask = np.int64(len(table_keys) - 1)
    n_tag_keys = _most_tag_keys(symbols, offsets, kinds)
    tag_keys, keys = np.empty(n_tag_keys, dtype=np.int64), np.empty(N_TEMPLATES, dtype=np.int64)
    for w in range(first_word, len(offsets) - 1):
        first, last, tags_begin, tags_end = _parts(symbols, kinds, offsets[w], offsets[w + 1])
        if 2 * (n_known + (last - first) * N_TEMPLATES * n_tag_keys) > len(table_keys):
            return w, n_known
        n_tags = _tag_keys(symbols, tags_begin, tags_end, not shared, tag_keys)
        for t in range(first, last):
            _template_keys(symbols, first, last, t, classes, shared, keys)
            for k in range(N_TEMPLATES):
                for f in range(n_tags):
                    key = _mix(keys[k], tag_keys[f]) & np.int64(4611686018427387903)
                    place = _slot(key, mask)
                    while table_keys[place] != key:
                        if table_keys[place] < 0:
                            table_keys[place] = key
                            n_known += 1
                            break
                        place = (place + 1) & mask
                    table_counts[place] += 1
    return len(offsets) - 1, n_known


@jit
def find_templates(symbols, offsets, kinds, classes, shared, table, rows, found):
    """Known features of every position into `found`, unless it is empty; where the row of each begins into `rows`.

    Tags themselves have none.
    """
    table_keys, table_numbers = table
    mask = np.int64(len(table_keys) - 1)
    tag_keys = np.empty(_most_tag_keys(symbols, offsets, kinds), dtype=np.int64)
    keys = np.empty(N_TEMPLATES, dtype=np.int64)
    n = 0
    for w in range(len(offsets) - 1):
        begin, end = offsets[w], offsets[w + 1]
        first, last, tags_begin, tags_end = _parts(symbols, kinds, begin, end)
        n_tags = _tag_keys(symbols, tags_begin, tags_end, not shared, tag_keys)
        for t in range(begin, end):
            rows[t] = n
            if not first <= t < last:
                continue
            _template_keys(symbols, first, last, t, classes, shared, keys)
            for k in range(N_TEMPLATES):
                for f in range(n_tags):
                    key = _mix(keys[k], tag_keys[f]) & np.int64(4611686018427387903)
                    slot = _slot(key, mask)
                    while table_keys[slot] != key and table_keys[slot] >= 0:
                        slot = (slot + 1) & mask
                    if table_keys[slot] >= 0:
                        if len(found) > 0:
                            found[n] = table_numbers[slot]
                        n += 1
    rows[len(symbols)] = n
    return n
