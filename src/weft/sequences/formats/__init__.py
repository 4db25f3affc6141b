"""File formats: columns, attributes, tables, JSON lines, FASTA and FASTQ, alignments, structures of RNA, dictionaries.

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
    from weft.sequences.formats.bpseq import iter_bpseq, read_bpseq
    from weft.sequences.formats.brown_paths import read_brown_paths
    from weft.sequences.formats.cmudict import Pronunciation, iter_cmudict, read_cmudict
    from weft.sequences.formats.conll import ConllFile, ConllSentence, iter_conll, read_conll, write_conll
    from weft.sequences.formats.connectivity import iter_ct, read_ct
    from weft.sequences.formats.crfsuite import (
        CrfsuiteFile,
        CrfsuiteSequence,
        iter_crfsuite,
        read_crfsuite,
        write_crfsuite,
    )
    from weft.sequences.formats.dotbracket import (
        FoldedSequence,
        base_pairs,
        iter_dot_bracket,
        read_dot_bracket,
        write_dot_bracket,
    )
    from weft.sequences.formats.fasta import FastaRecord, iter_fasta, read_fasta, write_fasta
    from weft.sequences.formats.fastq import FastqRecord, iter_fastq, read_fastq
    from weft.sequences.formats.fasttext import LabelledText, iter_fasttext, read_fasttext
    from weft.sequences.formats.jsonl import JsonlFile, iter_jsonl, read_jsonl, write_jsonl
    from weft.sequences.formats.stockholm import StockholmAlignment, iter_stockholm, read_stockholm_structures
    from weft.sequences.formats.table import RowGroup, iter_groups, iter_rows
    from weft.sequences.formats.text import read_lines, write_lines
    from weft.sequences.formats.tsv import PairsFile, iter_pairs, iter_table, read_pairs, write_pairs

_MODULES = {
    "table": "RowGroup iter_groups iter_rows",
    "stockholm": "StockholmAlignment iter_stockholm read_stockholm_structures",
    "fasttext": "LabelledText iter_fasttext read_fasttext",
    "fastq": "FastqRecord iter_fastq read_fastq",
    "connectivity": "iter_ct read_ct",
    "brown_paths": "read_brown_paths",
    "cmudict": "Pronunciation iter_cmudict read_cmudict",
    "bpseq": "iter_bpseq read_bpseq",
    "alignments": "AlignedPair read_fasta_pairs read_stockholm_pairs read_tsv_pairs write_fasta_pairs",
    "atomic": "atomic_write",
    "conll": "ConllFile ConllSentence iter_conll read_conll write_conll",
    "crfsuite": "CrfsuiteFile CrfsuiteSequence iter_crfsuite read_crfsuite write_crfsuite",
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
    "CrfsuiteFile",
    "CrfsuiteSequence",
    "FastaRecord",
    "FastqRecord",
    "FoldedSequence",
    "JsonlFile",
    "LabelledText",
    "PairsFile",
    "Pronunciation",
    "RowGroup",
    "StockholmAlignment",
    "atomic_write",
    "base_pairs",
    "iter_bpseq",
    "iter_cmudict",
    "iter_conll",
    "iter_crfsuite",
    "iter_ct",
    "iter_dot_bracket",
    "iter_fasta",
    "iter_fastq",
    "iter_fasttext",
    "iter_groups",
    "iter_jsonl",
    "iter_pairs",
    "iter_rows",
    "iter_stockholm",
    "iter_table",
    "read_bpseq",
    "read_brown_paths",
    "read_cmudict",
    "read_conll",
    "read_crfsuite",
    "read_ct",
    "read_dot_bracket",
    "read_fasta",
    "read_fasta_pairs",
    "read_fastq",
    "read_fasttext",
    "read_jsonl",
    "read_lines",
    "read_pairs",
    "read_stockholm_pairs",
    "read_stockholm_structures",
    "read_tsv_pairs",
    "write_conll",
    "write_crfsuite",
    "write_dot_bracket",
    "write_fasta",
    "write_fasta_pairs",
    "write_jsonl",
    "write_lines",
    "write_pairs",
]

export_names(__name__, {name: f"{__name__}.{file}" for file, names in _MODULES.items() for name in names.split()})
