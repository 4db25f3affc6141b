"""Measured free energies of the parts of RNA structures: what is known before any structure has been seen.

Values in kcal/mol at 37 degrees Celsius and 1 M NaCl, from optical melting experiments: the set of Mathews et al. 2004
(PNAS 101:7287), as the Nearest Neighbor Database lists it (Turner and Mathews 2010, Nucleic Acids Res. 38:D280). Stacks
of Watson-Crick pairs and the penalty of ends are those of Xia et al. 1998 (Biochemistry 37:14719), stacks with GU pairs
and terminal mismatches those of Mathews et al. 1999 (J. Mol. Biol. 288:911), dangling ends those of Serra and Turner
1995 (Methods Enzymol. 259:242). Interior loops of one or two bases on each side, which that set has large tables of,
follow the rules of thumb for larger ones here: initiation, asymmetry, ends in AU or GU, bonus of certain mismatches.
A parameter file (`weft.structures.rna.parameter_file`) has such tables.

Every value was compared with the same set as ViennaRNA 2.7.2 prints it, which rounds to tenths. The two tables of
mismatches were read off that print and not from the papers: they are Turner's numbers in the rounding of that program.
"""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np

from weft.arrays import Floats
from weft.sequences.formats.text import Source
from weft.structures.rna.nearest_neighbours import (
    LXC,
    TABLE_LETTERS,
    TABLE_PAIRS,
    Energies,
    NearestNeighbours,
    energies_of,
)
from weft.structures.rna.tables import LONGEST_HAIRPIN, LONGEST_LOOP

