"""Tests of `weft.structures.grammar.queries`."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from grammar_oracle import all_trees
from weft.errors import InputError
from weft.structures import Grammar
from weft.structures.grammar.kbest import best_derivations
from weft.structures.grammar.queries import best_derivation, covariance_of_counts, draw_derivations, expected_counts
from weft.testing.oracles import enumerate_derivations

G6 = Grammar.g6()


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
@settings(max_examples=40)
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
    rate = log_partition / len(x)
    mean_score, product_ = covariance_of_counts(arrays, symbols, grammar.consumed, scores, direction, rate)
    assert mean_score == pytest.approx(mean @ direction)
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
    mean, covariances = covariance_of_counts(G6.arrays(), G6.encode(x), G6.consumed, scores / 100, direction, rate=1e4)
    assert mean == pytest.approx(weights @ trees @ direction)
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


def test_a_sequence_without_tree_is_an_error():
    grammar = Grammar("S -> a S b | a")
    for question in (grammar.moments, lambda x: grammar.best(x, np.zeros(2))):
        with pytest.raises(InputError, match="derives no tree"):
            question("ab")
    with pytest.raises(InputError, match="empty"):
        grammar.moments("")
