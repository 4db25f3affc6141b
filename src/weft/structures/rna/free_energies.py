"""Measured free energies of the parts of RNA structures: what is known before any structure has been seen.

Values in kcal/mol at 37 degrees Celsius and 1 M NaCl, from optical melting experiments: stacks of Watson-Crick pairs
and the penalty of ends from Xia et al. 1998 (Biochemistry 37:14719), stacks with GU pairs from Mathews et al. 1999
(J. Mol. Biol. 288:911), dangling ends from Serra and Turner 1995 (Methods Enzymol. 259:242), loops from Mathews et al.
2004 (PNAS 101:7287). They are simplified: mismatches count as the stronger of their two dangling ends and a bonus, and
there are no tables of special small loops.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import numpy as np
from numpy.typing import NDArray

from weft.structures.rna.tables import (
    BULGE_END,
    BULGE_LENGTH,
    BULGE_ONE,
    EXTERIOR_BRANCH,
    HAIRPIN_END,
    HAIRPIN_LENGTH,
    INTERIOR_END,
    INTERIOR_LENGTH,
    LETTERS,
    LONGEST_BULGE,
    LONGEST_HAIRPIN,
    MULTI_BRANCH,
    MULTI_CLOSE,
    N_LETTERS,
    N_PAIRS,
    N_VALUES,
    ONE_ONE,
    PAIRS,
    SIDE,
    STACK,
)

__all__ = ["free_energies", "stacking_energy"]

STACKS = {
    "au_au": -0.93, "au_ua": -1.10, "ua_au": -1.33, "cg_ua": -2.08, "cg_au": -2.11, "gc_ua": -2.24, "gc_au": -2.35,
    "cg_gc": -2.36, "gc_gc": -3.26, "gc_cg": -3.42, "au_gu": -0.55, "au_ug": -1.36, "cg_gu": -1.41, "cg_ug": -2.11,
    "gc_gu": -1.53, "gc_ug": -2.51, "gu_au": -1.27, "gu_gu": -0.50, "gu_ug": 1.29, "ug_au": -1.00, "ug_gu": 0.30,
}  # fmt: skip
"""Outer and inner pair, each read from 5' to 3'."""
DANGLING_5 = {
    "au": (-0.3, -0.3, -0.4, -0.2), "cg": (-0.5, -0.3, -0.2, -0.1), "gc": (-0.2, -0.3, 0.0, 0.0),
    "gu": (-0.3, -0.3, -0.4, -0.2), "ua": (-0.3, -0.1, -0.2, -0.2), "ug": (-0.3, -0.1, -0.2, -0.2),
}  # fmt: skip
"""The letters a, c, g, u before the first base of a pair."""
DANGLING_3 = {
    "au": (-0.7, -0.1, -0.7, -0.1), "cg": (-1.1, -0.4, -1.3, -0.6), "gc": (-1.7, -0.8, -1.7, -1.2),
    "gu": (-0.7, -0.1, -0.7, -0.1), "ua": (-0.8, -0.5, -0.8, -0.6), "ug": (-0.8, -0.5, -0.8, -0.6),
}  # fmt: skip
"""The same behind its last base."""
WEAK_END, WEAK_INTERIOR_END = 0.45, 0.7
"""Ends of helices in AU or GU."""
HAIRPINS = {3: 5.4, 4: 5.6, 5: 5.7, 6: 5.4, 7: 6.0, 8: 5.5, 9: 6.4}
BULGES = {1: 3.8, 2: 2.8, 3: 3.2, 4: 3.6, 5: 4.0, 6: 4.4}
INTERIORS = {2: 0.9, 3: 1.9, 4: 1.1, 5: 2.0, 6: 2.0}
LONG_RANGE = 1.08
"""Longer loops cost this times the logarithm of how much longer they are."""
ASYMMETRY = 0.6
# Two letters are those at the end and at the start of the loop, as in the tables of ends.
HAIRPIN_BONUS = {"ag": -0.9, "uu": -0.9, "gg": -0.8}
INTERIOR_BONUS = {"ag": -1.0, "ga": -0.8, "uu": -0.7}
ONE_ONE_BONUS = {"gg": -1.7}
MULTILOOP, MULTILOOP_BRANCH = 3.4, 0.4
"""Parameters that fold best, not measured ones (Mathews et al. 1999)."""


def stacking_energy(outer: str, inner: str) -> float:
    """Free energy of two pairs, one on the other; read from the other strand it is the same.

    Examples
    --------
    >>> stacking_energy("gc", "au"), stacking_energy("ua", "cg")
    (-2.35, -2.35)
    """
    name = f"{outer}_{inner}"
    return STACKS[name if name in STACKS else f"{inner[::-1]}_{outer[::-1]}"]


def free_energies() -> NDArray[np.float64]:
    """Free energy of each part of a structure, in the order of `weft.structures.rna.tables`.

    Examples
    --------
    >>> free_energies()[[STACK, HAIRPIN_LENGTH + 4]].tolist()
    [-0.93, 5.6]
    """
    found = np.zeros(N_VALUES)
    for (outer, a), (inner, b) in product(enumerate(PAIRS), enumerate(PAIRS)):
        number = outer * N_PAIRS + inner
        found[STACK + number] = stacking_energy(a, b)
        place = BULGE_ONE + number * N_LETTERS
        found[place : place + N_LETTERS] = BULGES[1] + stacking_energy(a, b)
        for x, y in product(range(N_LETTERS), repeat=2):
            loop = _weak(a, WEAK_INTERIOR_END) + _weak(b, WEAK_INTERIOR_END) + ONE_ONE_BONUS.get(_two(x, y), 0.0)
            found[ONE_ONE + (number * N_LETTERS + x) * N_LETTERS + y] = INTERIORS[2] + loop
    found[HAIRPIN_LENGTH : HAIRPIN_LENGTH + LONGEST_HAIRPIN + 1] = _by_length(HAIRPINS, LONGEST_HAIRPIN)
    found[BULGE_LENGTH : BULGE_LENGTH + LONGEST_BULGE + 1] = _by_length(BULGES, LONGEST_BULGE)
    interiors = _by_length(INTERIORS, 2 * SIDE)
    for left, right in product(range(1, SIDE), repeat=2):
        found[INTERIOR_LENGTH + left * SIDE + right] = interiors[left + right] + ASYMMETRY * abs(left - right)
    for number, pair in enumerate(PAIRS):
        found[BULGE_END + number] = _weak(pair, WEAK_END)
        for x, y in product(range(N_LETTERS), repeat=2):
            place = (number * N_LETTERS + x) * N_LETTERS + y
            letters, before, behind = _two(x, y), _dangling(DANGLING_5, pair, x), _dangling(DANGLING_3, pair, y)
            found[INTERIOR_END + place] = _weak(pair, WEAK_INTERIOR_END) + INTERIOR_BONUS.get(letters, 0.0)
            found[HAIRPIN_END + place] = _weak(pair, WEAK_END)  # three bases: no room for a mismatch
            for kind in (1, 2):
                table = HAIRPIN_END + kind * N_PAIRS * N_LETTERS * N_LETTERS
                found[table + place] = min(before, behind) + HAIRPIN_BONUS.get(letters, 0.0)
            branch = before + behind + _weak(pair, WEAK_END)
            found[EXTERIOR_BRANCH + place] = branch
            found[MULTI_BRANCH + place] = branch + MULTILOOP_BRANCH
            found[MULTI_CLOSE + place] = branch + MULTILOOP_BRANCH + MULTILOOP
    return found


def _weak(pair: str, penalty: float) -> float:
    return penalty if "u" in pair else 0.0


def _dangling(table: Mapping[str, tuple[float, ...]], pair: str, letter: int) -> float:
    return table[pair][letter] if letter < len(LETTERS) else 0.0


def _two(x: int, y: int) -> str:
    return LETTERS[x] + LETTERS[y] if max(x, y) < len(LETTERS) else ""


def _by_length(measured: dict[int, float], longest: int) -> NDArray[np.float64]:
    """Measured lengths, longer ones by extrapolation, shorter ones like the shortest."""
    lengths = np.arange(longest + 1)
    first, last = min(measured), max(measured)
    return np.array(
        [measured[min(max(n, first), last)] + LONG_RANGE * np.log(max(n / last, 1.0)) for n in lengths.tolist()]
    )
