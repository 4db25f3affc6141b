"""Tests of `weft.plotting.substitution_matrix`."""

import pytest

from weft.plotting.substitution_matrix import SubstitutionMatrixDisplay

pytest.importorskip("matplotlib", reason="displays need matplotlib")


def test_a_matrix_has_its_letters_and_numbers(aligner, tmp_path):
    display = SubstitutionMatrixDisplay.from_estimator(aligner)
    assert [label.get_text() for label in display.ax_.get_xticklabels()] == list("ACGT")
    assert len(display.ax_.texts) == 16
    assert all(text.get_text() != "-0.0" for text in display.ax_.texts)
    display.figure_.savefig(tmp_path / "matrix.png")
    assert (tmp_path / "matrix.png").stat().st_size > 5_000
