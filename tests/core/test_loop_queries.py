"""Loops of RNA: every query equals what all structures of a short sequence, written down one by one, say."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weft.core.expected_accuracy import most_accurate_pairs
from weft.core.loop_counts import count_parts
from weft.core.loop_kbest import best_structures
from weft.core.loop_queries import (
    CONSUMED,
    best_structure,
    covariance_of_parts,
    draw_structures,
    expected_parts,
)
from weft.core.loop_tables import (
    BULGE_LENGTH,
    BULGE_ONE,
    HAIRPIN_LENGTH,
    HAIRPIN_MORE,
    INTERIOR_LENGTH,
    MULTI_BASE,
    MULTI_BRANCH,
    MULTI_CLOSE,
    N_VALUES,
    ONE_ONE,
    PAIR_CODES,
    SIDE,
    STACK,
)
from weft.errors import InputError
from weft.losses import base_pairs


def structures(symbols, least, allowed=None):
    """All structures, each as a sorted array of pairs."""

    @cache
    def within(i, j):
        if i > j:
            return [()]
        found = list(within(i + 1, j))
        for k in range(i + 1 + least, j + 1):
            if PAIR_CODES[symbols[i], symbols[k]] >= 0 if allowed is None else allowed[i, k]:
                found += [((i, k), *a, *b) for a in within(i + 1, k - 1) for b in within(k + 1, j)]
        return found

    return [np.array(sorted(pairs), dtype=np.int32).reshape(-1, 2) for pairs in within(0, len(symbols) - 1)]


@st.composite
def problems(draw):
    """Letters (some unknown), scores of parts, least hairpin."""
    symbols = draw(st.lists(st.sampled_from([0, 1, 1, 2, 2, 3, 3, 4]), min_size=1, max_size=18))
    least = draw(st.sampled_from([0, 1, 3])) if len(symbols) <= 13 else 3
    scores = np.random.default_rng(draw(st.integers(0, 2**32 - 1))).normal(size=N_VALUES)
    return np.array(symbols, dtype=np.int32), scores, least


def enumerate_all(symbols, scores, least):
    every = structures(tuple(symbols.tolist()), least)
    counts = np.array([count_parts(symbols, pairs) for pairs in every])
    values = counts @ scores
    total = np.logaddexp.reduce(values)
    return every, counts, values, total, np.exp(values - total)


@given(problems())
@settings(deadline=None, max_examples=40)
def test_queries_equal_enumeration(problem):
    symbols, scores, least = problem
    every, counts, values, total, shares = enumerate_all(symbols, scores, least)
    np.testing.assert_allclose(counts @ CONSUMED, len(symbols))
    found = expected_parts(symbols, scores, least)
    assert found[0] == pytest.approx(total)
    np.testing.assert_allclose(found[1], shares @ counts, atol=1e-9)
    wanted = np.zeros((len(symbols), len(symbols)))
    for pairs, share in zip(every, shares, strict=True):
        wanted[pairs[:, 0], pairs[:, 1]] += share
    np.testing.assert_allclose(found[2], wanted, atol=1e-9)
    pairs, score = best_structure(symbols, scores, least)
    assert score == pytest.approx(values.max())
    assert count_parts(symbols, pairs) @ scores == pytest.approx(score)
    ranked = best_structures(symbols, scores, least, 6)
    np.testing.assert_allclose([score for _, score in ranked], np.sort(values)[::-1][:6])
    assert len({own.tobytes() for own, _ in ranked}) == len(ranked)
    for own, score in ranked:
        assert count_parts(symbols, own) @ scores == pytest.approx(score)


@given(problems())
@settings(deadline=None, max_examples=10)
def test_covariances_equal_enumeration(problem):
    symbols, scores, least = problem
    _, counts, _, total, shares = enumerate_all(symbols, scores, least)
    direction = np.random.default_rng(0).normal(size=N_VALUES)
    found = covariance_of_parts(symbols, scores, least, direction, total / len(symbols))
    mean = shares @ counts
    np.testing.assert_allclose(found[0], mean, atol=1e-9)
    wanted = ((counts - mean) * shares[:, None]).T @ ((counts - mean) @ direction)
    np.testing.assert_allclose(found[1], wanted, atol=1e-8)


def test_scores_too_large_for_weights_take_logarithms():
    symbols = np.array([2, 2, 0, 0, 0, 1, 1, 0, 2, 1, 0, 3, 3, 1], dtype=np.int32)
    scores = np.random.default_rng(0).normal(scale=2000.0, size=N_VALUES)
    _, counts, _, total, shares = enumerate_all(symbols, scores, 3)
    found = expected_parts(symbols, scores, 3, rate=0.0)
    assert found[0] == pytest.approx(total)
    np.testing.assert_allclose(found[1], shares @ counts, atol=1e-6)
    with pytest.raises(InputError, match="too large for second moments"):
        covariance_of_parts(symbols, scores, 3, scores, 0.0)


def test_draws_have_the_probabilities_of_structures():
    symbols = np.array([2, 2, 0, 0, 0, 1, 1, 0, 3], dtype=np.int32)
    scores = np.random.default_rng(1).normal(size=N_VALUES)
    every, _, _, total, shares = enumerate_all(symbols, scores, 3)
    values = np.exp(scores - total / len(symbols) * CONSUMED)
    drawn = draw_structures(symbols, values, 3, 3000, np.random.default_rng(0))
    frequencies = [np.mean([np.array_equal(own, pairs) for own in drawn]) for pairs in every]
    np.testing.assert_allclose(frequencies, shares, atol=0.04)
    assert draw_structures(symbols, np.full(N_VALUES, np.inf), 3, 1, np.random.default_rng(0)) == []


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.3, 1.0, 4.0]))
@settings(deadline=None, max_examples=30)
def test_the_most_accurate_structure_equals_enumeration(seed, gamma):
    n = 9
    random = np.random.default_rng(seed)
    probabilities = np.triu(random.random((n, n)) * (random.random((n, n)) < 0.5), 1)
    probabilities /= max(1.0, (probabilities + probabilities.T).sum(axis=1).max())
    unpaired = 1.0 - (probabilities + probabilities.T).sum(axis=1)

    def accuracy(pairs):
        alone = np.ones(n, dtype=bool)
        alone[pairs.ravel()] = False
        return 2.0 * gamma * probabilities[pairs[:, 0], pairs[:, 1]].sum() + unpaired[alone].sum()

    allowed = np.triu(np.ones((n, n), dtype=bool), 1)
    best = max(accuracy(pairs) for pairs in structures((0,) * n, 0, allowed))
    found = most_accurate_pairs(probabilities, gamma)
    assert accuracy(found) == pytest.approx(best)
    assert found[:, 0].tolist() == sorted(found[:, 0].tolist())


# ------------------------------------------------------------------ parts by hand

LETTERS = "acgu"


def parts(x, structure):
    symbols = np.array([LETTERS.index(letter) for letter in x], dtype=np.int32)
    pairs = np.array(sorted(base_pairs(structure)), dtype=np.int32).reshape(-1, 2)
    return count_parts(symbols, pairs)


def test_parts_of_small_loops():
    gc, au = PAIR_CODES[2, 1], PAIR_CODES[0, 3]
    assert parts("gaaaauc", "((...))")[STACK + gc * 6 + au] == 1
    assert parts("gcaaaauc", "(.(...))")[BULGE_ONE + (gc * 6 + au) * 5 + 1] == 1
    assert parts("gaaaaugc", "((...).)")[BULGE_ONE + (gc * 6 + au) * 5 + 2] == 1
    assert parts("gcaaaaugc", "(.(...).)")[ONE_ONE + ((gc * 6 + au) * 5 + 1) * 5 + 2] == 1


def test_parts_of_long_loops():
    assert parts("gccaaaauc", "(..(...))")[BULGE_LENGTH + 2] == 1
    assert parts("gccaaaaugc", "(..(...).)")[INTERIOR_LENGTH + 2 * SIDE + 1] == 1
    found = parts("g" + "a" * 33 + "c", "(" + "." * 33 + ")")
    assert (found[HAIRPIN_LENGTH + 30], found[HAIRPIN_MORE]) == (1, 3)


def test_parts_of_multiloops():
    found = parts("gagaaacgaaacac", "(.(...)(...).)")
    assert found[MULTI_BASE] == 2
    assert found[MULTI_CLOSE:MULTI_BRANCH].sum() == 1
    assert found[MULTI_BRANCH:MULTI_BASE].sum() == 2
