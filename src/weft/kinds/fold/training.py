"""`weft train fold`: the secondary structure of RNA."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from weft.kinds.base import Recipe
from weft.kinds.fold.files import FoldFormat
from weft.kinds.fold.kind import FoldKind
from weft.kinds.options import (
    C1,
    C2,
    OWN,
    Alpha,
    Cost,
    Decode,
    Dev,
    LearnerOption,
    MarginConstraints,
    MaxIter,
    Smoothing,
    StructureLearner,
    default_of,
    grids,
    make_learner,
)

__all__ = ["RECIPE"]

RnaGrammar = StrEnum("RnaGrammar", ["G6", "LOOPS"])
UnknownLetter = StrEnum("UnknownLetter", ["ERROR", "UNPAIRED"])
Invalid = StrEnum("Invalid", ["PROJECT", "ERROR"])

STRUCTURES = "Structures"


def prepare(
    kind: FoldKind,
    *,
    file: Annotated[str, typer.Argument(metavar="FILE", help="RNA with structures; - for standard input, or gzip.")],
    file_format: Annotated[
        FoldFormat | None, typer.Option("--format", help="dotbracket or tsv; by the file's suffix if not given.")
    ] = None,
    grammar: Annotated[
        RnaGrammar,
        typer.Option(help="19 weights, or stacked pairs and loops on free energies.", rich_help_panel=STRUCTURES),
    ] = OWN["fold --grammar"].value,
    unknown: Annotated[
        UnknownLetter, typer.Option(help="Letters other than A, C, G, U, T.", rich_help_panel=STRUCTURES)
    ] = default_of("Folder", "unknown"),
    invalid: Annotated[
        Invalid,
        typer.Option(
            help="References with pairs that no structure has: drop those, or stop.", rich_help_panel=STRUCTURES
        ),
    ] = default_of("Folder", "invalid"),
    min_hairpin: Annotated[
        int, typer.Option(min=0, help="Least bases in a hairpin loop.", rich_help_panel=STRUCTURES)
    ] = default_of("Folder", "min_hairpin"),
    decode: Annotated[
        Decode,
        typer.Option(
            help="Predict the best structure, or what is most accurate on average.", rich_help_panel=STRUCTURES
        ),
    ] = default_of("Folder", "decode"),
    gamma: Annotated[
        float,
        typer.Option(
            help="With --decode expected, what a pair is worth in unpaired bases.", rich_help_panel=STRUCTURES
        ),
    ] = default_of("Folder", "gamma"),
    learner: LearnerOption = StructureLearner.CRF,
    c1: C1 = None,
    c2: C2 = None,
    alpha: Alpha = None,
    cost: Cost = None,
    smoothing: Smoothing = None,
    margin_constraints: MarginConstraints = False,
    max_iter: MaxIter = None,
    dev: Dev = None,
) -> None:
    """Learn to fold RNA.

    Example: `weft train fold rna.dbn -o rna.weft --tune`

    **dotbracket**: perhaps a line with the name (>tRNA), a line with the sequence, a line with the structure.

    **tsv** (.tsv): sequence, tab, structure.

    Structures have no pseudoknots, only the pairs AU, GC and GU, and hairpins of at least --min-hairpin bases.
    References that have others lose as few pairs as possible, and you are told how many did.
    """
    method = make_learner(
        learner,
        c1=c1,
        c2=c2,
        alpha=alpha,
        C=cost,
        smoothing=smoothing,
        margin_constraints=margin_constraints,
        max_iter=max_iter,
    )
    kind.read_training(file, file_format, dev)
    from weft.estimators.folder import Folder

    kind.estimator = Folder(
        str(grammar),
        method,
        unknown=str(unknown),
        invalid=str(invalid),
        min_hairpin=min_hairpin,
        decode=str(decode),
        gamma=gamma,
    )


RECIPE = Recipe(prepare, grids(StructureLearner))
