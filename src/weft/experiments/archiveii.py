"""ArchiveII: RNA of nine families, folded by models that have seen none of them, beside ViennaRNA.

Both grammars learn from published structures of other families of Rfam 14.2, one sequence each. How strong the penalty
is and how much a pair is worth (gamma) is chosen on Rfam families held out of the training; ArchiveII is only tested
on. F1 is that of exactly equal base pairs (2 right / (reference + predicted)), pseudoknots in the reference counted,
and averaged over sequences.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft.datasets import load_rna_archiveii
from weft.estimators.folder import Folder
from weft.experiments.report import Measurement, Report, paired_p_value
from weft.experiments.rfam_structures import FoldedFamily, published_structures
from weft.learners.crf import CRF
from weft.metrics import base_pair_scores

__all__ = ["choose", "pick", "run"]

FAMILIES = ("5s", "srp", "tRNA", "tmRNA", "RNaseP", "grp1", "16s", "telomerase", "23s")
MOST_PROBABLE, MOST_ACCURATE, VIENNA = "loops, most probable", "loops, most accurate", "ViennaRNA"


@dataclass(frozen=True)
class Sizes:
    """How much a run takes."""

    n_train: int
    max_train_length: int
    n_test: int
    max_test_length: int
    penalties: tuple[float, ...]
    gammas: tuple[float, ...]
    max_iter: int


FULL = Sizes(400, 150, 40, 512, (20.0, 60.0, 200.0), (0.5, 1.0, 2.0, 4.0), 25)
QUICK = Sizes(40, 90, 3, 130, (60.0,), (1.0, 2.0), 10)


def pick(family: str, n: int, max_length: int, seed: int) -> tuple[list[str], list[str]]:
    """Distinct sequences of a family and their structures, in random order."""
    data = load_rna_archiveii()
    chosen: dict[str, str] = {}
    for i in np.random.default_rng([seed, FAMILIES.index(family)]).permutation(len(data.sequences)):
        sequence = data.sequences[i]
        if data.families[i] == family and len(sequence) <= max_length and len(chosen) < n:
            chosen.setdefault(sequence, data.structures[i])
    return list(chosen), list(chosen.values())


def new_folder(grammar: str, penalty: float, max_iter: int, gamma: float | None = None) -> Folder:
    """A folder to train."""
    return Folder(grammar, CRF(c2=penalty, max_iter=max_iter, tol=1e-4), unknown="unpaired", gamma=gamma)


def f1_scores(truth: list[str], predicted: list[str]) -> list[float]:
    """F1 of each structure, in percent."""
    return [100 * base_pair_scores([y], [z]).f1 for y, z in zip(truth, predicted, strict=True)]


@dataclass(frozen=True)
class Choice:
    """Settings that are best on held-out families.

    Attributes
    ----------
    penalty : float
    gamma : float
        The best one, if there must be one.
    method : str
        Whether the most probable or the most accurate structure is better.
    """

    penalty: float
    gamma: float
    method: str


def choose(families: list[FoldedFamily], sizes: Sizes, progress: Callable[[str], None]) -> Choice:
    """Settings that are best on every third family, learned from the others."""
    kept = [family for i, family in enumerate(families) if i % 3]
    held_out = families[::3]
    X, truth = [family.sequence for family in held_out], [family.structure for family in held_out]
    found: dict[tuple[float, float | None], float] = {}
    for penalty in sizes.penalties:
        progress(f"penalty {penalty:g}")
        folder = new_folder("loops", penalty, sizes.max_iter)
        folder.fit([family.sequence for family in kept], [family.structure for family in kept])
        for gamma in (None, *sizes.gammas):
            folder.gamma = gamma
            found[penalty, gamma] = float(np.mean(f1_scores(truth, folder.predict(X))))
    penalty, gamma = max(found, key=lambda setting: found[setting])
    best = max(sizes.gammas, key=lambda gamma: found[penalty, gamma])
    return Choice(penalty, best, MOST_PROBABLE if gamma is None else MOST_ACCURATE)


def vienna(sequences: list[str]) -> list[str] | None:
    """Structures of minimum free energy by ViennaRNA, None where it is not installed."""
    try:
        rna: Any = importlib.import_module("RNA")
    except ImportError:
        return None
    return [rna.fold(sequence)[0] for sequence in sequences]


def run(
    *, quick: bool = False, n_replicates: int | None = None, seed: int = 0, progress: Callable[[str], None]
) -> Report:
    """F1 of each family; `n_replicates` does not matter, since nothing is drawn but which sequences are taken."""
    sizes = QUICK if quick else FULL
    progress("structures of Rfam")
    families = published_structures(max_length=sizes.max_train_length, seed=seed)
    order = np.random.default_rng(seed).permutation(len(families))[: sizes.n_train]
    families = [families[i] for i in order]
    X, y = [family.sequence for family in families], [family.structure for family in families]
    chosen = choose(families, sizes, progress)
    progress("training")
    g6 = new_folder("g6", 1.0, sizes.max_iter).fit(X, y)
    loops = new_folder("loops", chosen.penalty, sizes.max_iter).fit(X, y)
    values: dict[str, list[list[float]]] = {}
    tested = {}
    for family in FAMILIES:
        sequences, truth = pick(family, sizes.n_test, sizes.max_test_length, seed)
        if not sequences:
            continue
        progress(f"{family}: {len(sequences)} sequences")
        tested[family] = len(sequences)
        loops.gamma = None
        predicted = {"G6": g6.predict(sequences), MOST_PROBABLE: loops.predict(sequences)}
        loops.gamma = chosen.gamma
        predicted[MOST_ACCURATE] = loops.predict(sequences)
        energies = vienna(sequences)
        if energies is not None:
            predicted[VIENNA] = energies
        for method, structures in predicted.items():
            values.setdefault(method, []).append(f1_scores(truth, structures))
    measurements = []
    for number, family in enumerate(tested):
        measurements += [Measurement(family, method, tuple(own[number])) for method, own in values.items()]
    for method, own in values.items():
        measurements.append(Measurement("mean of families", method, tuple(float(np.mean(each)) for each in own)))
    notes = [
        f"{sum(tested.values())} sequences of at most {sizes.max_test_length} bases: "
        f"{', '.join(f'{family} {n}' for family, n in tested.items())}.",
        f"Trained on {len(X)} families of Rfam 14.2, none of them like one of ArchiveII: all nine are left out.",
        f"Chosen on held-out Rfam families: c2 = {chosen.penalty:g}, gamma = {chosen.gamma:g}, and '{chosen.method}'.",
        "The spread is that of sequences, and in the last column that of families.",
    ]
    p_values = []
    if VIENNA in values:
        first, second = (np.concatenate(values[method]) for method in (chosen.method, VIENNA))
        p_values.append(
            {
                "setting": "all sequences",
                "first": chosen.method,
                "second": VIENNA,
                "measured": paired_p_value(first, second),
                "published": None,
            }
        )
    else:
        notes.append("ViennaRNA is missing: install the Python package ViennaRNA to have it beside.")
    return Report(
        "archiveii",
        "Folding RNA of families never seen",
        "F1 of base pairs, %",
        measurements,
        p_values,
        notes,
        facts={"seed": seed, "c2": chosen.penalty, "gamma": chosen.gamma, "n_training": len(X)},
        decimals=1,
    )
