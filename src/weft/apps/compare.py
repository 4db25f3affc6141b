"""`weft compare`: score a file of predictions against a file of references, without a model."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from weft.kinds import COMMANDS, AnyFormat
from weft.kinds.options import Columns, Group

Task = StrEnum("Task", [name.upper() for name in COMMANDS])  # type: ignore[misc]


def run(
    references: Annotated[str, typer.Argument(metavar="REFERENCES", help="File with the right answers.")],
    predictions: Annotated[str, typer.Argument(metavar="PREDICTIONS", help="File with the answers to score.")],
    task: Annotated[Task | None, typer.Option("--task", help="Task of the files; by the suffix if not given.")] = None,
    file_format: Annotated[
        AnyFormat | None, typer.Option("--format", help="Format of both; by the suffix of each if not given.")
    ] = None,
    columns: Columns = None,
    group: Group = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """Score one file against another, as weft evaluate scores a model.

    Example: `weft compare known.dbn other_program.ct`

    Both have the same inputs in the same order, in any format that weft evaluate reads. Tables and JSON lines do
    not say what they are: `weft compare --task rewrite words.tsv guesses.tsv`
    """
    from weft.kinds.comparing import compare_files

    compare_files(references, predictions, None if task is None else str(task), file_format, columns, group, as_json)
