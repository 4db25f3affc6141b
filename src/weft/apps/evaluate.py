"""`weft evaluate`: score a model on sequences with references."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from weft.apps.help_pages import MODEL
from weft.kinds import AnyFormat, open_kind
from weft.kinds.evaluating import evaluate
from weft.kinds.options import Cluster, Columns, Group, SchedulerFile, Workers
from weft.kinds.parted import Places


def run(
    model: Annotated[Path, MODEL],
    file: Annotated[str, typer.Argument(metavar="FILE", help="Sequences with references; - for standard input.")],
    file_format: Annotated[
        AnyFormat | None, typer.Option("--format", help="Format of the data; by the file's suffix if not given.")
    ] = None,
    columns: Columns = None,
    group: Group = None,
    allow_unknown: Annotated[
        bool, typer.Option("--allow-unknown", help="Count labels unseen in training as errors, and go on.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
    workers: Workers = None,
    cluster: Cluster = None,
    scheduler_file: SchedulerFile = None,
) -> None:
    """Score a model on sequences with references.

    Example: `weft evaluate names.weft test.conll`

    Models that label tokens: token and sequence accuracy, and precision, recall and F1 of chunks if the labels are like
    B-NP, I-NP, O.

    Models that classify texts: accuracy, precision, recall and F1 of each class, and with two classes the area under
    the ROC curve.

    Models that write strings: the share of strings that are right, and edit errors per symbol.

    Models that align: the share of columns without a gap that are found; after training with --reliable upper, only of
    columns of two capitals.

    Models that fold: base pairs that are found (sensitivity), that are right (precision), and F1.

    Models that parse: precision, recall and F1 of labelled brackets above single tokens.

    The 95 % intervals are those of weft report: Wilson's for shares of sequences, and where all or none are right;
    bootstrap over sequences for scores that sum over parts of sequences.
    """
    kind = open_kind(model, "evaluate")
    kind.choose_columns(columns)
    kind.choose_group(group)
    places = Places(workers, cluster, scheduler_file)
    evaluate(kind, file, file_format, allow_unknown, as_json, places if places.asked_for else None)
