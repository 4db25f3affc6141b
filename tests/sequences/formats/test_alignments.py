"""Alignments in FASTA, Stockholm and tab-separated files."""

import io

import pytest

from weft.errors import InputError
from weft.sequences.formats import (
    AlignedPair,
    read_fasta_pairs,
    read_stockholm_pairs,
    read_tsv_pairs,
    write_fasta_pairs,
)

PAIRS = [AlignedPair(("a", "b"), ("AC-G", "A-TG")), AlignedPair(("c", "d"), ("aWY", "-WY"))]


def test_fasta_pairs_come_back(tmp_path):
    write_fasta_pairs(PAIRS, tmp_path / "pairs.fasta")
    assert read_fasta_pairs(tmp_path / "pairs.fasta") == PAIRS


def test_stockholm_gives_every_pair_of_rows_and_joins_blocks():
    text = "# STOCKHOLM 1.0\n#=GF ID x\n\na AC-\nb A.T\nc ---\n#=GC SS_cons ...\n\na G\nb G\nc G\n//\n"
    pairs = read_stockholm_pairs(io.StringIO(text))
    assert [pair.names for pair in pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert pairs[0].rows == ("AC-G", "A-TG")
    assert pairs[1].rows == ("ACG", "--G")  # columns of two gaps are gone


def test_two_stockholm_alignments_in_one_file():
    text = "# STOCKHOLM 1.0\na AC\nb A-\n//\n# STOCKHOLM 1.0\nc GG\nd GC\n//\n"
    assert len(read_stockholm_pairs(io.StringIO(text))) == 2


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (read_fasta_pairs, ">a\nAC\n", "even number"),
        (read_fasta_pairs, ">a\nAC\n>b\nA\n", "2 and 1 columns"),
        (read_tsv_pairs, "a\tb\tAC\n", "3 column"),
        (read_stockholm_pairs, "a AC\n", "before the line '# STOCKHOLM"),
        (read_stockholm_pairs, "# STOCKHOLM 1.0\na AC extra\n//\n", "3 field"),
        (read_stockholm_pairs, "# STOCKHOLM 1.0\na AC\n", "cut short"),
        (read_stockholm_pairs, "# STOCKHOLM 1.0\n\na AC\nb AC\na AG\nb AG\n//\n", "line 5: the name 'a' comes twice"),
        (
            read_stockholm_pairs,
            "# STOCKHOLM 1.0\na A\nb A\n\na C\nc C\n//\n",
            "line 6: the name 'c' is not in the first",
        ),
        (read_tsv_pairs, "name 1\tname 2\trow 1\trow 2\na\tb\tAC\tA-\n", "line 1: 'name 1', .*name columns"),
    ],
)
def test_errors_say_where(read, text, message):
    with pytest.raises(InputError, match=message):
        read(io.StringIO(text))
