"""Pairwise alignments: gapped FASTA records two by two, Stockholm files, tab-separated rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from weft.errors import InputError
from weft.sequences.formats.fasta import numbered_records, write_fasta
from weft.sequences.formats.stockholm import iter_stockholm
from weft.sequences.formats.text import Source, Target, name_of
from weft.sequences.formats.tsv import numbered_rows

__all__ = ["AlignedPair", "read_fasta_pairs", "read_stockholm_pairs", "read_tsv_pairs", "write_fasta_pairs"]

OTHER_GAPS = str.maketrans("._~", "---")
"""Marks for a gap in other programs' files."""


class AlignedPair(NamedTuple):
    """Names and rows of an alignment of two sequences; the gap is ``-``, case is kept."""

    names: tuple[str, str]
    rows: tuple[str, str]

    @property
    def sequences(self) -> tuple[str, str]:
        """The rows without gaps."""
        return self.rows[0].replace("-", ""), self.rows[1].replace("-", "")


def _pair(names: tuple[str, str], rows: tuple[str, str], where: str) -> AlignedPair:
    if len(rows[0]) != len(rows[1]):
        raise InputError(
            f"{where}: {names[0]} and {names[1]} have {len(rows[0])} and {len(rows[1])} columns; one length is needed: "
            "fill up with gaps '-', or learn by EM (--learner em), which needs none"
        )
    columns = [
        (a, b) for a, b in zip(*(row.translate(OTHER_GAPS) for row in rows), strict=True) if (a, b) != ("-", "-")
    ]
    return AlignedPair(names, ("".join(a for a, _ in columns), "".join(b for _, b in columns)))


def read_fasta_pairs(source: Source) -> list[AlignedPair]:
    r"""Alignments whose rows are neighbouring records of a FASTA file.

    Gaps may be ``-``, ``.``, ``_`` or ``~``; columns of two gaps are dropped.

    Parameters
    ----------
    source : path, "-" for standard input, or an open stream

    Returns
    -------
    list of AlignedPair

    Examples
    --------
    >>> import io
    >>> read_fasta_pairs(io.StringIO(">a\nAC-G\n>b\nA.TG\n"))[0].rows
    ('AC-G', 'A-TG')
    """
    records = list(numbered_records(source))
    if len(records) % 2:
        line, last = records[-1]
        raise InputError(
            f"{name_of(source)}, line {line}: >{last.name[:40]} is record {len(records)}, the last; an "
            "even number is needed, two for each alignment: add its partner or drop it"
        )
    return [
        _pair((first.name, second.name), (first.sequence, second.sequence), f"{name_of(source)}, line {line}")
        for (_, first), (line, second) in zip(records[::2], records[1::2], strict=True)
    ]


def read_stockholm_pairs(source: Source) -> list[AlignedPair]:
    r"""All pairs of rows of each alignment of a Stockholm file.

    Parameters
    ----------
    source : path, "-" for standard input, or an open stream

    Returns
    -------
    list of AlignedPair
        An alignment of k sequences gives k (k - 1) / 2 pairs.

    Examples
    --------
    >>> import io
    >>> text = "# STOCKHOLM 1.0\n#=GF ID x\na AC-G\nb A.TG\n//\n"
    >>> read_stockholm_pairs(io.StringIO(text))
    [AlignedPair(names=('a', 'b'), rows=('AC-G', 'A-TG'))]
    """
    pairs = []
    for alignment in iter_stockholm(source):
        rows, names = alignment.rows, list(alignment.rows)
        where = f"{name_of(source)}, line {alignment.line}"
        for i, first in enumerate(names):
            pairs += [_pair((first, other), (rows[first], rows[other]), where) for other in names[i + 1 :]]
    return pairs


def read_tsv_pairs(source: Source) -> list[AlignedPair]:
    r"""Alignments as lines of four columns: name 1, name 2, row 1, row 2.

    Parameters
    ----------
    source : path, "-" for standard input, or an open stream

    Returns
    -------
    list of AlignedPair

    Examples
    --------
    >>> import io
    >>> read_tsv_pairs(io.StringIO("a\tb\tAC.G\tACTG\n"))[0].sequences
    ('ACG', 'ACTG')
    """
    rows = numbered_rows(source, ["name 1", "name 2", "row 1", "row 2"])
    return [_pair((first, second), (a, b), f"{name_of(source)}, line {line}") for line, (first, second, a, b) in rows]


def write_fasta_pairs(pairs: Iterable[AlignedPair], target: Target) -> None:
    """Write alignments as gapped FASTA records, two for each.

    Parameters
    ----------
    pairs : iterable of AlignedPair
    target : path, "-" for standard output, or an open text stream

    Examples
    --------
    >>> write_fasta_pairs([AlignedPair(("a", "b"), ("AC-G", "A-TG"))], "-")
    >a
    AC-G
    >b
    A-TG
    """
    write_fasta(
        ((name, row) for pair in pairs for name, row in zip(pair.names, pair.rows, strict=True)), target, width=0
    )
