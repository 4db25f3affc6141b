"""Rows of tab-separated and comma-separated tables, with the columns that a header or the user names."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence

from weft.errors import InputError
from weft.sequences.formats.text import INPUT_NAMES, OTHER_NAMES, Source, has_header, name_of, read_lines

__all__ = ["iter_rows", "numbered_columns", "parse_columns"]

NOT_ANSWERS = frozenset({"name", "id"})
"""Columns beside the examples."""
ROLES = (INPUT_NAMES, OTHER_NAMES - NOT_ANSWERS)
"""Names that a header has for what comes in, and for what is to come out."""


def parse_columns(text: str | None) -> tuple[str, ...] | None:
    """Names or numbers of columns as users write them, with commas between.

    Examples
    --------
    >>> parse_columns("text, label"), parse_columns("3,1")
    (('text', 'label'), ('3', '1'))
    """
    if text is None:
        return None
    names = tuple(name.strip() for name in text.split(","))
    if not all(names) or len(set(names)) < len(names):
        raise InputError(
            f"columns {text!r} given; need different names of the header, or numbers from 1, with commas between: "
            "text,label"
        )
    return names


def iter_rows(
    source: Source,
    *,
    comma: bool = False,
    columns: Sequence[str] | None = None,
    n_needed: int = 1,
) -> Iterator[tuple[int, list[str]]]:
    r"""Yield line number and fields of each row; blank lines are skipped.

    The first line of a file is a header if it has the names of `columns`, or nothing but names that are usual for
    columns: inputs such as ``text``, ``word``, ``tokens``, ``sequence`` and answers such as ``label``, ``tags``,
    ``structure``. Then the input comes first, and the answer after it, whatever their order in the file; without a
    header the fields stay as they are.

    Parameters
    ----------
    source : path, "-" for standard input, or an open stream
    comma : bool
        Fields are separated by commas (by semicolons if the first line has those alone) and may stand in quotes, with
        line ends within them; otherwise by tabs, without quotes.
    columns : sequence of str, optional
        Names of the columns, or their numbers from 1, in the order in which they are wanted.
    n_needed : int
        How many of these columns a file must have; later ones may be missing.

    Yields
    ------
    (int, list of str)

    Examples
    --------
    >>> import io
    >>> list(iter_rows(io.StringIO('label,text\nham,"hello, you"\n'), comma=True))
    [(2, ['hello, you', 'ham'])]
    >>> list(iter_rows(io.StringIO("x\t1\tto be\n"), columns=["3", "1"]))
    [(1, ['to be', 'x'])]
    """
    places: list[int] | None = None
    width = before = 0
    for number, fields in _quoted(source) if comma else _tabbed(source):
        where = f"{name_of(source)}, line {number}"
        if number <= before or not before:  # a file begins
            found = _header(fields, columns, n_needed, where)
            before = number
            if found is not None:
                places, width = found, len(fields)
                continue
            places, width = numbered_columns(columns), len(fields)
        before = number
        if places is None:
            yield number, fields
            continue
        if len(fields) < (width if width and not numbered_columns(columns) else max(places) + 1):
            raise InputError(f"{where}: {len(fields)} column(s), needed {max(width, max(places) + 1)}; fix the line")
        yield number, [fields[place] for place in places]


def numbered_columns(columns: Sequence[str] | None) -> list[int] | None:
    """Places from 0 of columns that are numbers from 1; None if there are names among them, or none are given.

    Examples
    --------
    >>> numbered_columns(["3", "1"]), numbered_columns(["text", "1"])
    ([2, 0], None)
    """
    if columns is None or not all(name.isascii() and name.isdigit() and 0 < int(name[:6]) < 10_000 for name in columns):
        return None
    return [int(name) - 1 for name in columns]


def _header(fields: list[str], columns: Sequence[str] | None, n_needed: int, where: str) -> list[int] | None:
    """Places of the wanted columns if this is a header."""
    names = [field.strip().lower() for field in fields]
    if columns is not None and numbered_columns(columns) is None:
        wanted = [name.lower() for name in columns]
        for name in wanted[:n_needed]:
            if name not in names:
                shown = ", ".join(map(repr, fields))
                raise InputError(f"{where}: columns {shown[:200]}, needed {name!r}; name those that are there")
        for name in wanted:
            if names.count(name) > 1:
                raise InputError(f"{where}: column {name!r} comes twice; rename one")
        return [names.index(name) for name in wanted if name in names]
    if not has_header(fields):
        return None
    if columns is not None:
        return numbered_columns(columns)
    places = []
    for role in ROLES:
        found = next((place for place, name in enumerate(names) if name in role), None)
        if found is not None:
            places.append(found)
    return places


def _tabbed(source: Source) -> Iterator[tuple[int, list[str]]]:
    for number, line in read_lines(source):
        if line.strip():
            yield number, line.split("\t")


def _quoted(source: Source) -> Iterator[tuple[int, list[str]]]:
    first = last = 0
    separator = ""

    def feed() -> Iterator[str]:
        nonlocal first, last, separator
        for number, line in read_lines(source):
            if not separator and line.strip():
                separator = ";" if ";" in line and "," not in line else ","
            first, last = first or number, number
            yield f"{line}\n"

    lines = feed()
    begin = next(lines, None)
    if begin is None:
        return

    def again() -> Iterator[str]:
        yield begin
        yield from lines

    rows = csv.reader(again(), delimiter=separator or ",", strict=True)
    while True:
        try:
            fields = next(rows, None)
        except csv.Error as error:
            raise InputError(
                f"{name_of(source)}, line {first}: not comma-separated text ({error}); close quotes, and double those "
                "inside a field"
            ) from error
        if fields is None:
            return
        if any(field.strip() for field in fields):
            yield first, fields
        first = 0
