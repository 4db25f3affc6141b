"""Displays of alignments and foldings draw what they are given, and refuse what does not fit."""

import numpy as np
import pytest

import weft
from weft.errors import InputError
from weft.plotting.alignment import AlignmentDisplay
from weft.plotting.base_pairs import BasePairDisplay
from weft.plotting.rna_structure import RNAStructureDisplay
from weft.plotting.substitution_matrix import SubstitutionMatrixDisplay

pytest.importorskip("matplotlib", reason="displays need matplotlib")


@pytest.fixture(scope="module")
def folder():
    return weft.Folder().fit(["GGGAAACCC", "GCGCAAAAGCGC"], ["(((...)))", "((((....))))"])


@pytest.fixture(scope="module")
def aligner():
    pairs = [("ACGT", "AGT"), ("ACG", "ACG")]
    return weft.Aligner().fit(pairs, [("ACGT", "A-GT"), ("ACG", "ACG")])


def test_a_matrix_has_its_letters_and_numbers(aligner, tmp_path):
    display = SubstitutionMatrixDisplay.from_estimator(aligner)
    assert [label.get_text() for label in display.ax_.get_xticklabels()] == list("ACGT")
    assert len(display.ax_.texts) == 16
    assert all(text.get_text() != "-0.0" for text in display.ax_.texts)
    display.figure_.savefig(tmp_path / "matrix.png")
    assert (tmp_path / "matrix.png").stat().st_size > 5_000


def test_an_alignment_shows_both_rows_and_its_probabilities(aligner, tmp_path):
    display = AlignmentDisplay.from_estimator(aligner, ("ACGT", "AGT"), width=3)
    drawn = [text.get_text() for text in display.ax_.texts]
    assert sorted(drawn[: 2 * len(display.first)]) == sorted(display.first + display.second)
    known = display.column_probabilities_[np.isfinite(display.column_probabilities_)]
    assert ((known > 0) & (known <= 1)).all()
    display.figure_.savefig(tmp_path / "alignment.png")


def test_a_folding_shows_its_pairs(folder, tmp_path):
    display = RNAStructureDisplay.from_estimator(folder, "GGGAAACCC")
    assert display.ax_.get_title() == "9 bases, 3 pairs"
    assert sum(len(line.get_xdata()) == 2 for line in display.ax_.lines) == 3
    display.figure_.savefig(tmp_path / "rna.png")


def test_a_dot_plot_has_a_square_per_pair(folder):
    display = BasePairDisplay.from_estimator(folder, "GGGAAACCC", reference="((.....))")
    probable = np.triu(display.probabilities, 1) > 1e-3
    assert len(display.ax_.collections[0].get_paths()) == probable.sum() + 3
    assert len(display.ax_.collections[1].get_offsets()) == 2


@pytest.mark.parametrize(
    ("make", "part"),
    [
        (lambda: RNAStructureDisplay("GG", "..."), "2 bases but the structure 3"),
        (lambda: BasePairDisplay("GG", np.zeros((2, 2)), "..."), "structure has 3 symbols"),
        (lambda: BasePairDisplay("GG", np.zeros((3, 3)), ".."), r"\(2, 2\) is wanted"),
        (lambda: AlignmentDisplay("A-", "A", np.zeros((1, 1))), "equally long"),
        (lambda: AlignmentDisplay("A-", "AC", np.zeros((1, 1))), r"\(1, 2\) is wanted"),
        (lambda: AlignmentDisplay("A", "A", np.zeros((1, 1)), width=0), "width is 0"),
    ],
)
def test_what_does_not_fit_is_refused(make, part):
    with pytest.raises(InputError, match=part):
        make()
