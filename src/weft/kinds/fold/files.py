"""RNA in files: with structures as dot-bracket, table, CT, bpseq or Stockholm, without as FASTA, FASTQ or lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from weft.errors import InputError
from weft.sequences.formats.bpseq import iter_bpseq
from weft.sequences.formats.connectivity import iter_ct
from weft.sequences.formats.dotbracket import STRUCTURE, base_pairs, iter_dot_bracket
from weft.sequences.formats.fasta import iter_fasta
from weft.sequences.formats.fastq import iter_fastq
from weft.sequences.formats.stockholm import read_stockholm_structures
from weft.sequences.formats.table import iter_rows
from weft.sequences.formats.text import FASTQ, Source, name_of, read_lines

FoldFormat = StrEnum("FoldFormat", ["DOTBRACKET", "TSV", "CSV", "CT", "BPSEQ", "STOCKHOLM", "FASTA", "FASTQ", "LINES"])
"""Formats of RNA."""

SUFFIXES = {
    **dict.fromkeys((".dbn", ".db", ".dot", ".dotbracket"), FoldFormat.DOTBRACKET),
    **dict.fromkeys((".tsv", ".tab"), FoldFormat.TSV),
    ".csv": FoldFormat.CSV,
    ".ct": FoldFormat.CT,
    ".bpseq": FoldFormat.BPSEQ,
    **dict.fromkeys((".sto", ".stk", ".stockholm"), FoldFormat.STOCKHOLM),
    **dict.fromkeys((".fasta", ".fa", ".fna"), FoldFormat.FASTA),
    **dict.fromkeys((".fastq", ".fq"), FoldFormat.FASTQ),
}


class RNA(NamedTuple):
    """A sequence, its structure if the file has one, and its name if it has one."""

    name: str
    sequence: str
    structure: str | None


FOLDED = {
    FoldFormat.DOTBRACKET: iter_dot_bracket,
    FoldFormat.CT: iter_ct,
    FoldFormat.BPSEQ: iter_bpseq,
    FoldFormat.STOCKHOLM: read_stockholm_structures,
}
"""Readers of sequences with structures."""


def iter_rna(source: Source, file_format: FoldFormat, columns: Sequence[str] | None = None) -> Iterator[RNA]:
    r"""Sequences of a file, one at a time.

    Examples
    --------
    >>> import io
    >>> list(iter_rna(io.StringIO("GGAAACC\n"), FoldFormat.LINES))
    [RNA(name='', sequence='GGAAACC', structure=None)]
    """
    if file_format in FOLDED:
        yield from (RNA(each.name, each.sequence, each.structure) for each in FOLDED[file_format](source))
    elif file_format in (FoldFormat.FASTA, FoldFormat.FASTQ):
        read: Any = iter_fasta if file_format == FoldFormat.FASTA else iter_fastq
        yield from (RNA(record.name, record.sequence, None) for record in read(source))
    elif file_format in (FoldFormat.TSV, FoldFormat.CSV):
        yield from _iter_rows(source, file_format == FoldFormat.CSV, columns)
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
            raise InputError(f"{name_of(source)}, line {number}: {line[:30]!r} has a blank; one sequence is needed.")
        if STRUCTURE.fullmatch(line):
            raise InputError(
                f"{name_of(source)}, line {number}: {line[:40]!r} is a structure, needed a sequence; drop the line, or "
                "give --format dotbracket if each sequence has its structure below it."
            )
        if line:
            yield RNA("", line, None)


def _iter_rows(source: Source, comma: bool, columns: Sequence[str] | None) -> Iterator[RNA]:
    mark = "comma" if comma else "tab"
    for number, (sequence, *others) in iter_rows(source, comma=comma, columns=columns):
        where = f"{name_of(source)}, line {number}"
        if len(others) > 1 or not sequence:
            raise InputError(
                f"{where}: {len(others) + 1} column(s) separated by {mark}s; sequence, {mark}, structure are needed."
            )
        if STRUCTURE.fullmatch(sequence):
            raise InputError(
                f"{where}: {sequence[:40]!r} is a structure, needed a sequence; swap the columns, the sequence comes "
                "first, or name them with --columns, that of the sequence first."
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
