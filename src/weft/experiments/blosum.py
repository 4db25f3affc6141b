"""BLOSUM62, the usual scores of amino acids (Henikoff and Henikoff 1992), in units of half a bit."""

from __future__ import annotations

import numpy as np

from weft.structures.alignment.substitution_matrix import SubstitutionMatrix

__all__ = ["AMINO_ACIDS", "HALF_BIT", "blosum62"]

AMINO_ACIDS = "ACDEFGHIKLMNPQRSTVWY"
HALF_BIT = float(np.log(2.0) / 2.0)
"""Times this, the scores are logarithms of odds."""

LOWER_HALF = """
A 4
C 0 9
D -2 -3 6
E -1 -4 2 5
F -2 -2 -3 -3 6
G 0 -3 -1 -2 -3 6
H -2 -3 -1 0 -1 -2 8
I -1 -1 -3 -3 0 -4 -3 4
K -1 -3 -1 1 -3 -2 -1 -3 5
L -1 -1 -4 -3 0 -4 -3 2 -2 4
M -1 -1 -3 -2 0 -3 -2 1 -1 2 5
N -2 -3 1 0 -3 0 1 -3 0 -3 -2 6
P -1 -3 -1 -1 -4 -2 -2 -3 -1 -3 -2 -2 7
Q -1 -3 0 2 -3 -2 0 -3 1 -2 0 0 -1 5
R -1 -3 -2 0 -3 -2 0 -3 2 -2 -1 0 -2 1 5
S 1 -1 0 0 -2 0 -1 -2 0 -2 -1 1 -1 0 -1 4
T 0 -1 -1 -1 -2 -2 -2 -1 -1 -1 -1 0 -1 -1 -1 1 5
V 0 -1 -3 -2 -1 -3 -3 3 -2 1 1 -3 -2 -2 -3 -2 0 4
W -3 -2 -4 -3 1 -2 -2 -3 -3 -2 -1 -4 -4 -2 -3 -3 -2 -3 11
Y -2 -2 -3 -2 3 -3 2 -1 -2 -1 -1 -2 -3 -1 -2 -2 -2 -1 2 7
"""


def blosum62(gap_open: float = -11.0, gap_extend: float = -1.0) -> SubstitutionMatrix:
    """The matrix of the twenty amino acids, with scores of gaps.

    Parameters
    ----------
    gap_open, gap_extend : float
        Score of the first symbol of a gap and of each further one.

    Examples
    --------
    >>> blosum62()["W", "W"], blosum62()["L", "I"]
    (11.0, 2.0)
    """
    values = np.zeros((len(AMINO_ACIDS), len(AMINO_ACIDS)))
    for i, line in enumerate(LOWER_HALF.strip().splitlines()):
        values[i, : i + 1] = values[: i + 1, i] = [float(score) for score in line.split()[1:]]
    return SubstitutionMatrix(tuple(AMINO_ACIDS), values, gap_open, gap_extend)
