"""Texts with one answer each, in files: what classes and strings share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, ClassVar, Self

from weft.apps.tagging_files import SUFFIXES, FileFormat
from weft.errors import InputError
from weft.sequences.formats import read_lines
from weft.sequences.formats.text import Source, name_of

__all__ = ["TextLayout", "Units", "iter_fields", "load_with_layout"]


class Units(StrEnum):
    """What a text is a sequence of."""

    CHARACTERS = "characters"
    WORDS = "words"


@dataclass(frozen=True)
class TextLayout:
    """How the training file was laid out: saved with the model.

    Examples
    --------
    >>> layout = TextLayout.choose("news.jsonl", None, Units.WORDS)
    >>> layout.format.value, layout.read("to be"), layout.write(["to", "be"])
    ('jsonl', ['to', 'be'], 'to be')
    """

    wanted: ClassVar[str] = "one answer for each text is wanted"
    format: FileFormat
    units: Units

    @classmethod
    def choose(cls, path: str, given: FileFormat | None, units: Units, known: FileFormat | None = None) -> Self:
        """Format as given, by the file's suffix, as the model was trained, or pairs."""
        by_suffix = SUFFIXES.get(Path(path.removesuffix(".gz")).suffix.lower())
        chosen = given or by_suffix or known or FileFormat.TSV
        if chosen == FileFormat.CONLL:
            raise InputError(f"conll files have a label for each token; {cls.wanted}: give tsv or jsonl.")
        return cls(chosen, units)

    def read(self, text: Any) -> Any:
        """Characters or words of a string; lists stay as they are."""
        return text.split() if self.units == Units.WORDS and isinstance(text, str) else text

    def write(self, output: Any) -> str:
        """An output as text."""
        return output if isinstance(output, str) else " ".join(map(str, output))


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
        if len(fields) > 2 or (labelled and len(fields) < 2) or not (empty or all(fields)):
            article = "an" if answer[0] in "aeiou" else "a"
            several = f"1 or 2 ({text}, and perhaps a tab and {article} {answer})"
            wanted = f"2 ({text}, tab, {answer})" if labelled else several
            raise InputError(
                f"{name_of(source)}, line {number}: {len(fields)} column(s) separated by tabs, wanted {wanted}"
                f"{'' if empty else ', none of them empty'}; mend the line."
            )
        yield fields


def load_with_layout(path: Path, expected: str) -> tuple[Any, Units, FileFormat | None]:
    """Load a model, what its sequences are made of, and the format it was trained on."""
    from weft.model_file import load, read_header

    model = load(path, expected=expected)
    facts = read_header(path).summary.get("input")
    if not isinstance(facts, dict):
        return model, Units.CHARACTERS, None
    return model, Units(facts["units"]), FileFormat(facts["format"])
