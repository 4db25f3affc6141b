"""Grammars: golden values, enumeration, errors, and the fast passes against the graph."""

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from weft.core import argmax, kbest
from weft.core.grammar_kbest import best_derivations
from weft.core.grammar_queries import (
    best_derivation,
    covariance_of_counts,
    draw_derivations,
    expected_counts,
)
from weft.errors import InputError
from weft.structures import Grammar
from weft.testing.oracles import enumerate_derivations

G6 = Grammar.g6()


def all_trees(grammar, x):
    """Counts of rules of every parse tree, by enumeration on the graph."""
    graph = grammar.compile(grammar.encode(x))
    return np.array(
        [np.bincount(graph.parts[list(edges)], minlength=graph.n_parts) for edges in enumerate_derivations(graph)],
        dtype=float,
    ).reshape(-1, graph.n_parts)


def by_name(vector):
    return {name: value for name, value in zip(G6.feature_names, vector, strict=True) if abs(value) > 1e-9}


# ------------------------------------------------------------------------ golden values


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


# -------------------------------------------------------------------- random grammars


@st.composite
def grammars(draw):
    """Small grammars with rules of every form; some are ambiguous, some derive little."""
    names = ["S", "A", "B"]
    forms = {"S": {("a",)}, "A": {("b",)}, "B": {("a",)}}
    forms["S"] |= set(draw(st.lists(st.sampled_from([("A",), ("B",), ("A", "B")]), max_size=2)))
    forms["A"] |= set(draw(st.lists(st.just(("B",)), max_size=1)))
    anything = st.one_of(
        st.tuples(st.sampled_from(names), st.sampled_from(names)),
        st.tuples(st.sampled_from("ab"), st.sampled_from(names), st.sampled_from("ab")),
        st.tuples(st.sampled_from("ab"), st.sampled_from(names)),
        st.tuples(st.sampled_from(names), st.sampled_from("ab")),
    )
    for name in names:
        forms[name] |= set(draw(st.lists(anything, max_size=3)))
    forms["S"] |= {("A", "B")}
    text = "\n".join(f"{name} -> {' | '.join(' '.join(body) for body in sorted(forms[name]))}" for name in names)
    return Grammar(text, min_inside=draw(st.integers(0, 2)))


@given(grammars(), st.text("ab", min_size=1, max_size=5), st.integers(0, 2**32 - 1))
@settings(deadline=None, max_examples=40)
def test_passes_agree_with_enumeration(grammar, x, seed):
    trees = all_trees(grammar, x)
    assume(len(trees) <= 2000)
    arrays, symbols = grammar.arrays(), grammar.encode(x)
    random = np.random.default_rng(seed)
    scores = random.normal(size=len(grammar.productions))
    if not len(trees):
        assert best_derivation(arrays, symbols, scores) is None
        assert expected_counts(arrays, symbols, grammar.consumed, scores)[0] == -np.inf
        assert best_derivations(arrays, symbols, scores, 2) == []
        return
    values = trees @ scores
    steps, best = best_derivation(arrays, symbols, scores)
    assert best == pytest.approx(values.max())
    assert grammar.counts(steps) @ scores == pytest.approx(values.max())
    np.testing.assert_array_equal(grammar.steps(steps[:, 0].tolist()), steps)
    ranked = best_derivations(arrays, symbols, scores, 5)
    assert [score for _, score in ranked] == pytest.approx(sorted(values, reverse=True)[:5])
    assert len({steps.tobytes() for steps, _ in ranked}) == len(ranked) == min(5, len(trees))
    for steps, score in ranked:
        assert grammar.counts(steps) @ scores == pytest.approx(score)
    weights = np.exp(values)
    mean = weights @ trees / weights.sum()
    log_partition, counts = expected_counts(arrays, symbols, grammar.consumed, scores)
    assert log_partition == pytest.approx(np.log(weights.sum()))
    np.testing.assert_allclose(counts, mean, atol=1e-12)
    direction = random.normal(size=len(scores))
    spread = trees - mean
    wanted = (spread.T * weights / weights.sum()) @ (spread @ direction)
    again, product_ = covariance_of_counts(arrays, symbols, grammar.consumed, scores, direction, log_partition / len(x))
    np.testing.assert_allclose(again, mean, atol=1e-12)
    np.testing.assert_allclose(product_, wanted, atol=1e-10)


