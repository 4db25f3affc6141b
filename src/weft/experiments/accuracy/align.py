"""Rows of `weft reproduce accuracy` on aligning: pairs of proteins that were aligned by structure (PREFAB 4).

How far neighbours count, their classes, the penalty and that gaps at the ends have scores of their own were chosen on
halves of families of the pairs that `docs/project/decisions/left-out.md` does not leave out; those it does are a row of
their own, though most of them share a protein with a pair that teaches. The peer, BLOSUM62, takes the gaps that find
most in the same training pairs: by the best alignment, by expected accuracy, and by that with gaps at the ends that
cost less, as much as finds most there.
"""

from __future__ import annotations

import time
import warnings
import zlib
from collections.abc import Callable
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from weft.arrays import Floats, Integers
from weft.core.ties import ordered
from weft.datasets import load_protein_prefab4
from weft.estimators.align.aligner import Aligner
from weft.experiments.accuracy.rows import Row, kept_rows
from weft.experiments.public_sets.prefab import EXTENSIONS, OPENINGS, SOFT_OPENINGS
from weft.experiments.public_sets.prefab_halves import halves
from weft.learners.crf import CRF
from weft.structures.alignment.substitution_matrix import AMINO_ACIDS

CONTEXT, PENALTY, N_STEPS = 6, 30.0, 25
LONGEST = 40_000
"""Pairs whose lengths multiply to more are tested, but not learned from: they take most of the time."""
MEASURE = "scored columns right in %, mean over pairs"
BEST, EXPECTED = "BLOSUM62, tuned gaps", "BLOSUM62, tuned gaps, expected accuracy"
ENDS = "BLOSUM62, tuned gaps and ends, expected accuracy"
END_OPENINGS, END_SHARES = (14.0, 16.0, 18.0, 20.0), (0.3, 0.5, 0.7)
"""Gaps of the peer with gaps at the ends that cost a share of others."""
ORIGIN = "context, classes, c2 and mode by halves of families of the pairs that are not left out"


class Proteins(NamedTuple):
    """Pairs with references."""

    names: list[tuple[str, str]]
    sequences: list[tuple[str, str]]
    alignments: list[tuple[str, str]]


class Split(NamedTuple):
    """Which pairs teach, and which are tested then."""

    inside: Integers
    outside: Integers


def is_left_out(names: tuple[str, str]) -> bool:
    """Whether no setting may be chosen on a pair.

    Examples
    --------
    >>> is_left_out(("1qbjA", "1lea")), is_left_out(("1d9eA", "1fx6B"))
    (False, True)
    """
    return zlib.crc32(names[0].encode()) % 5 == 0


