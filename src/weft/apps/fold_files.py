"""RNA in files, with or without structures: dot-bracket, tab-separated, FASTA, or a sequence on each line."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from weft.errors import InputError
from weft.sequences.formats import base_pairs, iter_dot_bracket, iter_fasta, read_lines
from weft.sequences.formats.text import Source, name_of

if TYPE_CHECKING:
    from weft.estimators.folder import Folder

__all__ = ["RNA", "FoldFormat", "choose_fold_format", "iter_rna", "load_folder", "read_folds"]


class FoldFormat(StrEnum):
    """Formats of RNA."""

    DOTBRACKET = "dotbracket"
    TSV = "tsv"
    FASTA = "fasta"
    LINES = "lines"


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


def choose_fold_format(path: str, given: FoldFormat | None, labelled: bool) -> FoldFormat:
    """Format as given, by the file's suffix, or else dot-bracket with structures and lines without.

    Examples
    --------
    >>> choose_fold_format("rna.fa", None, labelled=False).value, choose_fold_format("-", None, labelled=True).value
    ('fasta', 'dotbracket')
    """
    by_suffix = SUFFIXES.get(Path(path.removesuffix(".gz")).suffix.lower())
    chosen = given or by_suffix or (FoldFormat.DOTBRACKET if labelled else FoldFormat.LINES)
    if labelled and chosen in (FoldFormat.FASTA, FoldFormat.LINES):
        raise InputError(
            f"{chosen} files have no structures; give dot-bracket (name, sequence and structure on lines of their own; "
            "--format dotbracket) or sequence, tab, structure (--format tsv)."
        )
    return chosen


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


def read_folds(source: Source, file_format: FoldFormat) -> list[RNA]:
    """All sequences of a file, each with a structure; at least one."""
    found: list[RNA] = []
    for record in iter_rna(source, file_format):
        if record.structure is None:
            raise InputError(f"{name_of(source)}, sequence {len(found) + 1}: no structure beside it; add one.")
        found.append(record)
    if not found:
        raise InputError(f"{name_of(source)} holds no sequences; give a {file_format} file with at least one.")
    return found


def load_folder(path: Path) -> Folder:
    """Load a folder."""
    from weft.model_file import load

    folder: Folder = load(path, expected="Folder")
    return folder
