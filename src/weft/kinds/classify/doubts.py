"""Texts and classes to learn from that can hardly be meant as they are."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from weft.errors import InputError
from weft.kinds.base import TABLES
from weft.kinds.classify.columns import groups_of, warn_of_columns
from weft.sequences.formats.text import first_label_alone, name_of

if TYPE_CHECKING:
    from weft.kinds.classify.kind import ClassifyKind

MISSING = frozenset(["", "nan", "NaN", "None", "null"])
"""What other programs write where there is no label."""
FIELD = re.compile(r"[A-Z]{2}=\S+|[^\[]*\]")
"""Ends of headers of UniProt, such as SV=2, and of NCBI, such as [Homo sapiens]."""
FEWEST = 5
"""So many labels may come once each: a file of few texts is a trial."""
RARE = 0.05
"""Share of the texts below which a class is rare."""
FEWER = 10
"""A rare class also has so many times fewer texts than the largest one: of many classes all are small."""


def doubt_training(kind: ClassifyKind, balanced: bool) -> None:
    """Look whether texts and labels can be meant.

    Parameters
    ----------
    kind : ClassifyKind
        With the examples of its training.
    balanced : bool
        Whether rare classes have more weight.
    """
    name, labels = name_of(kind.file), list(map(str, kind.references(kind.examples)))
    texts = [str(example.sequence) for example in kind.examples]
    file_format = kind.facts.get("format")
    if file_format == "fasta":
        doubt_headers([example.raw["name"] for example in kind.examples], labels, name)
    doubt_labels(labels, len(set(texts)), name)
    if kind.in_parts:  # these are not all texts, and their lines are not known
        return
    if file_format in TABLES:
        written = [example.raw[0] for example in kind.examples]
        if warn_of_columns(written, labels, groups_of(kind.lines_of, len(written)), name):
            return  # tokens have more than one label
    if not balanced:
        warn_of_rare_class(labels, name)
    warn_of_contradictions(texts, labels, kind.lines_of, name)


def doubt_headers(headers: Sequence[str], labels: Sequence[str], name: str) -> None:
    """Refuse or doubt last words of FASTA headers that are no classes: names of sequences, or fields of a database.

    Examples
    --------
    >>> doubt_headers(["seq1", "seq2"], ["seq1", "seq2"], "a.fa")
    Traceback (most recent call last):
    ...
    weft.errors.InputError: a.fa: the last words of its 2 headers, such as 'seq1', are all different; needed ...
    """
    advice = "end each header with the class, as in >name class, or give text and class in a table (.tsv)"
    are_names = len(labels) > FEWEST or all(map(str.__eq__, headers, labels))
    if len(set(labels)) == len(labels) > 1 and are_names:
        raise InputError(
            f"{name}: the last words of its {len(labels)} headers, such as {labels[0][:40]!r}, are all different; "
            f"needed classes: {advice}."
        )
    fields = [label for label in labels if FIELD.fullmatch(label)]
    if 2 * len(fields) > len(labels):
        warnings.warn(
            f"{name}: {len(fields):,} of {len(labels):,} headers end with a field of a database, such as "
            f"{fields[0][:40]!r}, which is learned as the class; {advice}.",
            stacklevel=2,
        )


def doubt_labels(labels: Sequence[str], n_texts: int, name: str) -> None:
    """Refuse or doubt labels that are texts, names of columns, or nothing.

    Parameters
    ----------
    labels : sequence of str
        Of all texts.
    n_texts : int
        Different ones.
    name : str
        Of the file.
    """
    counts = Counter(labels)
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


def warn_of_rare_class(labels: Sequence[str], name: str) -> None:
    """Say that a class has few of the texts, and which option gives them more weight.

    A class of one text is left out: no weight makes others like it known.
    """
    counts = Counter(labels)
    largest = max(counts.values())
    known = {label: n for label, n in counts.items() if n > 1}
    rare = [label for label, n in known.items() if n < RARE * len(labels) and FEWER * n < largest]
    if rare:
        least = min(rare, key=lambda label: counts[label])
        others = f", as do {len(rare) - 1} other classes" if len(rare) > 2 else ", as does one other class"
        warnings.warn(
            f"{name}: class {least[:40]!r} has {counts[least]:,} of {len(labels):,} texts"
            f"{others if len(rare) > 1 else ''}, and may hardly ever be predicted; --balanced gives rare classes more "
            "weight.",
            stacklevel=2,
        )


def warn_of_contradictions(texts: Sequence[str], labels: Sequence[str], lines: Mapping[int, int], name: str) -> None:
    """Say how many texts have several labels, and where one of them stands."""
    first: dict[str, int] = {}
    doubted: dict[str, tuple[int, int]] = {}
    for number, (text, label) in enumerate(zip(texts, labels, strict=True)):
        before = first.setdefault(text, number)
        if labels[before] != label:
            doubted.setdefault(text, (before, number))
    if not doubted:
        return
    text, places = next(iter(doubted.items()))
    # Without a line the number of the text tells where it stands.
    one, other = (
        f"{labels[i][:40]!r} in line {lines[i]}" if i in lines else f"{labels[i][:40]!r} as text {i + 1}"
        for i in places
    )
    what = "text has" if len(doubted) == 1 else "texts have"
    warnings.warn(
        f"{name}: {len(doubted):,} {what} different labels in different places, such as {text[:40]!r} with {one} and "
        f"{other}; a text has one class: correct the labels, or expect errors there.",
        stacklevel=2,
    )
