"""Rows of `weft reproduce accuracy` on folding: ArchiveII, RNA of families that were not trained on.

The folder learns from Rfam without families like those of ArchiveII; its penalties and shares were chosen on halves of
those structures, which share no family or clan, by all and by those with multiloops, as the structures of ArchiveII
have them (`python -m benchmarks.fold_choice`). Families that `docs/project/decisions/left-out.md` leaves out are a row
of their own. The peer is ViennaRNA: structures of minimum free energy, and its probabilities of pairs. F1 is that of
exactly equal pairs. Pairs that cross others (pseudoknots) count in the references, and neither side can predict them.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from weft.arrays import Floats
from weft.estimators.fold.folder import Folder
from weft.estimators.fold.loop_learning import DETAIL_PENALTY, PLAIN_PENALTY, SHARE, SHARED_PENALTY
from weft.experiments.accuracy.rows import Row, kept_rows
from weft.experiments.public_sets.archiveii import FAMILIES, f1, pick
from weft.experiments.public_sets.rfam_structures import published_structures
from weft.losses import base_pairs
from weft.metrics.calibration import expected_calibration_error

Found = frozenset[tuple[int, int]]

LEFT_OUT = ("tmRNA", "telomerase")
N_TEST, MAX_TEST_LENGTH, MAX_LENGTH = 40, 512, 150
LEAST = 0.01
"""Pairs that are less probable do not count in the error of calibration: there are too many of them."""
F1, CALIBRATION = "F1 of base pairs in %, mean over families", "calibration error of probabilities of pairs in %"
PEER = "ViennaRNA"
ORIGIN = "c2 and shares by structures in halves of the families of Rfam, none of ArchiveII; no gamma"


class Answers(NamedTuple):
    """What one side says of some RNA, and the CPU seconds of structures and of probabilities."""

    structures: list[str]
    probabilities: list[Floats]
    seconds: tuple[float, float]


def n_crossing(pairs: Found) -> int:
    """Number of pairs that cross another one.

    Examples
    --------
    >>> n_crossing(base_pairs("((..[[..))..]]")), n_crossing(base_pairs("((...))"))
    (4, 0)
    """
    ordered = sorted(pairs)
    return sum(any((i < k < j) != (i < m < j) for k, m in ordered if (k, m) != (i, j)) for i, j in ordered)


def calibration_error(wanted: list[Found], probabilities: list[Floats]) -> float:
    """Expected calibration error in percent, of all pairs that are probable enough."""
    confidences: list[float] = []
    right: list[bool] = []
    for truth, own in zip(wanted, probabilities, strict=True):
        upper = np.triu(own, 1)
        for i, j in np.argwhere(upper >= LEAST).tolist():
            confidences.append(min(float(upper[i, j]), 1.0))
            right.append((i, j) in truth)
    return 100.0 * expected_calibration_error(confidences, right)


def weft_answers(folder: Folder, sequences: list[str]) -> Answers:
    """Structures of the largest expected accuracy, and probabilities."""
    began = time.process_time()
    structures = folder.predict(sequences)
    between = time.process_time()
    probabilities = folder.predict_marginals(sequences)
    return Answers(structures, probabilities, (between - began, time.process_time() - between))


def vienna_answers(sequences: list[str]) -> Answers | None:
    """Structures of minimum free energy and probabilities by ViennaRNA, None where it is not installed."""
    try:
        rna: Any = importlib.import_module("RNA")
    except ImportError:
        return None
    began = time.process_time()
    structures = [rna.fold(sequence)[0] for sequence in sequences]
    between = time.process_time()
    probabilities = []
    for sequence in sequences:
        compound = rna.fold_compound(sequence)
        compound.exp_params_rescale(compound.mfe()[1])
        compound.pf()
        probabilities.append(np.array(compound.bpp())[1:, 1:])
    return Answers(structures, probabilities, (between - began, time.process_time() - between))


def rows(quick: bool, seed: int, progress: Callable[[str], None]) -> list[Row]:
    """All rows come from one folder, so they are kept together."""
    return kept_rows("ArchiveII", _measured_rows, quick, seed, progress)


def _measured_rows(quick: bool, seed: int, progress: Callable[[str], None]) -> list[Row]:
    """Families that settings may be looked at on, tRNA alone, and families left out; F1, and calibration."""
    progress("structures of Rfam")
    trained = published_structures(max_length=70 if quick else MAX_LENGTH)[: 40 if quick else None]
    folder = Folder(unknown="unpaired", n_jobs=1)
    began = time.process_time()
    folder.fit([own.sequence for own in trained], [own.structure for own in trained])
    fitting = time.process_time() - began
    tests, ours, theirs = {}, {}, {}
    for family in FAMILIES:
        sequences, wanted = pick(family, 2 if quick else N_TEST, 130 if quick else MAX_TEST_LENGTH, seed)
        if not sequences:
            continue
        progress(family)
        tests[family] = wanted
        ours[family], theirs[family] = weft_answers(folder, sequences), vienna_answers(sequences)
    groups = {
        "ArchiveII, families not left out": [family for family in tests if family not in LEFT_OUT],
        "ArchiveII, tRNA": ["tRNA"],
        "ArchiveII, families left out": [family for family in tests if family in LEFT_OUT],
        "ArchiveII, all families": list(tests),
    }
    found = []
    for name, families in groups.items():
        if not families:
            continue
        wanted = [own for family in families for own in tests[family]]
        crossing, total = sum(map(n_crossing, wanted)), sum(map(len, wanted))
        settings = (
            f"CRF on {len(trained)} structures of Rfam ({fitting:.0f} CPU seconds), {SHARE:g} each of the energies, of "
            f"a fit from them on (c2 = {SHARED_PENALTY:g} on nine shared weights, {DETAIL_PENALTY:g} on others) and of "
            f"one without them (c2 = {PLAIN_PENALTY:g}), largest expected F1; "
        )
        settings += f"{len(wanted)} RNAs, {crossing:,} of their {total:,} pairs cross others"
        for place, measure in enumerate((F1, CALIBRATION)):
            sides = [
                _measured(tests, each, families, place) for each in (ours, theirs) if each[families[0]] is not None
            ]
            peer: Any = (PEER, *sides[1]) if len(sides) == 2 else ()
            label = f"{name}, probabilities" if place else name
            score, seconds = sides[0]
            found.append(Row(label, measure, score, fitting + seconds, settings, ORIGIN, *peer))
    return found


def _measured(
    tests: dict[str, list[Found]], answers: dict[str, Any], families: list[str], place: int
) -> tuple[float, float]:
    """F1 (place 0) or error of calibration (1), and CPU seconds."""
    seconds = sum(answers[family].seconds[place] for family in families)
    if place == 1:
        wanted = [own for family in families for own in tests[family]]
        given = [own for family in families for own in answers[family].probabilities]
        return calibration_error(wanted, given), seconds
    means = []
    for family in families:
        both = zip(tests[family], answers[family].structures, strict=True)
        means.append(float(np.mean([f1(wanted, base_pairs(structure)) for wanted, structure in both])))
    return float(np.mean(means)), seconds
