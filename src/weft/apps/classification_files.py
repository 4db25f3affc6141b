"""Sequences with one class each, in files: JSON lines or pairs of text and label."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from weft.apps.tagging_files import FileFormat
from weft.apps.text_files import TextLayout, Units, iter_fields, load_with_layout
from weft.errors import InputError
from weft.sequences.formats import iter_jsonl
from weft.sequences.formats.text import Source, name_of

if TYPE_CHECKING:
    from weft.estimators.sequence_svc import SequenceSVC

__all__ = ["ClassExample", "ClassLayout", "Units", "iter_class_examples", "load_classifier"]


@dataclass(frozen=True)
class ClassLayout(TextLayout):
    """How the training file was laid out: saved with the model."""

    wanted: ClassVar[str] = "a classifier wants one for each text"


@dataclass(frozen=True)
class ClassExample:
    """One sequence of a file, its label if it has one, and the fields or the object it stood in."""

    sequence: Any
    label: Any
    raw: Any


def iter_class_examples(source: Source, layout: ClassLayout, labelled: bool) -> Iterator[ClassExample]:
    r"""Sequences of a file, one at a time.

    Parameters
    ----------
    source : path, "-" for standard input, or an open stream
    layout : ClassLayout
    labelled : bool
        Whether labels must be there; if not, they may.

    Examples
    --------
    >>> import io
    >>> layout = ClassLayout(FileFormat.TSV, Units.WORDS)
    >>> list(iter_class_examples(io.StringIO("to be\tyes\n"), layout, True))
    [ClassExample(sequence=['to', 'be'], label='yes', raw=['to be', 'yes'])]
    """
    if layout.format == FileFormat.JSONL:
        yield from _iter_objects(source, layout, labelled)
        return
    for fields in iter_fields(source, labelled, "text", "label", empty=True):
        yield ClassExample(layout.read(fields[0]), fields[1] if len(fields) == 2 else None, fields)


def _iter_objects(source: Source, layout: ClassLayout, labelled: bool) -> Iterator[ClassExample]:
    for number, item in enumerate(iter_jsonl(source, ["text", "label"] if labelled else ["text"]), start=1):
        text, label = item["text"], item.get("label")
        where = f"{name_of(source)}, object {number}"
        is_tokens = isinstance(text, list) and all(isinstance(token, str) for token in text)
        if not (isinstance(text, str) or (is_tokens and layout.units == Units.WORDS)):
            wanted = "a string" if layout.units == Units.CHARACTERS else "a string or a list of strings"
            raise InputError(f'{where}: "text" is {str(text)[:40]!r}; give {wanted}.')
        if labelled and not isinstance(label, str | int):
            raise InputError(f'{where}: "label" is {str(label)[:40]!r}; give a string or a whole number.')
        yield ClassExample(layout.read(text), label, item)


def load_classifier(path: Path) -> tuple[SequenceSVC, Units, FileFormat | None]:
    """Load a classifier, what its sequences are made of, and the format it was trained on."""
    return load_with_layout(path, "SequenceSVC")
