"""Inputs and the strings that belong to them, in files: JSON lines or pairs."""

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
    from weft.estimators.string_regressor import StringRegressor

__all__ = ["Pair", "PairLayout", "iter_pairs", "load_regressor"]


@dataclass(frozen=True)
class PairLayout(TextLayout):
    """How the training file was laid out: saved with the model."""

    wanted: ClassVar[str] = "strings want one output for each input"


@dataclass(frozen=True)
class Pair:
    """One input of a file, its output if it has one, and the fields or the object they stood in."""

    input: Any
    output: Any
    raw: Any


def iter_pairs(source: Source, layout: PairLayout, labelled: bool) -> Iterator[Pair]:
    r"""Inputs of a file, one at a time.

    Parameters
    ----------
    source : path, "-" for standard input, or an open stream
    layout : PairLayout
    labelled : bool
        Whether outputs must be there; if not, they may.

    Examples
    --------
    >>> import io
    >>> layout = PairLayout(FileFormat.TSV, Units.CHARACTERS)
    >>> list(iter_pairs(io.StringIO("uno\tone\n"), layout, True))
    [Pair(input='uno', output='one', raw=['uno', 'one'])]
    """
    if layout.format == FileFormat.JSONL:
        yield from _iter_objects(source, layout, labelled)
        return
    for fields in iter_fields(source, labelled, "input", "output", empty=False):
        yield Pair(layout.read(fields[0]), layout.read(fields[1]) if len(fields) == 2 else None, fields)


def _iter_objects(source: Source, layout: PairLayout, labelled: bool) -> Iterator[Pair]:
    import numpy as np

    for number, item in enumerate(iter_jsonl(source, ["input", "output"] if labelled else ["input"]), start=1):
        given, output = item["input"], item.get("output")
        where = f"{name_of(source)}, object {number}"
        if isinstance(given, list) and given and isinstance(given[0], list):
            try:
                given = np.array(given, dtype=np.float64)
            except (TypeError, ValueError):
                given = None
        elif not (isinstance(given, str) or (isinstance(given, list) and all(isinstance(t, str) for t in given))):
            given = None
        if given is None or len(given) == 0:
            raise InputError(f'{where}: "input" is no string, list of strings or list of lists of numbers; mend it.')
        tokens = isinstance(output, list) and all(isinstance(token, str) for token in output)
        if labelled and (not output or not (isinstance(output, str) or tokens)):
            raise InputError(f'{where}: "output" is {str(output)[:40]!r}; give a string or a list of strings.')
        yield Pair(layout.read(given), layout.read(output), item)


def load_regressor(path: Path) -> tuple[StringRegressor, Units, FileFormat | None]:
    """Load a regressor, what its sequences are made of, and the format it was trained on."""
    return load_with_layout(path, "StringRegressor")
