"""Tests of `weft.experiments.lattices.ocr_lattices`."""

import numpy as np
import pytest

from weft.experiments.lattices import ocr_lattices
from weft.experiments.registry import run_experiment


def test_lattices_know_more_than_their_best_strings():
    # The second letter is a guess between b and c; the lattice keeps that c is never likely for the second class.
    letters, rng = ["a", "b", "c", "d"], np.random.default_rng(0)
    rows, words = [], []
    for _ in range(120):
        c_is_possible = rng.random() < 0.5
        posteriors = np.array([[0.97, 0.01, 0.01, 0.01], [0.02, 0.5, 0.46, 0.02], [0.01, 0.01, 0.01, 0.97]])
        if not c_is_possible:
            posteriors[1] = [0.02, 0.5, 0.02, 0.46]
        rows.append(posteriors)
        words.append("acd" if c_is_possible else "add")
    strings = [ocr_lattices.best_string(each, letters) for each in rows]
    lattices = [ocr_lattices.letter_lattice(each, letters, 2) for each in rows]
    assert set(strings) == {"abd"}
    assert ocr_lattices.words_wrong(lattices[:60], words[:60], lattices[60:], words[60:]) == 0.0
    assert ocr_lattices.words_wrong(strings[:60], words[:60], strings[60:], words[60:]) > 25.0


@pytest.mark.slow
@pytest.mark.needs_data("ocr_letters")
def test_quick_run_on_handwriting():
    errors = {m.method: m.mean for m in run_experiment("ocr-lattices", quick=True).measurements}
    assert errors["lattice of 3"] < errors["best string"] < errors["best string, unclassified"]
