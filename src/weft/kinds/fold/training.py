"""`weft train fold`: the secondary structure of RNA."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from weft.kinds.fold.files import FoldFormat
from weft.kinds.fold.kind import FoldKind
from weft.kinds.options import (
    OF_LEARNERS,
    OWN,
    Decode,
    Dev,
    default_of,
    grids,
    held_out,
    learner_option,
    learners_of,
    make_learner,
)
from weft.kinds.recipe import Recipe
from weft.kinds.settings import Setting

RnaGrammar = StrEnum("RnaGrammar", ["LOOPS", "G6"])
FolderLearner = learners_of("Folder")
UnknownLetter = StrEnum("UnknownLetter", ["ERROR", "UNPAIRED"])
Invalid = StrEnum("Invalid", ["PROJECT", "ERROR"])

STRUCTURES = "Structures"


def prepare(
    kind: FoldKind,
    *,
    file: Annotated[str, typer.Argument(metavar="FILE", help="RNA with structures; - for standard input, or gzip.")],
    file_format: Annotated[
        FoldFormat | None, typer.Option("--format", help="Format of the data; by the file's suffix if not given.")
    ] = None,
    grammar: Annotated[
        RnaGrammar,
        typer.Option(
            help="Loops that start from free energies, or a grammar of 19 weights.", rich_help_panel=STRUCTURES
        ),
    ] = OWN["fold --grammar"].value,
    unknown: Annotated[
        UnknownLetter,
        typer.Option(help="What to do with letters other than A, C, G, U, T.", rich_help_panel=STRUCTURES),
    ] = default_of("Folder", "unknown"),
    invalid: Annotated[
        Invalid,
        typer.Option(help="References with impossible pairs: drop those pairs, or stop.", rich_help_panel=STRUCTURES),
    ] = default_of("Folder", "invalid"),
    min_hairpin: Annotated[
        int, typer.Option(min=0, help="Minimum number of bases in a hairpin loop.", rich_help_panel=STRUCTURES)
    ] = default_of("Folder", "min_hairpin"),
    energies: Annotated[
        Path | None,
        typer.Option(
            "--energies",
            "-P",
            help="File of free energies in the format of ViennaRNA; published ones if not given.",
            rich_help_panel=STRUCTURES,
        ),
    ] = None,
    decode: Annotated[
        Decode | None,
        typer.Option(
            help="Predict the structure of best score, or of best expected accuracy; by learner if not given.",
            rich_help_panel=STRUCTURES,
        ),
    ] = default_of("Folder", "decode"),
    gamma: Annotated[
        float | None,
        typer.Option(
            help="With --decode expected, how many unpaired bases a pair is worth; best expected F1 if not given.",
            rich_help_panel=STRUCTURES,
        ),
    ] = default_of("Folder", "gamma"),
    beam_width: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="For long RNA: a beam of this many states, such as 100; linear time, but not proven best.",
            rich_help_panel=STRUCTURES,
        ),
    ] = default_of("Folder", "beam_width"),
    learner: Annotated[FolderLearner, learner_option(FolderLearner)] = FolderLearner.CRF,  # type: ignore[valid-type]
    dev: Dev = None,
    **options: Any,
) -> None:
    """Learn to fold RNA.

    Example: `weft train fold rna.dbn -o rna.weft --tune grid`

    **dotbracket**: an optional line with the name (>tRNA), a line with the sequence, a line with the structure.

    **tsv** (.tsv): sequence, tab, structure. **ct** (.ct), **bpseq** (.bpseq) and **stockholm** (.sto, each row with
    the structure of SS_cons) are read too.

    Without --c2, the fit finds out whether the RNAs belong to one family; --tune grid tries other penalties.

    Structures have no pseudoknots, only the pairs AU, GC and GU, and hairpins of at least --min-hairpin bases.
    Other references are changed by dropping as few pairs as possible, and the summary says how many were.
    """
    scored = held_out(options, dev)
    from weft.estimators.fold.folder import Folder

    usual = {"tol": 1e-4} if grammar == RnaGrammar.LOOPS and learner == FolderLearner.CRF else {}
    method = make_learner(learner, usual, **options)
    kind.read_training(file, file_format, dev)

    kind.estimator = Folder(
        str(grammar),
        method,
        unknown=str(unknown),
        invalid=str(invalid),
        energies=None if energies is None else str(energies),
        min_hairpin=min_hairpin,
        decode=None if decode is None else str(decode),
        gamma=gamma,
        beam_width=beam_width,
        **scored,
    )


def wholes(kind: FoldKind) -> list[Setting]:
    """The grammar of few weights; other learners did worse on all sets that were tried."""
    if kind.estimator.grammar == "g6":
        return []
    small = {"grammar": "g6", "learner": make_learner("crf")}
    return [Setting({"grammar": "g6"}, small, frozenset({"energies", "beam-width"}), OF_LEARNERS)]


RECIPE = Recipe(prepare, grids(FolderLearner), wholes)
