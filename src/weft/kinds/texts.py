"""What models share that read texts, a line or an object for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, ClassVar

from weft.errors import InputError
from weft.kinds.base import Kind
from weft.sequences.formats.table import ROLES, iter_rows
from weft.sequences.formats.text import Source, name_of

FileFormat = StrEnum("FileFormat", ["CONLL", "JSONL", "TSV", "CSV", "FASTTEXT"])
"""Formats of tokens and of texts."""

SUFFIXES = {
    **dict.fromkeys((".jsonl", ".ndjson", ".json"), FileFormat.JSONL),
    ".tsv": FileFormat.TSV,
    ".csv": FileFormat.CSV,
    **dict.fromkeys((".ft", ".fasttext"), FileFormat.FASTTEXT),
}

Units = StrEnum("Units", ["CHARACTERS", "WORDS"])
"""What a text is a sequence of."""


class TextKind(Kind):
    """Texts with one answer each."""

    wanted: ClassVar[str]
    """Instead of a label for each token."""
    formats: ClassVar[type[StrEnum]] = FileFormat
    suffixes: ClassVar[Mapping[str, StrEnum]] = SUFFIXES
    has_columns = True
    units = Units.CHARACTERS

    def recall(self) -> None:
        """What texts are sequences of."""
        self.units = Units(self.facts.get("units", "characters"))

    def choose_format(self, path: str, given: Any, labelled: bool, data: Any = None) -> FileFormat:
        """Pairs or JSON lines."""
        chosen: FileFormat = super().choose_format(path, given, labelled, data)
        if chosen == FileFormat.CONLL:
            raise InputError(f"conll files have a label for each token; {self.wanted}: give tsv, csv or jsonl.")
        return chosen

    def usual_format(self, labelled: bool) -> FileFormat:
        """Pairs."""
        return FileFormat.TSV

    def split(self, text: Any) -> Any:
        """Characters or words of a string; lists stay as they are."""
        return text.split() if self.units == Units.WORDS and isinstance(text, str) else text


def iter_fields(
    source: Source,
    labelled: bool,
    text: str,
    answer: str,
    empty: bool,
    comma: bool = False,
    columns: Sequence[str] | None = None,
) -> Iterator[list[str]]:
    r"""Rows of one or two columns, separated by a tab or by a comma.

    Parameters
    ----------
    source : path, "-" for standard input, or an open stream
    labelled : bool
        Whether answers must be there; if not, they may.
    text, answer : str
        What the columns are called.
    empty : bool
        Whether columns may be empty.
    comma, columns
        As in `weft.sequences.formats.iter_rows`.

    Examples
    --------
    >>> import io
    >>> list(iter_fields(io.StringIO("to be\tyes\n"), True, "text", "label", empty=False))
    [['to be', 'yes']]
    """
    mark = "comma" if comma else "tab"
    for number, fields in iter_rows(source, comma=comma, columns=columns, n_needed=2 if labelled else 1):
        if len(fields) > 2 or (labelled and len(fields) < 2) or not (empty or all(fields)):
            article = "an" if answer[0] in "aeiou" else "a"
            several = f"1 or 2 ({text}, and perhaps a {mark} and {article} {answer})"
            wanted = f"2 ({text}, {mark}, {answer})" if labelled else several
            raise InputError(
                f"{name_of(source)}, line {number}: {len(fields)} column(s) separated by {mark}s, needed {wanted}"
                f"{'' if empty else ', none of them empty'}; fix the line{'' if columns else ', or say --columns'}."
            )
        yield fields


def renamed_keys(names: Sequence[str], columns: Sequence[str] | None) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """What gives objects the usual keys: in place of those that the user names, or of others that mean the same.

    Examples
    --------
    >>> renamed_keys(["text", "label"], None)({"sentence": "to be", "label": "x"})
    {'label': 'x', 'text': 'to be'}
    >>> renamed_keys(["text", "label"], ["review", "stars"])({"review": "good", "stars": 5})
    {'text': 'good', 'label': 5}
    """

    def renamed(item: dict[str, Any]) -> dict[str, Any]:
        for place, name in enumerate(names):
            key: str | None = name
            if columns is not None:
                key = columns[place] if place < len(columns) else name
            elif name not in item:
                key = next((each for each in item if each.lower() in ROLES[min(place, 1)]), None)
            if key != name and key in item:
                item = {each: value for each, value in item.items() if each not in (key, name)} | {name: item[key]}
            elif key != name and columns is not None:
                item = {each: value for each, value in item.items() if each != name}  # the user means another
        return item

    return renamed
