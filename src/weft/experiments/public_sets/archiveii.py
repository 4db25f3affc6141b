"""ArchiveII: RNA of nine families, folded by models that have seen none of them, beside ViennaRNA.

Both grammars learn from published structures of other families of Rfam 14.2, one sequence each. How strong the penalty
is and how much a pair is worth (gamma) is chosen for each family on the other eight. F1 is that of exactly equal base
pairs, 2 right / (reference + predicted), pseudoknots in the reference counted, and averaged over sequences.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from weft.datasets import load_rna_archiveii
from weft.estimators.fold.folder import Folder
from weft.experiments.public_sets.rfam_structures import published_structures
from weft.experiments.report import Measurement, Report, paired_p_value
from weft.learners.crf import CRF
from weft.losses import base_pairs
from weft.structures.grammar.loops.accuracy import most_accurate_pairs

FAMILIES = ("5s", "srp", "tRNA", "tmRNA", "RNaseP", "grp1", "16s", "telomerase", "23s")
MOST_PROBABLE, MOST_ACCURATE, VIENNA = "loops, most probable", "loops, most accurate", "ViennaRNA"
Pairs = Iterable[tuple[int, int]]
Setting = tuple[float, float | None]
"""Penalty, and gamma or None for the most probable structure."""
Scores = dict[str, list[float]]
"""F1 in percent of the sequences of each family."""


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


FULL = Sizes(400, 150, 40, 512, (6.0, 20.0, 60.0), (1.0, 2.0, 4.0), 25)
QUICK = Sizes(40, 90, 3, 130, (60.0,), (1.0, 2.0), 10)


def pick(family: str, n: int, max_length: int, seed: int) -> tuple[list[str], list[frozenset[tuple[int, int]]]]:
    """Distinct sequences of a family and the pairs of their structures, in random order."""
    data = load_rna_archiveii()
    chosen: dict[str, str] = {}
    for i in np.random.default_rng([seed, FAMILIES.index(family)]).permutation(len(data.sequences)):
        sequence = data.sequences[i]
        if data.families[i] == family and len(sequence) <= max_length and len(chosen) < n:
            chosen.setdefault(sequence, data.structures[i])
    return list(chosen), [base_pairs(structure) for structure in chosen.values()]


def f1(wanted: Pairs, predicted: Pairs) -> float:
    """F1 of the pairs of one structure, in percent.

    Examples
    --------
    >>> f1({(0, 5), (1, 4)}, {(1, 4), (2, 7)})
    50.0
    """
    first, second = set(wanted), set(predicted)
    return 200.0 * len(first & second) / (len(first) + len(second)) if first or second else 100.0


def choose(scores: dict[Setting, Scores], family: str, settings: Iterable[Setting]) -> Setting:
    """The setting that is best on average over all families but one."""
    others = [other for other in next(iter(scores.values())) if other != family]
    return max(settings, key=lambda setting: np.mean([np.mean(scores[setting][other]) for other in others]))


def new_folder(grammar: str, penalty: float, max_iter: int) -> Folder:
    """A folder to train."""
    return Folder(grammar, CRF(c2=penalty, max_iter=max_iter, tol=1e-4), unknown="unpaired", decode="best")


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
    X, y = [families[i].sequence for i in order], [families[i].structure for i in order]
    tests = {family: pick(family, sizes.n_test, sizes.max_test_length, seed) for family in FAMILIES}
    tests = {family: test for family, test in tests.items() if test[0]}
    progress("G6")
    g6 = new_folder("g6", 1.0, sizes.max_iter).fit(X, y)
    found = {"G6": {family: _scores(test[1], g6.predict(test[0])) for family, test in tests.items()}}
    by_setting: dict[Setting, Scores] = {}
    for penalty in sizes.penalties:
        progress(f"loops with penalty {penalty:g}")
        loops = new_folder("loops", penalty, sizes.max_iter).fit(X, y)
        for family, (sequences, truth) in tests.items():
            by_setting.setdefault((penalty, None), {})[family] = _scores(truth, loops.predict(sequences))
            probabilities = loops.predict_marginals(sequences)
            for gamma in sizes.gammas:
                accurate = [most_accurate_pairs(own, gamma) for own in probabilities]
                own = [f1(wanted, map(tuple, pairs.tolist())) for wanted, pairs in zip(truth, accurate, strict=True)]
                by_setting.setdefault((penalty, gamma), {})[family] = own
    chosen: dict[str, dict[str, Setting]] = {}
    for method, gammas in ((MOST_PROBABLE, (None,)), (MOST_ACCURATE, sizes.gammas)):
        settings = list(product(sizes.penalties, gammas))
        chosen[method] = {family: choose(by_setting, family, settings) for family in tests}
        found[method] = {family: by_setting[setting][family] for family, setting in chosen[method].items()}
    progress("ViennaRNA")
    energies = {family: vienna(test[0]) for family, test in tests.items()}
    if all(structures is not None for structures in energies.values()):
        found[VIENNA] = {family: _scores(test[1], energies[family] or []) for family, test in tests.items()}
    return _report(found, chosen, sizes, len(X), seed)


def _scores(truth: list[frozenset[tuple[int, int]]], structures: list[str]) -> list[float]:
    return [f1(wanted, base_pairs(structure)) for wanted, structure in zip(truth, structures, strict=True)]


def _report(
    found: dict[str, Scores], chosen: dict[str, dict[str, Setting]], sizes: Sizes, n_train: int, seed: int
) -> Report:
    families = list(found["G6"])
    measurements = [
        Measurement(family, method, tuple(own[family])) for family in families for method, own in found.items()
    ]
    for method, own in found.items():
        means = tuple(float(np.mean(own[family])) for family in families)
        measurements.append(Measurement("mean of families", method, means))
    counts = {family: len(found["G6"][family]) for family in families}
    settings = {family: f"{penalty:g}, {gamma:g}" for family, (penalty, gamma) in chosen[MOST_ACCURATE].items()}
    notes = [
        f"{sum(counts.values())} sequences of at most {sizes.max_test_length} bases: "
        f"{', '.join(f'{family} {n}' for family, n in counts.items())}.",
        f"Trained on {n_train} families of Rfam 14.2, none of them like one of ArchiveII: all nine are left out.",
        "c2 and gamma of the most accurate structures, chosen on the other families: "
        f"{'; '.join(f'{family} {setting}' for family, setting in settings.items())}.",
        "The spread is that of sequences, and in the last column that of families.",
    ]
    p_values = []
    if VIENNA in found:
        first, second = (
            np.concatenate([found[method][family] for family in families]) for method in (MOST_ACCURATE, VIENNA)
        )
        p_values.append(
            {
                "setting": "all sequences",
                "first": MOST_ACCURATE,
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
        facts={"seed": seed, "n_training": n_train, "penalties": sizes.penalties, "gammas": sizes.gammas},
        decimals=1,
    )
