"""Rows of tab-separated and comma-separated tables, with the columns that a header or the user names."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from weft.errors import InputError
from weft.sequences.formats.text import INPUT_NAMES, OTHER_NAMES, Source, has_header, name_of, read_lines

__all__ = [
    "RowGroup",
    "grouped_rows",
    "iter_groups",
    "iter_rows",
    "joined_row",
    "numbered_columns",
    "parse_columns",
    "split_rows",
]

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
    for number, fields in split_rows(source, comma):
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


class RowGroup(NamedTuple):
    """Rows of a table that belong together, such as the tokens of a sentence.

    Attributes
    ----------
    line : int
        Of the first row.
    header : list of str or None
    places : list of int
        Where the wanted columns are.
    rows : list of lists of str
        With all columns.
    """

    line: int
    header: list[str] | None
    places: list[int]
    rows: list[list[str]]


def iter_groups(
    source: Source,
    group: str,
    *,
    comma: bool = False,
    columns: Sequence[str] | None = None,
    n_needed: int | None = None,
) -> Iterator[RowGroup]:
    r"""Yield the rows of a table with a token a row, those of one sequence together.

    One column says which sequence a row is of: it has the same text in all rows of a sequence, or text in the first of
    them alone. Rows of a sequence stand together.

    Parameters
    ----------
    source : path, "-" for standard input, or an open stream
    group : str
        Name of that column, or its number from 1.
    comma : bool
        As in `iter_rows`.
    columns : sequence of str, optional
        Names of the wanted columns, or numbers from 1 if `group` is one; all but `group` if None.
    n_needed : int, optional
        How many of `columns` a file must have; later ones may be missing. All if None.

    Yields
    ------
    RowGroup

    Examples
    --------
    >>> import io
    >>> text = "Sentence #,Word,Tag\nSentence: 1,Rain,N\n,fell,V\nSentence: 2,It,P\n"
    >>> [found.rows for found in iter_groups(io.StringIO(text), "Sentence #", comma=True, columns=["Word", "Tag"])]
    [[['Sentence: 1', 'Rain', 'N'], ['', 'fell', 'V']], [['Sentence: 2', 'It', 'P']]]
    """
    return grouped_rows(split_rows(source, comma), lambda: name_of(source), group, columns, n_needed)


def grouped_rows(
    rows: Iterable[tuple[int, list[str]]],
    name: Callable[[], str],
    group: str,
    columns: Sequence[str] | None,
    n_needed: int | None,
) -> Iterator[RowGroup]:
    """As `iter_groups`, of rows that have been split; `name` says what to call the file that is being read."""
    header: list[str] | None = None
    found: RowGroup | None = None
    seen: set[str] = set()
    before, places = 0, [0]
    for number, fields in rows:
        where = f"{name()}, line {number}"
        if number <= before or not before:  # a file begins
            if found is not None:
                yield found
            found, seen, before = None, set(), number
            header, places = _group_places(fields, group, columns, n_needed, where)
            if header is not None:
                continue
        before = number
        if len(fields) <= max(places) or (header is not None and len(fields) != len(header)):
            wanted = max(places) + 1 if header is None else len(header)
            raise InputError(f"{where}: {len(fields)} column(s), needed {wanted}; fix the line")
        own = fields[places[0]].strip()
        if found is None or own not in ("", found.rows[0][places[0]].strip()):
            if found is not None:
                if header is None and len(seen) == 1:
                    _refuse_names(found, places[0], own, name())
                yield found
            if not own or own in seen:
                reason = f"{own[:40]!r}, which came before others" if own else "empty on the first row"
                raise InputError(
                    f"{where}: column {group!r} is {reason}; rows of a sequence stand together, the first of them with "
                    f"its name: sort the table by {group!r}, in a way that keeps the order of equal ones"
                )
            seen.add(own)
            found = RowGroup(number, header, places[1:], [])
        found.rows.append(fields)
    if found is not None:
        yield found


def _refuse_names(first: RowGroup, place: int, second: str, name: str) -> None:
    """Refuse a first row that stands alone and has no number where the next group has one: it names the columns."""
    row = first.rows[0]
    if len(first.rows) > 1 or any(map(str.isdigit, row[place])) or not any(map(str.isdigit, second)):
        return
    shown = ", ".join(map(repr, row))[:200]
    raise InputError(
        f"{name}, line {first.line}: {shown} look like names of columns, and columns are given by numbers; give their "
        f"names instead, such as --group {row[place].strip()!r}, delete the line, or move it down if it is a token"
    )


def _group_places(
    fields: list[str], group: str, columns: Sequence[str] | None, n_needed: int | None, where: str
) -> tuple[list[str] | None, list[int]]:
    """The first row if it is a header; places of the group and of the wanted columns, later ones perhaps missing."""
    names = [group, *(columns or [])]
    least = len(names) if n_needed is None else 1 + n_needed
    named = _header(fields, names, least, where)
    places = numbered_columns(names) if named is None else named
    assert places is not None, "names need a header"
    places = [place for k, place in enumerate(places) if place < len(fields) or k < least]
    if columns is None:
        places += [place for place in range(len(fields)) if place != places[0]]
    return (None if named is None else fields), places


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
        for name, given in zip(wanted[:n_needed], columns, strict=False):
            if name not in names:
                shown = ", ".join(repr(field[:40]) for field in fields)[:200]
                if has_header(fields) or any(each in names for each in wanted):
                    raise InputError(f"{where}: no column {given!r}; the columns are {shown}: name one of them")
                numbers = ",".join(map(str, range(1, len(columns) + 1)))
                raise InputError(
                    f"{where}: no header with {given!r}, for the line is {shown}; without a header give numbers of "
                    f"columns instead of names, such as {numbers}; if these are names, name one of them"
                )
        for name in wanted:
            if names.count(name) > 1:
                raise InputError(f"{where}: column {name!r} comes twice; rename one")
        return [names.index(name) for name in wanted if name in names]
    if not has_header(fields):
        return None
    if columns is not None:
        return numbered_columns(columns)
    if {"lemma", "form"} <= set(names):  # either may be what comes in
        tags = " or, with tags, --columns lemma,form,tags --tags third" if len(names) > 2 else ""
        raise InputError(f"{where}: which of 'lemma' and 'form' is the input? say --columns lemma,form{tags}")
    places = []
    for role in ROLES:
        found = next((place for place, name in enumerate(names) if name in role), None)
        if found is not None:
            places.append(found)
    return places


def joined_row(fields: Sequence[str], comma: bool) -> str:
    """A row of a table as text, fields of comma-separated ones in quotes where needed.

    Examples
    --------
    >>> joined_row(["a, b", "c"], comma=True)
    '"a, b",c'
    """
    if not comma:
        return "\t".join(fields)
    line = io.StringIO()
    csv.writer(line, lineterminator="\r\n").writerow(fields)  # which has the fields quoted that have such an end
    return line.getvalue()[:-2]


def split_rows(source: Source, comma: bool = False) -> Iterator[tuple[int, list[str]]]:
    """Line number and fields of each row that is not blank, the header among them."""
    return _quoted(source) if comma else _tabbed(source)


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
