"""Tables with a token a row, in which a column says of which sequence it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from weft.errors import InputError
from weft.kinds.tag.files import Example, Layout, as_tokens, doubt_columns, split_pair, usual_splits
from weft.sequences.formats.table import RowGroup, grouped_rows, iter_groups, joined_row, split_rows
from weft.sequences.formats.text import Source, name_of


class TableRows(NamedTuple):
    """Rows of a sequence as the table has them, and its header if there is one."""

    header: list[str] | None
    rows: list[list[str]]


def read_long_training(
    source: Source, comma: bool, group: str, columns: Sequence[str] | None
) -> tuple[list[Example], Layout, tuple[str, ...]]:
    """All sequences of a table with their labels, the layout to remember, and the columns that were read."""
    if columns is not None and group in columns:
        raise InputError(
            f"--group {group} is one of --columns {','.join(columns)}; give the columns of tokens and labels there."
        )
    found = list(iter_groups(source, group, comma=comma, columns=columns))
    if not found:
        raise InputError(f"{name_of(source)} holds no sequences; give a table with at least one.")
    if len(found[0].places) < 2:
        raise InputError(
            f"{name_of(source)} has {len(found[0].places)} column(s) beside {group!r}, needed at least 2: those of a "
            "token and, as the last one, its label."
        )
    examples = [_example(each, True, True, name_of(source)) for each in found]
    tokens = [[[row[place] for place in each.places[:-1]] for row in each.rows] for each in found]
    doubt_columns([row[0] for rows in tokens for row in rows], examples, name_of(source))
    splits = usual_splits([[row[0] for row in rows] for rows in tokens], examples)
    return examples, Layout("csv" if comma else "tsv", len(tokens[0][0]), *splits), _named(found[0], columns)


def _named(first: RowGroup, columns: Sequence[str] | None) -> tuple[str, ...]:
    """What the columns are called that were read, so that a model finds them again: by numbers without a header."""
    if columns is not None:
        return tuple(columns)
    names = [] if first.header is None else [first.header[place].strip() for place in first.places]
    if names and all(names) and len({name.lower() for name in first.header or []}) == len(first.header or []):
        return tuple(names)
    return tuple(str(place + 1) for place in first.places)


def iter_long(
    source: Source,
    comma: bool,
    group: str,
    layout: Layout,
    labelled: bool,
    columns: Sequence[str] | None = None,
    *,
    may_be_lines: bool = False,
) -> Iterator[Example]:
    r"""Sequences of a table with a token a row, for a model that was trained on `layout`.

    With `may_be_lines`, a table of one column has a sequence on each line, as of other models.

    Examples
    --------
    >>> import io
    >>> table = io.StringIO("id,word,tag\n1,Rain,N\n1,fell,V\n")
    >>> [example] = iter_long(table, True, "id", Layout("csv", columns=1), True, ["word", "tag"])
    >>> example.tokens, example.labels
    (['Rain', 'fell'], ['N', 'V'])
    """
    rows = split_rows(source, comma)
    first = next(rows, None)
    if first is None:
        return
    rows = chain([first], rows)
    if may_be_lines and len(first[1]) == 1:
        for number, fields in rows:
            yield split_pair(fields, layout, f"{name_of(source)}, line {number}", labelled, comma)
        return
    n_needed = None if columns is None or labelled else len(columns) - 1
    for found in grouped_rows(rows, lambda: name_of(source), group, columns, n_needed):
        width = len(found.places)
        n_tokens = layout.columns or (width - 1 if labelled else width)
        if width != n_tokens + 1 and (labelled or width != n_tokens):
            wanted = f"{n_tokens} as in training" + (" and the label's" if labelled else "")
            raise InputError(
                f"{name_of(source)}, line {found.line}: {width} column(s) beside {group!r}, needed {wanted}; name them "
                "with --columns, the label's last."
            )
        yield _example(found, width == n_tokens + 1, labelled, name_of(source))


def _example(found: RowGroup, has_labels: bool, labelled: bool, name: str) -> Example:
    """A sequence of the rows of a group; the last wanted column is the label's, filled if labels are needed."""
    rows = [[row[place] for place in found.places] for row in found.rows]
    n_tokens = len(found.places) - has_labels
    has_labels = has_labels and (labelled or all(row[-1].strip() for row in rows))
    for number, row in enumerate(rows, start=1):
        filled = row if has_labels else row[:n_tokens]
        if not all(map(str.strip, filled)):
            place = found.places[next(k for k, field in enumerate(filled) if not field.strip())]
            column = str(place + 1) if found.header is None else found.header[place]
            is_label = has_labels and not row[-1].strip() and all(map(str.strip, row[:n_tokens]))
            cure = "give each token a label, or drop the sequence" if is_label else "fill it with _"
            raise InputError(
                f"{name}, line {found.line}: column {column!r} is empty in row {number} of the sequence that begins "
                f"here; {cure}"
            )
    tokens = as_tokens([row[:n_tokens] for row in rows])
    labels = [row[-1] for row in rows] if has_labels else None
    return Example(tokens, labels, TableRows(found.header, found.rows), line=found.line)


def table_lines(
    table: TableRows, columns: Sequence[Sequence[str]], names: Sequence[str], comma: bool, *, with_header: bool
) -> Iterator[str]:
    """Rows of a sequence with more columns, after the header if there is one and it is asked for.

    Examples
    --------
    >>> list(table_lines(TableRows(["id", "word"], [["1", "a,b"]]), [["N"]], ["predicted"], True, with_header=True))
    ['id,word,predicted', '1,"a,b",N']
    """
    if with_header and table.header is not None:
        yield joined_row([*table.header, *(_new(name, table.header) for name in names)], comma)
    for row, *more in zip(table.rows, *columns, strict=True):
        yield joined_row([*row, *more], comma)


def _new(name: str, header: Sequence[str]) -> str:
    """A name that the header does not have."""
    while name in header:
        name += "_"
    return name
