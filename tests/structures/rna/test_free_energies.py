"""Tests of `weft.structures.rna.free_energies`."""

import numpy as np
import pytest

from rna_examples import as_pairs
from weft.structures import LoopModel
from weft.structures.rna.free_energies import free_energies

MODEL = LoopModel()


def counts(x, structure):
    return MODEL.counts(MODEL.encode(x, unknown="wildcard"), as_pairs(structure))


@pytest.mark.parametrize(
    ("x", "structure", "energy"),
    [
        # GC on GC -3.26; loop of 4 AAAA 5.6 with the stronger of its dangling ends, on CG read backwards: -1.1.
        ("ggaaaacc", "((....))", -3.26 + 5.6 - 1.1),
        # Closed by AU: 0.45 outside; loop of 3 is 5.4 and 0.45 again.
        ("aaaau", "(...)", 5.4 + 0.45 + 0.45),
        # Bulge of 1: 3.8 and the stack; hairpin of 3 closed by GC.
        ("gagaaacc", "(.(...))", 3.8 - 3.26 + 5.4),
    ],
)
def test_free_energies_by_hand(x, structure, energy):
    assert counts(x, structure) @ free_energies() == pytest.approx(energy)


def test_free_energies_alone_fold_a_hairpin():
    weights = np.zeros(MODEL.n_features)
    weights[0] = -1.6
    assert MODEL.best("gggcaaaagccc", weights)[0].tolist() == as_pairs("((((....))))").tolist()
