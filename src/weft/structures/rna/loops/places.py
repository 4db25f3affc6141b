"""Where the parts of a loop stand in the table of values."""

from __future__ import annotations

import numpy as np

from weft.core.jit import jit
from weft.core.semirings import times
from weft.structures.rna.tables import (
    BULGE_ONE,
    HAIRPIN_END,
    HAIRPIN_LENGTH,
    HAIRPIN_LOG,
    HAIRPIN_MORE,
    INTERIOR_END,
    LONGEST_HAIRPIN,
    N_LETTERS,
    N_PAIRS,
    NO_LETTER,
    ONE_ONE,
    PAIR,
    PAIR_CODES,
    REVERSED,
    SPECIAL,
    STACK,
    TWO_ONE,
    TWO_TWO,
)

__all__ = [
    "ENDS",
    "code_of",
    "hairpin_end",
    "hairpin_lengths",
    "hairpin_value",
    "inner_end",
    "interior_kind",
    "is_small",
    "letter_at",
    "log_steps",
    "outer_end",
    "pair_value",
    "partner_lists",
    "small_loop",
    "special_places",
]

END = N_PAIRS * N_LETTERS * N_LETTERS
ENDS = (INTERIOR_END, INTERIOR_END + END, INTERIOR_END + 2 * END)
"""Tables of the ends of interior loops, by their kind."""
N_SIZES = 3
"""Hairpins of 3, 4 and 6 bases may have values by their letters."""
LOG_STEPS = 107.856


@jit
def letter_at(symbols, i):
    """Letter at a position; none outside the sequence."""
    return symbols[i] if 0 <= i < symbols.shape[0] else NO_LETTER


@jit
def inner_end(symbols, table, i, j):
    """Place of the pair (i, j) as it closes a loop: read from inside."""
    pair = REVERSED[PAIR_CODES[symbols[i], symbols[j]]]
    return table + (pair * N_LETTERS + symbols[j - 1]) * N_LETTERS + symbols[i + 1]


@jit
def outer_end(symbols, table, i, j):
    """Place of the pair (i, j) as it branches off a loop."""
    pair = PAIR_CODES[symbols[i], symbols[j]]
    return table + (pair * N_LETTERS + letter_at(symbols, i - 1)) * N_LETTERS + letter_at(symbols, j + 1)


# ------------------------------------------------------------------------------ loops between two pairs


@jit
def is_small(left, right):
    """Whether a loop with so many bases on its sides has one place for all it is."""
    return left + right <= 1 or (min(left, right) >= 1 and max(left, right) <= 2)


@jit
def small_loop(symbols, i, j, k, m):
    """Place of a loop between the pairs (i, j) and (k, m) with up to two bases on each side, or one on one side."""
    outer, inner = PAIR_CODES[symbols[i], symbols[j]], PAIR_CODES[symbols[k], symbols[m]]
    pairs = outer * N_PAIRS + inner
    left, right = k - i - 1, j - m - 1
    if left + right == 0:
        return STACK + pairs
    if left + right == 1:
        return BULGE_ONE + pairs * N_LETTERS + symbols[i + 1 if left else j - 1]
    if left + right == 2:
        return ONE_ONE + (pairs * N_LETTERS + symbols[i + 1]) * N_LETTERS + symbols[j - 1]
    if left == 1:
        place = ((pairs * N_LETTERS + symbols[i + 1]) * N_LETTERS + symbols[m + 1]) * N_LETTERS + symbols[j - 1]
        return TWO_ONE + place
    if right == 1:
        pairs = REVERSED[inner] * N_PAIRS + REVERSED[outer]
        place = ((pairs * N_LETTERS + symbols[m + 1]) * N_LETTERS + symbols[i + 1]) * N_LETTERS + symbols[k - 1]
        return TWO_ONE + place
    place = (pairs * N_LETTERS + symbols[i + 1]) * N_LETTERS + symbols[k - 1]
    return TWO_TWO + (place * N_LETTERS + symbols[m + 1]) * N_LETTERS + symbols[j - 1]


