"""`weft train fold`: the secondary structure of RNA."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from typing import Annotated, Any

import typer

from weft.apps.fold_files import RNA, FoldFormat, choose_fold_format, read_folds
from weft.apps.learner_options import (
    C1,
    C2,
    Alpha,
    Constraints,
    Cost,
    LearnerOption,
    MaxIter,
    Smoothing,
    StructureLearner,
    make_learner,
)
from weft.apps.resampling import Task
from weft.apps.scoring import fold_scores
from weft.apps.terminal import status
from weft.apps.training import train_command

__all__ = ["fold"]


class RnaGrammar(StrEnum):
    """Grammars of structures."""

    G6 = "g6"
    LOOPS = "loops"


class UnknownLetter(StrEnum):
    """What to do about letters other than A, C, G, U and T."""

    ERROR = "error"
    UNPAIRED = "unpaired"


class Conflict(StrEnum):
    """What to do about references that the grammar cannot derive."""

    PROJECT = "project"
    REFUSE = "refuse"


STRUCTURES = "Structures"


@train_command
def fold(
    file: Annotated[str, typer.Argument(metavar="FILE", help="RNA with structures; - for standard input, or gzip.")],
    file_format: Annotated[
        FoldFormat | None, typer.Option("--format", help="dotbracket or tsv; by the file's suffix if not given.")
    ] = None,
    grammar: Annotated[
        RnaGrammar,
        typer.Option(help="19 weights, or stacked pairs and loops on free energies.", rich_help_panel=STRUCTURES),
    ] = RnaGrammar.G6,
    unknown: Annotated[
        UnknownLetter, typer.Option(help="Letters other than A, C, G, U, T.", rich_help_panel=STRUCTURES)
    ] = UnknownLetter.ERROR,
    on_conflict: Annotated[
        Conflict,
        typer.Option(
            help="References with pairs that no structure has: drop those, or stop.", rich_help_panel=STRUCTURES
        ),
    ] = Conflict.PROJECT,
    min_hairpin: Annotated[
        int, typer.Option(min=0, help="Least bases in a hairpin loop.", rich_help_panel=STRUCTURES)
    ] = 3,
    gamma: Annotated[
        float | None,
        typer.Option(help="Predict what is most accurate on average, pairs so much worth.", rich_help_panel=STRUCTURES),
    ] = None,
    learner: LearnerOption = StructureLearner.CRF,
    c1: C1 = None,
    c2: C2 = None,
    alpha: Alpha = None,
    cost: Cost = None,
    smoothing: Smoothing = None,
    constraints: Constraints = False,
    max_iter: MaxIter = None,
    dev: str | None = None,
) -> Task:
    """Learn to fold RNA.

    Example: `weft train fold rna.dbn -o rna.weft --tune`

    **dotbracket**: perhaps a line with the name (>tRNA), a line with the sequence, a line with the structure.

    **tsv** (.tsv): sequence, tab, structure.

    Structures have no pseudoknots, only the pairs AU, GC and GU, and hairpins of at least --min-hairpin bases.
    References that have others lose as few pairs as possible, and you are told how many did.
    """
    method = make_learner(
        learner, c1=c1, c2=c2, alpha=alpha, C=cost, smoothing=smoothing, constraints=constraints, max_iter=max_iter
    )
    chosen = choose_fold_format(file, file_format, labelled=True)
    from weft.estimators.folder import Folder
    from weft.losses import base_pairs
    from weft.sequences.formats.text import name_of

    with status(f"reading {name_of(file)}"):
        records = read_folds(file, chosen)
        held_out = None if dev is None else read_folds(dev, choose_fold_format(dev, file_format, labelled=True))
    folder = Folder(
        str(grammar),
        method,
        unknown=str(unknown),
        on_conflict=str(on_conflict),
        min_hairpin=min_hairpin,
        gamma=gamma,
    )

    def fit(folder: Folder, records: list[RNA], dev: list[RNA] | None) -> None:
        folder.fit([record.sequence for record in records], [record.structure for record in records])

    def scores(folder: Folder, records: list[RNA]) -> dict[str, float]:
        predicted = folder.predict([record.sequence for record in records])
        return fold_scores([str(record.structure) for record in records], predicted)

    def facts(folder: Folder) -> dict[str, Any]:
        return {
            "sequences": len(records),
            "bases": sum(len(record.sequence) for record in records),
            "base_pairs": sum(len(base_pairs(str(record.structure))) for record in records),
            "projected_references": folder.n_projected_,
            "dropped_pairs": dict(sorted(Counter(reason for *_, reason in folder.dropped_pairs_).items())),
            "weights": len(folder.weights_),
            "iterations": folder.n_iter_,
            "objective": (folder.history_[-1] if folder.history_ else {}).get("objective"),
        }

    notes = {"input": {"format": str(chosen)}}
    return Task(
        folder, records, fit, scores, facts, notes, name_of(file), name=lambda record: record.name, dev=held_out
    )
