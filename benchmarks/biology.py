"""Alignment against parasail and Biopython, second moments against first ones."""

from __future__ import annotations

import gzip
import random
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any

from benchmarks.data import data_file
from benchmarks.harness import Entry, Side

if TYPE_CHECKING:
    from benchmarks.measure import Meter

Pairs = list[tuple[str, str]]

QUICK = 40
AMINO_ACIDS = "ARNDCQEGHILKMFPSTWYV"
GAP_OPEN, GAP_EXTEND = 11, 1
"""Cost of the first symbol of a gap and of each further one."""
PRODUCTS = 5


def prefab(quick: bool) -> Pairs:
    """Reference pairs of PREFAB 4 without their gaps; other letters than the twenty are left out with their pair."""
    pairs = []
    with gzip.open(data_file("protein_prefab4", "prefab4_ref_pairs.tsv.gz"), "rt", encoding="utf-8") as lines:
        for line in lines:
            rows = line.rstrip("\n").split("\t")[2:4]
            first, second = ("".join(c for c in row.upper() if c not in ".-") for row in rows)
            if set(first + second) <= set(AMINO_ACIDS):
                pairs.append((first, second))
    return pairs[:QUICK] if quick else pairs


# ----------------------------------------------------------------- alignment


def parasail_run(pairs: Pairs, meter: Meter) -> dict[str, float]:
    """Striped vector code with traceback, two threads (it lets go of the interpreter's lock)."""
    import parasail

    matrix = parasail.blosum62

    def align(pair: tuple[str, str]) -> tuple[int, str, str]:
        result = parasail.nw_trace_striped_16(*pair, GAP_OPEN, GAP_EXTEND, matrix)
        if result.saturated:
            result = parasail.nw_trace_striped_32(*pair, GAP_OPEN, GAP_EXTEND, matrix)
        trace = result.traceback
        return result.score, trace.query, trace.ref

    with ThreadPoolExecutor(2) as pool, meter.phase("align", tokens=len(pairs)):
        results = list(pool.map(align, pairs, chunksize=20))
    return {"total score": float(sum(score for score, _, _ in results))}


def biopython_run(pairs: Pairs, meter: Meter) -> dict[str, float]:
    """PairwiseAligner, the first of the best alignments as two rows."""
    from Bio.Align import PairwiseAligner, substitution_matrices

    aligner = PairwiseAligner()
    aligner.substitution_matrix = substitution_matrices.load("BLOSUM62")
    aligner.open_gap_score, aligner.extend_gap_score = -GAP_OPEN, -GAP_EXTEND
    total = 0.0
    with meter.phase("align", tokens=len(pairs)):
        for pair in pairs:
            alignment = aligner.align(*pair)[0]
            total += alignment.score
            _ = alignment[0], alignment[1]
    return {"total score": total}


def blosum_aligner() -> Any:
    """A weft aligner with the scores of BLOSUM62."""
    import numpy as np
    import parasail

    import weft
    from weft.structures.alignment.substitution_matrix import SubstitutionMatrix

    letters = "ARNDCQEGHILKMFPSTWYVBZX*"  # the order of its rows
    places = [letters.index(letter) for letter in AMINO_ACIDS]
    values = np.array(parasail.blosum62.matrix, dtype=float)[np.ix_(places, places)]
    matrix = SubstitutionMatrix(tuple(AMINO_ACIDS), values, -GAP_OPEN, -GAP_EXTEND)
    return weft.Aligner.from_matrix(matrix, decode="best")


def align_warm_up() -> None:
    """Compile alignment."""
    blosum_aligner().predict([("ACDE", "ADE"), ("ACD", "ACD")])


def align_run(pairs: Pairs, meter: Meter) -> dict[str, float]:
    """Strings in, gapped strings out; both cores."""
    aligner = blosum_aligner()
    with meter.phase("align", tokens=len(pairs)):
        aligner.predict(pairs)
    return {"total score": float(aligner.bind(pairs).argmax(aligner.weights_)[1].sum())}


# ------------------------------------------------------------------- moments


def moments_run(pairs: Pairs, meter: Meter, order: int) -> dict[str, float]:
    """Expected features of all pairs, or covariance products; and the whole covariance of one pair of 300."""
    import numpy as np

    aligner = blosum_aligner()
    batch, weights = aligner.bind(pairs), aligner.weights_ * 0.3
    direction = np.random.default_rng(0).normal(size=batch.n_features)
    batch.log_partition_and_mean(weights)
    batch.covariance_product(weights, direction)
    with meter.phase("passes", tokens=PRODUCTS * len(pairs)):
        for _ in range(PRODUCTS):
            if order == 1:
                batch.log_partition_and_mean(weights)
            else:
                batch.covariance_product(weights, direction)
    if order == 1:
        return {}
    source = random.Random(0)
    pair = tuple("".join(source.choices(AMINO_ACIDS, k=300)) for _ in range(2))
    small = tuple(sequence[:5] for sequence in pair)
    _ = aligner.structure_.moments(small).covariance  # compiles
    began = time.perf_counter()
    with meter.phase("whole covariance"):
        shape = aligner.structure_.moments(pair).covariance.shape
    return {"seconds for a covariance of 300 x 300": time.perf_counter() - began, "its side": float(shape[0])}


# ------------------------------------------------------------------- entries

SCORES = f"BLOSUM62, gaps {GAP_OPEN} and {GAP_EXTEND}, with traceback, from Python strings"

ENTRIES = [
    Entry(
        name="align-parasail",
        description=f"PREFAB pairs, {SCORES}",
        prepare=prefab,
        peer=Side("parasail", parasail_run),
        weft=Side("weft", align_run, align_warm_up),
    ),
    Entry(
        name="align-biopython",
        description=f"PREFAB pairs, {SCORES}",
        prepare=prefab,
        peer=Side("Biopython", biopython_run),
        weft=Side("weft", align_run, align_warm_up),
    ),
    Entry(
        name="align-moments",
        description="PREFAB pairs: expected features against covariance products, and one whole covariance",
        prepare=lambda quick: prefab(quick)[:300],
        peer=Side("first moments", partial(moments_run, order=1), align_warm_up),
        weft=Side("second moments", partial(moments_run, order=2), align_warm_up),
    ),
]
