"""Grammars: golden values, enumeration, errors, and the fast passes against the graph."""

from itertools import product

import numpy as np
import pytest

from grammar_oracle import all_trees
from weft.core import argmax, kbest
from weft.errors import InputError
from weft.structures import Grammar
from weft.structures.grammar.kbest import best_derivations
from weft.structures.grammar.queries import expected_counts
from weft.testing.oracles import enumerate_derivations

G6 = Grammar.g6()


def by_name(vector):
    return {name: value for name, value in zip(G6.feature_names, vector, strict=True) if abs(value) > 1e-9}


def test_golden_g1_two_trees():
    moments = G6.moments("gaac")
    assert moments.log_count == pytest.approx(np.log(2))
    u = {"S -> L S": 3, "S -> L": -1, "L -> g F c": -1, "L -> c": 1, "L -> g": 1, "F -> L S": -1}
    vector = np.array([u.get(name, 0) for name in G6.feature_names])
    np.testing.assert_allclose(moments.covariance, np.outer(vector, vector) / 4, atol=1e-12)


def test_golden_g2_moments():
    names = ["S -> L S", "S -> L", "L -> g F c", "L -> a", "L -> c", "L -> g", "F -> g F c", "F -> L S"]
    chosen = [G6.feature_names.index(name) for name in names]
    moments = G6.moments("ggaacc")
    assert moments.log_count == pytest.approx(np.log(6))
    np.testing.assert_allclose(moments.mean[chosen] * 6, [13, 11, 5, 12, 6, 6, 1, 5], atol=1e-12)
    wanted = [
        [77, -17, -17, 0, 30, 30, -13, -17],
        [-17, 5, 5, 0, -6, -6, 1, 5],
        [-17, 5, 5, 0, -6, -6, 1, 5],
        [0, 0, 0, 0, 0, 0, 0, 0],
        [30, -6, -6, 0, 12, 12, -6, -6],
        [30, -6, -6, 0, 12, 12, -6, -6],
        [-13, 1, 1, 0, -6, -6, 5, 1],
        [-17, 5, 5, 0, -6, -6, 1, 5],
    ]
    np.testing.assert_allclose(moments.covariance[np.ix_(chosen, chosen)] * 36, wanted, atol=1e-11)
    assert moments.mean.sum() * 6 == pytest.approx(13 + 11 + 5 + 12 + 6 + 6 + 1 + 5)
    np.testing.assert_allclose(moments.covariance, G6.graph_moments("ggaacc").covariance, atol=1e-12)


@pytest.mark.parametrize(
    ("x", "count"), [("gaaac", 2), ("gcaagc", 4), ("gguaacuc", 13), ("acguuggacu", 39), ("gaucgaucaagc", 67)]
)
def test_golden_g3_counts(x, count):
    assert G6.moments(x).log_count == pytest.approx(np.log(count))
    assert len(all_trees(G6, x)) == count


def test_golden_g3_sums():
    moments = G6.moments("acguuggacu")
    first = by_name(moments.mean * 39)
    wanted = {"S -> L S": 155, "S -> L": 103, "F -> L S": 64, "L -> a F u": 20, "F -> u F a": 2}
    assert {name: first[name] for name in wanted} == pytest.approx(wanted)
    second = 39 * (moments.covariance + np.outer(moments.mean, moments.mean))
    assert second.sum() == pytest.approx(10774)
    assert np.trace(second) == pytest.approx(1728)


def test_g6_has_19_rules_and_one_tree_per_structure():
    assert len(G6.feature_names) == G6.n_rules == 19
    symbols = G6.encode("ggacgaaaguccaa")
    graph = G6.compile(symbols)
    structures = set()
    derivations = enumerate_derivations(graph)
    for edges in derivations:
        steps = G6.steps(graph.parts[list(edges)].tolist())
        structures.add(tuple((s, t) for rule, s, t in steps.tolist() if G6.productions[rule].n_symbols == 2))
    assert len({tuple(sorted(pairs)) for pairs in structures}) == len(derivations)


def test_min_inside_forbids_short_hairpins():
    assert G6.moments("gaac").log_count == pytest.approx(np.log(2))
    assert Grammar.g6(min_inside=3).moments("gaac").log_count == pytest.approx(0.0)
    assert Grammar.g6(min_inside=3).moments("gaaac").log_count == pytest.approx(np.log(2))
    assert len(all_trees(Grammar.g6(min_inside=3), "gaaac")) == 2


def test_the_graph_answers_the_same():
    x = "ggacgaaaguccaacguugcauu"
    scores = np.random.default_rng(4).normal(size=len(G6.productions))
    graph = G6.compile(x)
    best = argmax(graph, scores)
    steps, score = G6.best(x, scores[: G6.n_rules])
    assert score == pytest.approx(best.score)
    assert G6.counts(G6.decode(best)) @ scores == pytest.approx(G6.counts(steps) @ scores)  # trees tie
    ranked = best_derivations(G6.arrays(), G6.encode(x), scores, 20)
    assert [each for _, each in ranked] == pytest.approx([each.score for each in kbest(graph, scores, 20)])


def test_long_sequences_need_no_recursion():
    grammar = Grammar("S -> A S | A\nA -> a | b")
    ranked = best_derivations(grammar.arrays(), grammar.encode("ab" * 300), np.array([0.0, 0.0, -1.0, 1.0, 0, 0]), 3)
    assert [score for _, score in ranked] == pytest.approx([0.0])


def test_unknown_symbols_are_refused_or_derived_without_weight():
    with pytest.raises(InputError, match="'x' at position 2 is not a terminal"):
        G6.encode("gaxac")
    symbols = G6.encode("gxac", unknown="wildcard")
    log_count, _ = expected_counts(G6.arrays(), symbols, G6.consumed, np.zeros(len(G6.productions)))
    assert log_count == pytest.approx(np.log(2))


def test_unpaired_ends_are_no_pair():
    grammar = Grammar("S -> a ~ S b | a S b | a", min_inside=3)
    assert grammar.feature_names == ["S -> a ~ S b", "S -> a S b", "S -> a"]
    assert round(np.exp(grammar.moments("aaabb").log_count)) == len(all_trees(grammar, "aaabb")) == 2
    assert grammar.arrays().marks.tolist() == [-1, 0, -1, -1, -1, -1, -1]
    unknown = grammar.encode("axb", unknown="wildcard")
    assert expected_counts(grammar.arrays(), unknown, grammar.consumed, np.zeros(7))[0] == pytest.approx(0.0)


def test_rules_may_share_a_weight():
    grammar = Grammar("S -> S S [join] | a [letter vowel] | b [letter] | c []")
    assert grammar.feature_names == ["join", "letter", "vowel"]
    np.testing.assert_allclose(grammar.moments("abc").mean, [2, 2, 1])


def test_every_short_string_has_as_many_trees_on_both_routes():
    grammar = Grammar("S -> A S | A\nA -> a S b | a | b | b A | A a", min_inside=1)
    for x in map("".join, product("ab", repeat=4)):
        assert round(np.exp(grammar.moments(x).log_count)) == len(all_trees(grammar, x))
