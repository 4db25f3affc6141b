"""`weft train align`: which positions of two sequences belong together."""

from __future__ import annotations

import time
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from weft.apps.alignment_files import AlignmentFormat, choose_alignment_format, read_alignments
from weft.apps.interrupts import check_interrupt
from weft.apps.learner_options import (
    C1,
    C2,
    Alpha,
    Constraints,
    Cost,
    Jobs,
    LearnerOption,
    MaxIter,
    Seed,
    Smoothing,
    StructureLearner,
    SummaryAsJson,
    make_learner,
)
from weft.apps.locations import located
from weft.apps.picture_files import check_picture, save_picture
from weft.apps.summaries import print_summary
from weft.apps.terminal import check_target, is_watched, line_writer, status
from weft.errors import InputError

__all__ = ["align"]


class AlignmentModel(StrEnum):
    """What pairs of symbols have weights."""

    SUBSTITUTION = "substitution"
    MATCH = "match"


class Gaps(StrEnum):
    """What a gap costs."""

    AFFINE = "affine"
    LINEAR = "linear"


class Reliable(StrEnum):
    """Which reference columns are known."""

    ALL = "all"
    UPPER = "upper"


SCORES, RESULTS = "Scores", "Results"
ALPHABETS = {"protein": "ACDEFGHIKLMNPQRSTVWYBZX", "dna": "ACGTN", "rna": "ACGUN"}
"""With the letters for one of several, which real files have."""
SCALE = 10
"""Weights are written as whole numbers of so many parts, since other aligners want whole numbers."""


def align(
    file: Annotated[str, typer.Argument(help="Aligned pairs; - for standard input, gzip is recognised.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Model file to write.")],
    file_format: Annotated[
        AlignmentFormat | None, typer.Option("--format", help="Format of the data; by the file's suffix if not given.")
    ] = None,
    model: Annotated[
        AlignmentModel,
        typer.Option(help="A weight for each two symbols, or equal and different.", rich_help_panel=SCORES),
    ] = AlignmentModel.SUBSTITUTION,
    gaps: Annotated[
        Gaps, typer.Option(help="First symbol of a gap apart, or all alike.", rich_help_panel=SCORES)
    ] = Gaps.AFFINE,
    alphabet: Annotated[
        str | None,
        typer.Option(help="protein, dna, rna, or all letters; those of the data if not given.", rich_help_panel=SCORES),
    ] = None,
    reliable: Annotated[
        Reliable, typer.Option(help="upper: only columns of two capitals are known.", rich_help_panel=SCORES)
    ] = Reliable.ALL,
    learner: LearnerOption = StructureLearner.CRF,
    c1: C1 = None,
    c2: C2 = None,
    alpha: Alpha = None,
    cost: Cost = None,
    smoothing: Smoothing = None,
    constraints: Constraints = False,
    max_iter: MaxIter = None,
    matrix: Annotated[
        Path | None,
        typer.Option(
            help=f"Write the scores, times {SCALE}, as Biopython and parasail read them.", rich_help_panel=RESULTS
        ),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the scores: a .png, .svg or .pdf file.", rich_help_panel=RESULTS)
    ] = None,
    seed: Seed = 0,
    jobs: Jobs = -1,
    as_json: SummaryAsJson = False,
) -> None:
    """Learn to align two sequences, globally.

    **fasta**: gapped records, two for each pair.

    **stockholm** (.sto, .stk): alignments of several sequences; each two of their rows are a pair.

    **tsv** (.tsv): name, name, gapped row, gapped row.
    """
    began = time.perf_counter()
    check_target(output)
    if matrix is not None:
        check_target(matrix)
    if plot is not None:
        check_picture(plot)
    if (matrix or plot) and model == AlignmentModel.MATCH and alphabet is None:
        raise InputError("--model match has no matrix to write or draw; give its letters, such as --alphabet dna.")
    method = make_learner(
        learner, c1=c1, c2=c2, alpha=alpha, C=cost, smoothing=smoothing, constraints=constraints, max_iter=max_iter
    )
    from weft.estimators.aligner import Aligner
    from weft.model_file import save
    from weft.sequences.formats.text import name_of

    chosen = choose_alignment_format(file, file_format)
    with status(f"reading {name_of(file)}"):
        pairs = read_alignments(file, chosen)
    aligner = Aligner(
        str(model),
        str(gaps),
        method,
        alphabet=None if alphabet is None else ALPHABETS.get(alphabet, alphabet),
        reliable=str(reliable),
        n_jobs=jobs,
        verbose=int(is_watched()),
        random_state=seed,
    )
    with located(name_of(file), "pair", [" ".join(pair.names).strip() for pair in pairs]):
        aligner.fit([pair.sequences for pair in pairs], [pair.rows for pair in pairs])
    aligner.verbose = 0
    check_interrupt()
    save(aligner, output, notes={"input": {"format": str(chosen)}})
    if matrix is not None:
        learned = aligner.substitution_matrix_.scaled(SCALE)
        with line_writer(str(matrix)) as write:
            write([f"# gap open {learned.gap_open:.0f}, extend {learned.gap_extend:.0f}", learned.to_text()])
    if plot is not None:
        from weft.plotting import SubstitutionMatrixDisplay

        save_picture(SubstitutionMatrixDisplay.from_estimator(aligner).figure_, plot)
    gap_open, gap_extend = aligner.weights_[aligner.structure_.gap_features]
    summary = {
        "model": str(output),
        "pairs": len(pairs),
        "symbols": sum(len(row) for pair in pairs for row in pair.sequences),
        "weights": len(aligner.weights_),
        "iterations": aligner.n_iter_,
        "objective": (aligner.history_[-1] if aligner.history_ else {}).get("objective"),
        "gap_open": round(float(gap_open), 4),
        "gap_extend": round(float(gap_extend), 4),
        "seconds": round(time.perf_counter() - began, 3),
        "model_bytes": output.stat().st_size,
    }
    print_summary(summary, as_json)
