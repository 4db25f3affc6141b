"""Alignment against parasail, WFA, edlib and Biopython, second moments against first ones."""

from __future__ import annotations

import gzip
import random
import time
from collections.abc import Callable
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
BASES, N_DNA, DNA_LENGTH = "ACGT", 200, 1000
MISMATCH, DNA_OPEN, DNA_EXTEND = 4, 8, 2
PASSES = 5
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


def dna(quick: bool) -> Pairs:
    """Random DNA of 1,000 letters, and each with 3 % of its letters replaced, 1 % left out and 1 % put in."""
    source, pairs = random.Random(0), []
    for _ in range(QUICK if quick else N_DNA):
        first = source.choices(BASES, k=DNA_LENGTH)
        second: list[str] = []
        for letter in first:
            kind = source.random()
            if kind < 0.03:
                second.append(source.choice(BASES.replace(letter, "")))
            elif kind >= 0.04:
                second.append(letter)
            if 0.04 <= kind < 0.05:
                second.append(source.choice(BASES))
        pairs.append(("".join(first), "".join(second)))
    return pairs


# ----------------------------------------------------------------- alignment
#
# One thread on either side, from strings to strings with gaps, PASSES times over.


def parasail_run(pairs: Pairs, meter: Meter, kind: str, is_dna: bool = False) -> dict[str, float]:
    """Vector code with traceback, in 16 bits, in 32 where those overflow."""
    import parasail

    matrix = parasail.matrix_create(BASES, 0, -MISMATCH) if is_dna else parasail.blosum62
    gaps = (DNA_OPEN, DNA_EXTEND) if is_dna else (GAP_OPEN, GAP_EXTEND)
    narrow, wide = (getattr(parasail, f"nw_trace_{kind}_{bits}") for bits in (16, 32))
    total = 0
    with meter.phase("align", tokens=PASSES * len(pairs)):
        for pair in PASSES * pairs:
            result = narrow(*pair, *gaps, matrix)
            if result.saturated:
                result = wide(*pair, *gaps, matrix)
            trace = result.traceback
            _ = trace.query, trace.ref
            total += result.score
    return {"total score": total / PASSES}


def wavefront_run(pairs: Pairs, meter: Meter) -> dict[str, float]:
    """WFA by pywfa, whose opening comes on top of an extension."""
    from pywfa import WavefrontAligner

    aligner = WavefrontAligner(
        scope="full", distance="affine", mismatch=MISMATCH, gap_opening=DNA_OPEN - DNA_EXTEND, gap_extension=DNA_EXTEND
    )
    total = 0
    with meter.phase("align", tokens=PASSES * len(pairs)):
        for first, second in PASSES * pairs:
            result = aligner(second, first)
            _ = result.aligned_pattern, result.aligned_text
            total += result.score
    return {"total score": total / PASSES}


def edlib_run(pairs: Pairs, meter: Meter) -> dict[str, float]:
    """Edit distances with alignments."""
    import edlib

    total = 0
    with meter.phase("align", tokens=PASSES * len(pairs)):
        for first, second in PASSES * pairs:
            result = edlib.align(first, second, task="path")
            edlib.getNiceAlignment(result, first, second)
            total -= result["editDistance"]
    return {"total score": total / PASSES}


def biopython_run(pairs: Pairs, meter: Meter) -> dict[str, float]:
    """PairwiseAligner, the first of the best alignments as two rows."""
    from Bio.Align import PairwiseAligner, substitution_matrices

    aligner = PairwiseAligner()
    aligner.substitution_matrix = substitution_matrices.load("BLOSUM62")
    aligner.open_gap_score, aligner.extend_gap_score = -GAP_OPEN, -GAP_EXTEND
    total = 0.0
    with meter.phase("align", tokens=PASSES * len(pairs)):
        for pair in PASSES * pairs:
            alignment = aligner.align(*pair)[0]
            total += alignment.score
            _ = alignment[0], alignment[1]
    return {"total score": total / PASSES}


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
    return weft.Aligner.from_matrix(matrix, decode="best", n_jobs=1)


def dna_aligner(mismatch: float = MISMATCH, gap_open: float = DNA_OPEN, gap_extend: float = DNA_EXTEND) -> Any:
    """A weft aligner with these costs."""
    import numpy as np

    import weft
    from weft.structures.alignment.substitution_matrix import SubstitutionMatrix

    matrix = SubstitutionMatrix(tuple(BASES), -mismatch * (1.0 - np.eye(4)), -gap_open, -gap_extend)
    return weft.Aligner.from_matrix(matrix, decode="best", n_jobs=1)


def align_warm_up() -> None:
    """Compile alignment."""
    blosum_aligner().predict([("ACDE", "ADE"), ("ACD", "ACD")])


def align_run(pairs: Pairs, meter: Meter, make: Callable[[], Any] = blosum_aligner) -> dict[str, float]:
    """Strings in, gapped strings out."""
    aligner = make()
    with meter.phase("align", tokens=PASSES * len(pairs)):
        for _ in range(PASSES):
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
SIMILAR = f"pairs of DNA of {DNA_LENGTH:,} letters that differ in 5 %"
DNA_COSTS = f"mismatch {MISMATCH}, gaps {DNA_OPEN} and {DNA_EXTEND}"

ENTRIES = [
    Entry(
        name="align-parasail",
        description=f"PREFAB pairs, {SCORES}",
        prepare=prefab,
        peer=Side("parasail scan", partial(parasail_run, kind="scan")),
        weft=Side("weft", align_run, align_warm_up),
    ),
    Entry(
        name="align-striped",
        description=f"PREFAB pairs, {SCORES}",
        prepare=prefab,
        peer=Side("parasail striped", partial(parasail_run, kind="striped")),
        weft=Side("weft", align_run, align_warm_up),
    ),
    Entry(
        name="align-dna-parasail",
        description=f"{SIMILAR}, {DNA_COSTS}",
        prepare=dna,
        peer=Side("parasail scan", partial(parasail_run, kind="scan", is_dna=True)),
        weft=Side("weft", partial(align_run, make=dna_aligner), align_warm_up),
    ),
    Entry(
        name="align-dna-wfa",
        description=f"{SIMILAR}, {DNA_COSTS}",
        prepare=dna,
        peer=Side("WFA", wavefront_run),
        weft=Side("weft", partial(align_run, make=dna_aligner), align_warm_up),
    ),
    Entry(
        name="align-dna-edlib",
        description=f"{SIMILAR}, every difference costs 1",
        prepare=dna,
        peer=Side("edlib", edlib_run),
        weft=Side("weft", partial(align_run, make=partial(dna_aligner, 1.0, 1.0, 1.0)), align_warm_up),
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
