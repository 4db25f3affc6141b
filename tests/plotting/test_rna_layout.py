"""Drawings of structures: neighbours are one apart, bases do not lie on each other."""

import numpy as np
import pytest

from weft.plotting.rna_layout import rna_layout
from weft.sequences.formats.dotbracket import base_pairs

STRUCTURES = [
    "((((....))))",
    ".((...)).",
    "((..((...))..((...))..))",
    "(((((((..((((........)))).((((.........)))).....(((((.......))))))))))))....",
    "(...)(...)",
]


@pytest.mark.parametrize("structure", STRUCTURES)
def test_neighbours_and_pairs_are_one_apart_and_bases_lie_alone(structure):
    places = rna_layout(structure)
    steps = np.linalg.norm(np.diff(places, axis=0), axis=1)
    assert steps == pytest.approx(1.0)
    for i, j in base_pairs(structure):
        assert np.linalg.norm(places[i] - places[j]) == pytest.approx(1.0)
    distances = np.linalg.norm(places[:, None] - places[None], axis=2) + 10.0 * np.eye(len(places))
    assert distances.min() > 0.9


def test_a_stem_is_straight():
    places = rna_layout("((((....))))")
    assert np.linalg.norm(places[3] - places[0]) == pytest.approx(3.0)


def test_no_base_and_one_base():
    assert rna_layout("").shape == (0, 2)
    assert rna_layout(".").tolist() == [[0.0, 0.0]]
