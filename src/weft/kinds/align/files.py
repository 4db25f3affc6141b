"""Pairs of sequences in files, aligned or not: FASTA, Stockholm, tab-separated."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from itertools import zip_longest

from weft.errors import InputError
from weft.sequences.formats.alignments import AlignedPair, read_fasta_pairs, read_stockholm_pairs, read_tsv_pairs
from weft.sequences.formats.fasta import iter_fasta
from weft.sequences.formats.text import Source, name_of
from weft.sequences.formats.tsv import iter_table

AlignmentFormat = StrEnum("AlignmentFormat", ["FASTA", "STOCKHOLM", "TSV"])
"""Formats of pairs of sequences."""

SUFFIXES = {
    **dict.fromkeys((".sto", ".stk", ".stockholm"), AlignmentFormat.STOCKHOLM),
    **dict.fromkeys((".tsv", ".tab"), AlignmentFormat.TSV),
    **dict.fromkeys((".fasta", ".fa", ".faa", ".fna", ".afa"), AlignmentFormat.FASTA),
}

READERS = {
    AlignmentFormat.FASTA: read_fasta_pairs,
    AlignmentFormat.STOCKHOLM: read_stockholm_pairs,
    AlignmentFormat.TSV: read_tsv_pairs,
}

GAPS = str.maketrans("", "", "-._~")


def read_alignments(source: Source, file_format: AlignmentFormat) -> list[AlignedPair]:
    """All alignments of a file."""
    pairs = READERS[file_format](source)
    for number, pair in enumerate(pairs, start=1):
        empty = next((name for name, row in zip(pair.names, pair.sequences, strict=True) if not row), None)
        if empty is not None:
            raise InputError(f"{name_of(source)}, pair {number}: {empty or 'a row'} is all gaps; drop the pair.")
    return pairs


def iter_unaligned(source: Source, file_format: AlignmentFormat) -> Iterator[AlignedPair]:
    r"""Pairs of a file without their gaps, one at a time.

    Examples
    --------
    >>> import io
    >>> [pair.rows for pair in iter_unaligned(io.StringIO(">a\nAC-G\n>b\nAG\n"), AlignmentFormat.FASTA)]
    [('ACG', 'AG')]
    """
    for number, (names, rows) in enumerate(_iter_rows(source, file_format), start=1):
        first, second = (row.translate(GAPS) for row in rows)
        if not (first and second):
            raise InputError(f"{name_of(source)}, pair {number}: an empty sequence; drop the pair.")
        yield AlignedPair(names, (first, second))


def _iter_rows(source: Source, file_format: AlignmentFormat) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    if file_format == AlignmentFormat.TSV:
        for a, b, first, second in iter_table(source, ["name 1", "name 2", "sequence 1", "sequence 2"]):
            yield (a, b), (first, second)
    elif file_format == AlignmentFormat.STOCKHOLM:
        yield from read_stockholm_pairs(source)
    else:
        records = iter_fasta(source)
        for one, other in zip_longest(records, records):
            if other is None:
                raise InputError(
                    f"{name_of(source)}: {one.name or 'the last record'} has no partner; two records for each pair "
                    "are needed."
                )
            yield (one.name, other.name), (one.sequence, other.sequence)
