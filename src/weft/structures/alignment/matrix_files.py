"""Substitution matrices in the text form of NCBI, which BLAST, Biopython and parasail read: in and out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from weft.arrays import Floats
from weft.errors import InputError
from weft.sequences.formats.text import Source, name_of, read_lines

BIT_UNITS = re.compile(r"\b1/(\d+)\s*bit\s+units?\b", re.IGNORECASE)
SCALE = re.compile(r"\bscale\s*=\s*(?:ln\(2\)/(\d+)|([0-9.eE+-]+))")
GAPS = re.compile(r"\bgap open (-?[0-9.]+), extend (-?[0-9.]+)")
AMBIGUOUS = frozenset("BZXJ*")
"""Letters that stand for several, or for a stop."""


class MatrixText(NamedTuple):
    """What a file says: symbols, scores and, in comments, the unit and the scores of gaps."""

    alphabet: tuple[str, ...]
    values: Floats
    scale: float | None
    gaps: tuple[float, float] | None


def read_matrix(source: Source) -> MatrixText:
    r"""Read a symmetric matrix.

    Comments begin with ``#``; those of NCBI say in which unit the scores are. The first line after them names the
    columns, each further one begins with the name of its row, and rows come in the order of the columns.

    Examples
    --------
    >>> import io
    >>> read_matrix(io.StringIO("# in 1/2 Bit Units\n   A  C\nA  4  0\nC  0  9\n")).values
    array([[4., 0.],
           [0., 9.]])
    """
    name = name_of(source)
    columns: list[str] = []
    rows: list[list[float]] = []
    lines: list[int] = []
    scale, gaps = None, None
    number = 0
    for number, line in read_lines(source):
        text = line.strip()
        if text.startswith("#"):
            scale, gaps = _unit(text) or scale, _gaps(text) or gaps
        elif text and not columns:
            columns = _columns(text.split(), f"{name}, line {number}")
        elif text:
            rows.append(_row(text.split(), columns, len(rows), f"{name}, line {number}"))
            lines.append(number)
    if len(rows) < max(len(columns), 1):
        wanted = f"{columns[len(rows)]!r}" if columns else "a line with the names of the columns"
        raise InputError(f"{name}, line {number + 1}: the file ends, but the row of {wanted} is needed; add it")
    values = np.array(rows)
    for i, j in np.argwhere(values != values.T)[:1].tolist():
        raise InputError(
            f"{name}, line {lines[i]}: {columns[i]} and {columns[j]} score {values[i, j]:g}, but {columns[j]} and "
            f"{columns[i]} {values[j, i]:g}; the same is needed both ways: correct one of them"
        )
    return MatrixText(tuple(columns), values, scale, gaps)


def _unit(comment: str) -> float | None:
    """How much of a natural logarithm a score of 1 is."""
    bits, scale = BIT_UNITS.search(comment), SCALE.search(comment)
    parts = bits[1] if bits else scale[1] if scale else None
    if parts is not None and 0.0 < float(parts) < np.inf:  # any number of digits can stand there
        return float(np.log(2.0)) / float(parts)
    try:
        value = float(scale[2]) if scale and scale[2] else 0.0
    except ValueError:
        return None
    return value if 0.0 < value < np.inf else None


def _gaps(comment: str) -> tuple[float, float] | None:
    found = GAPS.search(comment)
    try:
        return (float(found[1]), float(found[2])) if found else None
    except ValueError:
        return None


def _columns(fields: list[str], where: str) -> list[str]:
    for place, field in enumerate(fields):
        if len(field) != 1 or field == "-":
            raise InputError(
                f"{where}: column {place + 1} is {field[:20]!r}; one letter is needed for each: is the line with the "
                "names of the columns missing, or the gap among them?"
            )
        if field in fields[:place]:
            raise InputError(f"{where}: the column {field!r} comes twice; each symbol once is needed: drop one")
    return fields


def _row(fields: list[str], columns: list[str], place: int, where: str) -> list[float]:
    if place >= len(columns):
        raise InputError(f"{where}: {fields[0][:20]!r} is row {place + 1} of {len(columns)} symbols; drop it")
    if fields[0] != columns[place]:
        raise InputError(
            f"{where}: the row of {fields[0][:20]!r} given; that of {columns[place]!r} is needed, in the order of the "
            "columns: sort the rows"
        )
    if len(fields) != len(columns) + 1:
        raise InputError(
            f"{where}: {len(fields) - 1} scores given for {fields[0]!r}; {len(columns)} are needed, one for each column"
        )
    scores = []
    for column, field in zip(columns, fields[1:], strict=True):
        try:
            score = float(field)
        except ValueError:
            score = np.nan
        if not abs(score) < 1e6:
            raise InputError(
                f"{where}: the score of {fields[0]!r} and {column!r} is {field[:20]!r}; a number is needed"
            )
        scores.append(score)
    return scores


def written_matrix(alphabet: Sequence[Any], values: Floats, decimals: int) -> str:
    """The lines after the comments."""
    names = [str(symbol) for symbol in alphabet]
    if any(len(name) != 1 or name.isspace() or name == "#" for name in names):
        raise InputError(f"the text form has one letter per symbol, but the alphabet is {names!r}; use to_dict().")
    whole = bool((values == np.round(values)).all())
    cells = [[f"{value:.0f}" if whole else f"{value:.{decimals}f}" for value in row] for row in values]
    width = max(3, *(len(cell) for row in cells for cell in row)) + 1
    lines = ["".join([" ", *(f"{name:>{width}}" for name in names)])]
    lines += [name + "".join(f"{cell:>{width}}" for cell in row) for name, row in zip(names, cells, strict=True)]
    return "\n".join(lines)
