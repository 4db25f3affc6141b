"""Where the parts of a secondary structure stand in one flat table of values.

A structure falls into loops (Zuker and Stiegler 1981), and its value is the product of those of its parts:

=================  =====================  ==================================================================
part               shape                  belongs to
=================  =====================  ==================================================================
PAIR               pair                   every base pair
STACK              pair, pair             two pairs, one directly inside the other
BULGE_ONE          pair, pair, letter     two pairs with one unpaired base between them on one side
ONE_ONE            pair, pair, 2 letters  two pairs with one unpaired base on either side
INTERIOR_LENGTH    16, 16                 other loops between two pairs: number of bases on the left and on the right
INTERIOR_END       pair, 2 letters        each of the two pairs, seen from the loop, and the bases beside it
BULGE_LENGTH       31                     loops with bases on one side only, two or more
BULGE_END          pair                   each of the two pairs, seen from the loop
HAIRPIN_END        3, pair, 2 letters     pair that closes a hairpin of up to 3, of 4 and of more bases
HAIRPIN_LENGTH     31                     number of bases in it, at most 30
HAIRPIN_MORE       1                      each further base
MULTI_CLOSE        pair, 2 letters        outermost pair of a loop with three pairs or more, seen from the loop
MULTI_BRANCH       pair, 2 letters        each other pair of such a loop
MULTI_BASE         1                      each unpaired base of such a loop
EXTERIOR_BRANCH    pair, 2 letters        each pair that no other encloses
EXTERIOR_BASE      1                      each unpaired base that no pair encloses
=================  =====================  ==================================================================

The two letters of an end are those before the first and behind the last base of the pair, paired or not. A pair seen
from a loop that it encloses is read backwards. Letters are a, c, g, u, and one more for others and for none.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "BULGE_END",
    "BULGE_LENGTH",
    "BULGE_ONE",
    "EXTERIOR_BASE",
    "EXTERIOR_BRANCH",
    "HAIRPIN_END",
    "HAIRPIN_LENGTH",
    "HAIRPIN_MORE",
    "INTERIOR_END",
    "INTERIOR_LENGTH",
    "LETTERS",
    "LONGEST_BULGE",
    "LONGEST_HAIRPIN",
    "LONGEST_SIDE",
    "MULTI_BASE",
    "MULTI_BRANCH",
    "MULTI_CLOSE",
    "NO_LETTER",
    "N_LETTERS",
    "N_PAIRS",
    "N_VALUES",
    "ONE_ONE",
    "PAIR",
    "PAIRS",
    "PAIR_CODES",
    "REVERSED",
    "SIDE",
    "STACK",
    "consumed_bases",
]

LETTERS = "acgu"
NO_LETTER = 4
N_LETTERS = 5
PAIRS = ("au", "cg", "gc", "gu", "ua", "ug")
N_PAIRS = 6

PAIR_CODES = np.full((N_LETTERS, N_LETTERS), -1, dtype=np.int64)
"""Number of the pair of two letters, -1 if they do not pair."""
for _number, _pair in enumerate(PAIRS):
    PAIR_CODES[LETTERS.index(_pair[0]), LETTERS.index(_pair[1])] = _number
REVERSED = np.array([PAIRS.index(pair[::-1]) for pair in PAIRS])
"""Number of the same pair read backwards."""

LONGEST_HAIRPIN = 30
"""Hairpins are told apart up to this length."""
LONGEST_BULGE = 30
"""Most unpaired bases on the only side of a loop between two pairs."""
LONGEST_SIDE = 15
"""Most of them on each side if both have some: of 18,372 such loops of ArchiveII all but 70 are that small."""
SIDE = LONGEST_SIDE + 1

_END = N_PAIRS * N_LETTERS * N_LETTERS

PAIR = 0
STACK = PAIR + N_PAIRS
BULGE_ONE = STACK + N_PAIRS * N_PAIRS
ONE_ONE = BULGE_ONE + N_PAIRS * N_PAIRS * N_LETTERS
INTERIOR_LENGTH = ONE_ONE + N_PAIRS * N_PAIRS * N_LETTERS * N_LETTERS
INTERIOR_END = INTERIOR_LENGTH + SIDE * SIDE
BULGE_LENGTH = INTERIOR_END + _END
BULGE_END = BULGE_LENGTH + LONGEST_BULGE + 1
HAIRPIN_END = BULGE_END + N_PAIRS
HAIRPIN_LENGTH = HAIRPIN_END + 3 * _END
HAIRPIN_MORE = HAIRPIN_LENGTH + LONGEST_HAIRPIN + 1
MULTI_CLOSE = HAIRPIN_MORE + 1
MULTI_BRANCH = MULTI_CLOSE + _END
MULTI_BASE = MULTI_BRANCH + _END
EXTERIOR_BRANCH = MULTI_BASE + 1
EXTERIOR_BASE = EXTERIOR_BRANCH + _END
N_VALUES = EXTERIOR_BASE + 1


def consumed_bases() -> NDArray[np.float64]:
    """Number of bases that each part stands for; over a structure they add up to the length of the sequence.

    Examples
    --------
    >>> consumed_bases()[[PAIR, STACK, HAIRPIN_LENGTH + 4, MULTI_BASE]].tolist()
    [2.0, 0.0, 4.0, 1.0]
    """
    found = np.zeros(N_VALUES)
    found[PAIR:STACK] = 2.0
    found[BULGE_ONE:ONE_ONE] = 1.0
    found[ONE_ONE:INTERIOR_LENGTH] = 2.0
    found[INTERIOR_LENGTH:INTERIOR_END] = np.add.outer(np.arange(SIDE), np.arange(SIDE)).ravel()
    found[BULGE_LENGTH:BULGE_END] = np.arange(LONGEST_BULGE + 1)
    found[HAIRPIN_LENGTH:HAIRPIN_MORE] = np.arange(LONGEST_HAIRPIN + 1)
    found[[HAIRPIN_MORE, MULTI_BASE, EXTERIOR_BASE]] = 1.0
    return found