STACKS = {
    "au_au": -0.93, "au_ua": -1.10, "ua_au": -1.33, "cg_ua": -2.08, "cg_au": -2.11, "gc_ua": -2.24, "gc_au": -2.35,
    "cg_gc": -2.36, "gc_gc": -3.26, "gc_cg": -3.42, "au_gu": -0.55, "au_ug": -1.36, "cg_gu": -1.41, "cg_ug": -2.11,
    "gc_gu": -1.53, "gc_ug": -2.51, "gu_au": -1.27, "gu_gu": -0.50, "gu_ug": 1.29, "ug_au": -1.00, "ug_gu": 0.30,
}  # fmt: skip
"""Outer and inner pair, each read from 5' to 3'."""
DANGLING_5 = {
    "cg": (-0.5, -0.3, -0.2, -0.1), "gc": (-0.2, -0.3, 0.0, 0.0), "gu": (-0.3, -0.3, -0.4, -0.2),
    "ug": (-0.3, -0.1, -0.2, -0.2), "au": (-0.3, -0.3, -0.4, -0.2), "ua": (-0.3, -0.1, -0.2, -0.2),
}  # fmt: skip
"""The letters a, c, g, u before the first base of a pair."""
DANGLING_3 = {
    "cg": (-1.1, -0.4, -1.3, -0.6), "gc": (-1.7, -0.8, -1.7, -1.2), "gu": (-0.7, -0.1, -0.7, -0.1),
    "ug": (-0.8, -0.5, -0.8, -0.6), "au": (-0.7, -0.1, -0.7, -0.1), "ua": (-0.8, -0.5, -0.8, -0.6),
}  # fmt: skip
"""The same behind its last base."""
HAIRPIN_MISMATCHES = {
    "cg": "-15 -15 -14 -15 -10 -11 -10 -8 -23 -15 -24 -15 -10 -14 -10 -21",
    "gc": "-11 -15 -13 -15 -11 -7 -11 -5 -25 -15 -22 -15 -11 -10 -11 -16",
    "gu": "2 -5 -3 -5 -1 -2 -1 -2 -10 -5 -11 -5 -1 -3 -1 -10",
    "ug": "-5 -3 -6 -3 -2 -1 -2 0 -9 -3 -11 -3 -2 -1 -2 -9",
    "au": "-3 -5 -3 -5 -1 -2 -1 -2 -12 -5 -11 -5 -1 -3 -1 -12",
    "ua": "-5 -3 -5 -3 -2 -1 -2 0 -15 -3 -15 -3 -2 -1 -2 -9",
}
"""In 0.1 kcal/mol, with the bonus of a first mismatch UU, GA or GG: the letter behind the first base (a, c, g, u; four
numbers each) and the one before the last base of the pair that closes a hairpin."""
END_MISMATCHES = {
    "cg": "-11 -11 -16 -11 -15 -7 -15 -10 -13 -11 -14 -11 -15 -5 -15 -7",
    "gc": "-15 -10 -14 -10 -15 -11 -15 -14 -14 -10 -16 -10 -15 -8 -15 -12",
    "gu": "-10 -7 -5 -7 -8 -6 -8 -6 -11 -7 -8 -7 -8 -5 -8 -5",
    "ug": "-3 -6 -6 -6 -10 -7 -10 -8 -8 -6 -8 -6 -10 -7 -10 -6",
    "au": "-10 -7 -11 -7 -8 -6 -8 -6 -11 -7 -12 -7 -8 -5 -8 -5",
    "ua": "-8 -6 -8 -6 -10 -7 -10 -8 -8 -6 -8 -6 -10 -7 -10 -8",
}
"""The same for branches of multiloops and of the exterior loop: letters before the first and behind the last base."""
WEAK_END, WEAK_INTERIOR_END = 0.45, 0.7
"""Ends of helices in AU or GU."""
HAIRPINS = {3: 5.4, 4: 5.6, 5: 5.7, 6: 5.4, 7: 6.0, 8: 5.5, 9: 6.4}
BULGES = {1: 3.8, 2: 2.8, 3: 3.2, 4: 3.6, 5: 4.0, 6: 4.4}
INTERIORS = {2: 0.5, 3: 1.7, 4: 1.1, 5: 2.0, 6: 2.0}
ASYMMETRY, MOST_ASYMMETRY = 0.6, 3.0
INTERIOR_BONUS = {"ag": -0.8, "ga": -1.0, "gg": -1.2, "uu": -0.7}
TWO_THREE_BONUS = {"ag": -0.5, "ga": -1.1, "gg": -0.8, "uu": -0.4}
ONE_ONE_BONUS, TWO_ONE_BONUS = -2.1, -1.2
"""Of a mismatch GG."""
MULTILOOP, MULTILOOP_BASE, MULTILOOP_BRANCH = 9.3, 0.0, -0.9
SPECIAL_HAIRPINS = {
    "caacg": 6.8, "guuac": 6.9,
    "caacgg": 5.5, "ccaagg": 3.3, "ccacgg": 3.7, "cccagg": 3.4, "ccgagg": 3.5, "ccgcgg": 3.6, "ccuagg": 3.7,
    "ccucgg": 2.5, "cuaagg": 3.6, "cuacgg": 2.8, "cucagg": 3.7, "cuccgg": 2.7, "cugcgg": 2.8, "cuuagg": 3.5,
    "cuucgg": 3.7, "cuuugg": 3.7,
    "acaguacu": 2.8, "acagugau": 3.6, "acagugcu": 2.9, "acaguguu": 1.8,
}  # fmt: skip
"""Hairpins that were measured as a whole, with the pair that closes them."""
LETTERS = TABLE_LETTERS[1:]


def stacking_energy(outer: str, inner: str) -> float:
    """Free energy of two pairs, one on the other; read from the other strand it is the same.

    Examples
    --------
    >>> stacking_energy("gc", "au"), stacking_energy("ua", "cg")
    (-2.35, -2.35)
    """
    name = f"{outer}_{inner}"
    return STACKS[name if name in STACKS else f"{inner[::-1]}_{outer[::-1]}"]


def free_energies(file: Source | None = None) -> Energies:
    """Free energy of each part of a structure, in the order of `weft.structures.rna.tables`.

    Parameters
    ----------
    file : path or file, optional
        With energies in the format that ViennaRNA reads and writes (``RNA.params_save``); by default those published.

    Examples
    --------
    >>> from weft.structures.rna.tables import HAIRPIN_LENGTH, STACK
    >>> free_energies().values[[STACK, HAIRPIN_LENGTH + 4]].tolist()
    [-0.93, 5.6]
    """
    if file is None:
        return _published()
    from weft.structures.rna.parameter_file import read_parameter_file

    return energies_of(read_parameter_file(file))


