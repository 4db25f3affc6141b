"""Two files scored against each other, without a model: references, and what somebody predicted."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Any

from weft.errors import InputError
from weft.kinds import COMMANDS, kind_of_command
from weft.kinds.base import Kind
from weft.kinds.terminal import print_json, printed_warnings, status
from weft.sequences.formats.text import name_of

TASKS = {
    **dict.fromkeys((".conll", ".iob", ".bio", ".conllu", ".crfsuite"), "tag"),
    **dict.fromkeys((".dbn", ".db", ".dot", ".dotbracket", ".ct", ".bpseq"), "fold"),
    **dict.fromkeys((".fa", ".fasta", ".faa", ".afa"), "align"),
    **dict.fromkeys((".ft", ".fasttext"), "classify"),
    **dict.fromkeys((".mrg", ".trees"), "parse"),
    ".dict": "rewrite",
}
"""Suffixes that tell the task; tables and JSON lines may be of any."""


def task_of(file: str) -> str:
    """The task whose files have such a name.

    Examples
    --------
    >>> task_of("a.dbn"), task_of("b.conll.gz")
    ('fold', 'tag')
    """
    suffix = Path(file.removesuffix(".gz")).suffix.lower()
    if suffix not in TASKS:
        raise InputError(f"{name_of(file)} may be of any task; say which: --task {', '.join(COMMANDS)}.")
    return TASKS[suffix]


def compare_files(
    references: str,
    predictions: str,
    task: str | None,
    file_format: StrEnum | None,
    columns: str | None,
    group: str | None,
    as_json: bool,
) -> None:
    """Print the scores of `weft evaluate` for predictions in a file.

    Parameters
    ----------
    references, predictions : str
        Files with the same inputs in the same order.
    task : one of `COMMANDS`, optional
        By the suffix of the first file if None.
    file_format : StrEnum, optional
        Of both files.
    columns, group : str, optional
    as_json : bool
    """
    kind = kind_of_command(task or task_of(references))()
    kind.choose_columns(columns)
    kind.choose_group(group)
    with status(f"comparing {name_of(references)}"), printed_warnings():
        wanted, found = (_read(kind, file, file_format) for file in (references, predictions))
        _check_same(kind, wanted, found, references, predictions)
        kind.file = references
        measures = kind.measures(wanted, kind.as_predicted(found))
        counts = kind.counts(wanted, measures)
    names = [name for name in dict.fromkeys((*kind.reported, *measures)) if name in measures]
    if as_json:
        scores = {name: measures[name].as_json() for name in names}
        print_json({"references": references, "predictions": predictions, **counts, **scores})
        return
    counted = ", ".join(f"{n:,} {kind.titles.get(what, what)}" for what, n in counts.items())
    print(f"{predictions} against {references}: {counted}\n")
    width = max(len(measures[name].title) for name in names)
    for name in names:
        print(f"{measures[name].title:<{width}}  {measures[name].as_text()}")


def _read(kind: Kind, file: str, file_format: StrEnum | None) -> list[Any]:
    kind.file = file
    examples: list[Any] = kind.to_compare(file, kind.own_format(file_format))
    return examples


def _check_same(kind: Kind, wanted: list[Any], found: list[Any], references: str, predictions: str) -> None:
    """Refuse files that are not about the same inputs."""
    if len(wanted) != len(found):
        raise InputError(
            f"{name_of(references)} has {len(wanted)} {kind.one}s and {name_of(predictions)} {len(found)}; "
            "give two files with the same inputs in the same order."
        )
    for number, (one, other) in enumerate(zip(kind.inputs(wanted), kind.inputs(found), strict=True), start=1):
        if str(one).upper() != str(other).upper():
            raise InputError(
                f"{kind.one} {number} is {str(one)[:40]!r} in {name_of(references)} and {str(other)[:40]!r} in "
                f"{name_of(predictions)}; give two files with the same inputs in the same order."
            )
