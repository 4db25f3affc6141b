"""Tests of `weft.structures.rna.features`."""

from rna_examples import as_pairs
from weft.structures import LoopModel

MODEL = LoopModel()


def counts(x, structure):
    return MODEL.counts(MODEL.encode(x, unknown="wildcard"), as_pairs(structure))


def features(x, structure):
    """How often a structure has each feature, but for its free energy."""
    found = (MODEL.rule_features > 0).T @ counts(x, structure)
    return {name: int(n) for name, n in list(zip(MODEL.feature_names, found, strict=True))[1:] if n}


def test_hairpin_and_stack():
    found = features("ggaaaccu", "((...)).")
    assert found == {
        "pair_cg": 2, "stack_cg_cg": 1, "hairpin": 1, "hairpin_1": 1, "hairpin_2": 1, "hairpin_3": 1, "end_cg": 1,
        "end_gc": 1, "right_gc_u": 1, "exterior_branch": 1, "exterior_base": 1,
    }  # fmt: skip


def test_stacks_are_the_same_from_both_strands():
    assert sum(name.startswith("stack_") for name in MODEL.feature_names) == 21
    assert "stack_au_gc" in features("agaaacu", "((...))")
    assert "stack_au_gc" in features("cuaaaag", "((...))")


def test_loops_between_two_pairs():
    assert features("gaagaaacc", "(..(...))")["bulge_2"] == 1
    one = features("gcgaaacac", "(.(...).)")
    assert one["one_one_ac"] == one["interior_1x1"] == one["interior"] == 1
    wide = features("gaaagaaacac", "(...(...).)")
    assert wide["lopsided_2"] == wide["interior_4"] == wide["interior_1x3"] == 1
    assert "lopsided_3" not in wide
    assert wide["interior_aa"] == 2


def test_multiloops_and_unknown_letters():
    found = features("gagaaacgaaacac", "(.(...)(...).)")
    assert (found["multiloop"], found["multiloop_branch"], found["multiloop_base"]) == (1, 3, 2)
    assert "hairpin_gc_ng" not in features("gnaaagc", "(.....)")


def test_small_interior_loops_have_the_features_of_their_length_and_ends():
    found = features("gagaaacaac", "(.(...)..)")
    assert found["interior_1x2"] == found["lopsided_1"] == found["interior"] == 1
    assert found["interior_aa"] == 1
    assert found == features("gaagaaacac", "(..(...).)")
    found = features("gaagaaacaac", "(..(...)..)")
    assert found["interior_2x2"] == found["interior_4"] == 1
    assert {"interior_aa", "interior_cg_aa", "interior_gc_aa"} <= set(found)
