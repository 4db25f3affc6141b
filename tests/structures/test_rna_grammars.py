"""Grammars of RNA: one derivation per structure, and the loops they tell apart."""

import numpy as np
import pytest

import weft
from weft.core.grammar_queries import best_derivation, expected_counts
from weft.errors import InputError
from weft.losses import base_pairs
from weft.structures.rna_grammars import rna_grammar

G6, STACKING = rna_grammar("g6", 3), rna_grammar("stacking", 3)


def log_count(grammar, x):
    zeros = np.zeros(len(grammar.productions))
    return expected_counts(grammar.arrays(), grammar.encode(x), grammar.consumed, zeros)[0]


def features(x, structure):
    """Features of a structure under the stacking grammar, by name."""
    bonus = np.full((1, len(x), len(x)), -np.inf)
    for i, j in base_pairs(structure):
        bonus[0, i, j] = 1.0
    zeros = np.zeros(len(STACKING.productions))
    steps, n_pairs = best_derivation(STACKING.arrays(), STACKING.encode(x), zeros, bonus)
    assert n_pairs == len(base_pairs(structure))
    counts = STACKING.features(steps)
    return {name: int(count) for name, count in zip(STACKING.feature_names, counts, strict=True) if count}


@pytest.mark.parametrize("length", [1, 4, 5, 9, 14, 20, 26])
def test_both_grammars_have_one_derivation_per_structure(length):
    x = "".join(np.random.default_rng(length).choice(list("acgu"), size=length))
    assert log_count(STACKING, x) == pytest.approx(log_count(G6, x))


def test_hairpin_and_stack():
    assert features("ggaaaccu", "((...)).") == {
        "exterior_helix": 1, "exterior_u": 1, "pair_gc": 2, "end_gc": 1, "end_cg": 1, "stack_cg_cg": 1,
        "hairpin_gc_aa": 1, "hairpin_1": 1,
    }  # fmt: skip


def test_stacks_are_the_same_from_both_strands():
    assert "stack_ag_cu" not in STACKING.feature_names
    assert "stack_au_gc" in features("agaaacu", "((...))")
    assert "stack_au_gc" in features("cuaaaag", "((...))")
    assert sum(name.startswith("stack_") for name in STACKING.feature_names) == 21


def test_bulges_and_interior_loops():
    bulge = features("gaagaaacc", "(..(...))")
    assert (bulge["bulge_1"], bulge["bulge_2"]) == (1, 1)
    assert features("ggaaacaac", "((...)..)")["bulge_2"] == 1
    lopsided = features("gaaagaaacac", "(...(...).)")
    assert lopsided["interior_gc_aa"] == lopsided["lopsided_1"] == lopsided["lopsided_2"] == 1
    assert "lopsided_3" not in lopsided
    square = features("gaagaaacaac", "(..(...)..)")
    assert square["interior_2"] == 1
    assert "lopsided_1" not in square


def test_multiloops():
    found = features("gagaaacgaaacac", "(.(...)(...).)")
    assert (found["multiloop"], found["multiloop_helix"], found["multiloop_base"]) == (1, 2, 2)


def test_it_folds_with_unknown_letters():
    x, y = ["GGGAAACCC", "GGCANAAGCC"], ["(((...)))", "(((....)))"]
    model = weft.Folder("stacking", weft.CRF(c2=0.1), unknown="unpaired").fit(x, y)
    assert model.predict(["GGGANNACCC"]) == ["(((....)))"]
    assert model.predict(x[:2]) == y[:2]


def test_an_unknown_name_is_refused():
    with pytest.raises(InputError, match="no RNA grammar 'g7'"):
        rna_grammar("g7", 3)
