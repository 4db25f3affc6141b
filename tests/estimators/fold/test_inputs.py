"""RNA and its structures as users write them, and the pairs that a reference loses."""

import numpy as np
import pytest

import weft
from weft.errors import InputError
from weft.estimators.fold.inputs import derived_pairs, dot_bracket, pairs_of, rna_symbols
from weft.structures import Grammar


def test_letters_of_dna_and_small_ones_are_those_of_rna():
    grammar = Grammar.g6()
    first, *others = rna_symbols(["ACGU", "acgu", "ACGT"], grammar, "error")
    assert all(np.array_equal(first, each) for each in others)
    with pytest.raises(InputError, match=r"X\[1\] has 'N' at position 2; only A, C, G, U and T can pair"):
        rna_symbols(["AC", "ACN"], grammar, "error")
    with pytest.warns(UserWarning, match="1 of 2 sequences have gaps"):
        [_, gapped] = rna_symbols(["AC", "A-C"], grammar, "unpaired")
    assert gapped[1] == len(grammar.symbols)


def test_a_structure_comes_back_from_its_derivation():
    grammar, structure = Grammar.g6(), "((...))((...))"
    pairs = pairs_of(structure, len(structure), 0)
    [symbols] = rna_symbols(["GCAAAGCGCAAAGC"], grammar, "error")
    assert dot_bracket(len(structure), derived_pairs(grammar.nearest(symbols, pairs), grammar)) == structure


def test_references_outside_the_output_space_are_projected_and_counted():
    sequences = ["GGGAAACCC", "GCGAAACGC", "GAGAAACCC", "GGGAACCC"]
    structures = ["(((...)))", "(((...)))", "(((...)))", "(((..)))"]
    model = weft.Folder().fit(sequences, structures)
    assert model.dropped_pairs_ == [(2, 1, 7, "letters"), (3, 2, 5, "hairpin")]
    assert model.n_projected_ == 2
    with pytest.raises(InputError, match=r"y\[2\] pairs positions 1 and 7 \(AC\).*letters"):
        weft.Folder(invalid="error").fit(sequences, structures)
    assert weft.Folder(min_hairpin=2).fit(["GGGAACCC"], ["(((..)))"]).dropped_pairs_ == []


def test_a_pseudoknot_loses_as_few_pairs_as_possible():
    x, y = "GGGAACCAAACCCAAGG", "(((..[[...)))..]]"
    model = weft.Folder().fit([x], [y])
    assert [pair[3] for pair in model.dropped_pairs_] == ["crossing", "crossing"]
    assert [pair[1:3] for pair in model.dropped_pairs_] == [(5, 16), (6, 15)]


def test_marks_of_rfam_are_unpaired():
    assert weft.Folder().fit(["GGGAAACCCA"], ["<<<___>>>:"]).predict(["GGGAAACCC"]) == ["(((...)))"]


def test_loops_project_references():
    sequences = ["GAGAAACCC", "GGGAACCC", "G" + "A" * 30 + "GGGAAACCCAC"]
    structures = ["(((...)))", "(((..)))", "(" + "." * 30 + "(((...))).)"]
    model = weft.Folder("loops", n_jobs=1).fit(sequences, structures)
    assert model.dropped_pairs_ == [(0, 1, 7, "letters"), (1, 2, 5, "hairpin"), (2, 0, 41, "loop")]
    knot = weft.Folder("loops", n_jobs=1).fit(["GGGAACCAAACCCAAGG"], ["(((..[[...)))..]]"])
    assert {pair[3] for pair in knot.dropped_pairs_} == {"crossing"}
