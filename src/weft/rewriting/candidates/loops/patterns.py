"""Compiled features of whole outputs: what their tiers look like, together with how the input begins and ends.

A tier is a part of the output symbols under coarser names: its vowels, say, or only their accents.
"""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit, jit_inline

__all__ = ["LONGEST", "N_ENDS", "keys_per_tier", "pattern_keys"]

LONGEST = 9
"""Most symbols of a prefix or a suffix of the input."""
N_ENDS = 3
"""Most symbols of a prefix or a suffix of a tier."""


def keys_per_tier() -> int:
    """Most features that one tier of an output has."""
    return 2 * LONGEST + 4 + 2 * N_ENDS * (LONGEST + 2)


@jit_inline
def _mix(code, value):
    code = (code ^ (value + 1)) * 1099511628211
    return code ^ (code >> 31)


@jit
def pattern_keys(inputs, input_offsets, outputs, output_offsets, owners, tiers, vowels, keys):
    """Write the features of every output as numbers that are equal for equal features; 0 is none.

    Parameters
    ----------
    inputs, input_offsets : arrays
    outputs, output_offsets : arrays
    owners : array of shape (n_outputs,)
        Which input each output belongs to.
    tiers : array of shape (n_tiers, n_output_symbols)
        Name of each output symbol on each tier, -1 if it is not on it.
    vowels : array of shape (n_input_symbols,)
        1 for vowels among input symbols.
    keys : array of shape (n_outputs, n_tiers * keys_per_tier())
    """
    suffixes = np.empty(LONGEST + 1, dtype=np.int64)
    prefixes = np.empty(LONGEST + 1, dtype=np.int64)
    shapes = np.empty(3, dtype=np.int64)
    longest = 0
    for c in range(len(owners)):
        longest = max(longest, output_offsets[c + 1] - output_offsets[c])
    tier = np.empty(longest + 1, dtype=np.int64)
    before = -1
    n_known = 0
    for c in range(len(owners)):
        word = owners[c]
        begin, end = input_offsets[word], input_offsets[word + 1]
        if word != before:
            before = word
            n_known = min(LONGEST, end - begin)
            suffixes[0] = 17
            prefixes[0] = 29
            for j in range(n_known):
                suffixes[j + 1] = _mix(suffixes[j], inputs[end - 1 - j])
                prefixes[j + 1] = _mix(prefixes[j], inputs[begin + j])
            # Vowels between runs of consonants; vowels alone; where vowels and consonants stand.
            shapes[0], shapes[1], shapes[2] = 31, 37, 41
            in_run = False
            for t in range(begin, end):
                vowel = vowels[inputs[t]]
                if vowel:
                    shapes[0] = _mix(shapes[0], inputs[t] + 1)
                    shapes[1] = _mix(shapes[1], inputs[t])
                elif not in_run:
                    shapes[0] = _mix(shapes[0], 0)
                in_run = not vowel
                shapes[2] = _mix(shapes[2], vowel)
        place = 0
        for p in range(tiers.shape[0]):
            n = 0
            whole = 43 + p
            for t in range(output_offsets[c], output_offsets[c + 1]):
                if tiers[p, outputs[t]] >= 0:
                    tier[n] = tiers[p, outputs[t]]
                    whole = _mix(whole, tier[n])
                    n += 1
            for j in range(n_known + 1):
                keys[c, place] = _mix(whole, suffixes[j])
                place += 1
            for j in range(1, n_known + 1):
                keys[c, place] = _mix(whole, prefixes[j])
                place += 1
            for k in range(3):
                keys[c, place] = _mix(whole, shapes[k])
                place += 1
            last, first = 47 + p, 53 + p
            for k in range(min(N_ENDS, n - 1)):
                last = _mix(last, tier[n - 1 - k])
                first = _mix(first, tier[k])
                for j in range(n_known + 1):
                    keys[c, place] = _mix(last, suffixes[j])
                    keys[c, place + 1] = _mix(first, prefixes[j])
                    place += 2
                keys[c, place] = _mix(last, 1000 + n)
                keys[c, place + 1] = _mix(first, 1000 + n)
                place += 2
