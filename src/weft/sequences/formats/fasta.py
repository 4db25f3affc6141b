"""FASTA: a header line that starts with ``>``, then the sequence on one or more lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from weft.errors import InputError
from weft.sequences.formats.text import FASTQ, Source, Target, name_of, read_lines, write_lines

__all__ = ["FastaRecord", "iter_fasta", "numbered_records", "read_fasta", "write_fasta"]

BLANKS = " \t"


class FastaRecord(NamedTuple):
    """One sequence and its header line (without ``>`` and outer blanks)."""

    name: str
    sequence: str


def iter_fasta(source: Source) -> Iterator[FastaRecord]:
    r"""Yield the records of a FASTA file. Case is kept; blanks within sequences are dropped.

    Parameters
    ----------
    source : path, "-" for standard input, or an open stream

    Yields
    ------
    FastaRecord

    Examples
    --------
    >>> import io
    >>> list(iter_fasta(io.StringIO(">s1 a test\nACgu\nAC\n")))
    [FastaRecord(name='s1 a test', sequence='ACguAC')]
    """
    return (record for _, record in numbered_records(source))


def numbered_records(source: Source) -> Iterator[tuple[int, FastaRecord]]:
    """The records of a FASTA file, each with the line of its header."""
    name: str | None = None
    started = 0
    parts: list[str] = []
    for number, line in read_lines(source):
        line = line.strip(BLANKS)
        if line.startswith(">"):
            if name is not None:
                yield started, _record(name, parts, name_of(source), started)
            name, started, parts = line[1:].strip(BLANKS), number, []
        elif line:
            if name is None:
                wrong = FASTQ if line.startswith("@") else f"{line[:30]!r} before any header; start with a line >name"
                raise InputError(f"{name_of(source)}, line {number}: {wrong}")
            parts.append(line.replace(" ", "").replace("\t", ""))
    if name is not None:
        yield started, _record(name, parts, name_of(source), started)


def _record(name: str, parts: list[str], file: str, number: int) -> FastaRecord:
    if not parts:
        raise InputError(f"{file}, line {number}: header >{name} has no sequence; add it or drop the header")
    return FastaRecord(name, "".join(parts))


def read_fasta(source: Source) -> list[FastaRecord]:
    r"""All records of a FASTA file.

    Parameters
    ----------
    source : path, "-" for standard input, or an open stream

    Returns
    -------
    list of FastaRecord

    Examples
    --------
    >>> import io
    >>> [record.sequence for record in read_fasta(io.StringIO(">a\nAC\n>b\nGU\n"))]
    ['AC', 'GU']
    """
    return list(iter_fasta(source))


def write_fasta(records: Iterable[tuple[str, str]], target: Target, width: int = 60) -> None:
    """Write names and sequences as FASTA.

    Parameters
    ----------
    records : iterable of (name, sequence)
    target : path, "-" for standard output, or an open text stream
    width : int
        Characters per line; 0 keeps each sequence on one line.

    Examples
    --------
    >>> write_fasta([("s1", "ACGUACGU")], "-", width=5)
    >s1
    ACGUA
    CGU
    """
    if width < 0:
        raise InputError(f"width={width}; give the characters per line, or 0 for no wrapping")
    write_lines(_format(records, width, name_of(target)), target)


def _format(records: Iterable[tuple[str, str]], width: int, file: str) -> Iterator[str]:
    for index, (name, sequence) in enumerate(records):
        if not sequence or any(mark in sequence for mark in " \t>"):
            raise InputError(
                f"{file}, record {index} to write: sequence {sequence[:30]!r} is empty or contains "
                f"a blank or '>'; remove them"
            )
        yield ">" + name.strip(BLANKS)
        step = width or len(sequence)
        for start in range(0, len(sequence), step):
            yield sequence[start : start + step]
