"""bpseq files: number, letter and partner (0 for none) of each base; comments begin with #."""

from __future__ import annotations

from collections.abc import Iterator

from weft.errors import InputError
from weft.sequences.formats.dotbracket import FoldedSequence
from weft.sequences.formats.partners import folded
from weft.sequences.formats.text import Source, name_of, read_lines

__all__ = ["iter_bpseq", "read_bpseq"]


def iter_bpseq(source: Source) -> Iterator[FoldedSequence]:
    r"""Yield the structures of a bpseq file; one begins at each base number 1, named by the comment before it.

    Parameters
    ----------
    source : path, "-" for standard input, or an open stream

    Yields
    ------
    FoldedSequence

    Examples
    --------
    >>> import io
    >>> list(iter_bpseq(io.StringIO("# tRNA\n1 G 3\n2 A 0\n3 C 1\n")))
    [FoldedSequence(name='tRNA', sequence='GAC', structure='(.)', energy=None)]
    """
    name, next_name = "", ""
    rows: list[tuple[int, str, int]] = []
    for number, line in read_lines(source):
        fields = line.split()
        if not fields:
            continue
        if fields[0].startswith("#") or line.startswith(("Filename:", "Organism:", "Accession", "Citation")):
            next_name = line.strip("# \t").removeprefix("Filename:").strip()
            continue
        where = f"{name_of(source)}, line {number}"
        if fields[0] == "1" and rows:
            yield folded(name, rows, name_of(source))
            rows = []
        if not rows:
            name, next_name = next_name, ""
        right = len(fields) == 3 and fields[0] == str(len(rows) + 1) and len(fields[1]) == 1
        if not right or not (fields[2].isascii() and fields[2].isdigit() and len(fields[2]) <= 9):
            raise InputError(
                f"{where}: {line.strip()[:30]!r}, needed base {len(rows) + 1} as number, letter and partner (0 for "
                "none); fix the line"
            )
        rows.append((number, fields[1], int(fields[2])))
    if rows:
        yield folded(name, rows, name_of(source))


def read_bpseq(source: Source) -> list[FoldedSequence]:
    r"""All structures of a bpseq file.

    Parameters
    ----------
    source : path, "-" for standard input, or an open stream

    Returns
    -------
    list of FoldedSequence

    Examples
    --------
    >>> import io
    >>> read_bpseq(io.StringIO("1 G 0\n"))[0].sequence
    'G'
    """
    return list(iter_bpseq(source))
