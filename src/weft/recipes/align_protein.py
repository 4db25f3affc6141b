"""align-protein: pairs of proteins by BLOSUM62, aligned for the largest expected accuracy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from weft.arrays import Floats
from weft.estimators.align.aligner import Aligner
from weft.estimators.align.prior import END_SHARE
from weft.experiments.public_sets.prefab_halves import pairs_of_halves
from weft.recipes.base import Recipe, Score
from weft.structures.alignment.substitution_matrix import SubstitutionMatrix

MATRIX, MODE = "BLOSUM62", "end-gaps"
N_RESAMPLED = 2000


def train(progress: Callable[[str], None]) -> Aligner:
    """Nothing is learned. Small letters are read as capitals, and references are scored where they are capitals."""
    progress(MATRIX)
    return Aligner.from_matrix(MATRIX, mode=MODE).set_params(reliable="upper")


def evaluate(progress: Callable[[str], None]) -> list[Score]:
    """Share of the scored columns on PREFAB."""
    sequences, alignments = pairs_of_halves()[1]
    aligner = train(progress)
    progress("PREFAB")
    batch = aligner.bind(sequences, alignments)
    found = aligner._chosen(batch, aligner.weights_)[0]
    n_columns = batch.reference().n_anchors
    n_right = n_columns - batch.losses(found)
    data = (
        f"PREFAB 4, {len(sequences)} pairs of proteins aligned by structure, of families that neither the gaps nor the "
        "decoding were chosen on"
    )
    shares, share = n_right / n_columns, float(n_right.sum() / n_columns.sum())
    return [
        Score("columns right, mean over pairs", float(shares.mean()), data, interval(shares, np.ones(len(shares)))),
        Score("columns right, share of all", share, data, interval(n_right, n_columns)),
    ]


def interval(parts: Floats, wholes: Floats) -> tuple[float, float]:
    """95 % interval of the sum of the parts by that of the wholes: pairs are drawn again and again.

    Examples
    --------
    >>> interval(np.array([1.0, 2.0]), np.array([2.0, 4.0]))
    (0.5, 0.5)
    """
    drawn = np.random.default_rng(0).integers(len(parts), size=(N_RESAMPLED, len(parts)))
    low, high = np.quantile(parts[drawn].sum(axis=1) / wholes[drawn].sum(axis=1), [0.025, 0.975])
    return float(low), float(high)


def _settings() -> dict[str, float | str]:
    matrix = SubstitutionMatrix.load(MATRIX)
    return {
        "estimator": f'Aligner.from_matrix("{MATRIX}", mode="{MODE}").set_params(reliable="upper")',
        "gap_open": matrix.gap_open,
        "gap_extend": matrix.gap_extend,
        "end_open": END_SHARE * matrix.gap_open,
        "end_extend": END_SHARE * matrix.gap_extend,
        "decode": "expected",
        "gamma": Aligner.default_gamma,
        "chosen": "gaps, also at the ends, and decoding on every other family of PREFAB 4; nothing else is learned",
    }


RECIPE = Recipe(
    title="aligns two proteins",
    task="align",
    data="BLOSUM62 (Henikoff and Henikoff 1992, Proc. Natl. Acad. Sci. USA 89:10915), in the file of NCBI",
    licence="public domain",
    notice="Works of the United States Government such as NCBI's files are not subject to copyright there.",
    settings=_settings(),
    train=train,
    evaluate=evaluate,
    example="weft predict align-protein pairs.fa",
)