def proteins(quick: bool) -> Proteins:
    """Pairs of the twenty amino acids; a quick run takes some short ones."""
    data = load_protein_prefab4()
    kept = [i for i, pair in enumerate(data.sequences) if set("".join(pair)) <= set(AMINO_ACIDS)]
    if quick:
        kept = [i for i in kept if np.prod([len(each) for each in data.sequences[i]]) <= LONGEST // 4][:30]
    return Proteins(*([of[i] for i in kept] for of in (data.names, data.sequences, data.alignments)))


def accuracies(aligner: Aligner, data: Proteins, chosen: Integers) -> Floats:
    """Share of the scored columns of each pair that are found."""
    batch = aligner.bind([data.sequences[i] for i in chosen], [data.alignments[i] for i in chosen])
    found = aligner._chosen(batch, aligner.weights_)[0]
    return np.asarray(1.0 - batch.losses(found) / batch.reference().n_anchors)


def learned(data: Proteins, inside: Integers, n_steps: int) -> Aligner:
    """An aligner that counts neighbours, from the shorter pairs."""
    short = [i for i in inside if len(data.sequences[i][0]) * len(data.sequences[i][1]) <= LONGEST]
    n_columns = np.array(
        [sum(a.isupper() and b.isupper() for a, b in zip(*data.alignments[i], strict=True)) for i in short]
    )
    aligner = Aligner(
        learner=CRF(c2=PENALTY, max_iter=n_steps),
        alphabet=AMINO_ACIDS,
        context=CONTEXT,
        mode="end-gaps",
        reliable="upper",
        prior="BLOSUM62",
        gamma=np.inf,
        n_jobs=1,
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="CRF stopped after")  # so many were chosen
        # A pair counts as much as any other, whatever its length: that is how pairs are scored.
        return aligner.fit(
            [data.sequences[i] for i in short], [data.alignments[i] for i in short], n_columns.mean() / n_columns
        )


def blosum62_grids(data: Proteins, quick: bool, progress: Callable[[str], None]) -> dict[str, tuple[Floats, float]]:
    """Accuracy of each pair (columns) for each choice of gaps (rows), and CPU seconds of all, by way of decoding."""
    grids: dict[str, Any] = {
        BEST: [(11.0, 1.0), (18.0, 1.0)] if quick else list(product(OPENINGS, EXTENSIONS)),
        EXPECTED: [(18.0, 1.0)] if quick else [(opening, 1.0) for opening in SOFT_OPENINGS],
        ENDS: [(18.0, 1.0, 0.5)] if quick else list(product(END_OPENINGS, (1.0,), END_SHARES)),
    }
    found = {}
    for name, gaps in grids.items():
        progress(name)
        began = time.process_time()
        how: Any = {"decode": "best"} if name == BEST else {"decode": "expected", "gamma": np.inf}
        rows = []
        for opening, extension, *share in gaps:
            at_ends: Any = {}
            if share:
                at_ends = {"mode": "end-gaps", "end_open": -share[0] * opening, "end_extend": -share[0] * extension}
            aligner = Aligner.from_matrix("BLOSUM62", -opening, -extension, n_jobs=1, **how, **at_ends)
            aligner.set_params(reliable="upper")
            rows.append(accuracies(aligner, data, np.arange(len(data.names))))
        found[name] = (np.array(rows), time.process_time() - began)
    return found


def row_of(
    name: str,
    data: Proteins,
    splits: list[Split],
    grids: dict[str, tuple[Floats, float]],
    n_steps: int,
) -> list[Row]:
    """What was learned, and BLOSUM62 in three ways; each split is tested once."""
    began = time.process_time()
    ours = np.concatenate([accuracies(learned(data, each.inside, n_steps), data, each.outside) for each in splits])
    seconds = time.process_time() - began
    settings = f"CRF, c2 = {PENALTY:g}, {n_steps} iterations, pulled towards BLOSUM62, context {CONTEXT} in classes "
    settings += f"of hydropathy, own gaps at the ends, expected accuracy; {len(ours)} pairs tested"
    found = {}
    for peer, (values, _) in grids.items():
        theirs = [values[int(ordered(values[:, own.inside].mean(axis=1))[0])][own.outside] for own in splits]
        found[peer] = 100.0 * float(np.concatenate(theirs).mean())
    beside = (BEST, found[BEST], grids[BEST][1])
    rows = [Row(name, MEASURE, 100.0 * float(ours.mean()), seconds, settings, ORIGIN, *beside)]
    for peer in [each for each in grids if each != BEST]:
        chosen = "those that find most in the training pairs"
        rows.append(Row(name, MEASURE, found[peer], grids[peer][1], "scores of the matrix", chosen, method=peer))
    return rows


def rows(quick: bool, seed: int, progress: Callable[[str], None]) -> list[Row]:
    """All rows share what BLOSUM62 finds, so they are kept together."""
    return kept_rows("PREFAB", _measured_rows, quick, progress)


def _measured_rows(quick: bool, progress: Callable[[str], None]) -> list[Row]:
    """Two halves that share no family, each tested by what the other taught, and the pairs that are left out."""
    data, n_steps = proteins(quick), 3 if quick else N_STEPS
    is_out = np.array([is_left_out(names) for names in data.names])
    others = np.flatnonzero(~is_out)
    two = [others[np.array(half)] for half in halves([data.names[i] for i in others])]
    named = {
        "PREFAB, halves that share no family": [Split(*two), Split(*two[::-1])],
        "PREFAB, pairs left out": [Split(others, np.flatnonzero(is_out))],
    }
    grids = blosum62_grids(data, quick, progress)
    found = []
    for name, splits in named.items():
        progress(name)
        found += row_of(name, data, splits, grids, n_steps)
    return found
