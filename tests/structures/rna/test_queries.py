"""Loops of RNA: every query equals what all structures of a short sequence, written down one by one, say."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rna_oracle import structures
from weft.structures.rna.kbest import best_structures
from weft.structures.rna.loops.counts import count_parts
from weft.structures.rna.loops.places import code_of
from weft.structures.rna.queries import (
    CONSUMED,
    NO_CODES,
    best_structure,
    covariance_of_parts,
    draw_structures,
    expected_parts,
)
from weft.structures.rna.tables import N_VALUES


@st.composite
def problems(draw):
    """Letters (some unknown), scores of parts, least hairpin, hairpins of its own that have a score."""
    symbols = draw(st.lists(st.sampled_from([0, 1, 1, 2, 2, 3, 3, 4]), min_size=1, max_size=18))
    least = draw(st.sampled_from([0, 1, 3])) if len(symbols) <= 13 else 3
    scores = np.random.default_rng(draw(st.integers(0, 2**32 - 1))).normal(size=N_VALUES)
    symbols = np.array(symbols, dtype=np.int32)
    every = sorted({code_of(symbols, i, i + n) for n in (5, 6, 8) for i in range(len(symbols) - n + 1)})
    codes = draw(st.lists(st.sampled_from(every), unique=True, max_size=20)) if every else []
    return symbols, scores, least, np.array(sorted(codes), dtype=np.int64)


def enumerate_all(symbols, scores, least, codes=NO_CODES):
    every = structures(tuple(symbols.tolist()), least)
    counts = np.array([count_parts(symbols, pairs, codes, 30) for pairs in every])
    values = counts @ scores
    total = np.logaddexp.reduce(values)
    return every, counts, values, total, np.exp(values - total)


@given(problems())
@settings(max_examples=40)
def test_queries_equal_enumeration(problem):
    symbols, scores, least, codes = problem
    every, counts, values, total, shares = enumerate_all(symbols, scores, least, codes)
    np.testing.assert_allclose(counts @ CONSUMED, len(symbols))
    found = expected_parts(symbols, scores, least, codes=codes)
    assert found[0] == pytest.approx(total)
    np.testing.assert_allclose(found[1], shares @ counts, atol=1e-9)
    wanted = np.zeros((len(symbols), len(symbols)))
    for pairs, share in zip(every, shares, strict=True):
        wanted[pairs[:, 0], pairs[:, 1]] += share
    np.testing.assert_allclose(found[2], wanted, atol=1e-9)
    np.testing.assert_allclose(
        expected_parts(symbols, scores, least, codes=codes, counting=False)[2], wanted, atol=1e-9
    )
    pairs, score = best_structure(symbols, scores, least, codes=codes)
    assert score == pytest.approx(values.max())
    assert count_parts(symbols, pairs, codes, 30) @ scores == pytest.approx(score)
    ranked = best_structures(symbols, scores, least, 6, codes)
    np.testing.assert_allclose([score for _, score in ranked], np.sort(values)[::-1][:6])
    assert len({own.tobytes() for own, _ in ranked}) == len(ranked)
    for own, score in ranked:
        assert count_parts(symbols, own, codes, 30) @ scores == pytest.approx(score)


@given(problems())
@settings(max_examples=10)
def test_covariances_equal_enumeration(problem):
    symbols, scores, least, codes = problem
    _, counts, _, total, shares = enumerate_all(symbols, scores, least, codes)
    direction = np.random.default_rng(0).normal(size=N_VALUES)
    found = covariance_of_parts(symbols, scores, least, direction, total / len(symbols), codes=codes)
    mean = shares @ counts
    assert found[0] == pytest.approx(mean @ direction)
    wanted = ((counts - mean) * shares[:, None]).T @ ((counts - mean) @ direction)
    np.testing.assert_allclose(found[1], wanted, atol=1e-8)


def test_scores_too_large_for_weights_take_logarithms():
    symbols = np.array([2, 2, 0, 0, 0, 1, 1, 0, 2, 1, 0, 3, 3, 1], dtype=np.int32)
    scores = np.random.default_rng(0).normal(scale=2000.0, size=N_VALUES)
    _, counts, _, total, shares = enumerate_all(symbols, scores, 3)
    found = expected_parts(symbols, scores, 3, rate=0.0)
    assert found[0] == pytest.approx(total)
    np.testing.assert_allclose(found[1], shares @ counts, atol=1e-6)
    assert covariance_of_parts(symbols, scores, 3, scores, 0.0) is None


def test_draws_have_the_probabilities_of_structures():
    symbols = np.array([2, 2, 0, 0, 0, 1, 1, 0, 3], dtype=np.int32)
    scores = np.random.default_rng(1).normal(size=N_VALUES)
    every, _, _, total, shares = enumerate_all(symbols, scores, 3)
    values = np.exp(scores - total / len(symbols) * CONSUMED)
    drawn = draw_structures(symbols, values, 3, 3000, np.random.default_rng(0))
    frequencies = [np.mean([np.array_equal(own, pairs) for own in drawn]) for pairs in every]
    np.testing.assert_allclose(frequencies, shares, atol=0.04)
    assert draw_structures(symbols, np.full(N_VALUES, np.inf), 3, 1, np.random.default_rng(0)) == []


@given(problems(), st.integers(0, 2**32 - 1))
@settings(max_examples=40)
def test_of_equal_structures_rounding_does_not_choose(problem, seed):
    symbols, scores, least, _ = problem
    tied = np.round(scores)
    moved = tied + 1e-14 * np.random.default_rng(seed).normal(size=N_VALUES)
    np.testing.assert_array_equal(best_structure(symbols, tied, least)[0], best_structure(symbols, moved, least)[0])
    np.testing.assert_array_equal(
        best_structure(symbols, tied, least)[0], best_structures(symbols, tied, least, 1)[0][0]
    )