@jit
def interior_kind(left, right):
    """Which table of ends a loop with bases on both sides has: one base on a side, two and three, or any other."""
    if min(left, right) == 1:
        return 0
    return 1 if left + right == 5 else 2


# ----------------------------------------------------------------------------------------------- hairpins


@jit
def hairpin_end(symbols, i, j):
    """Place of the end of a hairpin, which depends on its length."""
    kind = min(max(j - i - 4, 0), 2)
    return inner_end(symbols, HAIRPIN_END + kind * END, i, j)


@jit
def log_steps(length):
    """How many parts HAIRPIN_LOG a hairpin has."""
    return int(LOG_STEPS * np.log(length / LONGEST_HAIRPIN)) if length > LONGEST_HAIRPIN else 0


@jit
def hairpin_lengths(algebra, values, n):
    """Value of the length of each hairpin of fewer than n bases."""
    found = np.empty(n, dtype=values.dtype)
    for length in range(min(n, LONGEST_HAIRPIN + 1)):
        found[length] = values[HAIRPIN_LENGTH + length]
    for length in range(LONGEST_HAIRPIN + 1, n):
        value = times(algebra, found[length - 1], values[HAIRPIN_MORE])
        for _ in range(log_steps(length) - log_steps(length - 1)):
            value = times(algebra, value, values[HAIRPIN_LOG])
        found[length] = value
    return found


@jit
def hairpin_value(algebra, symbols, special, values, lengths, i, j):
    """Value of the hairpin that (i, j) closes; `lengths` as `hairpin_lengths` has them."""
    value = times(algebra, values[hairpin_end(symbols, i, j)], lengths[j - i - 1])
    place = special_at(special, i, j)
    return value if place < 0 else times(algebra, value, values[place])


@jit
def special_at(special, i, j):
    """Place of the letters of a hairpin, -1 if they have none."""
    length = j - i - 1
    if length == 3 or length == 4 or length == 6:
        return special[i, length // 2 - 1 if length > 3 else 0]
    return -1


@jit
def code_of(symbols, begin, end):
    """A number for a string of letters, another one for each."""
    code = 1
    for position in range(begin, end):
        code = code * N_LETTERS + symbols[position]
    return code


@jit
def special_places(symbols, codes):
    """Place of the hairpin of 3, of 4 and of 6 bases that each base opens, -1 if it has none, shape (n, 3).

    `codes` are the numbers of strings with such a place (`code_of`), sorted.
    """
    n = symbols.shape[0]
    found = np.full((n, N_SIZES), -1, dtype=np.int64)
    if codes.shape[0] == 0:
        return found
    for i in range(n):
        for size in range(N_SIZES):
            end = i + 5 + size + size // 2
            if end <= n:
                code = code_of(symbols, i, end)
                # Written out: what NumPy's functions for arrays become in Numba brings scipy.linalg into the process.
                place, stop = 0, codes.shape[0]
                while place < stop:
                    middle = (place + stop) // 2
                    if codes[middle] < code:
                        place = middle + 1
                    else:
                        stop = middle
                if place < codes.shape[0] and codes[place] == code:
                    found[i, size] = SPECIAL + place
    return found


# -------------------------------------------------------------------------------------------------- pairs


@jit
def pair_value(algebra, symbols, values, bonus, i, j):
    """Value of a base pair itself, with the bonus it may have."""
    value = values[PAIR + PAIR_CODES[symbols[i], symbols[j]]]
    return times(algebra, value, bonus[i, j]) if bonus.shape[0] > 0 else value


@jit
def partner_lists(symbols):
    """Positions that each letter can pair with, in order, and their number."""
    n = symbols.shape[0]
    found = np.empty((N_LETTERS, n), dtype=np.int64)
    counts = np.zeros(N_LETTERS, dtype=np.int64)
    for letter in range(N_LETTERS):
        for j in range(n):
            if PAIR_CODES[letter, symbols[j]] >= 0:
                found[letter, counts[letter]] = j
                counts[letter] += 1
    return found, counts
