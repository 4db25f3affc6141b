"""RNA in files, with or without structures: dot-bracket, tab-separated, FASTA, or a sequence on each line."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from weft.errors import InputError
from weft.sequences.formats.dotbracket import base_pairs, iter_dot_bracket
from weft.sequences.formats.fasta import iter_fasta
from weft.sequences.formats.text import FASTQ, Source, name_of, read_lines, refuse_header

__all__ = ["RNA", "SUFFIXES", "FoldFormat", "iter_rna"]


FoldFormat = StrEnum("FoldFormat", ["DOTBRACKET", "TSV", "FASTA", "LINES"])
"""Formats of RNA."""

SUFFIXES = {
    **dict.fromkeys((".dbn", ".db", ".dot", ".dotbracket"), FoldFormat.DOTBRACKET),
    **dict.fromkeys((".tsv", ".tab"), FoldFormat.TSV),
    **dict.fromkeys((".fasta", ".fa", ".fna"), FoldFormat.FASTA),
}


class RNA(NamedTuple):
    """A sequence, its structure if the file has one, and its name if it has one."""

    name: str
    sequence: str
    structure: str | None


def iter_rna(source: Source, file_format: FoldFormat) -> Iterator[RNA]:
    r"""Sequences of a file, one at a time.

    Examples
    --------
    >>> import io
    >>> list(iter_rna(io.StringIO("GGAAACC\n"), FoldFormat.LINES))
    [RNA(name='', sequence='GGAAACC', structure=None)]
    """
    if file_format == FoldFormat.DOTBRACKET:
        yield from (RNA(record.name, record.sequence, record.structure) for record in iter_dot_bracket(source))
    elif file_format == FoldFormat.FASTA:
        yield from (RNA(record.name, record.sequence, None) for record in iter_fasta(source))
    elif file_format == FoldFormat.TSV:
        yield from _iter_rows(source)
    else:
        yield from _iter_lines(source)


def _iter_lines(source: Source) -> Iterator[RNA]:
    for number, line in read_lines(source):
        line = line.strip()
        if line.startswith(">"):
            raise InputError(f"{name_of(source)}, line {number}: a FASTA header; give --format fasta, or name it .fa.")
        if line.startswith("@"):
            raise InputError(f"{name_of(source)}, line {number}: {FASTQ}.")
        if " " in line or "\t" in line:
            raise InputError(f"{name_of(source)}, line {number}: {line[:30]!r} has a blank; one sequence is wanted.")
        if line:
            yield RNA("", line, None)


def _iter_rows(source: Source) -> Iterator[RNA]:
    for number, line in read_lines(source):
        if not line.strip():
            continue
        sequence, *others = line.split("\t")
        where = f"{name_of(source)}, line {number}"
        if number == 1:
            refuse_header([sequence, *others], where)
        if len(others) > 1 or not sequence:
            raise InputError(
                f"{where}: {len(others) + 1} column(s) separated by tabs; sequence, tab, structure are wanted."
            )
        if others and len(others[0]) != len(sequence):
            raise InputError(
                f"{where}: structure of length {len(others[0])} for a sequence of length {len(sequence)}; give one "
                "character for each letter."
            )
        if others:
            try:
                base_pairs(others[0])
            except InputError as error:
                raise InputError(f"{where}: {error}") from None
        yield RNA("", sequence, others[0] if others else None)
