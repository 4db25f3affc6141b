"""How a folder should learn loops: `python -m benchmarks.fold_choice [--splits N] [--families] [--quick]`.

Published structures of Rfam, without families like those of ArchiveII, are cut into halves that share no family and no
clan. Each half is folded by what was learned from the other. Two fits, from the free energies on and without them, are
put together in several shares with the energies alone; all predict the structures of the largest expected F1. Scores
are F1 of base pairs in percent, mean over families, of all families and of those with multiloops; then the difference
from the fit from the energies on, with the standard error over families; and the calibration error of the probabilities
of pairs. With several splits each family is scored once in each, and the mean counts.

`--families` learns from half of the sequences of each of five families, to fold the other half: with the defaults, and
with one penalty on all weights.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterable

import numpy as np

import weft
from weft.arrays import Floats
from weft.estimators.fold.loop_learning import SHARE, loop_penalties, plain_penalties
from weft.experiments.accuracy.fold import calibration_error
from weft.experiments.public_sets.archiveii import f1
from weft.experiments.public_sets.rfam_structures import FoldedFamily, published_structures
from weft.losses import base_pairs
from weft.structures.grammar.expected_f1 import largest_f1, nested_marks

Shares = tuple[float, float, float]
"""Of the energies alone, of the fit from the energies on, of the fit without energies."""
BASE = "from the energies on"
SETTINGS: dict[str, Shares] = {
    BASE: (0.0, 1.0, 0.0),
    "energies alone": (1.0, 0.0, 0.0),
    "without energies": (0.0, 0.0, 1.0),
    "half of both fits": (0.0, 0.5, 0.5),
    "half of energies and fit without them": (0.5, 0.0, 0.5),
    "a third of all three": (1 / 3, 1 / 3, 1 / 3),
    f"{SHARE:g} of all three (default)": (SHARE, SHARE, SHARE),
}
STRENGTHS = (20.0, 1.0)
LONGEST_LEARNED, LONGEST_FOLDED = 150, 512
MOST_OF_A_FAMILY = 60


def has_multiloop(structure: str) -> bool:
    """Whether some pair encloses two others side by side.

    Examples
    --------
    >>> has_multiloop("((...)(...))"), has_multiloop("((...))(...)")
    (True, False)
    """
    inner: list[int] = []
    for mark in structure:
        if mark == "(":
            inner.append(0)
        elif mark == ")":
            if inner.pop() > 1:
                return True
            if inner:
                inner[-1] += 1
    return False


def halves(clans: Iterable[str], split: int) -> dict[str, int]:
    """Each clan to one of two halves."""
    names = sorted(set(clans))
    places = np.random.default_rng(split).permutation(len(names))
    return {name: int(place % 2) for name, place in zip(names, places, strict=True)}


def fitted(examples: list[FoldedFamily], c2: Floats, prior: Floats | None) -> weft.Folder:
    """One fit with these penalties."""
    folder = weft.Folder(learner=weft.CRF(c2=c2, prior=prior, tol=1e-4), unknown="unpaired", n_jobs=1)
    return folder.fit([own.sequence for own in examples], [own.structure for own in examples])


Found = tuple[dict[str, list[float]], list[Floats], list[frozenset[tuple[int, int]]]]


def folded(split: int, quick: bool) -> dict[str, Found]:
    """For each setting, F1 of the sequences of each family, all probabilities, and the pairs that they stand for."""
    length = 60 if quick else LONGEST_LEARNED
    learned = published_structures(max_length=length)
    tested = published_structures(max_length=length if quick else LONGEST_FOLDED, n_each=2)
    half = halves((own.clan for own in (*learned, *tested)), split)
    found: dict[str, Found] = {name: (defaultdict(list), [], []) for name in SETTINGS}
    for side in (0, 1):
        examples = [own for own in learned if half[own.clan] != side]
        print(f"split {split}, half {side}: {len(examples)} families learned from", file=sys.stderr, flush=True)
        folder = fitted(examples, loop_penalties(), None)
        energies, adapted = folder.structure_.prior, folder.weights_
        plain = fitted(examples, plain_penalties(), np.zeros_like(energies)).weights_
        own = [each for each in tested if half[each.clan] == side]
        sequences, wanted = [each.sequence for each in own], [base_pairs(each.structure) for each in own]
        for name, (a, b, c) in SETTINGS.items():
            folder.weights_ = a * energies + b * adapted + c * plain
            scores, probabilities, truth = found[name]
            probable = folder.predict_marginals(sequences)
            for each, pairs, both in zip(own, wanted, probable, strict=True):
                best, _ = largest_f1(np.triu(both, 1)[None], nested_marks)
                scores[each.accession].append(f1(pairs, map(tuple, best.tolist())))
            probabilities += probable
            truth += wanted
    return found


def compare(n_splits: int, quick: bool) -> None:
    """Print the table of shares."""
    multi = {own.accession for own in published_structures(max_length=LONGEST_FOLDED) if has_multiloop(own.structure)}
    scores: dict[str, dict[str, list[float]]] = {name: defaultdict(list) for name in SETTINGS}
    errors: dict[str, list[float]] = defaultdict(list)
    for split in range(n_splits):
        for name, (own, probabilities, wanted) in folded(split, quick).items():
            errors[name].append(calibration_error(wanted, probabilities))
            for family, each in own.items():
                scores[name][family].append(float(np.mean(each)))
    families = sorted(scores[BASE])
    groups = {"all": families, "multiloops": [family for family in families if family in multi]}
    heading = ["setting"]
    for group, own in groups.items():
        heading += [f"F1, {group} ({len(own)})", "difference ± s.e."]
    print("| " + " | ".join([*heading, "calibration error"]) + " |\n|" + "---|" * (len(heading) + 1))
    for name in SETTINGS:
        row = [name]
        for own in groups.values():
            here, base = (np.array([np.mean(scores[each][family]) for family in own]) for each in (name, BASE))
            error = (here - base).std() / max(len(own), 1) ** 0.5
            row += [f"{here.mean():.2f}", "" if name == BASE else f"{(here - base).mean():+.2f} ± {error:.2f}"]
        print("| " + " | ".join([*row, f"{np.mean(errors[name]):.2f}"]) + " |")


def single_families(quick: bool) -> None:
    """Print F1 within each of five families, half of whose sequences are learned from."""
    data = weft.datasets.load_rna_rfam()
    settings = {"defaults": None, **{f"c2 = {strength:g}": strength for strength in STRENGTHS}}
    names = sorted(set(data.families))
    table: dict[str, list[str]] = {name: [] for name in settings}
    known = dict(zip(data.sequences, data.structures, strict=True))
    for family in names:
        own = sorted({x for x, given in zip(data.sequences, data.families, strict=True) if given == family})
        order = np.random.default_rng(0).permutation(len(own))[: 10 if quick else MOST_OF_A_FAMILY]
        first, second = ([own[i] for i in order[start::2]] for start in (0, 1))
        print(f"{family}: {len(first)} learned from, {len(second)} folded", file=sys.stderr, flush=True)
        for name, strength in settings.items():
            folder = weft.Folder(learner=weft.CRF(c2=strength, tol=1e-4), unknown="unpaired", n_jobs=1)
            folder.fit(first, [known[x] for x in first])
            pairs = zip(second, folder.predict(second), strict=True)
            table[name].append(f"{np.mean([f1(base_pairs(known[x]), base_pairs(y)) for x, y in pairs]):.1f}")
    print("| setting | " + " | ".join(names) + " |\n|" + "---|" * (len(names) + 1))
    for name, row in table.items():
        print("| " + " | ".join([name, *row]) + " |")


def main(arguments: list[str]) -> int:
    """Print one of the two tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fold_choice", description="How to learn loops of RNA.")
    parser.add_argument("--splits", type=int, default=1, help="how often the families are cut into halves")
    parser.add_argument("--families", action="store_true", help="learn within single families instead")
    parser.add_argument("--quick", action="store_true", help="short RNA only, to see that it works")
    options = parser.parse_args(arguments)
    if options.splits < 1:
        print(f"--splits is {options.splits}; at least 1 is needed", file=sys.stderr)
        return 2
    if options.families:
        single_families(options.quick)
    else:
        compare(options.splits, options.quick)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
