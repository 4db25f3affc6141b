"""Tests of `weft.structures.rna.nearest_neighbours`."""

from dataclasses import replace

import numpy as np
import pytest

from rna_examples import as_pairs
from weft.structures import LoopModel
from weft.structures.rna.free_energies import published_tables
from weft.structures.rna.nearest_neighbours import TABLE_LETTERS, TABLE_PAIRS, energies_of

PUBLISHED = published_tables()


def energy(x, structure, **tables):
    model = LoopModel(energies=energies_of(replace(PUBLISHED, **tables)))
    return model.energy(model.encode(x), as_pairs(structure))


def marked(shape, *place):
    """A table of zeros with a one at a pair, a pair and letters, as the literature writes them."""
    table = np.zeros(shape)
    where = [TABLE_PAIRS.index(name) if len(name) == 2 else TABLE_LETTERS.index(name) for name in place]
    table[tuple(where)] = 1.0
    return table


@pytest.mark.parametrize(
    ("x", "structure", "name", "place"),
    [
        # 5' GA 3' / 3' CU 5': the pair GC, and the pair UA read from the other strand.
        ("gaaaauc", "((...))", "stack", ("gc", "ua")),
        ("gcaaaauuc", "(.(...).)", "int11", ("gc", "ua", "c", "u")),
        # One base C on the left; on the right U beside the inner pair, then G.
        ("gcaaaauugc", "(.(...)..)", "int21", ("gc", "ua", "c", "u", "g")),
        # Read from the inner pair: one base C behind its U; on the other side G beside the outer pair, then U.
        ("gguaaaaucc", "(..(...).)", "int21", ("ua", "gc", "c", "g", "u")),
        ("gcgaaaauuac", "(..(...)..)", "int22", ("gc", "ua", "c", "g", "u", "a")),
        ("gcaaagc", "(.....)", "mismatch_hairpin", ("gc", "c", "g")),
        # Loops of 1 and 3, 2 and 3, 3 and 3: first mismatch CG on the outer pair; CU on the inner one, UA from inside.
        ("gcaaaauuugc", "(.(...)...)", "mismatch_interior_1n", ("gc", "c", "g")),
        ("gcgaaaauuugc", "(..(...)...)", "mismatch_interior_23", ("gc", "c", "g")),
        ("gcgaaaauuugc", "(..(...)...)", "mismatch_interior_23", ("ua", "u", "g")),
        ("gcagaaaauuugc", "(...(...)...)", "mismatch_interior", ("gc", "c", "g")),
        ("gcagaaaauuugc", "(...(...)...)", "mismatch_interior", ("ua", "u", "g")),
    ],
)
def test_tables_are_read_as_written(x, structure, name, place):
    shape = getattr(PUBLISHED, name).shape
    difference = energy(x, structure, **{name: marked(shape, *place)}) - energy(x, structure, **{name: np.zeros(shape)})
    assert difference == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("x", "structure", "name", "place"),
    [
        ("cgaaacu", ".(...).", "mismatch_exterior", ("gc", "c", "u")),
        ("cgaaac", ".(...)", "dangle5", ("gc", "c")),
        ("gaaacu", "(...).", "dangle3", ("gc", "u")),
        # A branch between A and U; the pair that closes the loop is CG from inside, between C and A.
        ("gagaaacugaaacac", "(.(...).(...).)", "mismatch_multi", ("gc", "a", "u")),
    ],
)
def test_only_stabilising_ends_count(x, structure, name, place):
    shape = getattr(PUBLISHED, name).shape
    nothing = energy(x, structure, **{name: np.zeros(shape)})
    assert energy(x, structure, **{name: -marked(shape, *place)}) == pytest.approx(nothing - 1.0)
    assert energy(x, structure, **{name: marked(shape, *place)}) == pytest.approx(nothing)
