"""FASTQ: four lines a read, ``@name``, the sequence, ``+`` and a mark for the quality of each letter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from weft.errors import InputError
from weft.sequences.formats.text import Source, name_of, read_lines

__all__ = ["FastqRecord", "iter_fastq", "read_fastq"]


class FastqRecord(NamedTuple):
    """One read: its name (without ``@``), its sequence and the marks of quality."""

    name: str
    sequence: str
    quality: str


def iter_fastq(source: Source) -> Iterator[FastqRecord]:
    r"""Yield the reads of a FASTQ file of four lines each; blank lines between reads are skipped.

    Parameters
    ----------
    source : path, "-" for standard input, or an open stream

    Yields
    ------
    FastqRecord

    Examples
    --------
    >>> import io
    >>> list(iter_fastq(io.StringIO("@r1\nACGT\n+\nIIII\n")))
    [FastqRecord(name='r1', sequence='ACGT', quality='IIII')]
    """
    record: list[str] = []
    number = 0
    for number, line in read_lines(source, fastq=True):
        line = line.rstrip(" \t")
        if not line and not record:
            continue
        record.append(line)
        where = f"{name_of(source)}, line {number}"
        if len(record) == 1 and not line.startswith("@"):
            raise InputError(f"{where}: {line[:30]!r}, needed a name that begins with @; give four lines a read")
        if len(record) == 2 and (not line or " " in line or "\t" in line):
            raise InputError(f"{where}: {line[:30]!r}, needed the sequence of {record[0][:30]} on one line; fix it")
        if len(record) == 3 and line not in ("+", f"+{record[0][1:]}"):
            raise InputError(f"{where}: {line[:30]!r}, needed + alone or with the name; give four lines a read")
        if len(record) == 4:
            name, sequence, _, quality = record
            if len(quality) != len(sequence):
                raise InputError(
                    f"{where}: {len(quality)} marks of quality for {len(sequence)} letters; give one for each"
                )
            yield FastqRecord(name[1:].strip(), sequence, quality)
            record = []
    if record:
        raise InputError(
            f"{name_of(source)}, line {number}: the file ends within {record[0][:30]}, after {len(record)} of its 4 "
            "lines; fetch it again"
        )


def read_fastq(source: Source) -> list[FastqRecord]:
    r"""All reads of a FASTQ file.

    Parameters
    ----------
    source : path, "-" for standard input, or an open stream

    Returns
    -------
    list of FastqRecord

    Examples
    --------
    >>> import io
    >>> [read.sequence for read in read_fastq(io.StringIO("@a\nAC\n+a\nII\n"))]
    ['AC']
    """
    return list(iter_fastq(source))