@cache
def _published() -> Energies:
    return energies_of(published_tables())


def published_tables() -> NearestNeighbours:
    """Published tables, and rules of thumb in place of the large ones."""
    stack = [[stacking_energy(outer, inner[::-1]) for inner in TABLE_PAIRS] for outer in TABLE_PAIRS]
    ends = _lettered(END_MISMATCHES)
    interior = _by_length(INTERIORS, LONGEST_LOOP)
    mismatch = _interior_mismatches(INTERIOR_BONUS)
    weak = _interior_mismatches({})
    both = weak[:, None, 0, 0] + weak[None, :, 0, 0]
    one_one = np.broadcast_to((interior[2] + both)[:, :, None, None], (6, 6, 5, 5)).copy()
    two_one = np.broadcast_to((interior[3] + ASYMMETRY + both)[:, :, None, None, None], (6, 6, 5, 5, 5)).copy()
    g = TABLE_LETTERS.index("g")
    one_one[:, :, g, g] += ONE_ONE_BONUS
    two_one[:, :, g, :, g] += TWO_ONE_BONUS
    two_one[:, :, g, g, :] += TWO_ONE_BONUS
    two_one[:, :, g, g, g] -= TWO_ONE_BONUS  # one mismatch has it, not both
    # Letters of a loop from 5' to 3': of the two mismatches, the first and the last, and those between.
    two_two = interior[4] + mismatch[:, None, :, None, None, :] + mismatch.transpose(0, 2, 1)[None, :, None, :, :, None]
    return NearestNeighbours(
        stack=np.array(stack),
        mismatch_hairpin=_lettered(HAIRPIN_MISMATCHES),
        mismatch_interior=mismatch,
        mismatch_interior_1n=weak,
        mismatch_interior_23=_interior_mismatches(TWO_THREE_BONUS),
        mismatch_multi=ends,
        mismatch_exterior=ends,
        dangle5=np.array([[0.0, *DANGLING_5[pair]] for pair in TABLE_PAIRS]),
        dangle3=np.array([[0.0, *DANGLING_3[pair]] for pair in TABLE_PAIRS]),
        int11=one_one,
        int21=two_one,
        int22=two_two,
        hairpin=_by_length(HAIRPINS, LONGEST_HAIRPIN),
        bulge=_by_length(BULGES, LONGEST_LOOP),
        interior=interior,
        asymmetry=ASYMMETRY,
        most_asymmetry=MOST_ASYMMETRY,
        multi_base=MULTILOOP_BASE,
        multi_close=MULTILOOP,
        multi_branch=MULTILOOP_BRANCH,
        terminal_au=WEAK_END,
        lxc=LXC,
        special=SPECIAL_HAIRPINS,
    )


def _lettered(table: dict[str, str]) -> Floats:
    """Tenths as they stand above, by pairs and two letters; one that is unknown has the largest energy of all."""
    found = np.array([table[pair].split() for pair in TABLE_PAIRS], dtype=np.float64).reshape(6, 4, 4) / 10.0
    for axis in (1, 2):
        found = np.concatenate([found.max(axis=axis, keepdims=True), found], axis=axis)
    return found


def _interior_mismatches(bonus: dict[str, float]) -> Floats:
    found = np.zeros((6, 5, 5))
    for pair, (x, y) in product(range(6), product(LETTERS, repeat=2)):
        found[pair, TABLE_LETTERS.index(x), TABLE_LETTERS.index(y)] = bonus.get(x + y, 0.0)
    return np.asarray(
        found + np.array([WEAK_INTERIOR_END if "u" in pair else 0.0 for pair in TABLE_PAIRS])[:, None, None]
    )


def _by_length(measured: dict[int, float], longest: int) -> Floats:
    """Measured lengths, longer ones by extrapolation, shorter ones like the shortest."""
    first, last = min(measured), max(measured)
    return np.array(
        [measured[min(max(n, first), last)] + LXC * float(np.log(max(n / last, 1.0))) for n in range(longest + 1)]
    )
