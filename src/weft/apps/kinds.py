"""Who predicts, evaluates and reports with a model, by the class in its file: a new estimator adds one line."""

from __future__ import annotations

import inspect
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, NamedTuple

from weft.errors import InputError

__all__ = ["KINDS", "AnyFormat", "Kind", "choose_own_format", "hand_over"]


class AnyFormat(StrEnum):
    """Formats of data, of all kinds of models."""

    CONLL = "conll"
    JSONL = "jsonl"
    TSV = "tsv"
    FASTA = "fasta"
    STOCKHOLM = "stockholm"
    DOTBRACKET = "dotbracket"
    TREES = "trees"
    LINES = "lines"


class Kind(NamedTuple):
    """Module and functions, imported when they are called, and the enumeration of the formats that they take.

    A function takes by name what it needs of the command's arguments; an option that it does not name is refused.
    `report` is a `weft.apps.report_base.Reporter`, in a module of the same name with ``report_`` before it.
    """

    module: str
    predict: str
    evaluate: str
    report: str
    formats: str | None = None


KINDS = {
    "Tagger": Kind("tagging", "predict_labels", "evaluate_labels", "TagReporter", "tagging_files:FileFormat"),
    "SpectralTagger": Kind("tagging", "predict_labels", "evaluate_labels", "TagReporter", "tagging_files:FileFormat"),
    "SequenceSVC": Kind("classify", "predict_classes", "evaluate_classes", "ClassReporter", "tagging_files:FileFormat"),
    "StringRegressor": Kind(
        "regress", "predict_strings", "evaluate_strings", "RegressionReporter", "tagging_files:FileFormat"
    ),
    "Rewriter": Kind("rewriting", "predict_rewriter", "evaluate_rewriter", "RewriteReporter"),
    "Aligner": Kind(
        "aligning", "predict_alignments", "evaluate_alignments", "AlignmentReporter", "alignment_files:AlignmentFormat"
    ),
    "Folder": Kind("folding", "predict_folds", "evaluate_folds", "FoldReporter", "fold_files:FoldFormat"),
    "Parser": Kind("parsing", "predict_trees", "evaluate_trees", "TreeReporter", "tree_files:TreeFormat"),
}

OPTIONS = {
    "file_format": ("--format", None),
    "kbest": ("--kbest", 1),
    "confidence": ("--confidence", False),
    "allow_unseen": ("--allow-unseen", False),
    "plot": ("--plot", None),
}
"""Arguments that are options: how users write them, and the value that means that they did not."""


def hand_over(task: Literal["predict", "evaluate"], model: Path, **arguments: Any) -> None:
    """Call the function of the model's kind with those of the arguments that it takes.

    Parameters
    ----------
    task : {"predict", "evaluate"}
    model : Path
    **arguments : what the command was given
    """
    from weft.model_file import read_header

    name = read_header(model).class_name
    kind = KINDS.get(name)
    if kind is None:
        raise InputError(
            f"{model} holds a {name}; wanted a {', '.join(KINDS)}: weft {task} knows no others, use it from Python."
        )
    function = getattr(import_module(f"weft.apps.{kind.module}"), getattr(kind, task))
    taken = inspect.signature(function).parameters
    for key, (option, absent) in OPTIONS.items():
        if key not in taken and arguments.get(key, absent) != absent:
            raise InputError(f"{option} came, but {model} is a {name}, which has no use for it; leave it out.")
    if arguments.get("file_format") is not None:
        arguments["file_format"] = choose_own_format(kind, arguments["file_format"], model, name)
    function(**{key: value for key, value in {"model": model, **arguments}.items() if key in taken})


def choose_own_format(kind: Kind, given: AnyFormat, model: Path, name: str) -> Any:
    """The format as a member of the kind's own enumeration."""
    if kind.formats is None:
        raise InputError(f"--format came, but {model} is a {name}, which has no use for it; leave it out.")
    module, _, own = kind.formats.partition(":")
    formats = getattr(import_module(f"weft.apps.{module}"), own)
    try:
        return formats(str(given))
    except ValueError:
        raise InputError(
            f"--format {given} came, but {model} is a {name}, which takes {', '.join(formats)}; choose one of them."
        ) from None
