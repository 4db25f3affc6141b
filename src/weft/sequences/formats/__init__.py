"""File formats: CoNLL columns, TSV pairs, JSON lines, FASTA, alignments and dot-bracket.

Every reader takes a path, ``"-"`` or an open stream, and reads gzip.
Every writer replaces a file in one step.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.spelling import export_names

if TYPE_CHECKING:
    from weft.sequences.formats.alignments import (
        AlignedPair,
        read_fasta_pairs,
        read_stockholm_pairs,
        read_tsv_pairs,
        write_fasta_pairs,
    )
    from weft.sequences.formats.atomic import atomic_write
    from weft.sequences.formats.conll import ConllFile, ConllSentence, iter_conll, read_conll, write_conll
    from weft.sequences.formats.dotbracket import (
        FoldedSequence,
        base_pairs,
        iter_dot_bracket,
        read_dot_bracket,
        write_dot_bracket,
    )
    from weft.sequences.formats.fasta import FastaRecord, iter_fasta, read_fasta, write_fasta
    from weft.sequences.formats.jsonl import JsonlFile, iter_jsonl, read_jsonl, write_jsonl
    from weft.sequences.formats.text import read_lines, write_lines
    from weft.sequences.formats.tsv import PairsFile, iter_pairs, iter_table, read_pairs, write_pairs

_MODULES = {
    "alignments": "AlignedPair read_fasta_pairs read_stockholm_pairs read_tsv_pairs write_fasta_pairs",
    "atomic": "atomic_write",
    "conll": "ConllFile ConllSentence iter_conll read_conll write_conll",
    "dotbracket": "FoldedSequence base_pairs iter_dot_bracket read_dot_bracket write_dot_bracket",
    "fasta": "FastaRecord iter_fasta read_fasta write_fasta",
    "jsonl": "JsonlFile iter_jsonl read_jsonl write_jsonl",
    "text": "read_lines write_lines",
    "tsv": "PairsFile iter_pairs iter_table read_pairs write_pairs",
}
"""What each file defines; it is imported when that is first used, so that no task waits for another one's formats."""

__all__ = [
    "AlignedPair",
    "ConllFile",
    "ConllSentence",
    "FastaRecord",
    "FoldedSequence",
    "JsonlFile",
    "PairsFile",
    "atomic_write",
    "base_pairs",
    "iter_conll",
    "iter_dot_bracket",
    "iter_fasta",
    "iter_jsonl",
    "iter_pairs",
    "iter_table",
    "read_conll",
    "read_dot_bracket",
    "read_fasta",
    "read_fasta_pairs",
    "read_jsonl",
    "read_lines",
    "read_pairs",
    "read_stockholm_pairs",
    "read_tsv_pairs",
    "write_conll",
    "write_dot_bracket",
    "write_fasta",
    "write_fasta_pairs",
    "write_jsonl",
    "write_lines",
    "write_pairs",
]

export_names(__name__, {name: f"{__name__}.{file}" for file, names in _MODULES.items() for name in names.split()})
