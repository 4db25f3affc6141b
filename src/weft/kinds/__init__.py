"""Kinds of models, one for each task: how to read its files, train, answer, evaluate and report.

A new task adds a folder with a class of `weft.kinds.base.Kind` and a line in `COMMANDS`. A kind is imported when it is
asked for, so that no task waits for another one's code.
"""

from __future__ import annotations

from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from weft.errors import InputError
from weft.spelling import with_article

if TYPE_CHECKING:
    from weft.kinds.base import Kind

__all__ = ["COMMANDS", "AnyFormat", "kind_of_command", "open_kind"]

COMMANDS = {
    "tag": ("TagKind", ("Tagger", "SpectralTagger", "StackedTagger")),
    "rewrite": ("RewriteKind", ("Rewriter",)),
    "align": ("AlignKind", ("Aligner",)),
    "fold": ("FoldKind", ("Folder",)),
    "parse": ("ParseKind", ("Parser",)),
    "classify": ("ClassifyKind", ("SequenceSVC",)),
    "regress": ("RegressKind", ("StringRegressor",)),
}
"""For each command of ``weft train`` the class in ``weft.kinds.COMMAND.kind``, and the estimators it answers for."""


AnyFormat = StrEnum(
    "AnyFormat",
    "CONLL CRFSUITE JSONL TSV CSV FASTTEXT CMUDICT FASTA FASTQ STOCKHOLM DOTBRACKET CT BPSEQ TREES LINES",
)
"""Formats of data, of all kinds of models."""


def kind_of_command(command: str) -> type[Kind]:
    """The class of a kind.

    Examples
    --------
    >>> kind_of_command("fold").one
    'sequence'
    """
    found: type[Kind] = getattr(import_module(f"weft.kinds.{command}.kind"), COMMANDS[command][0])
    return found


def open_kind(model: Path, task: str, *, mapped: bool = False) -> Kind:
    """The model in a file, as one of its kind; the file is read once.

    Parameters
    ----------
    model : Path
    task : str
        What it is opened for, to say in an error.
    mapped : bool
        Leave its arrays in the file, which must not change: processes share its pages.
    """
    from weft.model_file import open_model

    opened = open_model(model, mapped=mapped)
    name = opened.header.class_name
    for command, (_, estimators) in COMMANDS.items():
        if name in estimators:
            return kind_of_command(command)(model, opened.header, opened.estimator())
    known = ", ".join(each for _, estimators in COMMANDS.values() for each in estimators)
    raise InputError(f"{model} holds {with_article(name)}; weft {task} knows {known}: use it from Python.")
