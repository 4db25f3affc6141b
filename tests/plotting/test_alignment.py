"""Tests of `weft.plotting.alignment`."""

import numpy as np
import pytest

from weft.plotting.alignment import AlignmentDisplay

pytest.importorskip("matplotlib", reason="displays need matplotlib")


def test_an_alignment_shows_both_rows_and_its_probabilities(aligner, tmp_path):
    display = AlignmentDisplay.from_estimator(aligner, ("ACGT", "AGT"), width=3)
    drawn = [text.get_text() for text in display.ax_.texts]
    assert sorted(drawn[: 2 * len(display.first)]) == sorted(display.first + display.second)
    known = display.column_probabilities_[np.isfinite(display.column_probabilities_)]
    assert ((known > 0) & (known <= 1)).all()
    display.figure_.savefig(tmp_path / "alignment.png")
