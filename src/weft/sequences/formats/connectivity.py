"""CT files (connectivity tables): a line with the length and a name, then six columns for each base."""

from __future__ import annotations

import re
from collections.abc import Iterator

from weft.errors import InputError
from weft.sequences.formats.dotbracket import FoldedSequence
from weft.sequences.formats.partners import folded
from weft.sequences.formats.text import Source, name_of, read_lines

__all__ = ["iter_ct", "read_ct"]

ENERGY = re.compile(r"\b(?:d?G|ENERGY)\s*=\s*(-?\d+(?:\.\d+)?)", re.IGNORECASE)


def iter_ct(source: Source) -> Iterator[FoldedSequence]:
    r"""Yield the structures of a CT file: number, letter, number before, number after, partner (0 for none), number.

    Parameters
    ----------
    source : path, "-" for standard input, or an open stream

    Yields
    ------
    FoldedSequence

    Examples
    --------
    >>> import io
    >>> text = "3 dG = -0.5 x\n1 G 0 2 3 1\n2 A 1 3 0 2\n3 C 2 0 1 3\n"
    >>> list(iter_ct(io.StringIO(text)))
    [FoldedSequence(name='x', sequence='GAC', structure='(.)', energy=-0.5)]
    """
    wanted, name, energy = 0, "", None
    rows: list[tuple[int, str, int]] = []
    number = 0
    for number, line in read_lines(source):
        fields = line.split()
        if not fields or line.startswith("#"):
            continue
        where = f"{name_of(source)}, line {number}"
        if len(rows) == wanted:  # a new structure begins
            if not (_is_number(fields[0]) and int(fields[0]) > 0):
                raise InputError(f"{where}: {line[:30]!r}, needed the number of bases and a name; give a CT file")
            wanted, rows = int(fields[0]), []
            title = line.strip()[len(fields[0]) :]
            found = ENERGY.search(title)
            energy = None if found is None else float(found[1])
            name = " ".join(ENERGY.sub("", title).split())
            continue
        if len(fields) < 6 or fields[0] != str(len(rows) + 1) or not _is_number(fields[4]) or len(fields[1]) != 1:
            raise InputError(
                f"{where}: {line.strip()[:30]!r}, needed base {len(rows) + 1} of {wanted} in six columns: number, "
                "letter, number before, number after, partner, number; fix the line"
            )
        rows.append((number, fields[1], int(fields[4])))
        if len(rows) == wanted:
            yield folded(name, rows, name_of(source))._replace(energy=energy)
    if len(rows) < wanted:
        raise InputError(
            f"{name_of(source)}, line {number}: the file ends after {len(rows)} of {wanted} bases; fetch it again"
        )


def _is_number(field: str) -> bool:
    return field.isascii() and field.isdigit() and len(field) <= 9


def read_ct(source: Source) -> list[FoldedSequence]:
    r"""All structures of a CT file.

    Parameters
    ----------
    source : path, "-" for standard input, or an open stream

    Returns
    -------
    list of FoldedSequence

    Examples
    --------
    >>> import io
    >>> read_ct(io.StringIO("1 x\n1 G 0 0 0 1\n"))[0].structure
    '.'
    """
    return list(iter_ct(source))
