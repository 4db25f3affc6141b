"""Tests of `weft.experiments.blosum`."""

import pytest

from weft.experiments.blosum import AMINO_ACIDS, blosum62


def test_blosum62_is_that_of_biopython():
    matrices = pytest.importorskip("Bio.Align.substitution_matrices")
    known = matrices.load("BLOSUM62")
    matrix = blosum62()
    assert all(matrix[a, b] == known[a, b] for a in AMINO_ACIDS for b in AMINO_ACIDS)
