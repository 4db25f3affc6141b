"""Where the parts of a secondary structure stand in one flat table of values.

A structure falls into loops (Zuker and Stiegler 1981), and its value is the product of those of its parts:

=================  =====================  ==================================================================
part               shape                  belongs to
=================  =====================  ==================================================================
PAIR               pair                   every base pair
STACK              pair, pair             two pairs, one directly inside the other
BULGE_ONE          pair, pair, letter     two pairs with one unpaired base between them on one side
ONE_ONE            pair, pair, 2 letters  two pairs with one unpaired base on either side
TWO_ONE            pair, pair, 3 letters  two pairs with one base on one side and two on the other
TWO_TWO            pair, pair, 4 letters  two pairs with two bases on either side
INTERIOR_LENGTH    31, 31                 other loops between two pairs: number of bases on the left and on the right
INTERIOR_END       3, pair, 2 letters     each of the two pairs, seen from the loop, and the bases beside it, in loops
                                          of one base on a side, of two and three, and in all others
BULGE_LENGTH       31                     loops with bases on one side only, two or more
BULGE_END          pair                   each of the two pairs, seen from the loop
HAIRPIN_END        3, pair, 2 letters     pair that closes a hairpin of up to 3, of 4 and of more bases
HAIRPIN_LENGTH     31                     number of bases in it, at most 30
HAIRPIN_MORE       1                      each further base
HAIRPIN_LOG        1                      each hundredth of 1.07856 times the logarithm of its length in units of 30
SPECIAL            200                    hairpins of certain letters, on top of the parts before
MULTI_CLOSE        pair, 2 letters        outermost pair of a loop with three pairs or more, seen from the loop
MULTI_BRANCH       pair, 2 letters        each other pair of such a loop
MULTI_BASE         1                      each unpaired base of such a loop
EXTERIOR_BRANCH    pair, 2 letters        each pair that no other encloses
EXTERIOR_BASE      1                      each unpaired base that no pair encloses
=================  =====================  ==================================================================

The two letters of an end are those before the first and behind the last base of the pair, paired or not. A pair seen
from a loop that it encloses is read backwards. Letters are a, c, g, u, and one more for others and for none. A loop of
one and two bases is read from the pair whose first base the single one follows. Letters of loops go from 5' to 3'.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

HEAT = 0.00198717 * 310.15
"""Energy of heat at 37 degrees Celsius (gas constant times temperature), in kcal/mol."""

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
LONGEST_LOOP = 30
"""Most unpaired bases in a loop between two pairs, both sides together."""
SIDE = LONGEST_LOOP + 1
N_SPECIAL = 200
"""Most hairpins that may have a value by their letters."""

_END = N_PAIRS * N_LETTERS * N_LETTERS
_TWO_PAIRS = N_PAIRS * N_PAIRS

PAIR = 0
STACK = PAIR + N_PAIRS
BULGE_ONE = STACK + _TWO_PAIRS
ONE_ONE = BULGE_ONE + _TWO_PAIRS * N_LETTERS
TWO_ONE = ONE_ONE + _TWO_PAIRS * N_LETTERS**2
TWO_TWO = TWO_ONE + _TWO_PAIRS * N_LETTERS**3
INTERIOR_LENGTH = TWO_TWO + _TWO_PAIRS * N_LETTERS**4
INTERIOR_END = INTERIOR_LENGTH + SIDE * SIDE
BULGE_LENGTH = INTERIOR_END + 3 * _END
BULGE_END = BULGE_LENGTH + LONGEST_LOOP + 1
HAIRPIN_END = BULGE_END + N_PAIRS
HAIRPIN_LENGTH = HAIRPIN_END + 3 * _END
HAIRPIN_MORE = HAIRPIN_LENGTH + LONGEST_HAIRPIN + 1
HAIRPIN_LOG = HAIRPIN_MORE + 1
SPECIAL = HAIRPIN_LOG + 1
MULTI_CLOSE = SPECIAL + N_SPECIAL
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
    found[ONE_ONE:TWO_ONE] = 2.0
    found[TWO_ONE:TWO_TWO] = 3.0
    found[TWO_TWO:INTERIOR_LENGTH] = 4.0
    found[INTERIOR_LENGTH:INTERIOR_END] = np.add.outer(np.arange(SIDE), np.arange(SIDE)).ravel()
    found[BULGE_LENGTH:BULGE_END] = np.arange(LONGEST_LOOP + 1)
    found[HAIRPIN_LENGTH:HAIRPIN_MORE] = np.arange(LONGEST_HAIRPIN + 1)
    found[[HAIRPIN_MORE, MULTI_BASE, EXTERIOR_BASE]] = 1.0
    return found
