"""Tests of `weft.structures.rna.free_energies`."""

import numpy as np
import pytest

from rna_examples import as_pairs
from weft.structures import LoopModel
from weft.structures.rna.free_energies import free_energies, published_tables

MODEL = LoopModel()


def counts(x, structure):
    return MODEL.counts(MODEL.encode(x, unknown="wildcard"), as_pairs(structure))


@pytest.mark.parametrize(
    ("x", "structure", "energy"),
    [
        # GC on GC -3.26; loop of 4 AAAA 5.6 with a mismatch AA on GC: -1.1.
        ("ggaaaacc", "((....))", -3.26 + 5.6 - 1.1),
        # Closed by AU: 0.45 outside; loop of 3 is 5.4 and 0.45 again.
        ("aaaau", "(...)", 5.4 + 0.45 + 0.45),
        # Bulge of 1: 3.8 and the stack; hairpin of 3 closed by GC.
        ("gagaaacc", "(.(...))", 3.8 - 3.26 + 5.4),
        # Bulge of 2: 2.8, ends in AU and GC; hairpin of 3.
        ("aaagaaacu", "(..(...))", 2.8 + 0.45 + 5.4 + 0.45),
        # A hairpin that was measured as a whole.
        ("ccuucggg", "((....))", -3.26 + 3.7),
        ("acaguguu", "(......)", 1.8 + 0.45),
        # GG between two GC pairs: 0.5 - 2.1.
        ("gggaaacgc", "(.(...).)", 0.5 - 2.1 + 5.4),
        # Loop of 2 and 1: 1.7 and 0.6 for asymmetry.
        ("gagaaacaac", "(.(...)..)", 1.7 + 0.6 + 5.4),
        # Loop of 2 and 2: 1.1, mismatches AA, and GG -1.2.
        ("gaggaaacgac", "(..(...)..)", 1.1 - 1.2 + 5.4),
        # Loop of 1 and 3: 1.1 and twice 0.6.
        ("gagaaacaaac", "(.(...)...)", 1.1 + 1.2 + 5.4),
        # Loop of 2 and 3 with mismatches AA; 2.0 and 0.6.
        ("gaagaaacaaac", "(..(...)...)", 2.0 + 0.6 + 5.4),
        # Loop of 3 and 3: 2.0, mismatches UU -0.7 on both sides.
        ("guaugaaacuauc", "(...(...)...)", 2.0 - 1.4 + 5.4),
        # A hairpin of 40: 6.4 + 1.07856 ln(30 / 9), and 31 hundredths for 40 over 30; mismatch AA on GC.
        ("g" + "a" * 40 + "c", "(" + "." * 40 + ")", 6.4 + 1.07856 * np.log(30 / 9) + 0.31 - 1.1),
        # A multiloop: 9.3 - 3 * 0.9; ends GC with mismatches AA (-1.5), AG (-1.4), and CG read inward, AA: -1.1.
        ("gagaaacagaaacac", "(.(...).(...).)", 9.3 - 2.7 + 5.4 + 5.4 - 1.5 - 1.5 - 1.1),
        # The exterior loop: a dangling A before (-0.2), behind (-1.7), both (-1.5).
        ("agaaac", ".(...)", 5.4 - 0.2),
        ("gaaaca", "(...).", 5.4 - 1.7),
        ("agaaaca", ".(...).", 5.4 - 1.5),
    ],
)
def test_free_energies_by_hand(x, structure, energy):
    assert counts(x, structure) @ free_energies().values == pytest.approx(energy)


def test_free_energies_alone_fold_a_hairpin():
    assert MODEL.best("gggcaaaagccc", MODEL.prior)[0].tolist() == as_pairs("((((....))))").tolist()


def test_loops_are_the_same_from_both_strands():
    table = published_tables()
    np.testing.assert_allclose(table.stack, table.stack.T)
    np.testing.assert_allclose(table.int11, table.int11.transpose(1, 0, 3, 2))
    np.testing.assert_allclose(table.int22, table.int22.transpose(1, 0, 4, 5, 2, 3))
