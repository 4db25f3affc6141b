"""`weft train align`: which positions of two sequences belong together."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from weft.apps.alignment_files import AlignmentFormat, choose_alignment_format, iter_unaligned, read_alignments
from weft.apps.learner_options import (
    C1,
    C2,
    LEARNERS,
    LEARNING,
    Alpha,
    Constraints,
    Cost,
    MaxIter,
    Smoothing,
    make_learner,
)
from weft.apps.picture_files import check_picture, save_picture
from weft.apps.resampling import Task
from weft.apps.scoring import alignment_scores
from weft.apps.terminal import check_target, line_writer, status
from weft.apps.training import RESULTS, train_command
from weft.errors import InputError

if TYPE_CHECKING:
    from weft.sequences.formats import AlignedPair

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


class AlignmentLearner(StrEnum):
    """How weights are found; em takes pairs without alignments."""

    CRF = "crf"
    SODA = "soda"
    ZSCORE = "zscore"
    LOSS = "loss"
    EXPECTED = "expected"
    PERCEPTRON = "perceptron"
    SVM = "svm"
    GENERATIVE = "generative"
    EM = "em"


class Decode(StrEnum):
    """What is predicted."""

    BEST = "best"
    EXPECTED_ACCURACY = "expected-accuracy"


SCORES = "Scores"
ALPHABETS = {"protein": "ACDEFGHIKLMNPQRSTVWYBZX", "dna": "ACGTN", "rna": "ACGUN"}
"""With the letters for one of several, which real files have."""
SCALE = 10
"""Weights are written as whole numbers of so many parts, since other aligners want whole numbers."""


@train_command
def align(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Aligned pairs; - for standard input, or gzip.")],
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
    decode: Annotated[
        Decode, typer.Option(help="Predict the best alignment, or its most probable pairs.", rich_help_panel=SCORES)
    ] = Decode.BEST,
    learner: Annotated[
        AlignmentLearner,
        typer.Option("--learner", help="How to learn; em needs no alignments.", rich_help_panel=LEARNING),
    ] = AlignmentLearner.CRF,
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
    dev: str | None = None,
) -> Task:
    """Learn to align two sequences, globally.

    Example: `weft train align pairs.fasta -o align.weft --matrix scores.txt`

    **fasta**: gapped records, two for each pair.

    **stockholm** (.sto, .stk): alignments of several sequences; each two of their rows are a pair.

    **tsv** (.tsv): name, name, gapped row, gapped row.

    **--learner em** takes the same files with or without gaps, and does not look at them.
    """
    if matrix is not None:
        check_target(matrix)
    if plot is not None:
        check_picture(plot)
    if (matrix or plot) and model == AlignmentModel.MATCH and alphabet is None:
        raise InputError("--model match has no matrix to write or draw; give its letters, such as --alphabet dna.")
    classes = {**{str(name): kind for name, kind in LEARNERS.items()}, AlignmentLearner.EM: "EM"}
    options = {"c1": c1, "c2": c2, "alpha": alpha, "C": cost, "smoothing": smoothing, "constraints": constraints}
    method = make_learner(str(learner), classes, max_iter=max_iter, **options)
    from weft.estimators.aligner import Aligner
    from weft.sequences.formats.text import name_of

    chosen = choose_alignment_format(file, file_format)
    with status(f"reading {name_of(file)}"):
        unaligned = learner == AlignmentLearner.EM
        pairs = list(iter_unaligned(file, chosen)) if unaligned else read_alignments(file, chosen)
        if not pairs:
            raise InputError(f"{name_of(file)} holds no pairs; give a {chosen} file with at least one.")
        held_out = None if dev is None else read_alignments(dev, choose_alignment_format(dev, file_format, chosen))
    letters = None if alphabet is None else ALPHABETS.get(alphabet, alphabet)
    if letters is None and model == AlignmentModel.SUBSTITUTION:
        # Of all the data, since a fold may lack a letter that another one has.
        rows = [row for pair in [*pairs, *(held_out or [])] for row in pair.sequences]
        letters = "".join(sorted(set("".join(rows).upper() if reliable == Reliable.UPPER else "".join(rows))))
    aligner = Aligner(
        str(model),
        str(gaps),
        method,
        alphabet=letters,
        reliable=str(reliable),
        decode=decode.replace("-", "_"),
    )

    def fit(aligner: Aligner, pairs: list[AlignedPair], dev: list[AlignedPair] | None) -> None:
        X_dev, y_dev = (None, None) if dev is None else _columns(dev)
        X, y = _columns(pairs)
        aligner.fit(X, None if unaligned else y, X_dev=X_dev, y_dev=y_dev)

    def scores(aligner: Aligner, scored_pairs: list[AlignedPair]) -> dict[str, float]:
        if unaligned and any(scored_pairs[0] is pair for pair in pairs):
            raise InputError(
                "--learner em reads pairs without alignments, so --cv and --tune have none to score; give --dev alone."
            )
        X, y = _columns(scored_pairs)
        scored: Literal["all", "upper"] = "upper" if reliable == Reliable.UPPER else "all"
        return alignment_scores(y, aligner.predict(X), scored)

    def facts(aligner: Aligner) -> dict[str, Any]:
        gap_open, gap_extend = aligner.weights_[aligner.structure_.gap_features]
        return {
            "pairs": len(pairs),
            "symbols": sum(len(row) for pair in pairs for row in pair.sequences),
            "weights": len(aligner.weights_),
            "iterations": aligner.n_iter_,
            "objective": (aligner.history_[-1] if aligner.history_ else {}).get("objective"),
            "gap_open": round(float(gap_open), 4),
            "gap_extend": round(float(gap_extend), 4),
        }

    def write(aligner: Aligner) -> None:
        if matrix is not None:
            learned = aligner.substitution_matrix_.scaled(SCALE)
            with line_writer(str(matrix)) as write_lines:
                write_lines([f"# gap open {learned.gap_open:.0f}, extend {learned.gap_extend:.0f}", learned.to_text()])
        if plot is not None:
            from weft.plotting import SubstitutionMatrixDisplay

            save_picture(SubstitutionMatrixDisplay.from_estimator(aligner).figure_, plot)

    notes = {"input": {"format": str(chosen)}}
    return Task(
        aligner,
        pairs,
        fit,
        scores,
        facts,
        notes,
        name_of(file),
        "pair",
        lambda pair: " ".join(pair.names).strip(),
        held_out,
        write=write,
    )


def _columns(pairs: list[AlignedPair]) -> tuple[list[Any], list[Any]]:
    return [pair.sequences for pair in pairs], [pair.rows for pair in pairs]
