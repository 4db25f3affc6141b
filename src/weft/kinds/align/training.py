"""`weft train align`: which positions of two sequences belong together."""

from __future__ import annotations

import warnings
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from weft.errors import InputError
from weft.kinds.align.files import AlignmentFormat, iter_unaligned
from weft.kinds.align.kind import SCALE, AlignKind
from weft.kinds.options import (
    OWN,
    RESULTS,
    Decode,
    Dev,
    default_of,
    grids,
    held_out,
    learner_option,
    learners_of,
    make_learner,
)
from weft.kinds.picture_files import check_picture
from weft.kinds.recipe import Recipe
from weft.kinds.settings import Setting
from weft.kinds.terminal import status
from weft.sequences.formats.text import name_of

AlignmentModel = StrEnum("AlignmentModel", ["SUBSTITUTION", "MATCH"])
Gaps = StrEnum("Gaps", ["AFFINE", "LINEAR"])
Mode = StrEnum(
    "Mode", {"AUTO": "auto", "GLOBAL": "global", "END_GAPS": "end-gaps", "SEMI_GLOBAL": "semi-global", "LOCAL": "local"}
)
Reliable = StrEnum("Reliable", ["ALL", "UPPER"])
AlignerLearner = learners_of("Aligner")

SCORES = "Scores"
ALPHABETS = {"protein": "ACDEFGHIKLMNPQRSTVWYBZX", "dna": "ACGTN", "rna": "ACGUN"}
"""With the letters for one of several, which real files have."""


def prepare(
    kind: AlignKind,
    *,
    file: Annotated[str, typer.Argument(metavar="FILE", help="Aligned pairs; - for standard input, or gzip.")],
    file_format: Annotated[
        AlignmentFormat | None, typer.Option("--format", help="Format of the data; by the file's suffix if not given.")
    ] = None,
    model: Annotated[
        AlignmentModel,
        typer.Option(
            help="A weight for each pair of symbols, or one for equal and one for different ones.",
            rich_help_panel=SCORES,
        ),
    ] = default_of("Aligner", "model"),
    gaps: Annotated[
        Gaps,
        typer.Option(help="Score opening and extending a gap separately, or alike.", rich_help_panel=SCORES),
    ] = default_of("Aligner", "gaps"),
    alphabet: Annotated[
        str | None,
        typer.Option(
            help="protein, dna, rna, or all letters; if not given, of proteins all, of others those of the data.",
            rich_help_panel=SCORES,
        ),
    ] = OWN["align --alphabet"].value,
    context: Annotated[
        int,
        typer.Option(
            help="Neighbours on each side that also score; 6 is slower, but more accurate on proteins.",
            rich_help_panel=SCORES,
        ),
    ] = default_of("Aligner", "context"),
    mode: Annotated[
        Mode,
        typer.Option(
            help="From end to end; with own scores of gaps at the ends (auto: proteins); free ones; or what fits best.",
            rich_help_panel=SCORES,
        ),
    ] = default_of("Aligner", "mode"),
    reliable: Annotated[
        Reliable,
        typer.Option(
            help="upper: only columns of two capitals are reliable; the others are ignored.", rich_help_panel=SCORES
        ),
    ] = default_of("Aligner", "reliable"),
    prior: Annotated[
        str,
        typer.Option(
            help="Scores that learning is pulled towards: the name of a matrix, a file in the form of NCBI, or none; "
            "auto is BLOSUM62 for proteins.",
            rich_help_panel=SCORES,
        ),
    ] = default_of("Aligner", "prior"),
    decode: Annotated[
        Decode | None,
        typer.Option(
            help="Predict the alignment of the best score, or of the best expected accuracy; by learner if not given.",
            rich_help_panel=SCORES,
        ),
    ] = default_of("Aligner", "decode"),
    gamma: Annotated[
        float | None,
        typer.Option(
            help="With --decode expected, how many pairs of gaps an aligned pair is worth; 2 if not given.",
            rich_help_panel=SCORES,
        ),
    ] = default_of("Aligner", "gamma"),
    learner: Annotated[AlignerLearner, learner_option(AlignerLearner)] = AlignerLearner.CRF,  # type: ignore[valid-type]
    matrix: Annotated[
        Path | None,
        typer.Option(
            help=f"Write the scores, times {SCALE}, as Biopython and parasail read them.", rich_help_panel=RESULTS
        ),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the scores: a .png, .svg or .pdf file.", rich_help_panel=RESULTS)
    ] = None,
    dev: Dev = None,
    **options: Any,
) -> None:
    """Learn to align two sequences.

    Example: `weft train align pairs.fasta -o align.weft --matrix scores.txt`

    **fasta**: gapped records, two for each pair.

    **stockholm** (.sto, .stk): alignments of several sequences; every two rows are a pair.

    **tsv** (.tsv): name, name, gapped row, gapped row.

    **--learner em** takes the same files, with or without gaps, and ignores the gaps.
    """
    if plot is not None:
        check_picture(plot)
    if (matrix or plot) and model == AlignmentModel.MATCH and alphabet is None:
        raise InputError("--model match has no matrix to write or draw; give its letters, such as --alphabet dna.")
    if (matrix or plot) and context:
        raise InputError("with --context there is no matrix to write or draw; leave out --matrix and --plot.")
    scored = held_out(options, dev)
    make_learner(learner, **options)  # refuses what this learner does not have, before anything is read
    if learner == "em":
        _read_unaligned(kind, file, file_format, dev)
    else:
        kind.read_training(file, file_format, dev)
    letters = None if alphabet is None else ALPHABETS.get(alphabet, alphabet)
    if letters is None and model == AlignmentModel.SUBSTITUTION:
        # Of all the data, since a fold may lack a letter that another one has.
        text = "".join(row for pair in [*kind.examples, *(kind.dev or [])] for row in pair.sequences)
        letters = "".join(sorted(set(text.upper() if reliable == Reliable.UPPER else text)))
        both = next((letter for letter in letters if letter.islower() and letter.upper() in letters), None)
        if both is not None:
            warnings.warn(
                f"{name_of(file)} has letters in both cases, such as {both.upper()!r} and {both!r}, which are learned "
                "as different symbols; convert it to upper case, or give --reliable upper if lower case marks columns "
                "that are not certain.",
                stacklevel=2,
            )
    from weft.estimators.align.aligner import Aligner
    from weft.estimators.align.prior import PRIOR_C2, PROTEIN_PRIOR, as_matrix, is_protein
    from weft.structures.alignment.structure import Alignment

    is_pulled = learner == "crf" and (
        prior not in ("auto", "none")
        or (prior == "auto" and letters is not None and is_protein(Alignment(str(model), letters)))
    )
    given = _prior(prior)
    if alphabet is None and is_pulled and letters is not None and is_protein(Alignment(str(model), letters)):
        known = set(as_matrix(PROTEIN_PRIOR if prior == "auto" else given).alphabet)  # has scores for what data lack
        letters = "".join(sorted({*letters, *(each for each in ALPHABETS["protein"] if each in known)}))
    method = make_learner(learner, {"c2": PRIOR_C2} if is_pulled else None, **options)
    kind.matrix, kind.plot = matrix, plot
    kind.estimator = Aligner(
        str(model),
        str(gaps),
        method,
        alphabet=letters,
        context=context,
        mode=str(mode),
        reliable=str(reliable),
        prior=given,
        decode=None if decode is None else str(decode),
        gamma=gamma,
        **scored,
    )


