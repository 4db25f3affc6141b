"""Tests of `weft.SubstitutionMatrix`: every entry of every matrix beside peers, and files in and out."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import weft
from weft.structures.alignment.substitution_matrix import FOLDER, SubstitutionMatrix

NAMES = ["BLOSUM45", "BLOSUM50", "BLOSUM62", "BLOSUM80", "BLOSUM90", "PAM30", "PAM70", "PAM120", "PAM250"]
LETTERS = "ARNDCQEGHILKMFPSTWYVBZX*"


def test_the_usual_matrices_come_with_the_package():
    assert SubstitutionMatrix.names() == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_every_entry_is_that_of_parasail(name):
    parasail = pytest.importorskip("parasail")
    matrix = SubstitutionMatrix.load(name)
    assert "".join(matrix.alphabet) == LETTERS
    np.testing.assert_array_equal(matrix.values, getattr(parasail, name.lower()).matrix)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "PAM120"])
def test_entries_and_unit_are_those_of_biopython(name):
    known = pytest.importorskip("Bio.Align.substitution_matrices").load(name)
    matrix = SubstitutionMatrix.load(name)
    assert all(matrix[a, b] == known[a, b] for a in LETTERS for b in LETTERS)
    # Its comments are those of NCBI; they say the unit in words, from which ours is read too.
    said = SubstitutionMatrix.read(io.StringIO("\n".join([*(f"# {line}" for line in known.header), matrix.to_text()])))
    assert said.scale == pytest.approx(matrix.scale)


def test_golden_entries():
    # Henikoff and Henikoff 1992, figure 2: W with W, L with I; two stops, and a stop with anything.
    blosum62 = SubstitutionMatrix.load("blosum62")
    assert [blosum62[pair] for pair in ("WW", "LI", "**", "A*", "BD", "ZE", "XX")] == [11, 2, 1, -4, 4, 4, -1]
    assert blosum62.scale == pytest.approx(np.log(2) / 2)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.txt")), ids=lambda path: path.stem)
def test_files_that_ship_say_where_they_come_from(path):
    text = path.read_text(encoding="ascii")
    assert "NCBI" in text
    assert "public domain" in text


@given(st.integers(1, 6), st.integers(0, 10**6), st.sampled_from([1.0, 0.3466, 0.25]))
def test_what_is_written_is_read_again(size, seed, scale):
    random = np.random.default_rng(seed)
    values = np.round(random.normal(size=(size, size)) * 5)
    matrix = SubstitutionMatrix(tuple("ACDEFG"[:size]), values + values.T, -7.5, -0.25, scale)
    matrix.write(file := io.StringIO())
    again = SubstitutionMatrix.read(io.StringIO(file.getvalue()))
    np.testing.assert_array_equal(again.values, matrix.values)
    assert (again.alphabet, again.gap_open, again.gap_extend) == (matrix.alphabet, -7.5, -0.25)
    assert again.scale == pytest.approx(scale)


GOOD = "# a comment\n   A  C\nA  4  0\nC  0  9\n"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", "line 1: the file ends, but the row of a line with the names"),
        ("   A  C\nA  4  0\n", "line 3: the file ends, but the row of 'C' is needed; add it"),
        ("A 4 0\nC 0 9\n", "line 2: the row of 'C' given; that of 'A' is needed"),
        ("   A  AC\nA  4  0\n", "line 1: column 2 is 'AC'; one letter is needed"),
        ("   A  A\nA  4  0\n", "line 1: the column 'A' comes twice"),
        ("   A  -\nA  4  0\n", "line 1: column 2 is '-'"),
        ("   A  C\nC  0  9\n", "line 2: the row of 'C' given; that of 'A' is needed, in the order of the columns"),
        ("   A  C\nA  4\n", "line 2: 1 scores given for 'A'; 2 are needed, one for each column"),
        ("   A  C\nA  4  x\n", "line 2: the score of 'A' and 'C' is 'x'; a number is needed"),
        ("   A  C\nA  4  nan\n", "line 2: the score of 'A' and 'C' is 'nan'; a number is needed"),
        ("   A  C\nA  4  1\nC  0  9\n", "line 2: A and C score 1, but C and A 0; the same is needed both ways"),
        (GOOD + "D 1 1\n", "line 5: 'D' is row 3 of 2 symbols; drop it"),
    ],
)
def test_bad_files_are_refused_by_line(text, wanted):
    with pytest.raises(weft.InputError) as error:
        SubstitutionMatrix.read(io.StringIO(text))
    assert wanted in str(error.value)


def test_a_file_without_a_unit_has_that_of_its_odds():
    text = GOOD.replace("0", "-4")
    unit = SubstitutionMatrix.read(io.StringIO(text)).scale
    assert np.exp(unit * np.array([4, -4, -4, 9])).mean() == pytest.approx(1.0) or unit == 1.0
    negative = SubstitutionMatrix.read(io.StringIO("   A  C\nA  4 -9\nC -9  3\n"))
    assert np.exp(negative.scale * np.asarray(negative.values)).mean() == pytest.approx(1.0)
    assert SubstitutionMatrix.read(io.StringIO(GOOD)).scale == 1.0  # no such unit: the mean score is positive


def test_an_unknown_name_says_which_there_are():
    with pytest.raises(
        weft.InputError, match=r"'BLOSUM61' is not a matrix .*did you mean 'BLOSUM62'.*PAM250, or give the"
    ):
        SubstitutionMatrix.load("BLOSUM61")
    with pytest.raises(weft.InputError, match=r"cannot read 'absent\.txt'"):
        SubstitutionMatrix.load("absent.txt")


def test_symbols_that_a_matrix_lacks_score_as_any():
    matrix = SubstitutionMatrix.load("BLOSUM62").over("WU*")
    np.testing.assert_array_equal(matrix.values, [[11, -2, -4], [-2, -1, -4], [-4, -4, 1]])
    with pytest.raises(weft.InputError, match="has no 'U', and no 'X'"):
        SubstitutionMatrix(("A",), [[1.0]], -1, -1).over("AU")