def test_logarithms_take_over_when_weights_overflow():
    x = "ggcaagccaaggaaaccu"
    trees = all_trees(G6, x)
    scores = 400.0 * np.random.default_rng(0).normal(size=len(G6.productions))
    values = trees @ scores
    weights = np.exp(values - values.max())
    log_partition, counts = expected_counts(G6.arrays(), G6.encode(x), G6.consumed, scores, rate=0.0)
    assert log_partition == pytest.approx(values.max() + np.log(weights.sum()))
    np.testing.assert_allclose(counts, weights @ trees / weights.sum(), atol=1e-9)
    direction = np.arange(len(scores)) / 10
    small = trees @ (scores / 100)
    weights = np.exp(small - small.max()) / np.exp(small - small.max()).sum()
    spread = trees - weights @ trees
    _, covariances = covariance_of_counts(G6.arrays(), G6.encode(x), G6.consumed, scores / 100, direction, rate=1e4)
    np.testing.assert_allclose(covariances, (spread.T * weights) @ (spread @ direction), atol=1e-9)


def test_marks_are_probabilities_of_pairs():
    x = "ggacgaaagucc"
    graph, symbols = G6.compile(x), G6.encode(x)
    scores = np.random.default_rng(1).normal(size=len(G6.productions))
    wanted, total = np.zeros((1, len(x), len(x))), 0.0
    for edges in enumerate_derivations(graph):
        rules = graph.parts[list(edges)]
        weight = np.exp(scores[rules].sum())
        total += weight
        for rule, s, t in G6.steps(rules.tolist()).tolist():
            if G6.productions[rule].n_symbols == 2:
                wanted[0, s, t] += weight
    marked = np.zeros_like(wanted)
    expected_counts(G6.arrays(), symbols, G6.consumed, scores, marked=marked)
    np.testing.assert_allclose(marked, wanted / total, atol=1e-12)


def test_samples_follow_the_weights():
    graph = G6.compile("ggaacc")
    trees = [graph.parts[list(edges)].tolist() for edges in enumerate_derivations(graph)]
    scores = np.random.default_rng(2).normal(size=len(G6.productions))
    weights = np.array([np.exp(scores[rules].sum()) for rules in trees])
    drawn = draw_derivations(G6.arrays(), G6.encode("ggaacc"), np.exp(scores), 4000, np.random.default_rng(3))
    shares = [np.mean([steps[:, 0].tolist() == rules for steps in drawn]) for rules in trees]
    np.testing.assert_allclose(shares, weights / weights.sum(), atol=0.03)
    assert sum(shares) == pytest.approx(1.0)


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


# ---------------------------------------------------------------- unknown symbols, ties


def test_unknown_symbols_are_refused_or_derived_without_weight():
    with pytest.raises(InputError, match="'x' at position 2 is no terminal"):
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


# ------------------------------------------------------------------------------ errors


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("S -> L S | L\nL -> a | Q", {}, "nonterminal Q has no rules"),
        ("S -> a b2", {"terminals": ["a"]}, "unknown symbol 'b2'"),
        ("S -> A\nA -> B\nB -> A | a", {}, "form a cycle"),
        ("S -> a\nA -> b", {}, "'A -> b' is unreachable from S"),
        ("S -> a | A\nA -> A S", {}, "nonterminal A derives no string"),
        ("S -> a | a", {}, "stands twice"),
        ("S -> a b c", {}, "a form that is not known"),
        ("S -> a ~ a a", {}, "a form that is not known"),
        ("S -> ", {}, "empty right side"),
        ("S a", {}, "line 1 of the grammar has no rule"),
        ("# nothing", {}, "no rules"),
        ("S -> a '", {}, "stray quote"),
        ("S -> a", {"start": "T"}, "start is 'T'"),
        ("S -> a", {"min_inside": -1}, "min_inside is -1"),
        (3, {}, "the grammar is a int"),
    ],
)
def test_bad_grammars_are_refused_with_a_reason(text, options, message):
    with pytest.raises(InputError, match=message):
        Grammar(text, **options)


def test_text_forms():
    grammar = Grammar("# comment\nS -> 'The' S\n  | \"x\" S y\n  | z", start="S")
    assert grammar.symbols == ["The", "x", "y", "z"]
    assert grammar.feature_names == ["S -> The S", "S -> x S y", "S -> z"]
    clone = Grammar(**grammar.get_params())
    assert clone.feature_names == grammar.feature_names
    assert "1 nonterminals, 3 rules, 4 terminals" in repr(grammar)


def test_a_sequence_without_tree_is_an_error():
    grammar = Grammar("S -> a S b | a")
    for question in (grammar.moments, lambda x: grammar.best(x, np.zeros(2))):
        with pytest.raises(InputError, match="derives no tree"):
            question("ab")
    with pytest.raises(InputError, match="empty"):
        grammar.moments("")


def test_every_short_string_has_as_many_trees_on_both_routes():
    grammar = Grammar("S -> A S | A\nA -> a S b | a | b | b A | A a", min_inside=1)
    for x in map("".join, product("ab", repeat=4)):
        assert round(np.exp(grammar.moments(x).log_count)) == len(all_trees(grammar, x))
