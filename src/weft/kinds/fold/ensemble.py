"""What is known of all structures of an RNA together, in the words and the form of RNAfold.

RNAfold is a program of ViennaRNA; scripts that read what it prints can read this.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from weft.arrays import Floats
from weft.kinds.fold.files import RNA

LIKELY = 2.0 / 3.0
"""Bases that are paired or not with such a probability are marked so."""

SMALLEST = 1e-3
"""Pairs less probable than this are not listed."""


class Ensemble(NamedTuple):
    """All structures of a sequence.

    Attributes
    ----------
    energy : float
        Free energy of all of them together, in kcal/mol.
    propensities : str
        For each base a bracket if it is likely to be paired to the right or left, a brace if that is less clear, a bar
        if it may be either, a comma if it may be paired, a dot if it is likely not.
    centroid : str
        Structure of all pairs that are more probable than not, which is nearest to all others on average.
    centroid_energy : float
    distance : float
        Of the centroid from the others, on average: number of pairs that only one has.
    frequency : float
        Probability of the predicted structure.
    diversity : float
        Distance of two structures on average.
    pairs : list of [int, int, float]
        Positions from 1 of two bases and the probability that they pair, where it is at least `SMALLEST`.
    """

    energy: float
    propensities: str
    centroid: str
    centroid_energy: float
    distance: float
    frequency: float
    diversity: float
    pairs: list[list[Any]]


class Fold(NamedTuple):
    """A predicted structure, its energy in kcal/mol, and all others if they are asked for."""

    structure: str
    energy: float
    ensemble: Ensemble | None = None


def folds(folder: Any, sequences: list[str], with_ensemble: bool) -> list[Fold]:
    """Predicted structures with their energies.

    Examples
    --------
    >>> import weft
    >>> [fold] = folds(weft.Folder.from_energies(), ["GGGAAACCC"], False)
    >>> fold.structure, round(fold.energy, 2)
    ('(((...)))', -1.12)
    """
    structures = folder.predict(sequences)
    energies = folder.energy(sequences, structures).tolist()
    others = ensembles(folder, sequences, energies) if with_ensemble else [None] * len(sequences)
    return [Fold(*each) for each in zip(structures, energies, others, strict=True)]


def ensembles(folder: Any, sequences: list[str], energies: list[float]) -> list[Ensemble]:
    """All structures of sequences; `energies` are those of the predicted ones."""
    from weft.structures.rna.tables import HEAT

    probabilities = [np.triu(own) for own in folder.predict_marginals(sequences)]
    centroids = [_dot_bracket(own > 0.5) for own in probabilities]
    of_centroids = folder.energy(sequences, centroids).tolist()
    found = []
    for i, total in enumerate(folder.ensemble_energy(sequences).tolist()):
        own = probabilities[i]
        likely = own > 0.5
        distance = float((1.0 - own[likely]).sum() + own[~likely].sum())
        frequency = float(np.exp(min((total - energies[i]) / HEAT, 0.0)))
        diversity = float(2.0 * (own * (1.0 - own)).sum())
        marks = "".join(map(_mark, own.sum(axis=1).tolist(), own.sum(axis=0).tolist()))
        listed = [[a + 1, b + 1, round(float(own[a, b]), 6)] for a, b in np.argwhere(own >= SMALLEST).tolist()]
        found.append(Ensemble(total, marks, centroids[i], of_centroids[i], distance, frequency, diversity, listed))
    return found


def printed(record: RNA, fold: Fold) -> Iterator[str]:
    """Lines that RNAfold prints, with ``-p`` if there is an ensemble.

    Examples
    --------
    >>> list(printed(RNA("one", "gggaaaccc", None), Fold("(((...)))", -1.2)))
    ['>one', 'GGGAAACCC', '(((...))) ( -1.20)']
    """
    if record.name:
        yield f">{record.name}"
    yield record.sequence.upper().replace("T", "U")
    yield f"{fold.structure} ({_number(fold.energy)})"
    if fold.ensemble is not None:
        own = fold.ensemble
        yield f"{own.propensities} [{_number(own.energy)}]"
        yield f"{own.centroid} {{{_number(own.centroid_energy)} d={own.distance:.2f}}}"
        yield (f" frequency of mfe structure in ensemble {own.frequency:g}; ensemble diversity {own.diversity:<6.2f}")


def _number(energy: float) -> str:
    return f"{round(energy, 2) + 0.0:6.2f}"  # never -0.00


def _dot_bracket(pairs: Floats) -> str:
    letters = ["."] * len(pairs)
    for i, j in zip(*np.nonzero(pairs), strict=True):
        letters[i], letters[j] = "(", ")"
    return "".join(letters)


def _mark(right: float, left: float) -> str:
    """Sign for a base that is paired with one on its right and on its left with these probabilities."""
    alone, paired = 1.0 - right - left, right + left
    for mark, share in ((".", alone), ("(", right), (")", left)):
        if share > LIKELY:
            return mark
    if paired <= alone:
        return ","
    return "{" if right / paired > LIKELY else "}" if left / paired > LIKELY else "|"
