"""Tests of `weft.plotting.base_pairs`."""

import numpy as np
import pytest

from weft.plotting.base_pairs import BasePairDisplay

pytest.importorskip("matplotlib", reason="displays need matplotlib")


def test_a_dot_plot_has_a_square_per_pair(folder):
    display = BasePairDisplay.from_estimator(folder, "GGGAAACCC", reference="((.....))")
    probable = np.triu(display.probabilities, 1) > 1e-3
    assert len(display.ax_.collections[0].get_paths()) == probable.sum() + 3
    assert len(display.ax_.collections[1].get_offsets()) == 2
