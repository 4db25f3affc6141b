"""What models share that read texts, a line or an object for each."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Any, ClassVar

from weft.errors import InputError
from weft.kinds.base import Kind
from weft.sequences.formats.text import Source, name_of, read_lines, refuse_header

__all__ = ["SUFFIXES", "FileFormat", "TextKind", "Units", "iter_fields"]

FileFormat = StrEnum("FileFormat", ["CONLL", "JSONL", "TSV"])
"""Formats of tokens and of texts."""

SUFFIXES = {".jsonl": FileFormat.JSONL, ".ndjson": FileFormat.JSONL, ".json": FileFormat.JSONL, ".tsv": FileFormat.TSV}

Units = StrEnum("Units", ["CHARACTERS", "WORDS"])
"""What a text is a sequence of."""


class TextKind(Kind):
    """Texts with one answer each."""

    wanted: ClassVar[str]
    """Instead of a label for each token."""
    formats = FileFormat
    suffixes = SUFFIXES
    units = Units.CHARACTERS

    def recall(self) -> None:
        """What texts are sequences of."""
        self.units = Units(self.facts.get("units", "characters"))

    def choose_format(self, path: str, given: Any, labelled: bool, data: Any = None) -> FileFormat:
        """Pairs or JSON lines."""
        chosen: FileFormat = super().choose_format(path, given, labelled, data)
        if chosen == FileFormat.CONLL:
            raise InputError(f"conll files have a label for each token; {self.wanted}: give tsv or jsonl.")
        return chosen

    def usual_format(self, labelled: bool) -> FileFormat:
        """Pairs."""
        return FileFormat.TSV

    def split(self, text: Any) -> Any:
        """Characters or words of a string; lists stay as they are."""
        return text.split() if self.units == Units.WORDS and isinstance(text, str) else text


def iter_fields(source: Source, labelled: bool, text: str, answer: str, empty: bool) -> Iterator[list[str]]:
    r"""Lines of one or two columns separated by a tab.

    Parameters
    ----------
    source : path, "-" for standard input, or an open stream
    labelled : bool
        Whether answers must be there; if not, they may.
    text, answer : str
        What the columns are called.
    empty : bool
        Whether columns may be empty.

    Examples
    --------
    >>> import io
    >>> list(iter_fields(io.StringIO("to be\tyes\n"), True, "text", "label", empty=False))
    [['to be', 'yes']]
    """
    for number, line in read_lines(source):
        if not line.strip():
            continue
        fields = line.split("\t")
        if number == 1:
            refuse_header(fields, f"{name_of(source)}, line 1")
        if len(fields) > 2 or (labelled and len(fields) < 2) or not (empty or all(fields)):
            article = "an" if answer[0] in "aeiou" else "a"
            several = f"1 or 2 ({text}, and perhaps a tab and {article} {answer})"
            wanted = f"2 ({text}, tab, {answer})" if labelled else several
            raise InputError(
                f"{name_of(source)}, line {number}: {len(fields)} column(s) separated by tabs, wanted {wanted}"
                f"{'' if empty else ', none of them empty'}; fix the line."
            )
        yield fields
