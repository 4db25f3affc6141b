"""Stockholm files: alignments of many sequences, and a structure that they share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft.errors import InputError
from weft.sequences.formats.text import Source, name_of, read_lines

if TYPE_CHECKING:
    from weft.sequences.formats.dotbracket import FoldedSequence

__all__ = ["StockholmAlignment", "iter_stockholm", "read_stockholm_structures"]

GAPS = "-._~"
OPENING = dict(zip(")>]}", "(<[{", strict=True))


@dataclass(frozen=True)
class StockholmAlignment:
    """One alignment.

    Attributes
    ----------
    rows : dict of str to str
        Sequences with their gaps, by name.
    structure : str or None
        What ``#=GC SS_cons`` says of each column, in WUSS notation.
    line : int
        Where it ends in its file.
    """

    rows: dict[str, str]
    structure: str | None
    line: int


def iter_stockholm(source: Source) -> Iterator[StockholmAlignment]:
    r"""Yield the alignments of a Stockholm file; long rows may come in blocks.

    Parameters
    ----------
    source : path, "-" for standard input, or an open stream

    Yields
    ------
    StockholmAlignment

    Examples
    --------
    >>> import io
    >>> text = "# STOCKHOLM 1.0\na GAAC\nb G-AC\n#=GC SS_cons <..>\n//\n"
    >>> next(iter_stockholm(io.StringIO(text))).structure
    '<..>'
    """
    rows: dict[str, str] = {}
    structure = ""
    block: set[str] = set()
    begun = is_first = False
    number = 0
    for number, line in read_lines(source):
        where = f"{name_of(source)}, line {number}"
        if line.startswith("# STOCKHOLM"):
            begun = is_first = True
        elif not line.strip():  # long rows come in blocks, with blank lines between them
            is_first = is_first and not block
            block = set()
        elif line.startswith("#"):
            fields = line.split()
            if fields[:2] == ["#=GC", "SS_cons"] and len(fields) == 3:
                structure += fields[2]
        elif not begun:
            raise InputError(f"{where}: {line[:30]!r} before the line '# STOCKHOLM 1.0'; give a Stockholm file")
        elif line.strip() == "//":
            yield StockholmAlignment(rows, structure or None, number)
            rows, block, begun, structure = {}, set(), False, ""
        else:
            fields = line.split()
            if len(fields) != 2:
                raise InputError(f"{where}: {len(fields)} field(s); a name and a row are needed")
            name, row = fields
            if name in block or not (is_first or name in rows):
                what = "comes twice; give each row a name of its own" if name in block else "is not in the first block"
                raise InputError(f"{where}: the name {name[:40]!r} {what}; fix the line")
            block.add(name)
            rows[name] = rows.get(name, "") + row
    if begun or rows:
        raise InputError(
            f"{name_of(source)}, line {number}: the file ends within an alignment of {len(rows)} rows, needed '//' "
            "after it; it may be cut short: fetch it again, or add the line"
        )


def read_stockholm_structures(source: Source) -> list[FoldedSequence]:
    r"""Each sequence of each alignment with the structure that all of them share.

    Gaps are dropped, and so are pairs of which one side is a gap. Letters of WUSS notation, which mark pseudoknots, and
    all marks for unpaired columns become dots.

    Parameters
    ----------
    source : path, "-" for standard input, or an open stream

    Returns
    -------
    list of FoldedSequence

    Examples
    --------
    >>> import io
    >>> text = "# STOCKHOLM 1.0\na GAAC\nb G-A-\n#=GC SS_cons <..>\n//\n"
    >>> [(record.sequence, record.structure) for record in read_stockholm_structures(io.StringIO(text))]
    [('GAAC', '(..)'), ('GA', '..')]
    """
    from weft.sequences.formats.dotbracket import FoldedSequence  # whoever aligns has no use for it

    found = []
    for alignment in iter_stockholm(source):
        where = f"{name_of(source)}, line {alignment.line}"
        if alignment.structure is None:
            raise InputError(f"{where}: the alignment has no line #=GC SS_cons; give one with a structure")
        pairs = _pairs(alignment.structure, where)
        for name, row in alignment.rows.items():
            if len(row) != len(alignment.structure):
                raise InputError(
                    f"{where}: {name[:40]} has {len(row)} columns and SS_cons {len(alignment.structure)}; as many are "
                    "needed: fix the file"
                )
            marks = ["."] * len(row)
            for left, right in pairs:
                if row[left] not in GAPS and row[right] not in GAPS:
                    marks[left], marks[right] = "()"
            kept = [place for place, letter in enumerate(row) if letter not in GAPS]
            if not kept:
                raise InputError(f"{where}: {name[:40]} is all gaps; drop the row")
            found.append(FoldedSequence(name, "".join(row[i] for i in kept), "".join(marks[i] for i in kept)))
    return found


def _pairs(structure: str, where: str) -> list[tuple[int, int]]:
    """Columns that pair: brackets of any kind, each with the last open one."""
    waiting: list[tuple[str, int]] = []
    pairs = []
    for place, mark in enumerate(structure):
        if mark in OPENING.values():
            waiting.append((mark, place))
        elif mark in OPENING:
            if not waiting or waiting[-1][0] != OPENING[mark]:
                raise InputError(
                    f"{where}: {mark!r} in column {place + 1} of SS_cons closes nothing; balance the brackets"
                )
            pairs.append((waiting.pop()[1], place))
    if waiting:
        raise InputError(
            f"{where}: {waiting[-1][0]!r} in column {waiting[-1][1] + 1} of SS_cons is never closed; balance them"
        )
    return pairs
