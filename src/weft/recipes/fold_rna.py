"""fold-rna: structures of RNA by published free energies and what structures of Rfam add to them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from weft.estimators.fold.folder import Folder
from weft.estimators.fold.loop_learning import DETAIL_PENALTY, PLAIN_PENALTY, SHARE, SHARED_PENALTY
from weft.experiments.public_sets.archiveii import FAMILIES, f1, pick
from weft.experiments.public_sets.rfam_structures import published_structures
from weft.losses import base_pairs
from weft.recipes.base import Recipe, Score

MAX_LENGTH = 150
N_TEST, MAX_TEST_LENGTH = 40, 512
N_RESAMPLED = 2000


def train(progress: Callable[[str], None]) -> Folder:
    """Fit on one sequence of each family with a published structure, but families like those of ArchiveII."""
    progress("families of Rfam")
    return _trained()


@cache
def _trained() -> Folder:
    """The test data are of other families: the same model is scored and shipped."""
    families = published_structures(max_length=MAX_LENGTH)
    return Folder(unknown="unpaired").fit([own.sequence for own in families], [own.structure for own in families])


def evaluate(progress: Callable[[str], None]) -> list[Score]:
    """F1 on ArchiveII, no family of which was trained on; beside it that of the energies alone."""
    folders = {"trained": train(progress), "energies alone": Folder.from_energies(unknown="unpaired")}
    found: dict[str, list[list[float]]] = {name: [] for name in folders}
    for family in FAMILIES:
        progress(family)
        sequences, wanted = pick(family, N_TEST, MAX_TEST_LENGTH, 0)
        for name, folder in folders.items():
            predicted = map(base_pairs, folder.predict(sequences))
            found[name].append([f1(*both) / 100.0 for both in zip(wanted, predicted, strict=True)])
    tested = f"ArchiveII, {sum(map(len, found['trained']))} RNAs of {len(FAMILIES)} families, none of them trained on"
    return [
        Score(f"F1 of base pairs, mean over families, {name}", _mean(own), tested, _interval(own))
        for name, own in found.items()
    ]


def _mean(scores: list[list[float]]) -> float:
    return float(np.mean([np.mean(own) for own in scores]))


def _interval(scores: list[list[float]]) -> tuple[float, float]:
    """95 % interval: sequences of each family are drawn again and again."""
    random = np.random.default_rng(0)
    drawn = [np.array(own)[random.integers(len(own), size=(N_RESAMPLED, len(own)))].mean(axis=1) for own in scores]
    low, high = np.quantile(np.mean(drawn, axis=0), [0.025, 0.975])
    return float(low), float(high)


RECIPE = Recipe(
    title="folds RNA",
    task="fold",
    data="published structures of Rfam 14.2 (https://rfam.org), one sequence of at most 150 bases of each family; free "
    "energies of Turner and Mathews 2010 (Nucleic Acids Res. 38:D280)",
    licence="CC0",
    notice="Rfam is in the public domain (CC0). Kalvari et al. 2021, Nucleic Acids Res. 49:D192.",
    settings={
        "c2": SHARED_PENALTY,
        "c2 of details": DETAIL_PENALTY,
        "c2 without energies": PLAIN_PENALTY,
        "share of energies and of each fit": SHARE,
        "chosen": "on halves of the families of Rfam, trained on in turn, by F1 of all and of those with multiloops",
    },
    train=train,
    evaluate=evaluate,
    example="echo GCGGAUUUAGCUCAGUUGGGAGAGCGCCAGACUGAAGAUCUGGAGGUCCUGUGUUCGAUCCACAGAAUUCGC | weft fold -m fold-rna",
)
