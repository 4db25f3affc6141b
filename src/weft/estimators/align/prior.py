"""What is known about alignments before any data: substitution matrices as weights."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from weft.arrays import Floats
from weft.core.array_checks import checked_floats
from weft.errors import InputError
from weft.estimators.inputs import check_weights
from weft.structures.alignment.ends import EndsAlignment
from weft.structures.alignment.structure import Alignment
from weft.structures.alignment.substitution_matrix import ANY, SubstitutionMatrix

PROTEIN_PRIOR = "BLOSUM62"
PRIOR_C2 = 10.0
"""Strength of the pull: with 1 five or thirty pairs of PREFAB do harm, with 100 two hundred are of less use."""
USUAL_LETTERS = "ACDEFGHIKLMNPQRSTVWYBZX"
"""Amino acids, and letters for one of several, which real files have."""
PROTEIN_LETTERS = frozenset(USUAL_LETTERS + "*")
NUCLEOTIDE_LETTERS = frozenset("ACGTURYSWKMBDHVN")
"""With those for one of several: proteins have others, such as E, F, I, L."""
RARE_LETTERS = "JOU"
"""Leucine or isoleucine, pyrrolysine, selenocysteine: in proteins, but in no matrix."""
USUAL_GAP = 4
"""Symbols of a gap, whose mean score is that of a symbol where all score alike."""

END_SHARE = 0.5
"""What a gap at an end costs beside others: of 0, .25, .5, .75 and 1 it finds most in every other family of PREFAB, of
which the pairs that `docs/project/decisions/left-out.md` names are not looked at."""


def is_protein(structure: Alignment) -> bool:
    """Whether symbols are amino acids: nothing but their letters, and not those of nucleotides alone.

    Examples
    --------
    >>> [is_protein(Alignment("substitution", letters)) for letters in ("ACDEFGHIKLMNPQRSTVWY", "ACGT", "abc")]
    [True, False, False]
    """
    symbols = set(structure.alphabet or ())
    return structure.model == "substitution" and symbols <= PROTEIN_LETTERS and not symbols <= NUCLEOTIDE_LETTERS


def as_matrix(given: Any, gap_open: float | None = None, gap_extend: float | None = None) -> SubstitutionMatrix:
    """A checked matrix with these scores of gaps, of a name, a path or a matrix; one with X also has J, O and U."""
    if isinstance(given, str | os.PathLike):
        given = SubstitutionMatrix.load(given)
    if not isinstance(given, SubstitutionMatrix):
        raise InputError(
            f"a {type(given).__name__} given in place of a matrix; give its name, such as 'BLOSUM62', or a "
            "weft.SubstitutionMatrix."
        )
    matrix = given.checked()
    for name, value in (("gap_open", gap_open), ("gap_extend", gap_extend)):
        if value is not None and not value <= 0.0:
            raise InputError(f"{name} is {value!r}; a score is needed, of at most 0: {name}={-abs(value)!r}, say.")
    own = (matrix.gap_open, matrix.gap_extend)
    opening, extension = (
        float(mine if value is None else value) for mine, value in zip(own, (gap_open, gap_extend), strict=True)
    )
    check_weights(np.asarray(matrix.values), np.array([opening, extension]))
    matrix = SubstitutionMatrix(matrix.alphabet, matrix.values, opening, extension, matrix.scale)
    if ANY in matrix.alphabet and "*" in matrix.alphabet:
        matrix = matrix.over([*matrix.alphabet, *(each for each in RARE_LETTERS if each not in matrix.alphabet)])
    return matrix


def prior_weights(prior: Any, structure: Alignment) -> Floats:
    """Weights of a structure that a matrix, its name or an array of them says: natural logarithms of odds.

    Symbols that the matrix lacks score as its X does, and gaps at the ends half of what others do.

    Examples
    --------
    >>> weights = prior_weights("BLOSUM62", Alignment("substitution", "AC"))
    >>> (weights * 2 / np.log(2.0)).round(6)
    array([  4.,   0.,   9., -18.,  -1.])
    """
    if isinstance(prior, np.ndarray | list | tuple):
        cure = f"give one weight for each of the {structure.n_features} features, or a matrix"
        return checked_floats("prior", prior, (structure.n_features,), cure)
    if structure.model != "substitution" or structure.alphabet is None:
        raise InputError("prior is a matrix, but model is 'match'; use model='substitution', weights, or prior=None.")
    matrix = as_matrix(prior).over(structure.alphabet)
    weights = np.zeros(structure.n_features)  # of neighbours a matrix says nothing
    weights[structure.pair_features(len(structure.alphabet))] = matrix.values
    gaps = np.array([matrix.gap_open, matrix.gap_extend])
    if structure.gaps == "linear":
        gaps[:] = (gaps[0] + (USUAL_GAP - 1) * gaps[1]) / USUAL_GAP
    weights[structure.gap_features] = gaps
    if isinstance(structure, EndsAlignment) and structure.end_gap_features is not None:
        weights[structure.end_gap_features] = END_SHARE * gaps
    return np.asarray(matrix.scale * weights)