def _prior(given: str) -> Any:
    """What --prior means in Python; a file is read now, so that the model does not depend on it."""
    if given in ("auto", "none"):
        return {"auto": given, "none": None}[given]
    from weft.structures.alignment.substitution_matrix import SubstitutionMatrix

    matrix = SubstitutionMatrix.load(given)
    return given.upper() if given.upper() in SubstitutionMatrix.names() else matrix


def _read_unaligned(kind: AlignKind, file: str, file_format: AlignmentFormat | None, dev: str | None) -> None:
    """Pairs without alignments; the other data have some, to be scored on."""
    kind.file = file
    with status(f"reading {name_of(file)}"):
        chosen = kind.choose_format(file, file_format, labelled=False)
        kind.facts = {"format": str(chosen)}
        kind.notes = {"input": dict(kind.facts)}
        kind.examples = kind.some(list(iter_unaligned(kind.open(file), chosen)), file, chosen)
        kind.unaligned = True
        if dev is not None:
            kind.dev = kind.read(dev, file_format)


def wholes(kind: AlignKind) -> list[Setting]:
    """Neighbours that score as well, and the best alignment; a CRF was the best learner of pairs on all sets."""
    found = [Setting({"decode": "best"}, {"decode": "best"}, void=frozenset({"gamma"}))]
    if kind.matrix is None and kind.plot is None and not kind.estimator.context:
        found.append(Setting({"context": 6}, {"context": 6}))
    return found


RECIPE = Recipe(prepare, grids(AlignerLearner), wholes)
