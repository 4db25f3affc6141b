"""Texts and classes to learn from that can hardly be meant as they are."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from weft.errors import InputError
from weft.kinds.base import TABLES
from weft.kinds.classify.columns import groups_of, warn_of_columns
from weft.sequences.formats.text import first_label_alone, name_of

if TYPE_CHECKING:
    from weft.kinds.classify.kind import ClassifyKind

MISSING = frozenset(["", "nan", "NaN", "None", "null"])
"""What other programs write where there is no label."""
FEWEST = 5
"""So many labels may come once each: a file of few texts is a trial."""


def doubt_training(kind: ClassifyKind) -> None:
    """Look whether texts and labels can be meant.

    Parameters
    ----------
    kind : ClassifyKind
        With the examples of its training.
    """
    name, labels = name_of(kind.file), list(map(str, kind.references(kind.examples)))
    texts = [str(example.sequence) for example in kind.examples]
    file_format = kind.facts.get("format")
    doubt_labels(labels, len(set(texts)), name, is_fasta=file_format == "fasta")
    if kind.in_parts:  # these are not all texts, and their lines are not known
        return
    if file_format in TABLES:
        written = [example.raw[0] for example in kind.examples]
        warn_of_columns(written, labels, groups_of(kind.lines_of, len(written)), name)


def doubt_labels(labels: Sequence[str], n_texts: int, name: str, is_fasta: bool) -> None:
    """Refuse or doubt labels that are texts, names of columns, or nothing.

    Parameters
    ----------
    labels : sequence of str
        Of all texts.
    n_texts : int
        Different ones.
    name : str
        Of the file.
    is_fasta : bool
        Whether labels are words of headers.
    """
    counts = Counter(labels)
    if len(counts) == len(labels) > FEWEST and is_fasta:
        raise InputError(
            f"{name}: the last words of its {len(labels)} headers, such as {labels[0][:40]!r}, are all different; "
            "end each header with the class: >name class"
        )
    if len(counts) > n_texts:
        raise InputError(
            f"{name}, text 1: label {labels[0][:40]!r}; there are {len(counts)} labels for {n_texts} texts: "
            "swap the columns, the text comes first."
        )
    if len(counts) > max(FEWEST, len(labels) // 2):
        warnings.warn(
            f"{name}, text 1: label {labels[0][:40]!r}; {len(labels)} texts have {len(counts)} labels, most "
            "of them once: are they classes, and not texts or numbers?",
            stacklevel=2,
        )
    if first_label_alone(counts, labels[0]):
        warnings.warn(
            f"{name}, text 1: label {labels[0][:40]!r} comes nowhere else; delete the line if it names the columns.",
            stacklevel=2,
        )
    for number, label in enumerate(labels, start=1):
        if label in MISSING:
            warnings.warn(
                f"{name}, text {number}: label {label!r}, as of {counts[label]}, becomes a class of its own; "
                "drop them if it means that there is none.",
                stacklevel=2,
            )
            break
