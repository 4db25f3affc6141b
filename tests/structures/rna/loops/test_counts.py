"""Tests of `weft.structures.rna.loops.counts`."""

import numpy as np

from weft.losses import base_pairs
from weft.structures.rna.loops.counts import count_parts
from weft.structures.rna.queries import NO_CODES
from weft.structures.rna.tables import (
    BULGE_LENGTH,
    BULGE_ONE,
    HAIRPIN_LENGTH,
    HAIRPIN_LOG,
    HAIRPIN_MORE,
    INTERIOR_LENGTH,
    MULTI_BASE,
    MULTI_BRANCH,
    MULTI_CLOSE,
    ONE_ONE,
    PAIR_CODES,
    SIDE,
    STACK,
)

LETTERS = "acgu"


def parts(x, structure, longest=30):
    symbols = np.array([LETTERS.index(letter) for letter in x], dtype=np.int32)
    pairs = np.array(sorted(base_pairs(structure)), dtype=np.int32).reshape(-1, 2)
    return count_parts(symbols, pairs, NO_CODES, longest)


def test_parts_of_small_loops():
    gc, au = PAIR_CODES[2, 1], PAIR_CODES[0, 3]
    assert parts("gaaaauc", "((...))")[STACK + gc * 6 + au] == 1
    assert parts("gcaaaauc", "(.(...))")[BULGE_ONE + (gc * 6 + au) * 5 + 1] == 1
    assert parts("gaaaaugc", "((...).)")[BULGE_ONE + (gc * 6 + au) * 5 + 2] == 1
    assert parts("gcaaaaugc", "(.(...).)")[ONE_ONE + ((gc * 6 + au) * 5 + 1) * 5 + 2] == 1


def test_parts_of_long_loops():
    assert parts("gccaaaauc", "(..(...))")[BULGE_LENGTH + 2] == 1
    assert parts("gcccaaaaugc", "(...(...).)")[INTERIOR_LENGTH + 3 * SIDE + 1] == 1
    found = parts("g" + "a" * 33 + "c", "(" + "." * 33 + ")")
    assert (found[HAIRPIN_LENGTH + 30], found[HAIRPIN_MORE]) == (1, 3)


def test_parts_of_multiloops():
    found = parts("gagaaacgaaacac", "(.(...)(...).)")
    assert found[MULTI_BASE] == 2
    assert found[MULTI_CLOSE:MULTI_BRANCH].sum() == 1
    assert found[MULTI_BRANCH:MULTI_BASE].sum() == 2


def test_parts_of_loops_that_are_too_long():
    def loop(left, right):
        x = "g" + "a" * left + "gaaac" + "a" * right + "c"
        found = parts(x, "(" + "." * left + "(...)" + "." * right + ")", longest=100)
        lengths = found[INTERIOR_LENGTH : INTERIOR_LENGTH + SIDE * SIDE].reshape(SIDE, SIDE)
        return {(i, j): lengths[i, j] for i, j in np.argwhere(lengths).tolist()}, found[HAIRPIN_LOG]

    assert loop(16, 16) == ({(15, 15): 1.0}, 6)  # 107.856 ln(32 / 30) = 6.96
    assert loop(16, 17) == ({(15, 15): 0.5, (14, 16): 0.5}, 10)
    assert loop(40, 1)[0] == {(29, 1): 1.0}
    assert loop(2, 60)[0] == {(2, 28): 1.0}
    assert len(parts("g" + "a" * 31 + "gaaacc", "(" + "." * 31 + "(...))")) == 0
