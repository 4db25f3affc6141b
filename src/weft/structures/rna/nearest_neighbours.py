"""Tables of the nearest-neighbour model, and the energy that they give each part of a structure."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from weft.arrays import Floats
from weft.structures.rna.loops.places import END, code_of
from weft.structures.rna.tables import (
    BULGE_END,
    BULGE_LENGTH,
    BULGE_ONE,
    EXTERIOR_BRANCH,
    HAIRPIN_END,
    HAIRPIN_LENGTH,
    HAIRPIN_LOG,
    INTERIOR_END,
    INTERIOR_LENGTH,
    LETTERS,
    LONGEST_HAIRPIN,
    LONGEST_LOOP,
    MULTI_BASE,
    MULTI_BRANCH,
    MULTI_CLOSE,
    N_LETTERS,
    N_PAIRS,
    N_VALUES,
    NO_LETTER,
    ONE_ONE,
    PAIR_CODES,
    PAIRS,
    REVERSED,
    SIDE,
    SPECIAL,
    STACK,
    TWO_ONE,
    TWO_TWO,
)

TABLE_PAIRS = ("cg", "gc", "gu", "ug", "au", "ua")
TABLE_LETTERS = "nacgu"
"""Order of pairs and letters in the tables."""
LONGEST_SPECIAL = 8
"""Most letters of a hairpin with an energy of its own, with the pair that closes it."""
LXC = 1.07856
"""What long loops cost for each unit of the logarithm of their length."""


class Energies(NamedTuple):
    """Free energy of each part of a structure in kcal/mol, and the hairpins whose letters have a place (`code_of`)."""

    values: Floats
    codes: NDArray[np.int64]


@dataclass
class NearestNeighbours:
    """Tables of free energies in kcal/mol, as the literature writes them.

    A pair is read into the loop: the pair (i, j) that closes it, and the pair (m, k) for an inner pair of positions k
    and m. Letters of a mismatch are those behind the first and before the second base of the pair as it is read so.
    Branches of multiloops and of the exterior loop are read from outside, with the letters before and behind them.
    """

    stack: Floats
    mismatch_hairpin: Floats
    mismatch_interior: Floats
    mismatch_interior_1n: Floats
    mismatch_interior_23: Floats
    mismatch_multi: Floats
    mismatch_exterior: Floats
    dangle5: Floats
    dangle3: Floats
    int11: Floats
    int21: Floats
    int22: Floats
    hairpin: Floats
    bulge: Floats
    interior: Floats
    asymmetry: float
    most_asymmetry: float
    multi_base: float
    multi_close: float
    multi_branch: float
    terminal_au: float
    lxc: float
    special: dict[str, float]


_OURS = np.array([TABLE_PAIRS.index(pair) for pair in PAIRS])
"""Row of each of our pairs in the tables."""
_INWARD = _OURS[REVERSED]
_LETTERS = np.array([*(TABLE_LETTERS.index(letter) for letter in LETTERS), 0])


def energies_of(tables: NearestNeighbours) -> Energies:
    """Energy of each part, in the order of `weft.structures.rna.tables`."""
    found = np.zeros(N_VALUES)
    _small_loops(tables, found)
    _lengths(tables, found)
    weak = np.array([tables.terminal_au if "u" in pair else 0.0 for pair in PAIRS])
    found[BULGE_END : BULGE_END + N_PAIRS] = weak

    def put(place: int, table: Floats) -> None:
        found[place : place + END] = table.ravel()

    def inward(table: Floats) -> Floats:
        return np.asarray(_lettered(table)[_INWARD].transpose(0, 2, 1))

    put(HAIRPIN_END, np.broadcast_to(weak[:, None, None], (N_PAIRS, N_LETTERS, N_LETTERS)))  # no room for a mismatch
    for kind in (1, 2):
        put(HAIRPIN_END + kind * END, inward(tables.mismatch_hairpin))
    ends = (tables.mismatch_interior_1n, tables.mismatch_interior_23, tables.mismatch_interior)
    for kind, table in enumerate(ends):
        put(INTERIOR_END + kind * END, inward(table))
    branch = _lettered(np.minimum(tables.mismatch_multi, 0.0))[_OURS] + weak[:, None, None] + tables.multi_branch
    put(MULTI_BRANCH, branch)
    put(MULTI_CLOSE, branch + tables.multi_close)
    found[MULTI_BASE] = tables.multi_base
    exterior = _lettered(np.minimum(tables.mismatch_exterior, 0.0))[_OURS]
    exterior[:, :, NO_LETTER] = _lettered(np.minimum(tables.dangle5, 0.0))[_OURS]
    exterior[:, NO_LETTER, :] = _lettered(np.minimum(tables.dangle3, 0.0))[_OURS]
    exterior[:, NO_LETTER, NO_LETTER] = 0.0
    put(EXTERIOR_BRANCH, exterior + weak[:, None, None])
    return Energies(found, _put_special(tables.special, found))


def _lettered(table: Floats) -> Floats:
    """A table by pairs and letters, with letters in our order."""
    for axis in range(1, table.ndim):
        table = np.take(table, _LETTERS, axis=axis)
    return table


def _small_loops(tables: NearestNeighbours, found: Floats) -> None:
    both = np.ix_(_OURS, _INWARD)
    stack = tables.stack[both]
    found[STACK:BULGE_ONE] = stack.ravel()
    found[BULGE_ONE:ONE_ONE] = np.repeat((stack + tables.bulge[1]).ravel(), N_LETTERS)
    places = (
        (ONE_ONE, TWO_ONE, tables.int11),
        (TWO_ONE, TWO_TWO, tables.int21),
        (TWO_TWO, INTERIOR_LENGTH, tables.int22),
    )
    for begin, end, table in places:
        own = table[both]
        for axis in range(2, own.ndim):
            own = np.take(own, _LETTERS, axis=axis)
        found[begin:end] = own.ravel()


def _lengths(tables: NearestNeighbours, found: Floats) -> None:
    found[HAIRPIN_LENGTH : HAIRPIN_LENGTH + LONGEST_HAIRPIN + 1] = tables.hairpin
    found[HAIRPIN_LENGTH : HAIRPIN_LENGTH + 3] = tables.hairpin[3]  # where hairpins may be so short
    found[HAIRPIN_LOG] = 0.01 * tables.lxc / LXC
    found[BULGE_LENGTH + 2 : BULGE_LENGTH + LONGEST_LOOP + 1] = tables.bulge[2:]
    for left, right in product(range(1, SIDE), repeat=2):
        if 3 < left + right <= LONGEST_LOOP:
            lopsided = min(tables.asymmetry * abs(left - right), tables.most_asymmetry)
            found[INTERIOR_LENGTH + left * SIDE + right] = tables.interior[left + right] + lopsided


def _put_special(special: dict[str, float], found: Floats) -> NDArray[np.int64]:
    """Write down what hairpins of certain letters have beyond their parts; returns their numbers."""
    numbers = {name: np.array([LETTERS.index(letter) for letter in name], dtype=np.int32) for name in special}
    codes = {name: int(code_of(own, 0, len(own))) for name, own in numbers.items()}
    ordered = sorted(special, key=codes.__getitem__)
    for place, name in enumerate(ordered):
        own, length = numbers[name], len(name) - 2
        pair = REVERSED[PAIR_CODES[own[0], own[-1]]]
        end = HAIRPIN_END + min(length - 3, 2) * END + (pair * N_LETTERS + own[-2]) * N_LETTERS + own[1]
        found[SPECIAL + place] = special[name] - found[end] - found[HAIRPIN_LENGTH + length]
    return np.array([codes[name] for name in ordered], dtype=np.int64)
