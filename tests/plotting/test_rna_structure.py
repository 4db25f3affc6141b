"""Tests of `weft.plotting.rna_structure`."""

import pytest

from weft.plotting.rna_structure import RNAStructureDisplay

pytest.importorskip("matplotlib", reason="displays need matplotlib")


def test_a_folding_shows_its_pairs(folder, tmp_path):
    display = RNAStructureDisplay.from_estimator(folder, "GGGAAACCC")
    assert display.ax_.get_title() == "9 bases, 3 pairs"
    assert sum(len(line.get_xdata()) == 2 for line in display.ax_.lines) == 3
    display.figure_.savefig(tmp_path / "rna.png")
