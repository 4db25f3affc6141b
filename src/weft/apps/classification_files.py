"""Sequences with one class each, in files: JSON lines or pairs of text and label."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weft.apps.tagging_files import SUFFIXES, FileFormat
from weft.errors import InputError
from weft.sequences.formats import iter_jsonl, read_lines
from weft.sequences.formats.text import Source, name_of

if TYPE_CHECKING:
    from weft.estimators.sequence_svc import SequenceSVC

__all__ = ["ClassExample", "ClassLayout", "Units", "iter_class_examples", "load_classifier"]


class Units(StrEnum):
    """What a text is a sequence of."""

    CHARACTERS = "characters"
    WORDS = "words"


@dataclass(frozen=True)
class ClassLayout:
    """How the training file was laid out: saved with the model."""

    format: FileFormat
    units: Units

    @staticmethod
    def choose(path: str, given: FileFormat | None, units: Units, known: FileFormat | None = None) -> ClassLayout:
        """Format as given, by the file's suffix, as the model was trained, or pairs.

        Examples
        --------
        >>> ClassLayout.choose("news.jsonl", None, Units.WORDS).format.value
        'jsonl'
        """
        by_suffix = SUFFIXES.get(Path(path.removesuffix(".gz")).suffix.lower())
        chosen = given or by_suffix or known or FileFormat.TSV
        if chosen == FileFormat.CONLL:
            raise InputError(
                "conll files have a label for each token; a classifier wants one for each text: give tsv or jsonl."
            )
        return ClassLayout(chosen, units)


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
    for number, line in read_lines(source):
        if not line.strip():
            continue
        fields = line.split("\t")
        if len(fields) > 2 or (labelled and len(fields) < 2):
            wanted = "2 (text, tab, label)" if labelled else "1 or 2 (text, and perhaps a tab and a label)"
            raise InputError(
                f"{name_of(source)}, line {number}: {len(fields)} column(s) separated by tabs, wanted {wanted}; "
                "mend the line."
            )
        yield ClassExample(_sequence(fields[0], layout), fields[1] if len(fields) == 2 else None, fields)


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
        yield ClassExample(_sequence(text, layout), label, item)


def _sequence(text: Any, layout: ClassLayout) -> Any:
    return text.split() if layout.units == Units.WORDS and isinstance(text, str) else text


def load_classifier(path: Path) -> tuple[SequenceSVC, Units, FileFormat | None]:
    """Load a classifier, what its sequences are made of, and the format it was trained on."""
    from weft.model_file import load, read_header

    classifier: SequenceSVC = load(path, expected="SequenceSVC")
    facts = read_header(path).summary.get("input")
    if not isinstance(facts, dict):
        return classifier, Units.CHARACTERS, None
    return classifier, Units(facts["units"]), FileFormat(facts["format"])
